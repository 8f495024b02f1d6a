"""Denoising of a rectangular matrix by optimal shrinkage of its singular values."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim.estimators._base import Estimator, OneToOneFeatureMixin
from rmtsim.laws import MarchenkoPastur


class SingularValueDenoiser(OneToOneFeatureMixin, Estimator):  # type: ignore[misc]
    """Estimate of a matrix of low rank that is observed with white noise.

    Parameters
    ----------
    loss : {"frobenius", "operator", "nuclear"}, optional
        Norm of the error for which the singular values are shrunken.
    sigma : float, optional
        Standard deviation of the noise; by default from the median of the singular values.
    centre : bool, optional
        Whether to subtract the means of the features before, and to add them after.

    Attributes
    ----------
    sigma_ : float
        Standard deviation of the noise.
    rank_ : int
        Number of singular values that are not shrunken to zero.
    singular_values_, shrunken_ : ndarray
        Singular values before and after.
    components_ : ndarray of shape (rank_, n_features)
        Right singular vectors of what is kept.
    mean_ : ndarray
        Means that were subtracted.

    Notes
    -----
    With y in units of σ√n and β = m/n ≤ 1 the ratio of the sides, singular values below 1 + √β become zero, and others
    √((y² − β − 1)² − 4β)/y for the Frobenius norm [1]_. ``transform`` applies the linear map of the rows that the fit
    has found, which gives the estimate for the data of the fit itself.

    References
    ----------
    .. [1] M. Gavish and D. Donoho, "Optimal shrinkage of singular values", IEEE Trans. Inform. Theory 63 (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.estimators import SingularValueDenoiser
    >>> rng = np.random.default_rng(0)
    >>> signal = 3 * np.outer(rng.standard_normal(200), rng.standard_normal(50))
    >>> noisy = signal + rng.standard_normal((200, 50))
    >>> clean = SingularValueDenoiser(centre=False).fit_transform(noisy)
    >>> bool(np.linalg.norm(clean - signal) < 0.2 * np.linalg.norm(noisy - signal))
    True
    """

    def __init__(
        self,
        *,
        loss: Literal["frobenius", "operator", "nuclear"] = "frobenius",
        sigma: float | None = None,
        centre: bool = True,
    ) -> None:
        self.loss = loss
        self.sigma = sigma
        self.centre = centre

    def _fit(self, data: FloatArray) -> None:
        """Find the components and the shrinkage."""
        if self.loss not in ("frobenius", "operator", "nuclear"):
            raise ValueError(f"loss={self.loss!r}: expected 'frobenius', 'operator' or 'nuclear'")
        if self.sigma is not None:
            validate.positive_number("sigma", self.sigma, meaning="standard deviation of the noise")
        self.mean_ = data.mean(axis=0) if self.centre else np.zeros(data.shape[1])
        _, values, right = np.linalg.svd(data - self.mean_, full_matrices=False)
        rows = len(data) - bool(self.centre)
        short, long = sorted((max(rows, 1), data.shape[1]))
        ratio = short / long
        median = float(np.median(values[:short]))
        self.sigma_ = self.sigma or median / math.sqrt(long * float(MarchenkoPastur(ratio).ppf(0.5)))
        unit = self.sigma_ * math.sqrt(long)
        self.singular_values_ = values
        self.shrunken_ = (
            unit * optimal_shrinkage(values / unit, ratio, self.loss) if unit > 0 else values.copy()
        )
        self.rank_ = int((self.shrunken_ > 0).sum())
        self.components_ = right[: self.rank_]
        self.factors_ = self.shrunken_[: self.rank_] / values[: self.rank_]

    def _transform(self, data: FloatArray) -> Any:
        """Denoise rows."""
        data = data - self.mean_
        return (data @ self.components_.T * self.factors_) @ self.components_ + self.mean_


def optimal_shrinkage(values: FloatArray, ratio: float, loss: str) -> FloatArray:
    """Optimal singular values for those of a noisy matrix, in units of σ√n, n the longer side."""
    edge = 1 + math.sqrt(ratio)
    kept = values > edge
    y = values[kept]
    root = np.sqrt(np.maximum((y**2 - ratio - 1) ** 2 - 4 * ratio, 0.0))
    # The singular value of the signal behind y.
    signal = np.sqrt(0.5 * (y**2 - ratio - 1 + root))
    shrunken = np.zeros(values.shape)
    if loss == "frobenius":
        shrunken[kept] = root / y
    elif loss == "operator":
        shrunken[kept] = signal
    else:
        shrunken[kept] = np.maximum(
            (signal**4 - ratio - math.sqrt(ratio) * signal * y) / (signal**2 * y), 0.0
        )
    return shrunken
