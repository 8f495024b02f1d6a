"""Sample covariance with a population on the features, in the convention of statistics, and its spikes (BBP)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.deprecation import renamed_parameter
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur
from rmtsim.laws._marchenko_pastur import MarchenkoPastur


@frozen
class SpikedOutlier:
    """Outlier of a sample covariance matrix, in the limit of large matrices."""

    spike: float
    """Population eigenvalue ℓ that produces it."""
    location: float
    """Location ψ(ℓ)."""
    alignment: float
    """Squared cosine between the outlier's eigenvector and the direction of the spike among the features."""
    score_alignment: float
    """Squared cosine between the outlier's singular vector on the side of the samples and the coordinates of the
    data along the spike, ψ'(ℓ)."""


@renamed_parameter("variance", "entry_variance", removed="0.2")
@dataclass(frozen=True, init=False, eq=False, repr=False)
class SpikedCovariance(SpectralLaw):
    """Limit spectrum of a sample covariance matrix with a population of features, and its outliers.

    The matrix is (1/N) Σ^½ Z Zᵀ Σ^½ with Z of shape (d, N) and independent standard entries, d/N → ratio. The
    eigenvalues of Σ are those of ``entry_variance * population``, except for finitely many spikes.

    Parameters
    ----------
    ratio : float
        Limit of d/N, positive.
    spikes : array_like, optional
        Eigenvalues of Σ outside the population, positive. They do not change the law; those beyond the threshold
        produce outliers.
    entry_variance : float, optional
        Factor of the population.
    population : array_like, optional
        Relative variances of the **features**; all one by default, which gives the Marchenko–Pastur law.
    weights : array_like, optional
        Weights of the population values; equal by default.

    Attributes
    ----------
    outliers : tuple of SpikedOutlier
        Outliers of the given spikes, the largest first.
    threshold : float
        Smallest spike above the population that produces an outlier: ψ'(ℓ) = 0, which is entry_variance·(1 + √ratio) if
        all variances are equal.

    Raises
    ------
    ValueError
        If a parameter is not positive.

    See Also
    --------
    GeneralizedMarchenkoPastur : Weights of the samples instead of variances of the features.
    rmtsim.spectra.spectrum : Fits such a law to measured eigenvalues.

    Notes
    -----
    With H the law of the population, a spike ℓ produces an outlier at ``ψ(ℓ) = ℓ(1 + ratio ∫ t dH(t)/(ℓ − t))`` if
    ``ψ'(ℓ) > 0``, and the squared cosine between its eigenvector and the spike's is ``ℓψ'(ℓ)/ψ(ℓ)`` [1]_ [2]_.

    References
    ----------
    .. [1] J. Baik, G. Ben Arous and S. Péché, "Phase transition of the largest eigenvalue for nonnull complex
       sample covariance matrices", Ann. Probab. 33 (2005).
    .. [2] Z. Bai and J. Yao, "On sample eigenvalues in a generalized spiked population model", J. Multivariate
       Anal. 106 (2012).

    Examples
    --------
    >>> from rmtsim.laws import SpikedCovariance
    >>> law = SpikedCovariance(1 / 3, spikes=[8.0], entry_variance=1.0)
    >>> [round(o.location, 4) for o in law.outliers], round(law.outliers[0].alignment, 4)
    ([8.381], 0.9481)
    >>> round(law.threshold, 4), round(law.spike_of(8.381), 3)
    (1.5774, 8.0)
    >>> two = SpikedCovariance(0.1, population=[1.0, 6.0])
    >>> [f"{low:.3f} to {high:.3f}" for low, high in two.support]
    ['0.558 to 1.420', '3.680 to 9.041']
    """

    ratio: float
    spikes: tuple[float, ...]
    entry_variance: float
    _places: FloatArray
    _shares: FloatArray

    _broadcast = ("ratio", "entry_variance")

    def __init__(
        self,
        ratio: float,
        spikes: ArrayLike = (),
        entry_variance: float = 1.0,
        population: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        set_ = object.__setattr__
        set_(self, "ratio", validate.positive_number("ratio", ratio, meaning="ratio = d/N"))
        set_(
            self,
            "entry_variance",
            validate.positive_number("entry_variance", entry_variance, meaning="scale of the bulk"),
        )
        tops = np.atleast_1d(validate.real_array("spikes", spikes, meaning="population eigenvalues")).ravel()
        if (tops <= 0).any():
            raise ValueError(
                f"spikes={tops[tops <= 0][0]}: expected numbers > 0 (eigenvalues of a covariance)"
            )
        set_(self, "spikes", tuple(sorted(tops.tolist(), reverse=True)))
        places, shares = _population(population, weights)
        set_(self, "_places", places * self.entry_variance)
        set_(self, "_shares", shares)

    def __repr__(self) -> str:
        what = "" if self._places.size == 1 else f", {self._places.size} population values"
        scale = f"entry_variance={self.entry_variance:g}"
        return f"SpikedCovariance(ratio={self.ratio:g}, spikes={list(self.spikes)}, {scale}{what})"

    @cached_property
    def _law(self) -> SpectralLaw:
        """Marchenko–Pastur, or the N × N companion matrix (1/N) ZᵀΣZ, whose Λ the population is."""
        if self._places.size == 1:
            return MarchenkoPastur(self.ratio, float(self._places[0]))
        return GeneralizedMarchenkoPastur(1 / self.ratio, self._places * self.ratio, self._shares)

    @property
    def _companion(self) -> bool:
        return self._places.size > 1

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """The bulk; outliers have no mass in the limit."""
        return self._law.support

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The null space, where there are fewer samples than features."""
        if not self._companion:
            return self._law.atoms
        missing = (self.ratio - 1) / self.ratio
        return ((0.0, missing),) if missing > 1e-15 else ()

    @property
    def _masses(self) -> tuple[float, ...]:
        masses = self._law._masses
        if not self._companion:
            return masses
        total = math.fsum(masses)
        return tuple(mass * min(1.0, 1 / self.ratio) / total for mass in masses)

    def _density_inside(self, x: FloatArray) -> FloatArray:
        values = self._law._density_inside(x)
        return values / self.ratio if self._companion else values

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        values = self._law._cdf_inside(x)
        return 1 - (1 - values) / self.ratio if self._companion else values

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        values = self._law._stieltjes_upper(z)
        return values / self.ratio - (1 - 1 / self.ratio) / z if self._companion else values

    def moment(self, order: int) -> float:
        """Moment of the bulk."""
        k = validate.integer("order", order, minimum=0, meaning="order of the moment")
        if k == 0:
            return 1.0
        value = self._law.moment(k)
        return value / self.ratio if self._companion else value

    def population(self, n: int) -> FloatArray:
        """Population eigenvalues of a finite number of features, without the spikes.

        Parameters
        ----------
        n : int
            Number of features.

        Returns
        -------
        ndarray of shape (n,)
            Quantiles of the population at (i − ½)/n.
        """
        n = validate.integer("n", n, meaning="number of features d")
        levels = np.cumsum(self._shares)
        levels[-1] = 1.0
        return np.asarray(self._places[np.searchsorted(levels, (np.arange(n) + 0.5) / n)])

    def location(self, spike: float) -> float:
        """Location of the outlier of a spike.

        Parameters
        ----------
        spike : float
            Population eigenvalue ℓ outside the range of the population.

        Returns
        -------
        float
            ψ(ℓ). It is the limit of an eigenvalue only if ψ'(ℓ) > 0, see :meth:`slope`.

        Raises
        ------
        ValueError
            If the spike lies inside the range of the population.
        """
        return self._psi(self._checked(spike))[0]

    def slope(self, spike: float) -> float:
        """Derivative of the location in the spike.

        Parameters
        ----------
        spike : float
            Population eigenvalue ℓ outside the range of the population.

        Returns
        -------
        float
            ψ'(ℓ), positive if the spike produces an outlier.
        """
        return self._psi(self._checked(spike))[1]

    def _checked(self, spike: float) -> float:
        spike = validate.positive_number("spike", spike, meaning="eigenvalue of the population")
        if self._places.min() <= spike <= self._places.max():
            raise ValueError(
                f"spike={spike}: expected a number outside the population, which spans "
                f"[{self._places.min():g}, {self._places.max():g}]"
            )
        return spike

    def _psi(self, spike: float) -> tuple[float, float]:
        """ψ(ℓ) and ψ'(ℓ)."""
        quotient = self._places / (spike - self._places)
        value = spike * (1 + self.ratio * math.fsum(self._shares * quotient))
        return value, 1 - self.ratio * math.fsum(self._shares * quotient**2)

    @cached_property
    def threshold(self) -> float:
        """Smallest spike above the population that leaves the bulk: ψ' = 0."""
        top = float(self._places.max())
        if not self._companion:
            return top * (1 + math.sqrt(self.ratio))
        low, high = top, top * (1 + math.sqrt(self.ratio)) * (1 + 1e-9)
        for _ in range(200):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (low, middle) if self._psi(middle)[1] > 0 else (middle, high)
        return high

    def outlier(self, spike: float) -> SpikedOutlier | None:
        """Outlier of a spike.

        Parameters
        ----------
        spike : float
            Population eigenvalue, positive.

        Returns
        -------
        SpikedOutlier or None
            Attributes ``spike``, ``location``, ``alignment`` and ``score_alignment``; None if the spike stays in
            the bulk.

        Examples
        --------
        >>> SpikedCovariance(1 / 3).outlier(1.5) is None
        True
        """
        spike = validate.positive_number("spike", spike, meaning="eigenvalue of the population")
        if self._places.min() <= spike <= self._places.max():
            return None
        value, slope = self._psi(spike)
        if slope <= 0 or value <= 0:
            return None
        return SpikedOutlier(spike, value, spike * slope / value, slope)

    @property
    def outliers(self) -> tuple[SpikedOutlier, ...]:
        """Those of the ``spikes`` that leave the bulk, the largest first."""
        found = (self.outlier(spike) for spike in self.spikes)
        return tuple(outlier for outlier in found if outlier is not None)

    def spike_of(self, eigenvalue: float) -> float:
        """Spike above the population whose outlier lies at a given place, the inverse of :meth:`location`.

        Parameters
        ----------
        eigenvalue : float
            Number above the upper edge of the bulk.

        Returns
        -------
        float
            The spike ℓ with ψ(ℓ) = eigenvalue.

        Raises
        ------
        ValueError
            If the eigenvalue is not above the bulk.
        """
        value = validate.positive_number("eigenvalue", eigenvalue, meaning="an outlier above the bulk")
        edge = self._psi(self.threshold)[0]
        if value < edge * (1 - 1e-12):
            raise ValueError(f"eigenvalue={value}: expected a number above the bulk's upper edge {edge:g}")
        if not self._companion:
            unit, y = value / float(self._places[0]), self.ratio
            middle = unit + 1 - y
            root = math.sqrt(max((middle - 2 * math.sqrt(unit)) * (middle + 2 * math.sqrt(unit)), 0.0))
            return float(self._places[0]) * 0.5 * (middle + root)
        low, high = self.threshold, max(value, self.threshold)
        for _ in range(200):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (low, middle) if self._psi(middle)[0] > value else (middle, high)
        return high


def _population(population: ArrayLike | None, weights: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    if population is None:
        if weights is not None:
            raise ValueError("weights: expected together with population")
        return np.ones(1), np.ones(1)
    places: NDArray[Any] = np.atleast_1d(
        validate.real_array("population", population, meaning="relative eigenvalues of the covariance")
    ).ravel()
    shares = (
        np.ones(places.shape)
        if weights is None
        else np.atleast_1d(
            validate.real_array("weights", weights, meaning="shares of the population values")
        ).ravel()
    )
    if not places.size or places.shape != shares.shape:
        raise ValueError(
            f"population, weights of {places.size} and {shares.size} numbers: expected as many, at least one"
        )
    for name, numbers in (("population", places), ("weights", shares)):
        if (numbers <= 0).any():
            raise ValueError(f"{name}={numbers[numbers <= 0][0]}: expected numbers > 0")
    unique, which = np.unique(places, return_inverse=True)
    return unique, np.bincount(which, weights=shares) / math.fsum(shares)
