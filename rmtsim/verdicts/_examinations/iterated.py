"""Iterated limits: first the size grows at each value of an outer parameter, then that parameter does.

Each inner limit gets an interval at its share of the level; together they are a box for the outer sequence,
which is projected through the same finite-size models, now in the outer parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._evidence.independent import Evidence
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._examinations.allocation import next_batches
from rmtsim.verdicts._examinations.conclude import concluded
from rmtsim.verdicts._examinations.design import Design, Setting, keys_for, make_design
from rmtsim.verdicts._examinations.random import bounds_of, foresee
from rmtsim.verdicts._examinations.rounds import InRounds
from rmtsim.verdicts._models.analysis import UNKNOWN, Analysis, analyse_limit, analyse_sequence
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import PointResult


@dataclass
class _Inner:
    """The inner limit at one value of the outer parameter."""

    claim: Claim
    setting: Setting
    asked: Question
    design: Design
    evidence: Evidence
    taken: NDArray[np.int_]
    wanted: NDArray[np.int_]
    needed: int = 0
    """Terms that the last analysis needed."""

    def ask(self) -> list[BatchKey]:
        return [
            key
            for index, size in enumerate(self.design.sizes)
            for key in keys_for(
                self.claim,
                self.setting,
                size,
                int(self.taken[index]),
                int(self.wanted[index]),
                self.design.batches[index],
            )
        ]

    def take(self, values: list[NDArray[np.float64]]) -> None:
        position = 0
        for index, number in enumerate(self.wanted.tolist()):
            if number:
                mine = np.concatenate(values[position : position + number])
                self.evidence.add(index, mine, self.design.batches[index])
            position += number
        self.taken = self.taken + self.wanted

    def analysis(self) -> Analysis:
        if self.claim.accuracy is not None:
            values = self.evidence.means.tolist()
            errors = [max(self.claim.accuracy, 1e-15) * abs(value) for value in values]
            return analyse_sequence(
                self.design.sizes, values, errors, self.claim.exponents, self.asked.possible
            )
        found = analyse_limit(
            self.evidence.mean_set(self.setting.level),
            self.claim.exponents,
            self.asked.possible,
            declared=self.asked.declared,
        )
        self.needed = found.needed
        return found

    def plan(self, cost: float) -> None:
        means = self.evidence.mean_set(self.setting.level)
        plan = partial(
            foresee,
            partial(
                analyse_limit,
                exponents=self.claim.exponents,
                possible=self.asked.possible,
                declared=self.asked.declared,
                needed=self.needed,
                refine=False,
            ),
            self.claim.exponents,
            (self.needed, None),
            self.setting.level,
            self.evidence,
            means,
        )
        self.wanted = next_batches(
            self.design,
            np.array(self.evidence.counts),
            self.evidence.wanted,
            means,
            plan,
            cost,
            self.setting.left(),
            self.claim.exponents,
        )


def _begin(claim: Claim, setting: Setting, asked: Question, name: str, value: int, count: int) -> _Inner:
    mine = replace(
        setting,
        parameters={**setting.parameters, name: value},
        level=setting.level / count,
        allowance=setting.allowance / count,
    )
    design = make_design(claim, mine)
    if claim.accuracy is not None:
        ones = (1,) * len(claim.sizes)
        costs = tuple(float(claim.cost(mine.parameters, size)) for size in claim.sizes)
        design = Design(claim.sizes, costs, ones, ones, np.ones((1, len(ones))))
    evidence = Evidence(
        design.sizes, tuple(asked.scale(size) for size in design.sizes), design.widths, bounds_of(claim)
    )
    return _Inner(
        claim,
        mine,
        asked,
        design,
        evidence,
        np.zeros(len(design.sizes), dtype=np.int_),
        np.array(design.first),
    )


class Iterated(InRounds):
    """A claim with ``outer``, simulated or computed."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        assert claim.outer is not None
        if claim.kind not in ("limit", "law", "probability"):
            raise ValueError(
                f"{claim.id}: outer={claim.outer!r} belongs to limits, and this is a {claim.kind}"
            )
        super().__init__(claim, setting)
        name, self._values = claim.outer
        count = len(self._values)
        self._inners = [_begin(claim, setting, self.asked, name, value, count) for value in self._values]
        self._limits: list[Analysis] = []

    def ask(self) -> tuple[Sequence[BatchKey], float]:
        """Batches requested by each inner limit."""
        cost = sum(inner.design.cost(inner.wanted) for inner in self._inners)
        return [key for inner in self._inners for key in inner.ask()], cost

    def take(self, values: list[NDArray[np.float64]]) -> None:
        """Each inner limit takes its own."""
        position = 0
        for inner in self._inners:
            number = int(inner.wanted.sum())
            inner.take(values[position : position + number])
            position += number

    def interval(self) -> Analysis:
        """The limit of the inner limits."""
        self._limits = [inner.analysis() for inner in self._inners]
        return _outer(self._limits, self._values, self.asked)

    def exhausted(self, looks: int) -> bool:
        """Computed values do not change."""
        return self.claim.accuracy is not None

    def plan(self, more: float) -> None:
        """Equal shares for the inner limits."""
        for inner in self._inners:
            inner.plan(more / len(self._inners))

    def _later(self, factor: float) -> MeanSet:
        """The box of inner limits with so many times the replicates."""
        box = _box(self._limits, self._values)
        return box.sharpened(np.full(len(self._values), factor**-0.5))

    def conclude(self, spent: float, looks: int) -> PointResult:
        """With the inner limits in place of values at sizes."""
        return concluded(
            self.setting,
            self.asked,
            self.analysis,
            spent=spent,
            later=None if self.claim.accuracy is not None else self._later,
            quantity="iterated limit",
            sizes=self._values,
            replicates=tuple(sum(inner.evidence.counts) for inner in self._inners),
            values=tuple(limit.estimate for limit in self._limits),
            errors=tuple((limit.interval[1] - limit.interval[0]) / 2 for limit in self._limits),
            looks=looks,
        )


def _box(limits: list[Analysis], values: tuple[int, ...]) -> MeanSet:
    """The intervals of the inner limits, as a set for the outer sequence."""
    low, high = np.array([limit.interval for limit in limits]).T
    with np.errstate(invalid="ignore"):
        return MeanSet(values, (low + high) / 2, low=low, high=high)


def _outer(limits: list[Analysis], values: tuple[int, ...], asked: Question) -> Analysis:
    box = _box(limits, values)
    low, high = box.ends
    if not np.isfinite(high - low).all():
        return UNKNOWN
    # If the widths are far below the corrections (exact inner limits), treat them as a sequence with errors.
    if len(values) >= 3 and float((high - low).max()) < 1e-6 * float(np.abs(high).max()):
        return asked.computed(values, box.values.tolist(), ((high - low) / 2).tolist())
    return asked.analysed(box)
