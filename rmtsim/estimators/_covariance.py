"""Covariance by non-linear shrinkage, with a choice between estimators by cross-validation."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim.estimators._base import EmpiricalCovariance, Fitting
from rmtsim.spectra._shrinkage import shrunken_eigenvalues

_NORMAL_QUANTILE = 1.6448536269514722
"""Upper 5 % of the standard normal law."""
_LEAST = 12
"""Samples from which kernel estimates of a density make sense."""


class NonlinearShrinkage(Fitting, EmpiricalCovariance):  # type: ignore[misc]
    """Covariance matrix with the eigenvectors of the sample and eigenvalues shrunken for a loss.

    Parameters
    ----------
    loss : {"frobenius", "stein"}, optional
        Loss that is minimised: Frobenius norm of the error, or Stein's loss, the relative entropy of Gaussian
        distributions, which also weighs the inverse.
    folds : int, optional
        Folds of the cross-validation that chooses between non-linear shrinkage, Ledoit and Wolf's linear shrinkage
        and the sample covariance; 0 takes non-linear shrinkage wherever it is defined.
    assume_centered : bool, optional
        Whether the means of the features are known to be zero.

    Attributes
    ----------
    covariance_, precision_ : ndarray
        Estimated covariance and its inverse.
    location_ : ndarray
        Means of the features.
    eigenvalues_ : ndarray
        Eigenvalues of the estimate, in increasing order.
    method_ : {"nonlinear", "linear", "sample"}
        Estimator that was chosen.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    rmtsim.spectra.shrink_covariance : The formula of non-linear shrinkage.

    Notes
    -----
    Linear shrinkage is optimal if all variances are equal, the sample covariance with very many samples, non-linear
    shrinkage in between. The choice is made by the Frobenius loss (up to a constant) or the Gaussian likelihood of
    rows left out, which are unbiased. Non-linear shrinkage is a candidate only if equal variances without
    correlations are rejected at level 0.05 by John's statistic U, of which nU - p is Gaussian with mean 1 and
    variance 4 for many samples and features [1]_: otherwise its eigenvalues fit the noise.

    References
    ----------
    .. [1] O. Ledoit and M. Wolf, "Some hypothesis tests for the covariance matrix when the dimension is large compared
       to the sample size", Ann. Statist. 30 (2002).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.estimators import NonlinearShrinkage
    >>> rng = np.random.default_rng(0)
    >>> scales = np.sqrt(np.repeat([1.0, 10.0], 20))
    >>> found = NonlinearShrinkage().fit(rng.standard_normal((60, 40)) * scales)
    >>> found.method_, found.covariance_.shape
    ('nonlinear', (40, 40))
    """

    def __init__(
        self,
        *,
        loss: Literal["frobenius", "stein"] = "frobenius",
        folds: int = 5,
        assume_centered: bool = False,
    ) -> None:
        super().__init__(store_precision=True, assume_centered=assume_centered)
        self.loss = loss
        self.folds = folds

    def _fit(self, data: FloatArray) -> None:
        """Estimate the covariance."""
        if self.loss not in ("frobenius", "stein"):
            raise ValueError(f"loss={self.loss!r}: expected 'frobenius' or 'stein'")
        if validate.integer("folds", self.folds, minimum=0, maximum=1000, meaning="0, or 2 and more") == 1:
            raise ValueError("folds=1: expected 0 or an integer in [2, 1000]")
        self.location_ = np.zeros(data.shape[1]) if self.assume_centered else data.mean(axis=0)
        found = candidates(data, self.assume_centered, self.loss)
        names = list(found)
        if (
            self.folds
            and "nonlinear" in names
            and _spherical(found["sample"], len(data) - (not self.assume_centered))
        ):
            names.remove("nonlinear")
        self.method_ = self._choice(data, names)
        covariance = found[self.method_]
        self.eigenvalues_ = np.linalg.eigvalsh(covariance)
        self._set_covariance(covariance)

    def _choice(self, data: FloatArray, names: list[str]) -> str:
        """The candidate of least held-out loss."""
        if not self.folds or len(names) == 1 or len(data) < 2 * max(self.folds, 2):
            return names[0]
        losses = dict.fromkeys(names, 0.0)
        for fold in range(self.folds):
            held = np.arange(len(data)) % self.folds == fold
            train, test = data[~held], data[held]
            centre = 0.0 if self.assume_centered else train.mean(axis=0)
            moments = (test - centre).T @ (test - centre) / len(test)
            for name, matrix in candidates(train, self.assume_centered, self.loss).items():
                if name in losses:
                    losses[name] += _held_out(matrix, moments, self.loss)
        return min(names, key=lambda name: losses[name])


def candidates(data: FloatArray, centred: bool, loss: str) -> dict[str, FloatArray]:
    """Estimates by name: non-linear shrinkage first, where it is defined."""
    from sklearn.covariance import ledoit_wolf_shrinkage

    rows, columns = data.shape
    known = rows - (not centred)
    rest = data if centred else data - data.mean(axis=0)
    sample = rest.T @ rest / rows
    found: dict[str, FloatArray] = {}
    if known >= _LEAST and columns > 1:
        values, vectors = np.linalg.eigh(rest.T @ rest / known)
        shrunken = shrunken_eigenvalues(np.maximum(values, 0.0), known, loss)
        if shrunken is not None:
            found["nonlinear"] = _symmetric((vectors * shrunken) @ vectors.T)
    weight = float(ledoit_wolf_shrinkage(rest, assume_centered=True)) if columns > 1 else 0.0
    found["linear"] = (1 - weight) * sample + weight * np.trace(sample) / columns * np.eye(columns)
    found["sample"] = sample
    return found


def _spherical(sample: FloatArray, samples: int) -> bool:
    """Whether the sample covariance is compatible with a multiple of the identity, at level 0.05."""
    size = len(sample)
    trace = float(np.trace(sample))
    if trace <= 0 or size < 2:
        return False
    statistic = float(np.sum(sample**2)) * size / trace**2 - 1
    return samples * statistic - size <= 1 + 2 * _NORMAL_QUANTILE


def _held_out(matrix: FloatArray, moments: FloatArray, loss: str) -> float:
    """Loss on rows left out, up to a constant; infinite if a likelihood does not exist."""
    if loss == "frobenius":
        return float(np.sum(matrix**2) - 2 * np.sum(matrix * moments))
    values, vectors = np.linalg.eigh(matrix)
    if values[0] <= 1e-12 * max(values[-1], 0.0):
        return float("inf")
    inside = np.einsum("ij,ik,kj->j", vectors, moments, vectors)
    return float((inside / values + np.log(values)).sum())


def _symmetric(matrix: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (matrix + matrix.T))
