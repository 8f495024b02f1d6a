"""Bounds on a mean or on a probability: the interval of the mean at each size is compared with the bound there.

Nothing is extrapolated: the verdict is about the sizes that were measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._evidence.independent import Evidence
from rmtsim.verdicts._examinations.conclude import e_value
from rmtsim.verdicts._examinations.design import Setting, keys_for, make_design
from rmtsim.verdicts._examinations.pointwise import stated_bounds
from rmtsim.verdicts._examinations.random import bounds_of
from rmtsim.verdicts._examinations.rounds import GROWTH, SMALLEST_ROUND
from rmtsim.verdicts._needs import Caution, Lack, Need, Warned
from rmtsim.verdicts._results import PointResult, Verdict
from rmtsim.verdicts._words.numbers import ends_words

_ON_THE_EDGE = 2.0**20
"""A verdict that needs more than so many times the replicates is out of reach."""


class BoundedMean:
    """mean ≤ bound (or ≥, by ``claim.sense``) at every measured size, up to the tolerance."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        self._claim, self._setting = claim, setting
        self._design = make_design(claim, setting)
        sizes = self._design.sizes
        self._sign = 1.0 if claim.sense == "<=" else -1.0
        self._bounds, self._slacks = np.array(stated_bounds(claim, setting, sizes)).T
        self._evidence = Evidence(sizes, (1.0,) * len(sizes), self._design.widths, bounds_of(claim))
        self._taken = np.zeros(len(sizes), dtype=np.int_)
        self._wanted = np.array(self._design.first)

    def ask(self) -> tuple[Sequence[BatchKey], float]:
        """Batches at the undecided sizes, large sizes first."""
        keys: list[BatchKey] = []
        for index in reversed(range(len(self._design.sizes))):
            keys += keys_for(
                self._claim,
                self._setting,
                self._design.sizes[index],
                int(self._taken[index]),
                int(self._wanted[index]),
                self._design.batches[index],
            )
        return keys, self._design.cost(self._wanted)

    def take(self, values: list[NDArray[np.float64]]) -> None:
        """Fold each size's batches into its statistics."""
        start = 0
        for index in reversed(range(len(self._wanted))):
            number = int(self._wanted[index])
            if number:
                mine = np.concatenate(values[start : start + number])
                self._evidence.add(index, mine, self._design.batches[index])
            start += number
        self._taken += self._wanted

    def _excess(
        self, level: float, *, running: bool = True
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """At each size, the ends of the interval for sign·(mean - bound) - slack: positive values break the bound."""
        low, high = self._evidence.mean_set(level, running=running).ends
        ends = np.sort(self._sign * (np.array([low, high]) - self._bounds), axis=0) - self._slacks
        return ends[0], ends[1]

    def _verdict(self) -> Verdict:
        low, high = self._excess(self._setting.level)
        if (low > 0).any():
            return Verdict.REFUTED
        return Verdict.CONFIRMED if (high <= 0).all() else Verdict.INCONCLUSIVE

    def _factors(self) -> NDArray[np.float64]:
        """How many times the replicates each size needs; one where it is decided, infinite on the edge."""
        low, high = self._excess(self._setting.level)
        with np.errstate(
            divide="ignore", invalid="ignore"
        ):  # a size without a vote has the ends -inf and inf
            half, middle = (high - low) / 2, np.abs(high + low) / 2
            needed = np.where(np.isfinite(half), (half / middle) ** 2, 2.0)
        return np.asarray(np.where((low > 0) | (high <= 0), 1.0, np.maximum(needed, 1.05)))

    def _more(self) -> float:
        """Nominal seconds until every size is decided; infinite where one is on the edge."""
        factors = self._factors()
        if factors.max() > _ON_THE_EDGE:
            return math.inf
        costs = np.array(self._design.costs) * np.array(self._evidence.counts)
        return float(((factors - 1) * costs).sum())

    def analyse(self, spent: float, looks: int) -> float | None:
        """Continue while some size is undecided and the budget is not spent."""
        if self._verdict() is not Verdict.INCONCLUSIVE or self._evidence.misdrawn:
            return None
        more = min(GROWTH * spent, self._setting.left())
        if more < SMALLEST_ROUND * spent:
            return None
        still_open = self._factors() > 1
        share = more / still_open.sum()
        lengths = np.array(self._design.batches)
        wanted = np.round(share / np.array(self._design.costs) / lengths).astype(np.int_)
        self._wanted = np.where(still_open, np.maximum(1, wanted), 0)
        return self._more()

    def _reason(self, verdict: Verdict, near: int) -> str:
        sizes = self._design.sizes
        name, size, bound = self._claim.of, sizes[near], self._bounds[near]
        low, high = self._evidence.mean_set(self._setting.level).ends
        where = f"at size {size} the {name} lies in {ends_words((low[near], high[near]))}, the bound is {bound:.6g}"
        if verdict is Verdict.REFUTED:
            return f"The bound is broken: {where} (slack {self._slacks[near]:.2g})."
        if verdict is Verdict.CONFIRMED:
            return f"At these sizes the {name} obeys the bound; closest to it, {where}."
        return f"Not every size is decided: {where}."

    def conclude(self, spent: float, looks: int) -> PointResult:
        """By the intervals at all sizes."""
        setting, evidence, sizes = self._setting, self._evidence, self._design.sizes
        level = setting.level
        verdict = self._verdict() if looks else Verdict.INCONCLUSIVE
        low, high = self._excess(level)
        near = int(np.argmax(low if verdict is Verdict.REFUTED else high))
        ends = evidence.mean_set(level).ends
        more = self._more() if looks and verdict is Verdict.INCONCLUSIVE else math.inf
        timely = math.isfinite(more) and not evidence.misdrawn
        lacks: tuple[Need, ...] = ()
        if verdict is Verdict.INCONCLUSIVE:
            lacks = self._lacks(looks, more if timely else None)
        half = float(ends[1][near] - ends[0][near]) / 2
        return PointResult(
            parameters=setting.parameters,
            verdict=verdict,
            predicted=float(self._bounds[near]),
            estimate=float(evidence.means[near]) if looks else None,
            interval=(float(ends[0][near]), float(ends[1][near])),
            level=level,
            tolerance=float(self._slacks[near]),
            sizes=sizes,
            replicates=evidence.counts,
            values=tuple(evidence.means.tolist()) if looks else (),
            errors=evidence.standard_errors if looks else (),
            quantity=self._claim.of,
            statistical=half if math.isfinite(half) else 0.0,
            reason=self._reason(verdict, near) if looks else "Too little was measured to bound the mean.",
            lacks=lacks,
            warnings=(Warned(caution=Caution.UNMEASURED_SIZES, sizes=self._design.dropped),)
            if self._design.dropped
            else (),
            declared_sizes=self._claim.sizes,
            voting=tuple(size for size, end in zip(sizes, high, strict=True) if math.isfinite(end)),
            deviations=tuple(moments.deviation for moments in evidence.moments) if looks else (),
            more=more if timely and verdict is Verdict.INCONCLUSIVE else None,
            e_value=e_value(lambda each: bool((self._excess(each, running=False)[0] > 0).any()))
            if looks
            else None,
            e_value_for=e_value(lambda each: bool((self._excess(each, running=False)[1] <= 0).all()))
            if looks
            else None,
            nominal=spent,
            looks=looks,
            drawn=setting.drawn,
        )

    def _lacks(self, looks: int, more: float | None) -> tuple[Need, ...]:
        """What an INCONCLUSIVE verdict lacks."""
        if not looks:
            return (Need(lack=Lack.BUDGET),)
        complaints = self._evidence.complaints
        time = () if more is None else (Need(lack=Lack.TIME, seconds=more),)
        return (*complaints[:1], *time) if complaints or time else (Need(lack=Lack.EDGE),)
