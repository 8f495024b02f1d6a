"""The two bulks: Marchenko–Pastur with unknown variance, semicircle with unknown centre and variance.

Both work on raw eigenvalues in decreasing order and a mask that says which of them are outliers. Raw means
eigenvalues of XXᵀ itself for the first, without a normalisation. With r outliers of a d × N matrix taken out, the
rest behave like a (d - r) × (N - r) matrix whose Chebyshev sums are lowered by a^{-k}/2 for each outlier.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np

from rmtsim._internal.arrays import FloatArray, Mask
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws import MarchenkoPastur, Semicircle, TracyWidom, wigner_edge, wishart_edge
from rmtsim.spectra._chebyshev import (
    bulk_order,
    chebyshev_sums,
    chi_square_tail,
    expected_sums,
    outer_root,
)

Beta = Literal[1, 2]

_TRIM = 0.25
"""Share of the bulk at its lower end (Wigner: at both ends) that the trimmed fit ignores."""
_STEPS = 200
_SMALLEST_LOG = -1e12
"""Logarithms of p-values end here."""
_GRID = (np.arange(400) + 0.5) / 400


@frozen
class Frame:
    """Where the bulk lies: [centre - half, centre + half] in raw units; ``scale`` is σ, a matrix entry's deviation."""

    centre: float
    half: float
    scale: float

    def points(self, values: FloatArray) -> FloatArray:
        """u = (value - centre)/half."""
        return np.asarray((values - self.centre) / self.half)


@frozen
class Goodness:
    """χ² of the Chebyshev sums that the fit left free; ``order`` is the highest degree."""

    statistic: float
    freedom: int
    p_value: float
    order: int


class Bulk(Protocol):
    """Interface of a bulk for outlier tests and reports."""

    def fit(self, values: FloatArray, outliers: Mask) -> Frame:
        """The frame that makes the fitted sums equal to their means."""
        ...

    def trimmed(self, values: FloatArray, outliers: Mask) -> Frame:
        """A frame that ignores the lower end of the bulk."""
        ...

    def robust(self, values: FloatArray, outliers: Mask) -> Frame:
        """A frame from quantiles."""
        ...

    def log_tail(self, value: float, frame: Frame, removed: int, *, known: bool = False) -> float:
        """log P(largest of the bulk > value) after ``removed`` outliers."""
        ...

    def goodness(self, values: FloatArray, outliers: Mask, frame: Frame) -> Goodness | None:
        """How well the bulk fits; None where it is too small to say."""
        ...


def _log_tail(
    value: float, centre: float, scale: float, edge_variance: float, beta: Beta, known: bool
) -> float:
    law = TracyWidom(beta)
    mean, variance = _moments(beta)
    standard = (value - centre) / scale
    if not known:
        # The frame was estimated from the same matrix and is independent of eigenvalues measured in it (Basu), so the
        # latter spread less than Tracy–Widom by the frame's own variance (Nadler 2011, to the second moment).
        standard = mean + (standard - mean) / math.sqrt(max(1 - edge_variance / (scale**2 * variance), 0.25))
    return max(float(law.logsf(standard)), _SMALLEST_LOG)


def _moments(beta: int) -> tuple[float, float]:
    """Mean and variance of Tracy–Widom, computed once."""
    if beta not in _KNOWN_MOMENTS:
        law = TracyWidom(beta)
        _KNOWN_MOMENTS[beta] = (law.mean(), law.var())
    return _KNOWN_MOMENTS[beta]


_KNOWN_MOMENTS: dict[int, tuple[float, float]] = {}


@frozen
class WishartBulk:
    """Eigenvalues of XXᵀ, X ``dimension`` × ``samples``; only the min(d, N) that need not vanish are used."""

    dimension: int
    samples: int
    beta: Beta = 1

    @property
    def count(self) -> int:
        """Eigenvalues that need not vanish."""
        return min(self.dimension, self.samples)

    def _remaining(self, removed: int) -> tuple[int, int]:
        """Smaller and larger side of what is left."""
        sides = self.dimension - removed, self.samples - removed
        return min(sides), max(sides)

    def _frame(self, variance: float, removed: int) -> Frame:
        m, n = self._remaining(removed)
        return Frame(variance * (m + n), 2 * variance * math.sqrt(m * n), math.sqrt(variance))

    def fit(self, values: FloatArray, outliers: Mask) -> Frame:
        """σ² from the trace of the bulk, which has the exact mean without outliers and is efficient for Gaussian
        entries.

        Σ_bulk = σ²(mn - √(mn) Σ 1/a_j), where the a_j depend on σ²; the fixed point is found by bisection.
        """
        removed = int(outliers.sum())
        m, n = self._remaining(removed)
        total, tops = math.fsum(values[~outliers]), values[outliers]
        if not removed:
            return self._frame(total / (m * n), 0)

        def weight(variance: float) -> float:
            roots = outer_root(self._frame(variance, removed).points(tops))
            return m * n - math.sqrt(m * n) * float((1 / roots).sum())

        low, high = total / (m * n), total / max(m * n - math.sqrt(m * n) * removed, 0.5 * m * n)
        # variance·weight(variance) - total changes sign in between: each 1/a lies in [0, 1].
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (middle, high) if middle * weight(middle) < total else (low, middle)
        if not high - low <= 1e-12 * high:
            raise ConvergenceError(
                f"the variance of the bulk stayed between {low:g} and {high:g}",
                residual=high - low,
                iterations=_STEPS,
            )
        return self._frame(high, removed)

    def robust(self, values: FloatArray, outliers: Mask) -> Frame:
        """σ² from the median of the bulk."""
        removed = int(outliers.sum())
        m, n = self._remaining(removed)
        middle = float(MarchenkoPastur(m / n).ppf(0.5))
        return self._frame(float(np.median(values[~outliers])) / (n * middle), removed)

    def trimmed(self, values: FloatArray, outliers: Mask) -> Frame:
        """σ² from the sum of the upper three quarters of the bulk, so that eigenvalues near zero have no influence."""
        removed = int(outliers.sum())
        m, n = self._remaining(removed)
        kept = np.sort(values[~outliers])[math.floor(_TRIM * m) :]
        levels = math.floor(_TRIM * m) / m
        expected = np.mean(MarchenkoPastur(m / n).ppf(levels + (1 - levels) * _GRID))
        return self._frame(float(kept.mean() / (n * expected)), removed)

    def log_tail(self, value: float, frame: Frame, removed: int, *, known: bool = False) -> float:
        """log P(largest of the bulk > value), Tracy–Widom with Ma's constants for the remaining shape."""
        m, n = self._remaining(removed)
        edge = wishart_edge(n, m, self.beta, variance=frame.scale**2)
        centre, scale = n * edge.centre, n * edge.scale
        return _log_tail(value, centre, scale, centre**2 * 2 / (self.beta * m * n), self.beta, known)

    def goodness(self, values: FloatArray, outliers: Mask, frame: Frame) -> Goodness | None:
        """Degrees 2 and up: the first is the trace, which the fit has used."""
        m, n = self._remaining(int(outliers.sum()))
        return _goodness(values, outliers, frame, m, m / n, self.beta, used=1)


@frozen
class WignerBulk:
    """Eigenvalues of a symmetric n × n matrix whose off-diagonal entries have deviation σ."""

    size: int
    beta: Beta = 1

    @property
    def count(self) -> int:
        """Number of eigenvalues."""
        return self.size

    def _frame(self, centre: float, half: float, removed: int) -> Frame:
        return Frame(centre, half, 0.5 * half / math.sqrt(self.size - removed))

    def fit(self, values: FloatArray, outliers: Mask) -> Frame:
        """Centre and width from trace and squares of the bulk, each with its correction for the outliers."""
        removed = int(outliers.sum())
        n, bulk = self.size - removed, values[~outliers]
        centre, half = float(bulk.mean()), 2 * float(bulk.std())
        for _ in range(_STEPS):
            roots = outer_root((values[outliers] - centre) / half)
            squares = 0.5 * (0.5 * n + 0.5 * (2 / self.beta - 1) - 0.5 * float((roots**-2).sum()))
            new_centre = float(bulk.mean()) + half * 0.5 * float((1 / roots).sum()) / n
            new_half = math.sqrt(math.fsum((bulk - new_centre) ** 2) / squares)
            step = max(abs(new_centre - centre), abs(new_half - half))
            centre, half = new_centre, new_half
            if step <= 1e-13 * half:
                return self._frame(centre, half, removed)
        raise ConvergenceError(
            f"centre and width of the bulk still moved by {step:g}", residual=step, iterations=_STEPS
        )

    def robust(self, values: FloatArray, outliers: Mask) -> Frame:
        """From the quartiles."""
        low, middle, high = np.quantile(values[~outliers], [0.25, 0.5, 0.75])
        return self._frame(
            float(middle), 2 * float(high - low) / _semicircle_quartiles(), int(outliers.sum())
        )

    trimmed = robust

    def log_tail(self, value: float, frame: Frame, removed: int, *, known: bool = False) -> float:
        """log P(largest of the bulk > value), Tracy–Widom with second-order constants."""
        n = self.size - removed
        edge = wigner_edge(n, self.beta, variance=n * frame.scale**2)
        edge_variance = 1.5 * frame.half**2 / (self.beta * n**2)
        return _log_tail(value, frame.centre + edge.centre, edge.scale, edge_variance, self.beta, known)

    def goodness(self, values: FloatArray, outliers: Mask, frame: Frame) -> Goodness | None:
        """Degrees 3 and up: the fit has used the first two."""
        return _goodness(values, outliers, frame, self.size - int(outliers.sum()), None, self.beta, used=2)


@lru_cache
def _semicircle_quartiles() -> float:
    """Distance of the quartiles of a semicircle of variance one."""
    return 2 * float(Semicircle().ppf(0.75))


def _goodness(
    values: FloatArray, outliers: Mask, frame: Frame, count: int, ratio: float | None, beta: Beta, used: int
) -> Goodness | None:
    order = bulk_order(count)
    if order <= used:
        return None
    roots = outer_root(frame.points(values[outliers]))
    sums = chebyshev_sums(frame.points(values[~outliers]), order)
    degrees = np.arange(1, order + 1)
    excess = (sums - expected_sums(count, ratio, roots, beta, order)) / np.sqrt(degrees / (2 * beta))
    statistic = float(np.square(excess[used:]).sum())
    return Goodness(statistic, order - used, chi_square_tail(statistic, order - used), order)
