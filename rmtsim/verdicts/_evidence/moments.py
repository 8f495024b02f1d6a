"""Streaming sufficient statistics of independent replicates at one size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-11
"""Relative differences below this are rounding, not noise."""


TINIEST = 1e-90
"""Differences below this cannot be squared and cubed in double precision."""

_AT_ONCE = 2**22


@dataclass(frozen=True)
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
        if len(values) > _AT_ONCE:  # the powers below take several times the memory of the values
            return self.updated(values[:_AT_ONCE]).updated(values[_AT_ONCE:])
        count, mean = len(values), float(values.mean())
        centred = values - mean
        second, third = float((centred**2).sum()), float((centred**3).sum())
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
        """Whether the values differ by more than rounding; a mean of equal values is not known to be theirs."""
        return self.greatest - self.least > max(ROUNDING * self.largest, TINIEST)

    @property
    def largest(self) -> float:
        """Absolute value of the largest; zero before anything was met."""
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
