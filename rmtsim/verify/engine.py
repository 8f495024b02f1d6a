"""The driver: runs the examinations of all claims and points together, one round of batches at a time."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import rmtsim
from rmtsim import validate
from rmtsim.claims.model import Claim, Parameters
from rmtsim.runs.interrupt import shielded
from rmtsim.runs.session import run_session
from rmtsim.runs.work import LostBatch, Runner
from rmtsim.streams import stream
from rmtsim.verify.examine import Examination, Request, Setting, examine
from rmtsim.verify.results import ClaimResult, PointResult

if TYPE_CHECKING:
    from rmtsim.runs.store import Store

__all__ = ["DEFAULT_SECONDS", "QUICK_SECONDS", "Progress", "verify"]

DEFAULT_SECONDS = 120.0
"""Nominal seconds a claim may spend when no budget is given."""

QUICK_SECONDS = 3.0
"""The same for the quick set."""


@dataclass(frozen=True)
class Progress:
    """A step of the run: a claim, the share of its allowance spent, its verdict once it has one."""

    claim: str
    fraction: float
    finished: int
    total: int
    verdict: str = ""


@dataclass
class _Pool:
    """Nominal seconds shared by some examinations."""

    left: float
    total: float


@dataclass
class _Live:
    """One examination under way."""

    claim: Claim
    index: int
    run: Examination
    pool: _Pool
    request: Request | None = None
    result: PointResult | None = None
    nominal: float = 0.0
    seconds: float = 0.0

    def send(self, values: list[NDArray[np.float64]] | None) -> None:
        try:
            self.request = self.run.send(values) if self.request is not None else next(self.run)
        except StopIteration as stop:
            self.request, self.result = None, stop.value

    def lose(self, lost: LostBatch) -> None:
        """End with what was known before the round of a batch that killed its workers, and say so."""
        self.send(None)
        if self.result is not None:
            needs = "; ".join(filter(None, (lost.message, self.result.needs)))
            self.result = replace(self.result, needs=needs)


def _claims(claims: Claim | str | Iterable[Claim | str]) -> list[Claim]:
    from rmtsim.claims.registry import find

    items = [claims] if isinstance(claims, (Claim, str)) else list(claims)
    found = [find(item) if isinstance(item, str) else item for item in items]
    if not found:
        raise ValueError("claims=[]: expected at least one claim")
    names = [claim.id for claim in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"claims: {name!r} is named twice")
    return found


def _points(
    claim: Claim, points: Sequence[Parameters] | None, draw: int, seed: int
) -> list[tuple[dict[str, Any], bool]]:
    chosen: list[tuple[dict[str, Any], bool]] = [
        (claim.point(values), False) for values in (claim.grid if points is None else points)
    ]
    rng = stream(seed, f"{claim.id}#draw", {}, 0, 0)
    for _ in range(draw if claim.parameters else 0):
        drawn = claim.point({parameter.name: parameter.draw(rng) for parameter in claim.parameters})
        if all(drawn != other for other, _ in chosen):
            chosen.append((drawn, True))
    return chosen


def verify(
    claims: Claim | str | Iterable[Claim | str],
    *,
    seed: int = 0,
    level: float = 0.05,
    budget: float | None = None,
    quick: bool = False,
    executor: Any = None,
    store: str | Path | Store | None = None,
    runner: Runner | None = None,
    points: Sequence[Parameters] | None = None,
    control: float = 0.0,
    draw: int = 0,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[ClaimResult]:
    """Verdicts on ``claims`` (claims or names), with family-wise error probability at most ``level``.

    Each claim is tested at its declared grid of parameter points (or at ``points``) and at ``draw`` further
    points drawn from its domain by the seed. ``budget`` is in *nominal* seconds of the claims' declared cost
    models, shared by all claims, so the same seed and budget give the same result on any machine with any
    runner; without it each claim has an allowance of its own (a small one if ``quick``). ``control`` moves
    every prediction by that share of itself. ``executor`` says where batches are computed: ``None`` (here), a
    number of worker processes, a ``concurrent.futures.Executor`` or a ``dask.distributed.Client``; with a
    ``store`` (a path), finished batches are kept there and reused; neither changes the result. ``runner``
    takes the place of both. ``stop`` is asked between rounds; when it returns true, or on
    Ctrl-C, the verdicts so far are returned.

    >>> from rmtsim.claims import find
    >>> (result,) = verify("dong.thm1.diagonal-limit", seed=1)
    >>> str(result.verdict)
    'CONFIRMED'
    """
    seed = validate.integer("seed", seed, minimum=0, maximum=2**128, meaning="root seed")
    level = validate.positive_number("level", level, meaning="family-wise error probability")
    if level >= 1:
        raise ValueError(f"level={level}: expected a number in (0, 1) (family-wise error probability)")
    if budget is not None:
        budget = validate.positive_number("budget", budget, meaning="nominal seconds")
    control = validate.finite_number("control", control, meaning="relative shift of the prediction")
    draw = validate.integer("draw", draw, minimum=0, maximum=10_000, meaning="points drawn from the domain")
    chosen = _claims(claims)
    tests = [_points(claim, points, draw, seed) for claim in chosen]
    shared = _Pool(budget, budget) if budget is not None else None
    live: list[_Live] = []
    for index, (claim, parameter_points) in enumerate(zip(chosen, tests, strict=True)):
        allowance = QUICK_SECONDS if quick else DEFAULT_SECONDS
        pool = shared or _Pool(allowance, allowance)
        share = budget / len(chosen) if budget is not None else allowance
        for parameters, drawn in parameter_points:
            setting = Setting(
                parameters,
                seed,
                # Bonferroni over claims, and over the points of a claim: any of them can refute it.
                level / len(chosen) / len(parameter_points),
                share / len(parameter_points),
                control,
                drawn,
                left=lambda pool=pool: pool.left,  # type: ignore[misc]
            )
            live.append(_Live(claim, index, examine(claim, setting), pool))
    if runner is not None:
        interrupted = _drive(live, runner, progress, stop)
    else:
        with run_session(executor, store) as own:
            interrupted = _drive(live, own, progress, stop)
    results = []
    for index, claim in enumerate(chosen):
        mine = [item for item in live if item.index == index]
        results.append(
            ClaimResult(
                claim=claim.id,
                source=claim.source,
                kind=claim.kind,
                statement=claim.statement,
                size_name=claim.size_name,
                points=tuple(item.result for item in mine if item.result is not None),
                seed=seed,
                version=rmtsim.__version__,
                control=control,
                family_level=level,
                family_size=len(chosen),
                note=claim.note,
                interrupted=interrupted,
                declared=_declared(claim, mine),
                seconds=sum(item.seconds for item in mine),
            )
        )
    return results


def _declared(claim: Claim, mine: Sequence[_Live]) -> dict[str, Any]:
    from rmtsim.claims.detectability import detectable_shift

    point = mine[0].result.parameters if mine and mine[0].result else {}
    known = detectable_shift(claim)
    return {
        "sizes": list(claim.sizes),
        "exponents": list(claim.exponents),
        "tolerance": {"absolute": claim.tolerance.absolute, "relative": claim.tolerance.relative},
        "seconds_per_replicate": [
            float(claim.cost(point, size)) for size in (claim.sizes[-1:] if claim.coupled else claim.sizes)
        ],
        "coupled": claim.coupled,
        "detectable": None if known is None else known.as_json(),
    }


def _grant(pending: list[_Live]) -> tuple[list[_Live], list[_Live]]:
    """Which examinations go on this round, and which are told that there is no more.

    Nearest to a verdict first; one whose verdict is out of the pool's reach waits while others can still
    use the time, then spends what is left.
    """
    granted: list[_Live] = []
    denied: list[_Live] = []
    waiting: list[_Live] = []
    for item in sorted(pending, key=lambda item: item.request.outlook if item.request else 0.0):
        assert item.request is not None
        # Requests are whole batches, so the last one may overshoot a little.
        if item.request.cost > 1.1 * item.pool.left and item.nominal > 0:
            denied.append(item)
        elif item.nominal > 0 and item.request.outlook > item.pool.left:
            waiting.append(item)
        else:
            item.pool.left -= item.request.cost
            granted.append(item)
    if not granted and not denied and waiting:
        first = waiting[0]
        assert first.request is not None
        first.pool.left -= first.request.cost
        granted.append(first)
    return granted, denied


def _drive(
    live: list[_Live],
    runner: Runner,
    progress: Callable[[Progress], None] | None,
    stop: Callable[[], bool] | None,
) -> bool:
    """Run all examinations to their end; whether an interrupt cut them short."""
    for item in live:
        item.send(None)
    interrupted = False
    while pending := [item for item in live if item.request is not None]:
        if interrupted or (stop is not None and stop()):
            interrupted = True
            granted, denied = list[_Live](), pending
        else:
            granted, denied = _grant(pending)
        try:
            with shielded():
                for item in denied:
                    item.send(None)
            _round(granted, runner)
            if progress is not None:
                _report(live, granted + denied, progress)
        except KeyboardInterrupt:
            interrupted = True
    return interrupted


def _round(granted: list[_Live], runner: Runner) -> None:
    """All batches of one round in one call of the runner; each examination gets its own as soon as they are there.

    Long batches go first, so that no worker is left with one at the end while the others wait; and what is
    complete is analysed while workers compute the rest. Examinations do not see each other within a round,
    so neither changes a result.
    """
    pairs = [(item, item.request) for item in granted if item.request is not None]
    if not pairs:
        return
    pairs.sort(key=lambda pair: -pair[1].cost / max(1, len(pair[1].keys)))
    start = time.perf_counter()
    outcomes = iter(runner.run([key for _, request in pairs for key in request.keys]))
    for item, request in pairs:
        own = list(itertools.islice(outcomes, len(request.keys)))
        # Ctrl-C waits for the end of this analysis, so that every examination can still end properly.
        with shielded():
            item.nominal += request.cost
            lost = [outcome for outcome in own if isinstance(outcome, LostBatch)]
            if lost:
                item.lose(lost[0])
            else:
                item.send([outcome for outcome in own if not isinstance(outcome, LostBatch)])
    # Batches of several claims run together; wall time is shared in proportion to declared cost.
    elapsed = time.perf_counter() - start
    total = math.fsum(request.cost for _, request in pairs)
    for item, request in pairs:
        item.seconds += elapsed * request.cost / total


def _report(live: list[_Live], touched: list[_Live], progress: Callable[[Progress], None]) -> None:
    finished = sum(item.result is not None for item in live)
    for item in touched:
        done = item.result is not None
        fraction = 1.0 if done else min(1.0, item.nominal / item.pool.total)
        verdict = str(item.result.verdict) if item.result is not None else ""
        progress(Progress(item.claim.id, fraction, finished, len(live), verdict))
