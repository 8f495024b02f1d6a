"""The statements of `liu`, one module per section: where its theory and its simulation meet."""
