"""Whitening with a covariance whose eigenvalues are shrunken."""

from __future__ import annotations

from typing import Any

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim.estimators._base import Estimator
from rmtsim.estimators._covariance import NonlinearShrinkage


class MarchenkoPasturWhitener(Estimator):
    """Linear map to features of unit variance without correlations, the noise of the eigenvalues removed.

    Parameters
    ----------
    folds : int, optional
        Folds of the cross-validation of the covariance, see :class:`NonlinearShrinkage`.

    Attributes
    ----------
    covariance_ : NonlinearShrinkage
        Fitted covariance, for Stein's loss.
    mean_ : ndarray
        Means of the features.
    whitening_ : ndarray of shape (n_features, n_features)
        Symmetric inverse square root of the covariance.

    Notes
    -----
    The inverse root of a sample covariance multiplies directions of small sample variance by large factors, although
    most of these variances are small by chance: the Marchenko–Pastur law spreads them even if all are equal.
    Directions without any variance are mapped to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.estimators import MarchenkoPasturWhitener
    >>> rng = np.random.default_rng(0)
    >>> scales = np.linspace(1, 5, 30)
    >>> found = MarchenkoPasturWhitener().fit(rng.standard_normal((90, 30)) * scales)
    >>> fresh = found.transform(rng.standard_normal((4000, 30)) * scales)
    >>> bool(abs(np.cov(fresh.T).trace() / 30 - 1) < 0.3)
    True
    """

    def __init__(self, *, folds: int = 5) -> None:
        self.folds = folds

    def _fit(self, data: FloatArray) -> None:
        """Estimate the covariance and its inverse root."""
        self.covariance_ = NonlinearShrinkage(loss="stein", folds=self.folds).fit(data)
        self.mean_ = self.covariance_.location_
        values, vectors = np.linalg.eigh(self.covariance_.covariance_)
        live = values > 1e-12 * max(float(values[-1]), 0.0)
        roots = np.where(live, 1 / np.sqrt(np.where(live, values, 1.0)), 0.0)
        self.whitening_ = (vectors * roots) @ vectors.T

    def _transform(self, data: FloatArray) -> Any:
        """Whitened rows."""
        return (data - self.mean_) @ self.whitening_
