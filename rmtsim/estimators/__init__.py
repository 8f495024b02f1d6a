"""Estimators with scikit-learn's interface: covariance, principal components, denoising, whitening.

They need scikit-learn, the extra ``sklearn``.

>>> import numpy as np
>>> from rmtsim.estimators import NonlinearShrinkage
>>> data = np.random.default_rng(0).standard_normal((60, 40))
>>> bool(np.linalg.cond(NonlinearShrinkage().fit(data).covariance_) < 3)
True
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
