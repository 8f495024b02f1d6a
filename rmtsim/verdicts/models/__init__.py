"""Finite-size models: the declared family, projections onto it, Richardson tables, bands."""
