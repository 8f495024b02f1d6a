"""The driver: runs all examinations to their end and keeps the workers busy.

Examinations that share a budget of nominal seconds form a group, which proceeds in rounds. Groups do not depend on each
other, nor do the members of a group within a round, so results do not depend on the order in which batches arrive, and
a slow claim does not delay the others.
"""

from __future__ import annotations

import collections
import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim
from rmtsim.runs._process import shielded
from rmtsim.runs._work import Answer, BatchKey, FailedBatch, LostBatch, Runner
from rmtsim.verdicts._examinations.conclude import unmeasured
from rmtsim.verdicts._examinations.design import Examination, Request, Setting
from rmtsim.verdicts._needs import Lack, Need
from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict


@frozen
class Progress:
    """State of a run, passed to the function ``progress`` of :func:`verify`.

    Examples
    --------
    >>> from rmtsim.verdicts import verify
    >>> steps = []
    >>> _ = verify("dong.thm1.diagonal-limit", progress=steps.append)
    >>> steps[-1].finished == steps[-1].total
    True
    """

    claim: str
    """Id of the claim that made progress."""
    fraction: float
    """Share of its budget that is spent."""
    finished: int
    total: int
    """Parameter points with a verdict, and all parameter points."""
    verdict: str = ""
    """Verdict at the point, once there is one."""
    interval: tuple[float, float] | None = None
    """Current interval at the point."""
    spent: float = 0.0
    """Nominal seconds spent on all points."""
    foreseen: float = math.inf
    """Nominal seconds still expected for all points."""
    reused: int = 0
    """Batches of this claim that were in the store."""
    result: ClaimResult | None = None
    """Result of the claim, once all its points have a verdict."""


@dataclass
class Budget:
    """Nominal seconds shared by some examinations."""

    left: float
    total: float
    until_refuted: bool = False
    """Whether the points of a claim end as soon as one of them refutes it."""


@dataclass
class Live:
    """One examination under way."""

    claim: Claim
    index: int
    run: Examination
    budget: Budget
    setting: Setting
    request: Request | None = None
    result: PointResult | None = None
    nominal: float = 0.0
    seconds: float = 0.0
    batches: int = 0
    reused: int = 0
    failure: Exception | None = None

    def send(self, values: list[NDArray[np.float64]] | None) -> None:
        """Start the examination, continue it with ``values``, or end it with the evidence so far (None)."""
        try:
            self.request = self.run.send(values) if self.request is not None else next(self.run)
        except StopIteration as stop:
            self.request, self.result = None, stop.value
        except Exception as error:  # any error ends this claim only; the others continue
            self.fail(error)

    def take(self, answer: Answer) -> None:
        """Continue with the requested batches; if one failed or killed its workers, end with the evidence so far."""
        assert self.request is not None
        self.nominal += self.request.cost
        self.seconds += answer.seconds
        self.batches += len(answer.outcomes)
        self.reused += answer.reused
        values = [outcome for outcome in answer.outcomes if isinstance(outcome, np.ndarray)]
        if len(values) == len(answer.outcomes):
            self.send(values)
            return
        failed = [outcome.error for outcome in answer.outcomes if isinstance(outcome, FailedBatch)]
        if failed:
            self.fail(failed[0])
            return
        lost = [outcome for outcome in answer.outcomes if isinstance(outcome, LostBatch)]
        self.send(None)
        if self.result is not None:
            named = Need(lack=Lack.LOST_BATCH, text=lost[0].message)
            self.result = replace(self.result, lacks=(named, *self.result.lacks))

    def fail(self, error: Exception) -> None:
        """End without a verdict."""
        self.failure, self.request = error, None
        words = str(error) or type(error).__name__
        reason = f"It could not be examined: {words}"
        self.result = unmeasured(self.setting, reason, Need(lack=Lack.SAMPLER))

    def cut_short(self) -> None:
        """End with the evidence so far because the run was interrupted; an undecided result says so."""
        self.send(None)
        if self.result is not None and self.result.verdict is Verdict.INCONCLUSIVE:
            self.result = replace(self.result, lacks=(Need(lack=Lack.REST_OF_RUN),))


class _Group:
    """Examinations that share a budget."""

    def __init__(self, members: Sequence[Live]) -> None:
        self._members = members
        self._asked = 0

    def begin(self) -> list[Live]:
        """The first round."""
        for item in self._members:
            item.send(None)
        return self._next_round()

    def answered(self) -> list[Live]:
        """Record that an examination has its batches; start the next round if it was the last one."""
        self._asked -= 1
        return [] if self._asked else self._next_round()

    def _next_round(self) -> list[Live]:
        """Examinations that continue; the others end, because the budget is spent or their claim is refuted."""
        refuted = {
            item.index
            for item in self._members
            if item.budget.until_refuted
            and item.result is not None
            and item.result.verdict is Verdict.REFUTED
        }
        for item in self._members:
            if item.request is not None and item.index in refuted:
                item.send(None)
        while pending := [item for item in self._members if item.request is not None]:
            granted, denied = _grant(pending)
            for item in denied:
                item.send(None)
            if granted:
                self._asked = len(granted)
                return granted
        return []


GUARANTEED = 0.5
"""Share of its equal part of a shared budget that every examination may spend, whatever the others need."""


def _reserved(item: Live) -> float:
    """Nominal seconds that are kept for an examination."""
    return max(0.0, GUARANTEED * item.setting.allowance - item.nominal)


def _grant(pending: list[Live]) -> tuple[list[Live], list[Live]]:
    """Which examinations continue this round, and which end because the budget is spent.

    Examinations nearest to a verdict come first. Half of an equal share of the budget is reserved for each; beyond
    that, one that the budget cannot decide waits while others can use the time. The remainder goes to the one that
    has spent least.
    """
    granted: list[Live] = []
    denied: list[Live] = []
    waiting: list[Live] = []
    kept = sum(map(_reserved, pending))
    for item in sorted(pending, key=lambda item: item.request.outlook if item.request else 0.0):
        assert item.request is not None
        cost, own = item.request.cost, _reserved(item)
        # Requests are whole batches, so the last one may overshoot a little.
        if item.nominal > 0 and cost > 1.1 * item.budget.left:
            denied.append(item)
        elif (
            item.nominal > 0
            and own == 0
            and (item.request.outlook > item.budget.left or cost > 1.1 * (item.budget.left - kept))
        ):
            waiting.append(item)
        else:
            item.budget.left -= cost
            kept -= min(own, cost)
            granted.append(item)
    if not granted and not denied and waiting:
        first = min(waiting, key=lambda item: item.nominal)
        assert first.request is not None
        first.budget.left -= first.request.cost
        granted.append(first)
    return granted, denied


def drive(
    live: Sequence[Live],
    runner: Runner,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    result_of: Callable[[int], ClaimResult | None] = lambda index: None,
) -> bool:
    """Run all examinations to their end; whether an interrupt (or ``stop``) cut them short.

    ``result_of`` is called for each claim, by its index, as soon as all its examinations have ended.
    """
    members: dict[int, list[Live]] = {}
    for item in live:
        members.setdefault(id(item.budget), []).append(item)
    groups = {budget: _Group(items) for budget, items in members.items()}
    unopened = collections.deque(groups.values())
    watch = _Watch(live, progress, result_of)
    interrupted = False
    try:
        while unopened and not interrupted:
            interrupted = _work(unopened, groups, watch, runner, stop)
    except KeyboardInterrupt:
        interrupted = True
    if interrupted:
        for item in live:
            if item.result is None and item.request is None:
                item.send(None)  # not begun yet
            if item.result is None:
                item.cut_short()
    return interrupted


def _work(
    unopened: collections.deque[_Group],
    groups: dict[int, _Group],
    watch: _Watch,
    runner: Runner,
    stop: Callable[[], bool] | None,
) -> bool:
    """Run a group to its end; further groups are started whenever workers are idle.

    Returns whether ``stop`` ended it.
    """
    asking: list[Live] = []
    requests: list[Sequence[BatchKey]] = []

    def ask(items: list[Live]) -> None:
        for item in items:
            assert item.request is not None
            asking.append(item)
            requests.append(item.request.keys)

    # Ctrl-C waits for the end of an analysis, so that every examination can still end properly.
    with shielded():
        ask(unopened.popleft().begin())
    with contextlib.closing(runner.answers(requests)) as arriving:
        for answer in arriving:
            if stop is not None and stop():
                return True
            with shielded():
                if answer is not None:
                    item = asking[answer.request]
                    requests[answer.request] = ()  # there may be millions of batches
                    item.take(answer)
                    ask(groups[id(item.budget)].answered())
                    watch.went_on(item)
                elif unopened and not runner.single:
                    # A single worker completes one group after the other, so that the first verdicts appear early.
                    ask(unopened.popleft().begin())
    watch.tell_results()
    return False


class _Watch:
    """Reports the progress of the run, and each claim's result as soon as it is known."""

    def __init__(
        self,
        live: Sequence[Live],
        progress: Callable[[Progress], None] | None,
        result_of: Callable[[int], ClaimResult | None],
    ) -> None:
        self._live = live
        self._progress = progress
        self._result_of = result_of
        self._open: dict[int, list[Live]] = {}
        for item in live:
            self._open.setdefault(item.index, []).append(item)

    def went_on(self, item: Live) -> None:
        """An examination has had a round of batches."""
        if self._progress is not None:
            self._progress(self._step(item))
        self.tell_results()

    def tell_results(self) -> None:
        """Report the results of claims whose examinations have all ended."""
        for index, items in list(self._open.items()):
            if all(item.result is not None for item in items):
                del self._open[index]
                result = self._result_of(index)
                if self._progress is not None and result is not None:
                    self._progress(replace(self._step(items[-1]), result=result))

    def _step(self, item: Live) -> Progress:
        ended = [other for other in self._live if other.result is not None]
        spent = sum(other.nominal for other in self._live)
        return Progress(
            item.claim.id,
            1.0 if item.result is not None else min(1.0, item.nominal / item.budget.total),
            len(ended),
            len(self._live),
            "" if item.result is None else str(item.result.verdict),
            interval=item.request.interval if item.request is not None else None,
            spent=spent,
            foreseen=self._foreseen(ended),
            reused=sum(other.reused for other in self._live if other.index == item.index),
        )

    def _foreseen(self, ended: Sequence[Live]) -> float:
        """Nominal seconds to the end: unknown (infinite) until some examination has ended."""
        if not ended:
            return math.inf
        usual = sum(item.nominal for item in ended) / len(ended)
        total = 0.0
        for item in self._live:
            if item.result is not None:
                continue
            begun = item.request is not None and item.nominal > 0
            expected = item.request.outlook if begun and item.request is not None else usual
            total += min(expected, max(0.0, item.budget.left))
        return total
