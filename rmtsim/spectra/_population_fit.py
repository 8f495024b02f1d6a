"""The population of a bulk: the one whose polynomial sums are nearest to the measured ones, and all compatible ones.

The sums' means are a smooth function of the population, linear to first order with the influence of each value, and
their covariance is known. So the best population is a sequence of non-negative least-squares problems (Gauss–Newton),
and the extremes of a linear functional over all populations that the sums do not distinguish are linear programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy.optimize import linprog, minimize_scalar, nnls
from scipy.special import ndtri

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws import SpikedCovariance
from rmtsim.spectra._chebyshev import chi_square_tail
from rmtsim.spectra._sum_limits import SumLimits

_STEPS = 60
_ENOUGH = 1e-3
"""A negligible gain of χ², whose standard deviation is of order one."""
_EQUALITY = 1e4
"""Weight of Σw = 1 beside sums of unit deviation in the least-squares problem; w is divided by its sum afterwards."""
_LEAST_MASS = 1e-9
_HOPELESS = 1e-6
_START = (np.arange(20) + 0.5) / 20
_MARGIN = 4.0
"""Fluctuations n^{-2/3} of the ends of the bulk at which the grid ends."""


def sums_used(count: int) -> int:
    """The highest degree for a bulk of ``count``: n^{1/3}.

    T_k varies over k^{-2} at the ends of its interval; eigenvalues there fluctuate by n^{-2/3}. Beyond that degree the
    sums are not near their normal limit.

    >>> sums_used(30), sums_used(300), sums_used(1000)
    (3, 7, 10)
    """
    return max(3, round(math.cbrt(count)))


@frozen(eq=False)
class _State:
    """A population on the grid and what the sums say of it."""

    weights: FloatArray
    limits: SumLimits
    excess: FloatArray
    """Measured minus expected sums, in units of unit covariance."""
    directions: FloatArray
    """order × grid: change of the expected sums for each place, in the same units."""
    spikes: tuple[float, ...]

    @property
    def statistic(self) -> float:
        return float(self.excess @ self.excess)


@frozen(eq=False)
class Fit:
    """The best population on a grid, its χ², and the programs for everything else."""

    grid: FloatArray
    weights: FloatArray
    statistic: float
    freedom: int
    spikes: tuple[float, ...]
    bulk: FloatArray
    tops: FloatArray
    dimension: int
    """Features without those of the spikes."""
    samples: int
    beta: int
    _state: _State

    @property
    def p_value(self) -> float:
        """At most the chance of such a χ²: the true population cannot fit better than the best."""
        return chi_square_tail(self.statistic, self.freedom)

    @cached_property
    def atoms(self) -> tuple[FloatArray, FloatArray]:
        """Places and shares; neighbours on the grid are joined, since they represent one value between them."""
        return _joined(self.grid, self.weights)

    def _bound(self, level: float) -> float:
        """All of the independent normal excesses lie within ± this with probability 1 - level."""
        return -float(ndtri(0.5 * (1 - (1 - level) ** (1 / self.freedom))))

    def contains(self, places: FloatArray, shares: FloatArray, level: float) -> bool:
        """Whether this population is one of those over which :meth:`extremes` runs."""
        limits, state = self._state.limits, self._state
        moved = np.linalg.solve(np.linalg.cholesky(limits.covariance), limits.influence(places) @ shares)
        excess = state.excess + state.directions @ state.weights - moved
        return bool(np.abs(excess).max() <= self._bound(level))

    def explained_by(self, places: FloatArray, shares: FloatArray, level: float) -> bool:
        """Whether the sums are within the level of this population's own means and covariance: nothing linearised."""
        state = _measured(
            shares, places, self.bulk, self.tops, self.dimension, self.samples, self.freedom, self.beta
        )
        return bool(np.abs(state.excess).max() <= self._bound(level))

    def extremes(self, functional: FloatArray, level: float) -> tuple[float, float] | None:
        """Least and largest Σ w f over populations whose every sum is within the level; None where there is none."""
        ends = [self._end(sign, functional, level) for sign in (1.0, -1.0)]
        return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])

    def _end(self, sign: float, functional: FloatArray, level: float) -> float | None:
        """Least (sign 1) or largest (sign -1) Σ w f."""
        bound, state = self._bound(level), self._state
        middle = state.excess + state.directions @ state.weights
        found = linprog(
            sign * functional,
            A_ub=np.vstack([state.directions, -state.directions]),
            b_ub=np.concatenate([middle + bound, bound - middle]),
            A_eq=np.ones((1, functional.size)), b_eq=[1.0], method="highs",
        )  # fmt: skip
        if found.status == 2:
            return None
        if found.status != 0:
            raise ConvergenceError(
                f"linear program of the band: {found.message}", residual=math.inf, iterations=int(found.nit)
            )
        return float(functional @ np.asarray(found.x))

    def highest_edge(self, level: float) -> float:
        """The largest upper edge of a bulk whose population explains the eigenvalues; infinite where none does.

        An upper edge is the least of Z_H(m) = -1/m + (d/N)∫ t dH/(1 + tm) over -1/m beyond the population; Z is convex
        in m and linear in H, so that the largest of least values is the least of largest ones, each a linear program.
        """
        ratio, top = self.dimension / self.samples, float(self.grid[-1])

        def largest(log_distance: float) -> float:
            u = top * (1 + math.exp(log_distance))
            end = self._end(-1.0, self.grid * u / (u - self.grid), level)
            return math.inf if end is None else u + ratio * end

        if not math.isfinite(largest(0.0)):
            return math.inf
        # Every m bounds the edge, and near the best one the bound hardly changes.
        found = minimize_scalar(largest, bounds=(-7.0, 3.0), method="bounded", options={"xatol": 0.1})
        return float(found.fun)


def fitted_population(bulk: FloatArray, tops: FloatArray, dimension: int, samples: int, beta: int = 1) -> Fit:
    """The population behind eigenvalues of (1/N) XᵀX: ``bulk``, and outliers ``tops`` above it.

    ``dimension`` and ``samples`` are those of the whole matrix; of its min(d, N) eigenvalues none is missing.
    """
    order = sums_used(bulk.size)
    remaining = dimension - tops.size
    grid = _grid(bulk, remaining, samples)

    def state(weights: FloatArray) -> _State:
        return _measured(weights, grid, bulk, tops, remaining, samples, order, beta)

    current = _first(grid, bulk, remaining, samples, state)
    for _ in range(_STEPS):
        proposal = _nearest(current)
        gain = current.statistic - float(
            np.sum((current.excess + current.directions @ (current.weights - proposal)) ** 2)
        )
        if gain <= _ENOUGH:
            break
        share, moved = 1.0, state(proposal)
        while moved.statistic >= current.statistic - 1e-4 * share * gain and share > 1e-4:
            share *= 0.5
            moved = state((1 - share) * current.weights + share * proposal)
        if moved.statistic >= current.statistic:
            break
        current = moved
    else:
        raise ConvergenceError(
            f"the population's χ² still fell by {gain:.3g}", residual=gain, iterations=_STEPS
        )
    # If even the predicted χ² is rejected, no population explains the sums, and the best one does not matter.
    if gain > 1.0 and chi_square_tail(current.statistic - gain, order) > _HOPELESS:
        raise ConvergenceError(
            f"the population's χ² would still fall by {gain:.3g}", residual=gain, iterations=_STEPS
        )
    return Fit(
        grid, current.weights, current.statistic, order, current.spikes,
        bulk, tops, remaining, samples, beta, current,
    )  # fmt: skip


def _first(
    grid: FloatArray, bulk: FloatArray, dimension: int, samples: int, state: Callable[[FloatArray], _State]
) -> _State:
    """One value with the right trace, which most bulks are near enough to; else the eigenvalues themselves."""
    mean = float(bulk.sum()) / dimension
    one = np.zeros(grid.size)
    one[int(np.abs(np.log(grid / mean)).argmin())] = 1.0
    try:
        return state(one)
    except ConvergenceError:
        # A law far narrower than the bulk leaves no digits to the covariance of sums over an interval for both.
        nearest = np.abs(np.log(grid[:, None] / np.quantile(bulk, _START))).argmin(axis=0)
        return state(np.bincount(nearest, minlength=grid.size) / len(_START))


def _grid(bulk: FloatArray, dimension: int, samples: int) -> FloatArray:
    """Population values that a bulk may hold, dense enough that two neighbours can represent any value between them.

    In the limit no value of the population exceeds -1/m at the bulk's upper end, or is below it at a lower end above
    zero: it would produce an eigenvalue outside the bulk. m is that of the measured eigenvalues, and the end lies
    several fluctuations beyond the last of them; a grid that is too wide costs little, since values far out move the
    sums most.
    """
    high, low = float(bulk.max()), float(bulk.min())
    margin = _MARGIN * 0.5 * (high - low) * bulk.size ** (-2 / 3)
    top = -1 / _transform(bulk, high + margin, samples)
    mean = float(bulk.sum()) / dimension
    bottom = 1e-3 * mean
    if low - margin > 0 and dimension < samples:
        bottom = max(bottom, -1 / _transform(bulk, low - margin, samples))
    count = int(np.clip(20 * math.sqrt(dimension), 200, 1200))
    angle = np.pi * (np.arange(count) + 0.5) / count
    middle, half = 0.5 * math.log(top * bottom), 0.5 * math.log(top / bottom)
    return np.asarray(np.exp(middle - half * np.cos(angle)))


def _transform(bulk: FloatArray, at: float, samples: int) -> float:
    """The companion's transform from the eigenvalues, on the real axis outside them."""
    return float(((1 / (bulk - at)).sum() - (samples - bulk.size) / at) / samples)


def _measured(
    weights: FloatArray,
    grid: FloatArray,
    bulk: FloatArray,
    tops: FloatArray,
    dimension: int,
    samples: int,
    order: int,
    beta: int,
) -> _State:
    held = weights > _LEAST_MASS
    law = SpikedCovariance(dimension / samples, (), 1.0, grid[held], weights[held])
    limits = SumLimits(law, dimension, samples, _interval(law, grid, bulk), order, beta)
    expected = limits.means
    spikes = []
    for top in tops:
        change, spike = limits.spiked(float(top))
        expected = expected + change
        spikes.append(spike)
    try:
        root = np.linalg.cholesky(limits.covariance)
    except np.linalg.LinAlgError:
        raise ConvergenceError(
            "eigenvalues spread over so many scales that their sums determine no population; expected the largest "
            "to be named as outliers",
            residual=math.inf,
            iterations=0,
        ) from None
    excess = np.linalg.solve(root, limits.sums(bulk) - expected)
    directions = np.linalg.solve(root, limits.influence(grid))
    return _State(weights, limits, excess, directions, tuple(spikes))


def _interval(law: SpikedCovariance, grid: FloatArray, bulk: FloatArray) -> tuple[float, float]:
    """Holds the measured bulk, the law, and where a value at the ends of the grid would put an eigenvalue."""
    low = min(float(bulk.min()), law.support[0][0])
    high = max(float(bulk.max()), law.support[-1][1])
    if grid[-1] > law.threshold:
        high = max(high, law.location(float(grid[-1])))
    first = float(grid[0])
    if law.ratio < 1 and first < law._places.min() and law.slope(first) > 0:
        low = min(low, law.location(first))
    return low, high


def _nearest(state: _State) -> FloatArray:
    """The population that fits the linearised sums best: w ≥ 0, Σw = 1."""
    target = state.excess + state.directions @ state.weights
    rows = np.vstack([state.directions, np.full((1, state.weights.size), _EQUALITY)])
    weights, _ = nnls(rows, np.append(target, _EQUALITY))
    return np.asarray(weights / weights.sum())


def _joined(grid: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    places: list[float] = []
    shares: list[float] = []
    last = -2
    for index in np.flatnonzero(weights > _LEAST_MASS):
        if index == last + 1:
            total = shares[-1] + weights[index]
            places[-1] = float((places[-1] * shares[-1] + grid[index] * weights[index]) / total)
            shares[-1] = float(total)
        else:
            places.append(float(grid[index]))
            shares.append(float(weights[index]))
        last = int(index)
    found = np.array(shares)
    return np.array(places), found / found.sum()
