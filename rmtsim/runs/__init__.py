"""Execution of batches: pools of workers, the store of finished batches, and the identity of a batch."""
