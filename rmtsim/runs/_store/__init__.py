"""The crash-safe store of finished batches."""
