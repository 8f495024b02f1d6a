"""Work: cut into batches, run anywhere, folded in order."""
