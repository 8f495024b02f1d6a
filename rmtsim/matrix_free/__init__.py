"""Spectra and traces of symmetric operators that are known by their products alone, each with a standard error."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
