"""Whether replicates of one batch are as independent as those of different batches.

A sampler that returns arrays promises independent values. If those of one call share randomness, the mean of a batch
varies more between batches than its values promise, and an interval that counts every value is far too narrow. With k
batches of m values, batch means a_b and sample variance s² of all values, T = m·Σ(a_b - mean)²/s² has expectation about
k - 1 whatever the law of the values, since shuffling them over the batches leaves their law as it is. Its variance is
(k - 1)(2 + κ/m), κ the excess kurtosis of the values, which is at most D²/s², D the largest distance from the mean: two
rare events that fall into one piece by chance are no sign of anything. So T is compared with c times a chi-square
variable of (k - 1)/c degrees, c = 1 + D²/(2ms²), which has this mean and variance. Batches are compared as a whole,
which shows what all their values share, and in pieces of 64 values, which shows what those of a single call share.
(Less spread is no fault: strata and antithetic pairs make means vary less.) A sampler with a seed of its own returns
one batch again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rmtsim.verdicts._evidence.moments import Moments
from rmtsim.verdicts._needs import Lack, Need

_CHANCE = 1e-9
"""Probability below which independent values would look so dependent."""

_PIECE = 64
"""Values of a piece: more than most calls return, and many pieces in a long batch."""

_TELLING = 8
"""So many distinct values in a batch, or so many batches, do not come again by chance."""


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
        """Further values, in whole batches of that ``length``."""
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
    """A complaint about samplers that return one batch again and again."""
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
