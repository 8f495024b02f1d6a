"""Replicates of each size drawn on their own: statistics per size, the set of all means, and tests of independence.

A sampler that returns arrays promises independent values. If those of one call share randomness, batch means vary
more than independent values would, and an interval that counts every value is far too narrow. With k batches of m
values, batch means a_b and sample variance s² of all values, T = m·Σ(a_b - mean)²/s² has expectation about k - 1
whatever the law of the values, since shuffling them over the batches leaves their law as it is. Its variance is (k -
1)(2 + κ/m), κ the excess kurtosis of the values, which is at most D²/s², D the largest distance from the mean: two
rare events in one piece by chance are no evidence of dependence. So T is compared with c times a chi-square variable
of (k - 1)/c degrees, c = 1 + D²/(2ms²), which has this mean and variance. Batches are compared as a whole, which
shows what all their values share, and in pieces of 64 values, which shows what those of a single call share. (A
smaller spread is accepted: stratification and antithetic pairs reduce the variance of means.) A sampler that seeds
its own generator returns the same batch every time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rmtsim.verdicts._evidence.moments import MeanSet, Moments
from rmtsim.verdicts._evidence.sequences import (
    ROOMY,
    bernstein_interval,
    event_interval,
    joint_axes,
    jumps,
    replicates_wanted,
    tails,
    unvaried,
)
from rmtsim.verdicts._needs import Lack, Need

if TYPE_CHECKING:
    from rmtsim.verdicts._evidence.spilled import Spilled

_CHANCE = 1e-9
"""Probability below which independent values would look so dependent."""

_PIECE = 64
"""Values of a piece: more than most calls return, and many pieces in a long batch."""

_TELLING = 8
"""With this many distinct values in a batch, or this many batches, a repetition is not due to chance."""


@dataclass
class BatchMeans:
    """What is kept of the batches at one size."""

    length: int = 1
    means: Moments = field(default_factory=Moments)
    pieces: Moments = field(default_factory=Moments)
    """Means of pieces, where batches are longer than one."""
    _first: bytes | None = None
    _distinct: int = 0
    _same: bool = True

    def add(self, values: NDArray[np.float64], length: int) -> None:
        """Add values, in whole batches of that ``length``."""
        rows = values.reshape(-1, length)
        if self._first is None:
            self._first, self._distinct = rows[0].tobytes(), len(np.unique(rows[0]))
        self.length = length
        self._same = self._same and all(row.tobytes() == self._first for row in rows)
        self.means = self.means.updated(rows.mean(axis=1))
        if length % _PIECE == 0:
            self.pieces = self.pieces.updated(values.reshape(-1, _PIECE).mean(axis=1))

    def excess(self, values: Moments, *, pieces: bool = False) -> tuple[float, int, float]:
        """T, its mean k - 1 and its scale c, of batches or ``pieces``; ``values`` are the moments of all values."""
        length, means = (_PIECE, self.pieces) if pieces else (self.length, self.means)
        if length < 2 or means.count < 2 or not values.varies:
            return 0.0, 0, 1.0
        variance = values.deviation**2
        farthest = max(values.greatest - values.mean, values.mean - values.least)
        scale = 1 + farthest**2 / (2 * length * variance)
        return length * means.second / variance, means.count - 1, scale

    @property
    def repeated(self) -> bool:
        """Whether every batch had the values of the first, which vary."""
        return (
            self._same
            and self._distinct > 1
            and self.means.count > 1
            and max(self._distinct, self.means.count) >= _TELLING
        )


def repeated(sizes: Sequence[int], batches: Iterable[BatchMeans]) -> list[Need]:
    """Need of a sampler that returns the same batch every time; None for any other."""
    found = [size for size, mine in zip(sizes, batches, strict=True) if mine.repeated]
    return [Need(lack=Lack.RANDOMNESS, sizes=(found[0],))] if found else []


def dependence(pairs: Sequence[tuple[BatchMeans, Moments]]) -> list[Need]:
    """A complaint if batches of independent values, with the moments of all values at each size, would hardly vary so.

    >>> rng = np.random.default_rng(0)
    >>> def judged(values):
    ...     batches = BatchMeans()
    ...     batches.add(values, 64)
    ...     return dependence([(batches, Moments().updated(values))])
    >>> independent, shared = rng.standard_normal(2560), np.repeat(rng.standard_normal(320), 8)
    >>> judged(independent), str(judged(shared + 0.1 * independent)[0].lack)
    ([], 'independence')
    """
    for pieces in (False, True):
        found = [batches.excess(moments, pieces=pieces) for batches, moments in pairs]
        total, free = sum(t for t, _, _ in found), sum(count for _, count, _ in found)
        scale = sum(count * each for _, count, each in found) / free if free else 1.0
        if free and float(special.chdtrc(free / scale, total / scale)) < _CHANCE:
            return [Need(lack=Lack.INDEPENDENCE, number=total / free)]
    return []


@dataclass
class Evidence:
    """Streaming statistics per size; raw values only where a bounded quantity's sequence needs their order."""

    sizes: tuple[int, ...]
    scales: tuple[float, ...]
    """Factor on the raw values at each size (size^exponent for a rate with an amplitude)."""
    widths: NDArray[np.float64]
    """Mixture widths, (stages, sizes), fixed before the run."""
    support: tuple[float, float] | None = None
    origin: float | None = None
    """Squared distances from here are taken in place of the values, where it is given."""
    moments: list[Moments] = field(init=False)
    batches: list[BatchMeans] = field(init=False)
    raw: list[Spilled] = field(init=False)
    _known: dict[Any, Any] = field(init=False, default_factory=dict, repr=False)
    """Cache of intermediate results, cleared when values are added; one evaluation needs them many times."""

    def __post_init__(self) -> None:
        if self.support is not None and not all(math.isfinite(end) for end in self.support):
            self.support = None  # a bound on one side alone allows no exact interval
        self.moments = [Moments() for _ in self.sizes]
        self.batches = [BatchMeans() for _ in self.sizes]
        self.raw = []
        if self.support is not None:
            from rmtsim.verdicts._evidence.spilled import Spilled

            self.raw = [Spilled() for _ in self.sizes]

    def add(self, index: int, values: NDArray[np.float64], length: int = 1) -> None:
        """More values at size number ``index``, in batches of that ``length``."""
        self._known.clear()
        scaled = values if self.scales[index] == 1 else values * self.scales[index]
        scaled = scaled if self.origin is None else (scaled - self.origin) ** 2
        self.moments[index] = self.moments[index].updated(scaled)
        self.batches[index].add(scaled, length)
        if self.support is not None:
            self.raw[index].append(scaled)

    @property
    def counts(self) -> tuple[int, ...]:
        """Replicates per size."""
        return tuple(moments.count for moments in self.moments)

    @property
    def wanted(self) -> NDArray[np.int_]:
        """Expected number of replicates per size at which a size without a bounded interval gets one."""
        jumping = self.jumping
        return np.array(
            [replicates_wanted(moments.count, moments.skewness, jumping) for moments in self.moments]
        )

    @property
    def jumping(self) -> bool:
        """Whether rare values occurred at some size; all sizes then need enough replicates to show them."""
        if "jumping" not in self._known:
            self._known["jumping"] = any(
                jumps(moments.count, moments.skewness, moments.reach)
                for moments in self.moments
                if moments.varies
            )
        return bool(self._known["jumping"])

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean per size."""
        return np.array([moments.mean for moments in self.moments])

    @property
    def standard_errors(self) -> tuple[float, ...]:
        """Standard error per size."""
        return tuple(moments.standard_error for moments in self.moments)

    @property
    def misdrawn(self) -> list[Need]:
        """Why the values are not independent replicates; if there is a reason, they give no interval."""
        if "misdrawn" not in self._known:
            pairs = list(zip(self.batches, self.moments, strict=True))
            self._known["misdrawn"] = (*repeated(self.sizes, self.batches), *dependence(pairs))
        return list(self._known["misdrawn"])

    @property
    def complaints(self) -> list[Need]:
        """Reasons why some sizes have no bounded interval, or a wide one; the most serious first."""
        misdrawn = self.misdrawn
        if misdrawn or self.support is not None:
            return misdrawn
        pairs = [
            (size, moments)
            for size, moments in zip(self.sizes, self.moments, strict=True)
            if moments.count > 1
        ]
        return [*unvaried(pairs), *tails(pairs, self.jumping)]

    def foreseen_axes(self, level: float, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Axes of the ellipsoid with that many replicates per size; rows of ``counts`` are plans to compare."""
        deviations, skewnesses, reaches = self._shapes
        return joint_axes(counts, deviations, skewnesses, level, self.widths, reaches, jumping=self.jumping)

    @property
    def _shapes(self) -> tuple[list[float], list[float], list[float]]:
        """Deviation, skewness and reach at each size."""
        if "shapes" not in self._known:
            self._known["shapes"] = (
                [moments.deviation if moments.varies else 0.0 for moments in self.moments],
                [moments.skewness for moments in self.moments],
                [moments.reach for moments in self.moments],
            )
        found: tuple[list[float], list[float], list[float]] = self._known["shapes"]
        return found

    def foreseen(self, level: float, counts: NDArray[np.float64], now: MeanSet) -> MeanSet:
        """The set ``now`` as it would be around the same values with that many replicates per size."""
        if now.axes is None:
            return now.sharpened(np.sqrt(np.array(self.counts) / counts))
        axes = self.foreseen_axes(level if self.support is None else level / 2, counts)
        return MeanSet(self.sizes, now.values, axes=axes, sigmas=self._sigmas(axes, counts))

    def _sigmas(self, axes: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
        """The least half-axis in standard errors, with that many replicates per size."""
        spreads = np.array(self._shapes[0])
        bounded = np.isfinite(axes) & (spreads > 0)
        return float((axes * np.sqrt(counts) / np.where(spreads > 0, spreads, 1.0))[bounded].min(initial=1e3))

    def mean_set(self, level: float, *, running: bool = True) -> MeanSet:
        """The set of means at this ``level``; ``running=False`` ignores values excluded earlier."""
        if (level, running) not in self._known:
            self._known[level, running] = self._mean_set(level, running)
        found: MeanSet = self._known[level, running]
        return found

    def _mean_set(self, level: float, running: bool) -> MeanSet:
        if self.misdrawn:
            return MeanSet(self.sizes, self.means, axes=np.full(len(self.sizes), math.inf))
        if self.support is None:
            counts = np.array(self.counts, dtype=float)
            axes = self.foreseen_axes(level, counts)
            return MeanSet(self.sizes, self.means, axes=axes, sigmas=self._sigmas(axes, counts))
        # Zeros and ones are events only if a bound is declared: later values may be anything else.
        events = self.support == (0.0, 1.0) and all(moments.events for moments in self.moments)
        share = level / len(self.sizes) / (1 if events else 2)
        lower, upper = self.support
        ends = []
        for moments, batches, scale in zip(self.moments, self.raw, self.scales, strict=True):
            if events and scale == 1:
                ends.append(event_interval(round(moments.mean * moments.count), moments.count, share))
            else:
                ends.append(
                    bernstein_interval(batches.chunks(), share, scale * lower, scale * upper, running=running)
                )
        low, high = np.array(ends).T
        if not events and min(self.counts) >= ROOMY:
            # Half of the level for each: bounds are exact at every count, the t-mixture is far narrower for a small
            # variance. Which of the two is used may depend on the values.
            counts = np.array(self.counts, dtype=float)
            axes = self.foreseen_axes(level / 2, counts)
            known = np.isfinite(axes).all()
            if known and np.log(2 * axes).sum() < np.log(np.maximum(high - low, 1e-300)).sum():
                return MeanSet(self.sizes, self.means, axes=axes, sigmas=self._sigmas(axes, counts))
        return MeanSet(self.sizes, self.means, low=low, high=high)
