"""The statements of `textbook`, one module per section: where its theory and its simulation meet."""
