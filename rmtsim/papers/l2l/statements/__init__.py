"""The statements of `l2l`, one module per section: where its theory and its simulation meet."""
