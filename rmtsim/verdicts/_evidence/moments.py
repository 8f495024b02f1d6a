"""Moments of the values at one size, and the set that holds the true means at all sizes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen

ROUNDING = 1e-11
"""Relative differences below this are rounding, not noise."""


TINIEST = 1e-90
"""Differences below this cannot be squared and cubed in double precision."""

_AT_ONCE = 2**22


@frozen
class Moments:
    """Count, mean and central sums of powers 2 and 3, folded batch by batch (Pébay's update).

    >>> a = Moments().updated(np.array([1.0, 2.0])).updated(np.array([6.0]))
    >>> a.count, a.mean, round(a.deviation, 6)
    (3, 3.0, 2.645751)
    """

    count: int = 0
    mean: float = 0.0
    second: float = 0.0
    third: float = 0.0
    least: float = math.inf
    greatest: float = -math.inf
    events: bool = True
    """Whether every value so far is 0 or 1."""

    def updated(self, values: NDArray[np.float64]) -> Moments:
        """These statistics with one more batch."""
        if len(values) == 0:
            return self
        if len(values) > _AT_ONCE:  # in parts: the powers below need several times this memory
            return self.updated(values[:_AT_ONCE]).updated(values[_AT_ONCE:])
        count, mean = len(values), float(values.mean())
        centred = values - mean
        squares = centred * centred
        second, third = float(squares.sum()), float((squares * centred).sum())
        total = self.count + count
        gap = mean - self.mean
        share = self.count * count / total
        return Moments(
            count=total,
            mean=self.mean + gap * count / total,
            second=self.second + second + gap**2 * share,
            third=self.third
            + third
            + gap**3 * share * (self.count - count) / total
            + 3 * gap * (self.count * second - count * self.second) / total,
            least=min(self.least, float(values.min())),
            greatest=max(self.greatest, float(values.max())),
            events=self.events and bool(((values == 0) | (values == 1)).all()),
        )

    @property
    def varies(self) -> bool:
        """Whether the values differ by more than rounding; equal values give no interval for the mean."""
        return self.greatest - self.least > max(ROUNDING * self.largest, TINIEST)

    @property
    def largest(self) -> float:
        """Largest absolute value; zero without values."""
        return max(abs(self.least), abs(self.greatest)) if self.count else 0.0

    @property
    def vanishing(self) -> bool:
        """Whether the values are too small, though not zero, to tell whether they vary."""
        return 0 < self.largest < TINIEST / ROUNDING and not self.varies

    @property
    def reach(self) -> float:
        """Distance of the farthest value from the mean, in sample deviations; zero where the values do not vary."""
        if self.count < 2 or not self.varies:
            return 0.0
        return max(self.greatest - self.mean, self.mean - self.least) / self.deviation

    @property
    def deviation(self) -> float:
        """Sample standard deviation of one replicate."""
        return math.sqrt(self.second / (self.count - 1)) if self.count > 1 else math.inf

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return self.deviation / math.sqrt(self.count) if self.count > 1 else math.inf

    @property
    def skewness(self) -> float:
        """Sample skewness; zero where the values do not vary."""
        if self.count < 3 or not self.varies:
            return 0.0
        return float(self.third / self.count / (self.second / self.count) ** 1.5)


@frozen
class MeanSet:
    """A set that contains the true means at all sizes, at every evaluation, with the stated probability.

    Either an ellipsoid around ``values``, or (for quantities with known bounds) a box. The ellipsoid reaches
    ``axes`` from its centre in each coordinate; its axes are those of the coordinates unless sizes share
    randomness, when ``correlation`` turns them: dᵀ(A·correlation·A)⁻¹d ≤ 1 with A = diag(axes).
    """

    sizes: tuple[int, ...]
    values: NDArray[np.float64]
    axes: NDArray[np.float64] | None = None
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    correlation: NDArray[np.float64] | None = None
    sigmas: float = 4.5
    """Half-axes in standard errors: the least of any size."""

    def since(self, first: int) -> MeanSet:
        """The same without the ``first`` smallest sizes."""
        cut = slice(first, None)
        return MeanSet(
            self.sizes[cut],
            self.values[cut],
            None if self.axes is None else self.axes[cut],
            None if self.low is None else self.low[cut],
            None if self.high is None else self.high[cut],
            # The projection of an ellipsoid onto fewer coordinates is the ellipsoid of the block of its matrix.
            None if self.correlation is None else self.correlation[cut, cut],
            self.sigmas,
        )

    def moved_to(self, values: NDArray[np.float64]) -> MeanSet:
        """The same set around other values."""
        if self.axes is not None:
            return replace(self, values=values)
        low, high = self.ends
        return MeanSet(self.sizes, values, low=values - (high - low) / 2, high=values + (high - low) / 2)

    def sharpened(self, factors: NDArray[np.float64]) -> MeanSet:
        """What this set would become around the same values if each size's noise shrank by its factor."""
        if self.axes is not None:
            return replace(self, axes=self.axes * factors)
        low, high = self.ends
        return MeanSet(
            self.sizes,
            self.values,
            low=self.values - (self.values - low) * factors,
            high=self.values + (high - self.values) * factors,
        )

    def widened(self, distance: float) -> MeanSet:
        """A set that holds every curve which stays within ``distance`` of means in this set, at all sizes.

        Such curves fill the sum of the set and a cube. The cube lies in a ball of radius √sizes·distance, and the sum
        of two ellipsoids with matrices C and B lies in that of (1 + 1/t)·C + (1 + t)·B for every t > 0; the t chosen
        here makes its trace least.

        >>> MeanSet((1, 2), np.zeros(2), axes=np.ones(2)).widened(0.1).axes.round(3).tolist()
        [1.141, 1.141]
        """
        if self.axes is None:
            low, high = self.ends
            return replace(self, low=low - distance, high=high + distance)
        bounded = np.isfinite(self.axes)
        if not bounded.any() or not distance > 0:
            return self
        ball = float(bounded.sum()) * distance**2
        whole = float((self.axes[bounded] ** 2).sum())
        t = math.sqrt(whole / (bounded.sum() * ball)) if whole > 0 else 1e-9
        squares = (1 + 1 / t) * self.axes**2 + (1 + t) * ball
        axes = np.sqrt(squares)
        if self.correlation is None:
            return replace(self, axes=axes)
        shared = (1 + 1 / t) * self.correlation * np.outer(self.axes, self.axes) + (1 + t) * ball * np.eye(
            len(axes)
        )
        return replace(self, axes=axes, correlation=shared / np.outer(axes, axes))

    @property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The box around the set."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        assert self.axes is not None
        return self.values - self.axes, self.values + self.axes
