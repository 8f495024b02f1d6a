"""Finite-size models: the declared family, projections onto it, extrapolation, bands, and the interval over all of them."""
