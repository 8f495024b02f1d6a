"""The statements of `wu`, one module per section: where its theory and its simulation meet."""
