"""The statements of `loglinear`, one module per section: where its theory and its simulation meet."""
