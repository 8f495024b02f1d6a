"""Limiting spectral laws: frozen values with one protocol; imports nothing of the simulation side."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
