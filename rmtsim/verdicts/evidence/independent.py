"""Replicates of each size drawn on their own: streaming statistics per size, and the set of all true means."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts.evidence.mean_set import MeanSet
from rmtsim.verdicts.evidence.moments import Moments
from rmtsim.verdicts.evidence.sequences import bernstein_interval, event_interval, joint_axes
from rmtsim.verdicts.evidence.spilled import Spilled

__all__ = ["Evidence"]


@dataclass
class Evidence:
    """Streaming statistics per size; raw values only where a bounded quantity's sequence needs their order."""

    sizes: tuple[int, ...]
    scales: tuple[float, ...]
    """Factor on the raw values at each size (size^exponent for a rate with an amplitude)."""
    widths: NDArray[np.float64]
    """Mixture widths, (stages, sizes), fixed before the run."""
    support: tuple[float, float] | None = None
    moments: list[Moments] = field(init=False)
    raw: list[Spilled] = field(init=False)

    def __post_init__(self) -> None:
        self.moments = [Moments() for _ in self.sizes]
        self.raw = [Spilled() for _ in self.sizes]

    def add(self, index: int, values: NDArray[np.float64]) -> None:
        """One more batch at size number ``index``."""
        scaled = values if self.scales[index] == 1 else values * self.scales[index]
        self.moments[index] = self.moments[index].updated(scaled)
        if self.support is not None:
            self.raw[index].append(scaled)

    @property
    def counts(self) -> tuple[int, ...]:
        """Replicates per size."""
        return tuple(moments.count for moments in self.moments)

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean per size."""
        return np.array([moments.mean for moments in self.moments])

    @property
    def standard_errors(self) -> tuple[float, ...]:
        """Standard error per size."""
        return tuple(moments.standard_error for moments in self.moments)

    def foreseen_axes(self, level: float, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Axes of the ellipsoid with that many replicates per size; rows of ``counts`` are plans to compare."""
        return joint_axes(
            counts,
            [moments.deviation for moments in self.moments],
            [moments.skewness for moments in self.moments],
            level,
            self.widths,
        )

    def foreseen(self, level: float, counts: NDArray[np.float64], now: MeanSet) -> MeanSet:
        """What the set ``now`` would become around the same values with that many replicates per size."""
        if now.axes is None:
            return now.sharpened(np.sqrt(np.array(self.counts) / counts))
        return MeanSet(self.sizes, now.values, axes=self.foreseen_axes(level, counts))

    def mean_set(self, level: float) -> MeanSet:
        """The set of means at this ``level``."""
        events = all(moments.events for moments in self.moments)
        if self.support is None and not events:
            axes = joint_axes(
                self.counts,
                [moments.deviation if moments.count > 1 else math.inf for moments in self.moments],
                [moments.skewness for moments in self.moments],
                level,
                self.widths,
            )
            return MeanSet(self.sizes, self.means, axes=axes)
        share = level / len(self.sizes)
        ends = []
        for moments, batches in zip(self.moments, self.raw, strict=True):
            if events:
                ends.append(event_interval(round(moments.mean * moments.count), moments.count, share))
            else:
                assert self.support is not None
                ends.append(bernstein_interval(batches.chunks(), share, *self.support))
        low, high = np.array(ends).T
        return MeanSet(self.sizes, self.means, low=low, high=high)
