"""Limits, rates, laws and probabilities from independent replicates at each size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.claims._papers import PAPERS
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._evidence.independent import Evidence
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._evidence.sequences import FEW
from rmtsim.verdicts._examinations.conclude import concluded_with_evidence
from rmtsim.verdicts._examinations.design import Setting, keys_for, make_design, price
from rmtsim.verdicts._examinations.rounds import InRounds
from rmtsim.verdicts._models.analysis import Analysis, foreseen_limit_widths, foreseen_width
from rmtsim.verdicts._needs import Lack
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import PointResult


class Random(InRounds):
    """Independent replicates at every size; each round is spent where it narrows the interval most."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        super().__init__(claim, setting)
        self._design = make_design(claim, setting)
        sizes = self._design.sizes
        self._evidence = Evidence(
            sizes,
            tuple(self.asked.scale(size) for size in sizes),
            self._design.widths,
            bounds_of(claim),
            self.asked.origin,
        )
        self._taken = np.zeros(len(sizes), dtype=np.int_)
        self._wanted = np.array(self._design.first)
        self._owners: list[int] = []

    def ask(self) -> tuple[Sequence[BatchKey], float]:
        """Large sizes first: they are the longest jobs, and workers should not wait for one at the end."""
        keys: list[BatchKey] = []
        self._owners = []
        for index in reversed(range(len(self._design.sizes))):
            batch = keys_for(
                self.claim,
                self.setting,
                self._design.sizes[index],
                int(self._taken[index]),
                int(self._wanted[index]),
                self._design.batches[index],
            )
            keys += batch
            self._owners += [index] * len(batch)
        return keys, self._design.cost(self._wanted)

    def take(self, values: list[NDArray[np.float64]]) -> None:
        """Fold each size's batches into its statistics."""
        for index in np.flatnonzero(self._wanted).tolist():
            mine = [batch for owner, batch in zip(self._owners, values, strict=True) if owner == index]
            self._evidence.add(index, np.concatenate(mine), self._design.batches[index])
        self._taken += self._wanted

    def interval(self) -> Analysis:
        """Over all admissible finite-size models."""
        return self._examined(self._evidence.mean_set(self.setting.level))

    def _examined(self, means: MeanSet, factor: float = 1.0) -> Analysis:
        """The same for this set of means, from so many times the replicates."""
        errors, counts = np.array(self._evidence.standard_errors), np.array(self._evidence.counts)
        return self.asked.examined(means, errors / math.sqrt(factor), (factor * counts).astype(np.int_))

    def _entailed(self, entailed: Question, means: MeanSet) -> Analysis:
        scales = np.array([self.asked.scale(size) for size in self._design.sizes])
        errors = np.array(self._evidence.standard_errors) / scales
        return entailed.examined(means, errors, np.array(self._evidence.counts))

    def means(self, level: float) -> MeanSet:
        """From all replicates so far."""
        return self._evidence.mean_set(level)

    def exhausted(self, looks: int) -> bool:
        """Whether more replicates would not help: no noise is left, they are dependent, or one size is affordable."""
        if self._evidence.misdrawn or len(self._design.sizes) < min(2, len(self.claim.sizes)):
            return True
        if bounds_of(self.claim) is not None:
            # With declared bounds, more equal values narrow the interval.
            return False
        return looks > 3 and not any(moments.second > 0 for moments in self._evidence.moments)

    def plan(self, more: float) -> None:
        """Batches per size that promise the narrowest interval; those without a vote that block a verdict first."""
        blocking = {
            size for need in self.analysis.objections if need.lack is Lack.VOTES for size in need.sizes
        }
        if blocking:
            share = more / len(blocking)
            self._wanted = np.array(
                [
                    max(1, round(share / cost / length)) if size in blocking else 0
                    for size, cost, length in zip(
                        self._design.sizes, self._design.costs, self._design.batches, strict=True
                    )
                ]
            )
            return
        from rmtsim.verdicts._examinations.allocation import next_batches

        means = self._evidence.mean_set(self.setting.level)
        self._wanted = next_batches(
            self._design,
            np.array(self._evidence.counts),
            self._evidence.wanted,
            means,
            partial(
                foresee,
                # Coarse grids are sufficient to compare splits.
                partial(self.asked.judged, refine=False, needed=self.analysis.needed),
                None if self.asked.rate else self.claim.exponents,
                (self.analysis.needed, self.analysis.leading),
                self.setting.level,
                self._evidence,
                means,
            ),
            more,
            self.setting.left(),
            None if self.asked.rate else self.claim.exponents,
        )

    def _later(self, factor: float) -> MeanSet:
        """The set of means with so many times the replicates, around the same values."""
        level = self.setting.level
        counts = factor * np.array(self._evidence.counts, dtype=float)
        return self._evidence.foreseen(level, counts, self._evidence.mean_set(level))

    def _first_estimate(self) -> float:
        """Nominal seconds of the replicates with which every declared size is expected to bound its mean."""
        had = dict(zip(self._design.sizes, self._evidence.counts, strict=True))
        wanted = dict(zip(self._design.sizes, self._evidence.wanted.tolist(), strict=True))
        prices = {size: price(self.claim, self.setting.parameters, size) for size in self.claim.sizes}
        missing = {size: max(FEW, wanted.get(size, FEW)) - had.get(size, 0) for size in prices}
        return float(sum(prices[size] * max(0, missing[size]) for size in prices))

    def conclude(self, spent: float, looks: int) -> PointResult:
        """With e-values and the figure's band."""
        return concluded_with_evidence(
            self.claim,
            self.setting,
            self.asked,
            self._evidence.mean_set,
            self.analysis,
            looks=looks,
            spent=spent,
            dropped=self._design.dropped,
            complaints=self._evidence.complaints,
            bounded=bounds_of(self.claim) is not None,
            later=self._later,
            examine=self._examined,
            first=self._first_estimate(),
            sizes=self._design.sizes,
            replicates=self._evidence.counts,
            values=tuple(self._evidence.means.tolist()),
            errors=self._evidence.standard_errors,
            deviations=tuple(moments.deviation for moments in self._evidence.moments),
            mean_only=spread_counts(self.claim),
        )


def spread_counts(claim: Claim) -> bool:
    """Whether the spread should vanish: a user's limit that does not state that it is one of the mean."""
    return claim.kind == "limit" and claim.mode is None and claim.paper not in PAPERS


def bounds_of(claim: Claim) -> tuple[float, float] | None:
    """Bounds that every replicate obeys, where there are some."""
    return (0.0, 1.0) if claim.kind == "probability" or claim.of == "probability" else claim.support


def foresee(
    analyse: Callable[[MeanSet], Analysis],
    exponents: tuple[float, ...] | None,
    needed: tuple[int, frozenset[float | None] | None],
    level: float,
    evidence: Evidence,
    means: MeanSet,
    plans: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How wide the interval would be under each plan: all at once for a limit over an ellipsoid.

    ``exponents`` is None if the target is not a limit; ``analyse`` is used then, and in all other cases.
    """
    if exponents is not None and means.axes is not None:
        widths = foreseen_limit_widths(means, evidence.foreseen_axes(level, plans), exponents, *needed)
        if np.isfinite(widths).any():
            return widths
    return np.array([foreseen_width(analyse(evidence.foreseen(level, plan, means))) for plan in plans])
