"""Limiting spectral laws of random matrices, as immutable objects with the method names of ``scipy.stats``.

>>> from rmtsim.laws import MarchenkoPastur
>>> MarchenkoPastur(ratio=0.25).support
((0.25, 2.25),)
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
