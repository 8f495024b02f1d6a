"""Classical random-matrix ensembles: Gaussian, Wishart, Jacobi and circular, and Haar-distributed matrices.

Dense matrices exist for β = 1, 2, 4 (real, complex and quaternion entries), tridiagonal ones for every β > 0. Every
function takes a ``numpy.random.Generator``.

>>> import numpy as np
>>> from rmtsim.ensembles import gaussian
>>> gaussian(3, np.random.default_rng(0)).shape
(3, 3)
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
