"""Principal components whose number is tested."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim.estimators._base import Estimator
from rmtsim.spectra import spectrum


class TestedPCA(Estimator):
    """Principal components; their number is that of the components which noise would not have.

    Parameters
    ----------
    level : float, optional
        Probability of any false component, in (0, 0.1].
    test : {"auto", "tracy-widom", "permutations", "signs"}, optional
        Null of the test, see :func:`rmtsim.spectrum`.
    least : int, optional
        Number of components that are kept in any case.
    standardize : bool, optional
        Whether to divide features by their standard deviations.

    Attributes
    ----------
    n_components_ : int
        Number of components: the rank, or, if there is none, the number of eigenvalues beyond the fitted bulk; at
        least ``least``.
    rank_ : int or None
        Rank by the test; None if no null fits.
    reason_ : str
        Why there is no rank.
    components_ : ndarray of shape (n_components_, n_features)
        Directions.
    explained_variance_ : ndarray
        Variances along them.
    mean_, scale_ : ndarray
        Means and standard deviations that are removed.
    spectrum_ : Spectrum
        Result of the test.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.estimators import TestedPCA
    >>> rng = np.random.default_rng(0)
    >>> data = rng.standard_normal((300, 40)) + np.outer(rng.standard_normal(300), rng.standard_normal(40))
    >>> found = TestedPCA().fit(data)
    >>> found.n_components_, found.transform(data).shape
    (1, (300, 1))
    """

    __test__ = False  # its name is no reason for pytest to collect it

    def __init__(
        self,
        *,
        level: float = 0.05,
        test: Literal["auto", "tracy-widom", "permutations", "signs"] = "auto",
        least: int = 1,
        standardize: bool = False,
    ) -> None:
        self.level = level
        self.test = test
        self.least = least
        self.standardize = standardize

    def _fit(self, data: FloatArray) -> None:
        """Test the number of components and compute them."""
        if not isinstance(self.least, (int, np.integer)) or self.least < 0:
            raise ValueError(f"least={self.least!r}: expected an integer ≥ 0")
        self.mean_ = data.mean(axis=0)
        deviations = data.std(axis=0)
        self.scale_ = (
            np.where(deviations > 0, deviations, 1.0) if self.standardize else np.ones(data.shape[1])
        )
        rest = (data - self.mean_) / self.scale_
        self.spectrum_ = spectrum(rest, centre=True, kind="covariance", level=self.level, test=self.test)
        self.rank_, self.reason_ = self.spectrum_.rank, self.spectrum_.reason
        count = len(self.spectrum_.outliers) if self.rank_ is None else self.rank_
        self.n_components_ = min(max(count, self.least), *data.shape)
        _, singular, right = np.linalg.svd(rest, full_matrices=False)
        right = (
            right * np.where(right[np.arange(len(right)), np.abs(right).argmax(axis=1)] < 0, -1, 1)[:, None]
        )
        self.components_ = right[: self.n_components_]
        self.explained_variance_ = singular[: self.n_components_] ** 2 / (len(data) - 1)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _transform(self, data: FloatArray) -> Any:
        """Coordinates along the components."""
        return ((data - self.mean_) / self.scale_) @ self.components_.T

    def inverse_transform(self, X: Any) -> Any:
        """Data from coordinates.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_components_)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Data in the space of the components.
        """
        return np.asarray(X) @ self.components_ * self.scale_ + self.mean_
