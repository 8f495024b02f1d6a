"""Exact Hessian blocks, block norms without blocks, matrix-free operators."""
