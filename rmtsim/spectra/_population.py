"""From sample eigenvalues back to the population's: the best population and bands for all that explain them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim.laws import SpikedCovariance
from rmtsim.spectra._population_fit import Fit, fitted_population
from rmtsim.spectra._reading import LEAST, checked_level, live_part, read

__all__ = ["Interval", "PopulationEstimate", "deconvolve"]

FloatArray = NDArray[np.float64]

_POINTS = 40
"""Places at which the bands are computed; between them they are continued as the cdf is, monotone."""


@dataclass(frozen=True)
class Interval:
    """A value of the best population, and the least and largest that explain the eigenvalues at the level."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class PopulationEstimate:
    """The eigenvalues of a population's covariance, from those of a sample's; made by :func:`deconvolve`.

    All intervals hold together, with probability 1 - ``level``: they are extremes over one set of populations, those
    for which every polynomial sum over the sample eigenvalues lies within its own fluctuations.
    """

    name: str
    dimension: int
    """Features that vary, those of the spikes included."""
    samples: int
    level: float
    spikes: tuple[float, ...]
    """Population values behind the outliers that were told apart."""
    unit: float
    _fit: Fit

    @property
    def places(self) -> FloatArray:
        """Values of the best population, ascending."""
        return np.asarray(self._fit.atoms[0] * self.unit)

    @property
    def shares(self) -> FloatArray:
        """Share of the features at each place."""
        return self._fit.atoms[1]

    @property
    def p_value(self) -> float:
        """Bounds the chance of sums that are explained worse; small means that no population explains these."""
        return self._fit.p_value

    @property
    def statistic(self) -> float:
        """χ² of the best population."""
        return self._fit.statistic

    @property
    def sums(self) -> int:
        """Number of polynomial sums that were used."""
        return self._fit.freedom

    @property
    def law(self) -> SpikedCovariance:
        """Limit spectrum of a sample covariance of the best population."""
        ratio = self._fit.dimension / self._fit.samples
        return SpikedCovariance(ratio, self.spikes, 1.0, self.places, self.shares)

    @property
    def range(self) -> tuple[float, float]:
        """Where values were looked for: others would put sample eigenvalues outside the bulk."""
        return float(self._fit.grid[0] * self.unit), float(self._fit.grid[-1] * self.unit)

    def explains(self, population: ArrayLike, weights: ArrayLike | None = None) -> bool:
        """Whether this population, equal weights unless told otherwise, is among those that explain the eigenvalues.

        >>> rng = np.random.default_rng(0)
        >>> found = deconvolve(rng.standard_normal((400, 100)))
        >>> found.explains([1.0]), found.explains([0.8, 1.2])
        (True, False)
        """
        places, shares = self._asked(population, weights)
        return self._fit.explained_by(places, shares, self.level)

    def contains(self, population: ArrayLike, weights: ArrayLike | None = None) -> bool:
        """Whether all intervals, of every functional, hold for this population: it lies in the set they come from.

        The set is linear in the population about the best one; :meth:`explains` is the same test without that step.
        """
        places, shares = self._asked(population, weights)
        first, last = self._fit.grid[[0, -1]]
        inside = bool((places >= first).all() and (places <= last).all())
        return inside and self._fit.contains(places, shares, self.level)

    def _asked(self, population: ArrayLike, weights: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        law = SpikedCovariance(1.0, (), 1.0, population, weights)
        return law._places / self.unit, law._shares

    def average(self, function: Callable[[FloatArray], Any]) -> Interval:
        """∫ f dH over the population.

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
        """∫ tᵏ dH: tr Σᵏ/d of the population."""
        power = validate.integer("order", order, minimum=0, meaning="of the moment")
        return self.average(lambda t: t**power)

    def cdf(self, at: float) -> Interval:
        """Share of the features' population values ≤ ``at``."""
        point = validate.finite_number("at", at)
        return self._interval((self._fit.grid * self.unit <= point).astype(np.float64))

    def quantile(self, share: float) -> Interval:
        """The population value below which this share lies, by the bands at :attr:`points`."""
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
        """Places of the bands, in equal steps of the logarithm."""
        first, last = self.range
        return np.geomspace(first, last, _POINTS)

    @cached_property
    def bands(self) -> tuple[FloatArray, FloatArray]:
        """Least and largest cdf at :attr:`points`."""
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

    def report(self) -> str:
        """Everything that was found, in words."""
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
        """Whether some population lies in the set at the level."""
        return self._fit.extremes(np.zeros(self._fit.grid.size), self.level) is not None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: finite numbers, text, None."""
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

    def plot(self) -> Any:
        """The best population's cdf with its band: a matplotlib ``Figure``."""
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
    """The population's eigenvalues behind a sample covariance (1/N) XᵀX, with bands that hold together.

    Features are independent up to a covariance Σ, samples independent; H, the law of Σ's eigenvalues, is unknown. The
    sums Σ T_k(λ_i), k up to n^{1/3}, have means that H determines and a known normal limit. The best H ≥ 0 is the one
    of least χ²; an interval for a linear functional of H runs over all H whose sums lie, each of them, within the
    simultaneous 1 - ``level`` bounds. Nothing smooth, discrete or sparse is supposed of H. Measured coverage
    is that of the level down to thirty features. Derivation and tables: docs/deconvolution.md.

    Args:
        source: eigenvalues (with ``samples`` = N, and ``dimension`` = d if zeros were left out) or a data matrix,
            rows the samples, as for :func:`rmtsim.spectrum`.
        samples: N, for eigenvalues.
        dimension: d, for eigenvalues.
        centre: whether to take the columns' means away first.
        outliers: how many of the largest eigenvalues belong to spikes apart from the population.
        beta: 1 for real, 2 for complex entries.
        level: chance that any interval misses, in (0, 0.1].
        name: what the result calls itself.

    >>> rng = np.random.default_rng(0)
    >>> data = rng.standard_normal((900, 300)) * np.sqrt(np.repeat([1.0, 4.0], 150))
    >>> found = deconvolve(data)
    >>> half = found.cdf(2.0)
    >>> bool(half.lower < 0.5 < half.upper), bool(half.upper - half.lower < 0.1)
    (True, True)
    """
    level = checked_level(level)
    centre = validate.flag("centre", centre, meaning="whether to take the columns' means away")
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
    fit = fitted_population(values[removed:], values[:removed], part.dimension, part.samples, beta)
    return made(fit, part.dimension, part.samples, part.unit, level, name)


def made(fit: Fit, dimension: int, samples: int, unit: float, level: float, name: str) -> PopulationEstimate:
    """An estimate from a fit in units of ``unit``."""
    if not math.isfinite(unit):
        raise ValueError(f"unit={unit}: expected a finite number")
    return PopulationEstimate(
        name, dimension, samples, level, tuple(spike * unit for spike in fit.spikes), unit, fit
    )
