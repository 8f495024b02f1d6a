"""The Matrix Dyson equation 1 + (z − A + S[M]) M = 0, Im M > 0: solver, certificate, law."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
