"""The classical ensembles, β = 1, 2, 4 dense and any β > 0 tridiagonal, and Haar matrices; generators are arguments."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
