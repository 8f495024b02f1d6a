"""Free probability: sums, products and corners of free elements, as laws; the transforms that linearise them."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
