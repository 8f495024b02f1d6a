"""The loop of every examination: request batches, receive their values, analyse them, and repeat until decided.

An examination is a generator that never measures time: its requests depend on values and declared costs alone, so the
same seed gives the same result with any runner. If it receives ``None`` (budget spent, or an interrupt), it ends with
the evidence so far. A strategy decides what to request and how to interpret the values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._examinations.design import Examination, Request, Setting
from rmtsim.verdicts._models.analysis import UNKNOWN, Analysis
from rmtsim.verdicts._models.fit import ANYTHING
from rmtsim.verdicts._question import Question, entailed_limit, question, unscaled
from rmtsim.verdicts._results import PointResult, Verdict

GROWTH = 0.5
"""Each round adds this share of the cost so far; frequent evaluations do not weaken the intervals."""


SMALLEST_ROUND = 0.05
"""A last round smaller than this share of the cost so far is omitted."""


class Strategy(Protocol):
    """Interface of the strategies: how claims of one kind are examined."""

    def ask(self) -> tuple[Sequence[BatchKey], float]:
        """The batches of this round, and their nominal cost."""
        ...

    def take(self, values: list[NDArray[np.float64]]) -> None:
        """Their values, in the order asked."""
        ...

    def analyse(self, spent: float, looks: int) -> float | None:
        """Analyse all values and plan the next round; nominal seconds to a verdict, None after the last round."""
        ...

    def conclude(self, spent: float, looks: int) -> PointResult:
        """The result, from what is known."""
        ...


def examine_by(strategy: Strategy) -> Examination:
    """One claim at one parameter point, examined by ``strategy``."""
    spent, looks = 0.0, 0
    outlook: float | None = 0.0
    while outlook is not None:
        keys, cost = strategy.ask()
        known = strategy.analysis.interval if isinstance(strategy, InRounds) and looks else None
        values = yield Request(tuple(keys), cost, outlook, known)
        if values is None:
            break
        strategy.take(values)
        spent += cost
        looks += 1
        outlook = strategy.analyse(spent, looks)
    return strategy.conclude(spent, looks)


def _strategy(claim: Claim) -> Callable[[Claim, Setting], Strategy]:
    """The strategy of a claim; only its own module is imported."""
    if claim.kind == "bound" and claim.of != "value":
        from rmtsim.verdicts._examinations.bounded_mean import BoundedMean

        return BoundedMean
    if claim.kind in ("identity", "bound"):
        from rmtsim.verdicts._examinations.pointwise import Bound, Identity

        return Identity if claim.kind == "identity" else Bound
    if claim.coupled:
        from rmtsim.verdicts._examinations.coupled import Coupled

        return Coupled
    if claim.outer is not None:
        from rmtsim.verdicts._examinations.iterated import Iterated

        return Iterated
    if claim.accuracy is not None:
        from rmtsim.verdicts._examinations.exact import Exact

        return Exact
    from rmtsim.verdicts._examinations.random import Random

    return Random


def examine(claim: Claim, setting: Setting) -> Examination:
    """The examination of ``claim`` at a point; errors in the claim are raised when it starts."""
    there = claim.at(setting.parameters)
    return (yield from examine_by(_strategy(there)(there, setting)))


class InRounds(ABC):
    """A strategy whose interval narrows round by round until it decides or the budget is spent."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        self.claim = claim
        self.setting = setting
        self.asked = question(claim, setting)
        self.analysis: Analysis = UNKNOWN
        self._held = ANYTHING

    @abstractmethod
    def interval(self) -> Analysis:
        """Interval of the quantity in question from all values so far."""

    @abstractmethod
    def plan(self, more: float) -> None:
        """Choose a next round worth about ``more`` nominal seconds."""

    def exhausted(self, looks: int) -> bool:
        """Whether more replicates could not change anything."""
        return False

    def _consistent(self, found: Analysis) -> Analysis:
        """If an evaluation excludes all earlier values, no model is right, and the interval covers both."""
        low, high = max(self._held[0], found.interval[0]), min(self._held[1], found.interval[1])
        if low <= high:
            self._held = found.interval
            return found
        self._held = (min(self._held[0], found.interval[0]), max(self._held[1], found.interval[1]))
        return replace(found, interval=self._held, breakdown=None, contradicted=True)

    def means(self, level: float) -> MeanSet | None:
        """The set of means at this level, where there is one."""
        return None

    def _entailed(self, entailed: Question, means: MeanSet) -> Analysis:
        """Analysis of a statement that follows from the one in question."""
        return entailed.analysed(means)

    def _fall_with_the_limit(self) -> None:
        """An undecided rate is refuted if the limit that it approaches is refuted."""
        entailed = entailed_limit(self.claim, self.asked)
        if entailed is None or self.asked.verdict(self.analysis) is not Verdict.INCONCLUSIVE:
            return
        means = self.means(self.setting.level)
        if means is None:
            return
        found = self._entailed(entailed, unscaled(means, self.asked))
        if entailed.verdict(found) is Verdict.REFUTED:
            self.asked, self.analysis = entailed, found

    def analyse(self, spent: float, looks: int) -> float | None:
        """Analyse, and continue while the claim is undecided and the budget is not spent."""
        self.analysis = self._consistent(self.interval())
        self._fall_with_the_limit()
        if self.asked.verdict(self.analysis) is not Verdict.INCONCLUSIVE or self.exhausted(looks):
            return None
        more = min(GROWTH * spent, self.setting.left())
        if more < SMALLEST_ROUND * spent:
            return None
        self.plan(more)
        from rmtsim.verdicts._examinations.outlook import outlook_of

        return outlook_of(self.asked.predicted, self.asked.tolerance, self.analysis, spent)
