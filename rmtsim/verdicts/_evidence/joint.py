"""Replicates whose sizes share randomness: one vector per replicate, its mean and covariance, one joint set.

With n replicates of K sizes, mean m, scatter S = Σ(Y_r - m)(Y_r - m)ᵀ, d = m - μ and D = dᵀS⁻¹d, the e-process is

    log E(μ) = (K/2) log(ρ/(n+ρ)) + (n/2) log[(1 + nD)/(1 + nρ/(n+ρ) D)],

the likelihood ratio of the maximal invariant under linear changes of coordinates (derived in
docs/levels-and-budgets.md). It is a martingale for normal replicates whatever their covariance, and its sublevel set
is the ellipsoid D ≤ D*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.verdicts._evidence.independent import BatchMeans, dependence, repeated
from rmtsim.verdicts._evidence.moments import MeanSet, Moments
from rmtsim.verdicts._evidence.sequences import ROOMY, SKEWED, tail_widening, tails, unvaried
from rmtsim.verdicts._needs import Need

_FARTHEST = 64
"""Rows kept for the largest distance."""

_RIDGE = 1e-12
"""Added to the diagonal of a correlation matrix, which is singular if sizes are perfectly correlated."""


def joint_bound(count: int, sizes: int, level: float, widths: NDArray[np.float64]) -> float:
    """Largest D with Σ over stages of E/stages < 1/level, by the tightest stage; infinite while nothing is excluded.

    >>> bound = joint_bound(500, 4, 0.05, np.array([150.0]))
    >>> ratio = 150 / 650
    >>> log_e = 2 * math.log(ratio) + 250 * math.log((1 + 500 * bound) / (1 + 500 * ratio * bound))
    >>> round(log_e, 6) == round(math.log(20), 6)
    True
    """
    if count <= sizes:  # the scatter is singular, and every mean has the same e-process, one
        return math.inf
    ratio = widths / (count + widths)
    total = np.maximum(math.log(len(widths) / level) - 0.5 * sizes * np.log(ratio), 1e-9)
    growth = np.exp(np.minimum(2 * total / count, 700.0))
    room = 1 - ratio * growth
    found = np.where(room > 0, (growth - 1) / (count * np.where(room > 0, room, 1.0)), math.inf)
    return float(found.min())


@frozen
class JointMoments:
    """Count, mean vector and central sums of outer powers 2 and 3, folded batch by batch (Pébay's update).

    >>> rows = np.random.default_rng(0).standard_normal((9, 2))
    >>> folded = JointMoments.empty(2).updated(rows[:4]).updated(rows[4:])
    >>> bool(np.allclose(folded.scatter / 8, np.cov(rows.T)))
    True
    """

    count: int
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]
    third: NDArray[np.float64]

    @classmethod
    def empty(cls, sizes: int) -> JointMoments:
        """Nothing seen yet."""
        return cls(0, np.zeros(sizes), np.zeros((sizes, sizes)), np.zeros((sizes, sizes, sizes)))

    def updated(self, rows: NDArray[np.float64]) -> JointMoments:
        """These statistics with one more batch, a row per replicate."""
        if len(rows) == 0:
            return self
        count, mean = len(rows), rows.mean(axis=0)
        centred = rows - mean
        scatter = centred.T @ centred
        third = np.einsum("ri,rj,rk->ijk", centred, centred, centred, optimize=True)
        total, gap = self.count + count, mean - self.mean
        share = self.count * count / total
        mixed = (self.count * scatter - count * self.scatter) / total
        cross = np.einsum("i,jk->ijk", gap, mixed)
        cross = cross + cross.transpose(1, 0, 2) + cross.transpose(1, 2, 0)
        cube = np.einsum("i,j,k->ijk", gap, gap, gap) * share * (self.count - count) / total
        return JointMoments(
            total,
            self.mean + gap * count / total,
            self.scatter + scatter + np.outer(gap, gap) * share,
            self.third + third + cube + cross,
        )

    @property
    def correlation(self) -> NDArray[np.float64]:
        """Correlations between sizes."""
        spread = np.sqrt(np.diag(self.scatter))
        safe = np.where(spread > 0, spread, 1.0)
        found: NDArray[np.float64] = np.asarray(self.scatter / np.outer(safe, safe), dtype=np.float64)
        np.fill_diagonal(found, 1.0)
        return found

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Of the mean at each size."""
        if self.count < 2:
            return np.full(len(self.mean), math.inf)
        return np.asarray(np.sqrt(np.diag(self.scatter) / (self.count - 1) / self.count))

    @property
    def skewness(self) -> float:
        """The root of Mardia's skewness: no linear combination of the sizes is more skewed than this."""
        spread = np.sqrt(np.diag(self.scatter) / max(self.count, 1))
        cubes = np.einsum("i,j,k->ijk", spread, spread, spread)
        if self.count < 3 or not (cubes > 0).all():
            return 0.0
        scaled = self.third / self.count / cubes
        inverse = np.linalg.inv(np.linalg.cholesky(self.correlation + _RIDGE * np.eye(len(spread))))
        white = np.einsum("ai,bj,ck,ijk->abc", inverse, inverse, inverse, scaled, optimize=True)
        return float(np.sqrt((white**2).sum()))


@dataclass
class JointEvidence:
    """What was measured of a coupled claim at one parameter point."""

    sizes: tuple[int, ...]
    scales: tuple[float, ...]
    """Factor on the raw values at each size (size^exponent for a rate with an amplitude)."""
    widths: NDArray[np.float64]
    """Mixture widths of the stages, fixed before the run."""
    origin: float | None = None
    """Squared distances from here are taken in place of the values, where it is given."""
    running: bool = False
    """Whether the largest squared distance from each size on is taken."""
    moments: JointMoments = field(init=False)

    _columns: list[Moments] = field(init=False)
    _batches: list[BatchMeans] = field(init=False)
    _farthest: NDArray[np.float64] = field(init=False)
    """Rows far from the mean; which is farthest can change a little when the covariance does."""

    def __post_init__(self) -> None:
        self.moments = JointMoments.empty(len(self.sizes))
        self._columns = [Moments() for _ in self.sizes]
        self._batches = [BatchMeans() for _ in self.sizes]
        self._farthest = np.empty((0, len(self.sizes)))

    def add(self, values: NDArray[np.float64], length: int = 1) -> None:
        """More rows of one number per size, flattened, in batches of ``length`` rows."""
        rows = values.reshape(-1, len(self.sizes)) * np.array(self.scales)
        if self.origin is not None:
            rows = (rows - self.origin) ** 2
        if self.running:
            rows = np.maximum.accumulate(rows[:, ::-1], axis=1)[:, ::-1]
        self.moments = self.moments.updated(rows)
        self._columns = [column.updated(rows[:, k]) for k, column in enumerate(self._columns)]
        for k, batches in enumerate(self._batches):
            batches.add(np.ascontiguousarray(rows[:, k]), length)
        candidates = np.concatenate((self._farthest, rows))
        self._farthest = candidates[np.argsort(self._distances(candidates))[-_FARTHEST:]]

    def _distances(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of rows from the mean, in standard deviations of the combination in which each is farthest."""
        moments = self.moments
        spread = np.sqrt(np.diag(moments.scatter) / max(moments.count - 1, 1))
        whiten = np.linalg.inv(np.linalg.cholesky(moments.correlation + _RIDGE * np.eye(len(spread))))
        scaled = (rows - moments.mean) / np.where(spread > 0, spread, 1.0)
        return np.asarray(np.sqrt(((scaled @ whiten.T) ** 2).sum(axis=1)))

    @property
    def misdrawn(self) -> list[Need]:
        """Why the rows are not independent replicates; sizes share their draws, so each is tested separately."""
        pairs = zip(self._batches, self._columns, strict=True)
        dependent = [complaint for pair in pairs for complaint in dependence([pair])]
        return [*repeated(self.sizes, self._batches), *dependent[:1]]

    @property
    def complaints(self) -> list[Need]:
        """Reasons why the set is unbounded or large."""
        if misdrawn := self.misdrawn:
            return misdrawn
        pairs = [(size, each) for size, each in zip(self.sizes, self._columns, strict=True) if each.count > 1]
        return [*unvaried(pairs), *tails(pairs)]

    @property
    def varies(self) -> bool:
        """Whether every size's values differ by more than rounding."""
        return all(column.varies for column in self._columns)

    @property
    def reach(self) -> float:
        """Largest distance of a row from the mean."""
        return float(self._distances(self._farthest).max())

    def mean_set(self, level: float, *, running: bool = True) -> MeanSet:
        """The ellipsoid of means at this ``level``, widened for skewness and heavy tails as a single size is."""
        moments, count, sizes = self.moments, self.moments.count, len(self.sizes)
        bound = joint_bound(count, sizes, level, self.widths)
        if not math.isfinite(bound) or not self.varies or self.misdrawn:
            return MeanSet(self.sizes, moments.mean, axes=np.full(sizes, math.inf))
        # Subtract the value that Mardia's skewness has for normal replicates.
        excess = math.sqrt(max(0.0, moments.skewness**2 - sizes * (sizes + 1) * (sizes + 2) / count))
        if count < ROOMY and excess > SKEWED:
            return MeanSet(self.sizes, moments.mean, axes=np.full(sizes, math.inf))
        z = math.sqrt(bound * count * (count - 1))
        # Mardia's skewness is that of the worst combination, and its own noise keeps it from being too small.
        widening = 1 + moments.skewness * (2 * z**2 + 1) / (6 * math.sqrt(count) * z)
        reach = max(0.0, self.reach - math.sqrt(sizes))
        widening *= float(tail_widening(np.array(reach), np.array(count), np.array(z)))
        axes = np.sqrt(bound * np.diag(moments.scatter)) * widening
        correlation = moments.correlation + _RIDGE * np.eye(len(axes))
        return MeanSet(self.sizes, moments.mean, axes=axes, correlation=correlation, sigmas=z * widening)
