"""Population eigenvalues from sample eigenvalues: the best population, and bands over all that explain them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen, returns_data, returns_figure, returns_text
from rmtsim.laws import SpikedCovariance
from rmtsim.spectra._masses import LEAST
from rmtsim.spectra._population_fit import Fit, fitted_population
from rmtsim.spectra._reading import checked_level, live_part, read

_POINTS = 40
"""Places at which the bands are computed; between them they are continued as the cdf is, monotone."""


@frozen
class Interval:
    """A confidence interval with its best value.

    See Also
    --------
    PopulationEstimate.moment, PopulationEstimate.cdf, PopulationEstimate.quantile : Methods that return one.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import deconvolve
    >>> mean = deconvolve(np.random.default_rng(0).standard_normal((400, 100))).moment(1)
    >>> bool(mean.lower < 1 < mean.upper)
    True
    """

    value: float
    """Value of the best population."""
    lower: float
    upper: float
    """Smallest and largest value among the populations that explain the eigenvalues."""


@frozen(eq=False)
class PopulationEstimate:
    """Estimated eigenvalues of a population covariance, with simultaneous confidence intervals.

    Made by :func:`deconvolve`.

    Notes
    -----
    All intervals hold simultaneously with probability 1 − ``level``: they are extremes over one set of populations,
    those for which every polynomial sum over the sample eigenvalues lies within its own fluctuations.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import deconvolve
    >>> found = deconvolve(np.random.default_rng(0).standard_normal((400, 100)))
    >>> found.explained, found.explains([1.0])
    (True, True)
    """

    name: str
    """Name of the estimate."""
    dimension: int
    """Number of features that vary, those of spikes included."""
    samples: int
    """Number of samples."""
    level: float
    """Probability that any interval misses."""
    spikes: tuple[float, ...]
    """Population values of the outliers that were separated."""
    unit: float
    """Unit of the fit."""
    _fit: Fit

    @property
    def places(self) -> FloatArray:
        """Values of the best population, in increasing order."""
        return np.asarray(self._fit.atoms[0] * self.unit)

    @property
    def shares(self) -> FloatArray:
        """Share of the features at each place."""
        return self._fit.atoms[1]

    @property
    def p_value(self) -> float:
        """Upper bound of the p-value of the best population; small if no population explains the eigenvalues."""
        return self._fit.p_value

    @property
    def statistic(self) -> float:
        """Chi-squared statistic of the best population."""
        return self._fit.statistic

    @property
    def sums(self) -> int:
        """Number of polynomial sums in it."""
        return self._fit.freedom

    @property
    def law(self) -> SpikedCovariance:
        """Limit spectrum of a sample covariance of the best population."""
        ratio = self._fit.dimension / self._fit.samples
        return SpikedCovariance(ratio, self.spikes, 1.0, self.places, self.shares)

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest population value considered."""
        return float(self._fit.grid[0] * self.unit), float(self._fit.grid[-1] * self.unit)

    def explains(self, population: ArrayLike, weights: ArrayLike | None = None) -> bool:
        """Whether a population explains the eigenvalues.

        Parameters
        ----------
        population : array_like
            Population values.
        weights : array_like, optional
            Their weights; equal by default.

        Returns
        -------
        bool
            Whether every polynomial sum lies within its bounds for this population.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> found = deconvolve(rng.standard_normal((400, 100)))
        >>> found.explains([1.0]), found.explains([0.8, 1.2])
        (True, False)
        """
        places, shares = self._asked(population, weights)
        return self._fit.explained_by(places, shares, self.level)

    def contains(self, population: ArrayLike, weights: ArrayLike | None = None) -> bool:
        """Whether the intervals of all functionals hold for a population.

        Parameters
        ----------
        population : array_like
            Population values.
        weights : array_like, optional
            Their weights; equal by default.

        Returns
        -------
        bool
            Whether the population lies in the set from which the intervals are computed. That set is the one of
            :meth:`explains`, linearised about the best population.
        """
        places, shares = self._asked(population, weights)
        first, last = self._fit.grid[[0, -1]]
        inside = bool((places >= first).all() and (places <= last).all())
        return inside and self._fit.contains(places, shares, self.level)

    def _asked(self, population: ArrayLike, weights: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        law = SpikedCovariance(1.0, (), 1.0, population, weights)
        return law._places / self.unit, law._shares

    def average(self, function: Callable[[FloatArray], Any]) -> Interval:
        """Average of a function over the population.

        Parameters
        ----------
        function : callable
            Maps an array of population values to numbers.

        Returns
        -------
        Interval
            ``∫ f dH`` with its confidence interval.

        Raises
        ------
        ValueError
            If the function does not return finite numbers, or no population explains the eigenvalues.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> found = deconvolve(rng.standard_normal((400, 100)))
        >>> inverse = found.average(lambda t: 1 / t)
        >>> bool(inverse.lower < 1 < inverse.upper)
        True
        """
        try:
            numbers = np.asarray(function(self._fit.grid * self.unit), dtype=np.float64)
            values = np.broadcast_to(numbers, self._fit.grid.shape)
        except (TypeError, ValueError) as error:
            raise ValueError(f"function: expected numbers for an array of places ({error})") from None
        if not np.isfinite(values).all():
            raise ValueError("function: expected finite values over the range of the population")
        return self._interval(values)

    def moment(self, order: int) -> Interval:
        """Moment of the population.

        Parameters
        ----------
        order : int
            Order k ≥ 0.

        Returns
        -------
        Interval
            ``∫ t^k dH = tr Σ^k/d`` with its confidence interval.
        """
        power = validate.integer("order", order, minimum=0, meaning="of the moment")
        return self.average(lambda t: t**power)

    def cdf(self, at: float) -> Interval:
        """Share of the population at or below a value.

        Parameters
        ----------
        at : float
            Value.

        Returns
        -------
        Interval
            The share with its confidence interval.
        """
        point = validate.finite_number("at", at)
        return self._interval((self._fit.grid * self.unit <= point).astype(np.float64))

    def quantile(self, share: float) -> Interval:
        """Quantile of the population.

        Parameters
        ----------
        share : float
            Share in (0, 1).

        Returns
        -------
        Interval
            Population value below which this share lies, with its confidence interval from ``bands``.
        """
        share = validate.finite_number("share", share)
        if not 0 < share < 1:
            raise ValueError(f"share={share}: expected a number in (0, 1)")
        lower, upper = self.bands
        below = self.points[upper < share]
        above = self.points[lower >= share]
        first, last = self.range
        index = int(np.searchsorted(np.cumsum(self.shares), share))
        return Interval(
            float(self.places[min(index, self.places.size - 1)]),
            float(below[-1]) if below.size else first,
            float(above[0]) if above.size else last,
        )

    @cached_property
    def points(self) -> FloatArray:
        """Points of the confidence bands, equally spaced on a logarithmic scale."""
        first, last = self.range
        return np.geomspace(first, last, _POINTS)

    @cached_property
    def bands(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper confidence band of the cdf at ``points``."""
        ends = [self.cdf(float(point)) for point in self.points]
        return np.array([e.lower for e in ends]), np.array([e.upper for e in ends])

    def _interval(self, values: FloatArray) -> Interval:
        ends = self._fit.extremes(values, self.level)
        if ends is None:
            raise ValueError(
                f"level={self.level:g}: no population explains these eigenvalues (p = {self.p_value:.2g}); expected "
                "the right number of samples, and outliers named as such"
            )
        best = float(values @ self._fit.weights)
        # The best one need not lie in the set (its worst sum may be beyond the level's bound), and programs round.
        return Interval(best, min(ends[0], best), max(ends[1], best))

    @returns_text
    def report(self) -> str:
        """Description of the result."""
        lines = [
            f"population of {self.dimension} features behind {self.samples} samples, d/N = "
            f"{self.dimension / self.samples:.4g}; {self.sums} sums over {self._fit.dimension} features without spikes",
            f"fit        {'a population explains them' if self.explained else 'NO POPULATION EXPLAINS THEM'}: "
            f"p {'≤' if self.p_value < 1 else '='} {self.p_value:.3g} (χ² = {self.statistic:.4g})",
            "best       "
            + ", ".join(
                f"{place:.4g} ({100 * share:.3g} %)"
                for place, share in zip(self.places, self.shares, strict=True)
            ),
        ]
        if self.spikes:
            lines.append("spikes     " + ", ".join(f"{spike:.5g}" for spike in self.spikes))
        if not self.explained:
            return "\n".join(lines)
        mean, square = self.moment(1), self.moment(2)
        lines += [
            f"all of the following hold together with probability {1 - self.level:g}",
            f"mean       {mean.value:.5g}, {mean.lower:.5g} to {mean.upper:.5g}; of squares {square.value:.5g}, "
            f"{square.lower:.5g} to {square.upper:.5g}",
        ]
        for share in (0.1, 0.25, 0.5, 0.75, 0.9):
            q = self.quantile(share)
            lines.append(f"{100 * share:3.0f} % below  {q.value:.4g}, {q.lower:.4g} to {q.upper:.4g}")
        return "\n".join(lines)

    @cached_property
    def explained(self) -> bool:
        """Whether some population explains the eigenvalues at the level."""
        return self._fit.extremes(np.zeros(self._fit.grid.size), self.level) is not None

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """Result as plain data."""
        bands = self.bands if self.explained else None
        return {
            "name": self.name,
            "dimension": self.dimension,
            "samples": self.samples,
            "level": self.level,
            "p_value": self.p_value,
            "places": self.places.tolist(),
            "shares": self.shares.tolist(),
            "spikes": list(self.spikes),
            "points": self.points.tolist(),
            "cdf_lower": None if bands is None else bands[0].tolist(),
            "cdf_upper": None if bands is None else bands[1].tolist(),
        }

    @returns_figure
    def plot(self) -> Any:
        """Cdf of the best population with its confidence band."""
        from rmtsim.plots._population import population_figure

        return population_figure(self)

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return f"<PopulationEstimate of {self.dimension} features: {self.places.size} places>"


def deconvolve(
    source: Any,
    *,
    samples: int | None = None,
    dimension: int | None = None,
    centre: bool = False,
    outliers: int = 0,
    beta: Literal[1, 2] = 1,
    level: float = 0.05,
    name: str = "",
) -> PopulationEstimate:
    """Estimate the eigenvalues of a population covariance from those of a sample covariance.

    Parameters
    ----------
    source : array_like
        Eigenvalues of (1/N) XᵀX together with ``samples``, or a data matrix X, samples in rows; as for
        :func:`spectrum`.
    samples : int, optional
        Number N of samples, for eigenvalues.
    dimension : int, optional
        Number d of features, if zero eigenvalues were left out.
    centre : bool, optional
        Whether to subtract the means of the columns.
    outliers : int, optional
        Number of largest eigenvalues that belong to spikes outside the population.
    beta : {1, 2}, optional
        Real or complex entries.
    level : float, optional
        Probability that any interval misses, in (0, 0.1].
    name : str, optional
        Name of the result.

    Returns
    -------
    PopulationEstimate
        The best population, and confidence intervals of its functionals that hold simultaneously.

    Raises
    ------
    ValueError
        If the source has no bulk or options contradict each other.

    Notes
    -----
    Samples are independent with covariance Σ; the law H of the eigenvalues of Σ is unknown, and nothing else is
    assumed about it. The sums of Chebyshev polynomials T_k over the sample eigenvalues, k up to n^(1/3), have means
    that H determines and a known normal limit. The best H minimises χ²; an interval for a linear functional of H
    extends over all H whose sums lie within the simultaneous bounds. The derivation is on the page
    docs/deconvolution.md.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import deconvolve
    >>> rng = np.random.default_rng(0)
    >>> data = rng.standard_normal((900, 300)) * np.sqrt(np.repeat([1.0, 4.0], 150))
    >>> found = deconvolve(data)
    >>> half = found.cdf(2.0)
    >>> bool(half.lower < 0.5 < half.upper), bool(half.upper - half.lower < 0.1)
    (True, True)
    """
    level = checked_level(level)
    centre = validate.flag("centre", centre, meaning="whether to subtract the means of the columns")
    beta = validate.integer("beta", beta, minimum=1, maximum=2, meaning="1 real, 2 complex entries")  # type: ignore[assignment]
    if not isinstance(name, str):
        raise TypeError(f"name={name!r}: expected text")
    counts = {
        key: None if value is None else validate.integer(key, value, minimum=2)
        for key, value in (("samples", samples), ("dimension", dimension))
    }
    given = read(source, counts["samples"], counts["dimension"], "covariance", centre)
    part = live_part(given)
    most = part.values.size - LEAST
    removed = validate.integer("outliers", outliers, minimum=0, maximum=most, meaning="eigenvalues of spikes")
    values = part.values / part.samples
    if values[removed] == values[-1]:
        raise ValueError(
            f"source: expected eigenvalues that differ; {values.size - removed} of them are equal, which those of a "
            "sample covariance never are"
        )
    fit = fitted_population(values[removed:], values[:removed], part.dimension, part.samples, beta)
    return made(fit, part.dimension, part.samples, part.unit, level, name)


def made(fit: Fit, dimension: int, samples: int, unit: float, level: float, name: str) -> PopulationEstimate:
    """An estimate from a fit in units of ``unit``."""
    if not math.isfinite(unit):
        raise ValueError(f"unit={unit}: expected a finite number")
    return PopulationEstimate(
        name, dimension, samples, level, tuple(spike * unit for spike in fit.spikes), unit, fit
    )
