"""Finite-size models: the declared family, projections onto it, extrapolation, and the interval over all of them."""
