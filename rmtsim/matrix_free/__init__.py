"""Spectra and traces of symmetric operators that are known only by their products with vectors.

>>> import numpy as np
>>> from scipy.sparse import diags
>>> from rmtsim.matrix_free import operator_trace
>>> round(operator_trace(diags(np.ones(1000)), np.random.default_rng(0)).value, 6)
1000.0
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
