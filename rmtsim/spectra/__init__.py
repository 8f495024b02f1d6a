"""Your own spectrum: a bulk fitted to measured eigenvalues, outliers with p-values, layers of a model."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
