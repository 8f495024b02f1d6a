"""The Matrix Dyson equation 1 + (z − A + S[M]) M = 0, Im M > 0: laws, linearisations and conditions.

The law itself is :class:`rmtsim.laws.MatrixDyson`.

>>> from rmtsim.laws.dyson import ensembles
>>> len(ensembles.deformed(separation=1.1).support)
2
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
