"""Iterated limits: first the size grows at each value of an outer parameter, then that parameter does.

Each inner limit gets an interval at its share of the level; together they are a box for the outer sequence,
which is projected through the same finite-size models, now in the outer parameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Claim
from rmtsim.runs.work import BatchKey
from rmtsim.verdicts.evidence.measured import Evidence, MeanSet
from rmtsim.verdicts.examinations.allocation import next_batches
from rmtsim.verdicts.examinations.analysis import Analysis, analyse_limit, analyse_sequence
from rmtsim.verdicts.examinations.conclude import concluded
from rmtsim.verdicts.examinations.dispatch import GROWTH, SMALLEST_ROUND, foresee
from rmtsim.verdicts.examinations.outlook import outlook_of
from rmtsim.verdicts.examinations.plan import Design, make_design
from rmtsim.verdicts.examinations.requests import Examination, Request, Setting, keys_for
from rmtsim.verdicts.question import Question, question
from rmtsim.verdicts.results import Verdict

__all__ = ["examine_iterated"]


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

    def keys(self) -> list[BatchKey]:
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
                self.evidence.add(index, np.concatenate(values[position : position + number]))
            position += number
        self.taken = self.taken + self.wanted

    def analysis(self) -> Analysis:
        if self.claim.accuracy is not None:
            values = self.evidence.means.tolist()
            errors = [max(self.claim.accuracy, 1e-15) * abs(value) for value in values]
            return analyse_sequence(self.design.sizes, values, errors, self.claim.exponents)
        return self._analysed(self.evidence.mean_set(self.setting.level))

    def _analysed(self, means: MeanSet, *, refine: bool = True) -> Analysis:
        return analyse_limit(means, self.claim.exponents, refine=refine).within(*self.asked.possible)

    def plan(self, cost: float) -> None:
        means = self.evidence.mean_set(self.setting.level)
        plan = partial(
            foresee,
            partial(self._analysed, refine=False),
            self.claim.exponents,
            self.setting.level,
            self.evidence,
            means,
        )
        self.wanted = next_batches(self.design, np.array(self.evidence.counts), means, plan, cost)


def _begin(claim: Claim, setting: Setting, asked: Question, name: str, value: int, count: int) -> _Inner:
    mine = replace(
        setting,
        parameters={**setting.parameters, name: value},
        level=setting.level / count,
        allowance=setting.allowance / count,
    )
    design = make_design(claim, mine.parameters, mine.allowance)
    if claim.accuracy is not None:
        ones = (1,) * len(claim.sizes)
        costs = tuple(float(claim.cost(mine.parameters, size)) for size in claim.sizes)
        design = Design(claim.sizes, costs, ones, ones, np.ones((1, len(ones))))
    evidence = Evidence(
        design.sizes, tuple(asked.scale(size) for size in design.sizes), design.widths, claim.support
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


def examine_iterated(claim: Claim, setting: Setting) -> Examination:
    """Examination of a claim with ``outer``."""
    assert claim.outer is not None
    if claim.kind not in ("limit", "law", "probability"):
        raise ValueError(f"{claim.id}: outer={claim.outer!r} belongs to limits, and this is a {claim.kind}")
    name, values = claim.outer
    asked = question(claim, setting)
    inners = [_begin(claim, setting, asked, name, value, len(values)) for value in values]
    analysis = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
    limits: list[Analysis] = []
    spent, looks, outlook = 0.0, 0, 0.0
    while True:
        wishes = [inner.keys() for inner in inners]
        cost = sum(inner.design.cost(inner.wanted) for inner in inners)
        received = yield Request(tuple(key for keys in wishes for key in keys), cost, outlook)
        if received is None:
            break
        position = 0
        for inner, keys in zip(inners, wishes, strict=True):
            inner.take(received[position : position + len(keys)])
            position += len(keys)
        spent += cost
        looks += 1
        limits = [inner.analysis() for inner in inners]
        analysis = _outer(limits, values, claim.exponents).within(*asked.possible)
        if asked.verdict(analysis.interval) is not Verdict.INCONCLUSIVE or claim.accuracy is not None:
            break
        outlook = outlook_of(asked.predicted, asked.tolerance, analysis, spent)
        more = min(GROWTH * spent, setting.left())
        if more < SMALLEST_ROUND * spent:
            break
        for inner in inners:
            inner.plan(more / len(inners))
    return concluded(
        setting,
        asked,
        analysis,
        spent=spent,
        noiseless=claim.accuracy is not None,
        quantity="iterated limit",
        sizes=values,
        replicates=tuple(sum(inner.evidence.counts) for inner in inners),
        values=tuple(limit.estimate for limit in limits),
        errors=tuple((limit.interval[1] - limit.interval[0]) / 2 for limit in limits),
        looks=looks,
    )


def _outer(limits: list[Analysis], values: tuple[int, ...], exponents: tuple[float, ...]) -> Analysis:
    low, high = np.array([limit.interval for limit in limits]).T
    if not np.isfinite(high - low).all():
        return Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
    # Widths far below the corrections (exact inner limits) leave no room for models: a sequence with errors.
    box = MeanSet(values, (low + high) / 2, low=low, high=high)
    found = analyse_limit(box, exponents)
    if len(values) >= 3 and float((high - low).max()) < 1e-6 * float(np.abs(high).max()):
        return analyse_sequence(values, box.values.tolist(), ((high - low) / 2).tolist(), exponents)
    return found
