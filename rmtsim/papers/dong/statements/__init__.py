"""The statements of `dong`, one module per section: where its theory and its simulation meet."""
