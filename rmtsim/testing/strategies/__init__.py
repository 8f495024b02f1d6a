"""Hypothesis strategies for random-matrix code (extra ``testing``).

Each shrinks towards a plain example: ratio 1, one population atom at 1, a diagonal matrix, one layer.

>>> from hypothesis import find
>>> from rmtsim.testing.strategies import populations
>>> find(populations(), lambda population: True)
([1.0], [1.0])
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
