"""The statements of `sparse`, one module per section: where its theory and its simulation meet."""
