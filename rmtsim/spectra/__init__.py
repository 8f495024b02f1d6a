"""Analysis of measured spectra: fit of the bulk, outliers with p-values, population estimates, weights of a model.

>>> import numpy as np
>>> from rmtsim.spectra import spectrum
>>> spectrum(np.random.default_rng(0).standard_normal((400, 100))).rank
0
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
