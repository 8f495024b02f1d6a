"""The statements of `li`, one module per section: where its theory and its simulation meet."""
