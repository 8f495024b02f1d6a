"""Seconds of the clock: declared costs are compared with measured ones before a run.

Examinations plan in nominal seconds, the unit of the declared costs, so that their results do not depend on the clock.
A pilot times a few draws at each size and expresses what they take as declared cost times √2^step, one whole number per
size. A result depends on the clock through these steps only: they are part of the result, and a run that is given the
same steps repeats it exactly, on any machine and with any number of workers.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim, Parameters
from rmtsim.runs._work import PILOT, BatchKey
from rmtsim.verdicts._evidence.independent import Evidence
from rmtsim.verdicts._examinations.design import LARGEST_BATCH, LARGEST_MEASURED, price

STEP = math.sqrt(2.0)
"""Measured costs are rounded to powers of this."""

_FARTHEST = 80
"""Largest step: a factor of 10¹²."""

_CLEAR = 0.02
"""A timing of so many seconds is clear of the clock's resolution and of the cost of a call."""

_SHARE = 0.05
"""Largest share of a claim's time that the pilot may take (it makes at least one draw)."""

_SECOND = 0.12
"""A second size is timed in any case unless a draw at the smallest one takes more than this share."""

_REPEATED = 0.25
"""A doubtful draw is repeated if it took no more than this share, so that both take at most half of the time."""

_UNUSUAL = 8.0
"""A draw that takes so many times longer than expected is doubtful."""

_STEEPEST = 3.0
"""Costs are taken to grow at most with this power of the size: dense linear algebra."""

_SAME = 1
"""Steps that differ by at most this from those of an earlier run are replaced by them."""


Timed = Callable[[BatchKey], "tuple[float, float] | None"]
"""Seconds of the sampler, and seconds until the values are there; None for a batch that fails."""


@frozen
class RunPlan:
    """The unit in which a run spends its budget, decided before the first batch.

    Examples
    --------
    >>> from rmtsim.verdicts import RunPlan
    >>> RunPlan({"goe.edge": (-3, -3, -2)}).text
    'goe.edge=-3,-3,-2'
    """

    steps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """For every claim whose costs were measured, one whole number per size: the measured cost is the declared one
    times √2^step. Claims that are left out spend nominal seconds of their declared costs."""
    seconds: float = math.inf
    """Seconds of one core that the run may spend at most."""
    least: float = 0.0
    """Seconds of the least run that can be extrapolated: two replicates at each of two sizes, at every point."""

    @property
    def text(self) -> str:
        """The steps in the form that ``rmtsim verify --plan`` accepts."""
        return ";".join(f"{name}={','.join(map(str, steps))}" for name, steps in self.steps.items())


def with_steps(claim: Claim, steps: Sequence[int]) -> Claim:
    """The claim with costs that are its declared ones times √2^step, by size."""
    factors = {size: STEP**step for size, step in zip(claim.sizes, steps, strict=True)}
    declared = claim.cost
    return replace(claim, cost=lambda parameters, size: declared(parameters, size) * factors[size])


def least_seconds(claim: Claim, steps: Sequence[int], points: Sequence[Parameters]) -> float:
    """Seconds of two replicates at each of the two smallest sizes, at every point; zero if nothing is extrapolated."""
    if not steps or claim.accuracy is not None or claim.coupled or claim.outer is not None:
        return 0.0
    if claim.kind in ("identity", "bound"):
        return 0.0
    timed = with_steps(claim, steps)
    return 2 * sum(price(timed, point, size) for point in points for size in claim.sizes[:2])


def measured_steps(
    claim: Claim,
    point: Parameters,
    seconds: float,
    timed: Timed,
    seed: int = 0,
) -> tuple[int, ...]:
    """Steps by size, from draws at ``point`` that take a small share of ``seconds``; empty if nothing can be drawn.

    Sizes are timed in increasing order while there is time; beyond, the ratio of measured to declared cost goes on as
    between the last two that were timed.
    """
    inner = {} if claim.outer is None else {claim.outer[0]: claim.outer[1][0]}
    full = {**point, **inner}
    sizes = claim.sizes[-1:] if claim.coupled else claim.sizes
    declared = [float(claim.cost(full, size)) * claim.draws for size in sizes]
    if not all(math.isfinite(cost) and cost > 0 for cost in declared):
        return ()
    rows = len(claim.sizes) if claim.coupled else 1
    left = _SHARE * seconds
    taken: list[float] = []
    for size, cost in zip(sizes, declared, strict=True):
        # The first draw of all may load or compile something, and any may be interrupted: a draw that takes much longer
        # than others suggest is repeated.
        doubtful = 0.0
        if taken:
            expected = taken[-1] * max(1.0, cost / declared[len(taken) - 1])
            dear = taken[0] > _SECOND * seconds if len(taken) == 1 else expected > max(left, _CLEAR / 4)
            if dear or (claim.accuracy is not None and len(taken) > 1):
                break
            doubtful = _UNUSUAL * expected
        key = BatchKey(claim, tuple(sorted(full.items())), size, PILOT, rows, seed)
        room = left if taken else _SECOND * seconds
        found, spent = _per_replicate(key, rows, room, (doubtful, _REPEATED * seconds), timed)
        left -= spent
        if found is None:
            return ()
        taken.append(max(found, 1e-9))
    costs = _continued(taken, sizes, declared)
    steps = [_rounded(math.log(cost / each, STEP)) for cost, each in zip(costs, declared, strict=True)]
    return tuple(steps * len(claim.sizes) if claim.coupled else steps)


def _rounded(step: float) -> int:
    return max(-_FARTHEST, min(_FARTHEST, round(step)))


def _continued(taken: Sequence[float], sizes: Sequence[int], declared: Sequence[float]) -> list[float]:
    """Costs at all sizes from those at the smallest ones: a power of the size, or as declared after a single one.

    >>> _continued([1.0, 2.0], (10, 20, 40), (1.0, 1.0, 1.0))
    [1.0, 2.0, 4.0]
    """
    costs = list(taken)
    for index in range(len(taken), len(sizes)):
        if len(taken) > 1:
            power = math.log(taken[-1] / taken[-2]) / math.log(sizes[len(taken) - 1] / sizes[len(taken) - 2])
            growth = (sizes[index] / sizes[index - 1]) ** max(0.0, min(_STEEPEST, power))
        else:
            growth = declared[index] / declared[index - 1]
        costs.append(costs[-1] * growth)
    return costs


def _per_replicate(
    key: BatchKey, rows: int, room: float, doubtful: tuple[float, float], timed: Timed
) -> tuple[float | None, float]:
    """Seconds of a replicate, and the seconds that it took to find them.

    A call of a length between the ``doubtful`` ones is repeated. Others follow, unless it took more than ``room``. They
    have more and more replicates until the sampler itself, without the wait for it, takes a time that is clear.
    """
    count = 1
    first = timed(replace(key, replicates=rows))
    while first is None and count < LARGEST_BATCH:
        count *= 8  # a function that returns many replicates at a time
        first = timed(replace(key, replicates=count * rows))
    if first is None:
        return None, 0.0
    best, spent = first[0] / count, first[0]
    if key.claim.accuracy is not None:
        return best, spent
    if first[0] > max(room, _CLEAR) and doubtful[0] < first[0] <= doubtful[1]:
        again = timed(replace(key, batch=key.batch + 1, replicates=count * rows))
        best = best if again is None else min(best, again[0] / count)
        spent += 0.0 if again is None else again[0]
    if best * count > max(room, _CLEAR):
        return best, spent
    spent = 0.0
    while True:
        wanted = replace(key, batch=key.batch + 1, replicates=count * rows)
        own, taken = math.inf, math.inf
        # Another process may interrupt a short call, and many replicates at once may load what single ones do not:
        # where a call seems long enough, the shortest of three counts.
        for _ in range(3):
            call = timed(wanted)
            if call is None:
                return best, spent
            spent += call[0]
            own, taken = min(own, call[0]), min(taken, call[1])
            further = min(LARGEST_MEASURED, count * (16 if own < _CLEAR / 32 else 4))
            last = own >= _CLEAR or count == further or own / count * further > max(room - spent, 10 * _CLEAR)
            if not last or (taken > 3 * _CLEAR and own < 2 * best * count):
                break
        best = taken / count
        if last:
            return best + _folding() / rows, spent
        count = further


@lru_cache(maxsize=1)
def _folding() -> float:
    """Seconds in which the statistics of one value are updated, which exceed the cost of the fastest samplers."""
    values = np.linspace(-1.0, 1.0, 2**16)
    best = math.inf
    for _ in range(3):
        evidence = Evidence((1,), (1.0,), np.ones((1, 1)))
        started = time.perf_counter()
        evidence.add(0, values, len(values))
        best = min(best, time.perf_counter() - started)
    return best / len(values)


def settled(steps: tuple[int, ...], before: Sequence[int] | None) -> tuple[int, ...]:
    """The steps of an earlier run where the new ones hardly differ, so that its batches are reused."""
    if before is None or len(before) != len(steps):
        return steps
    same = all(abs(new - old) <= _SAME for new, old in zip(steps, before, strict=True))
    return tuple(int(old) for old in before) if same else steps


def read_plan(given: Any) -> dict[str, tuple[int, ...]]:
    """Steps by claim from text (``ID=STEPS;…``), JSON text (a mapping, or what ``verify --json`` prints) or a mapping.

    >>> read_plan("goe.edge=-3,-3,-2")
    {'goe.edge': (-3, -3, -2)}
    """
    expected = "expected 'declared', 'measured', ID=STEP,STEP,... or the plan of an earlier result"
    if isinstance(given, RunPlan):
        given = given.steps
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            given = json.loads(given)
        except ValueError:
            raise ValueError(f"plan={given:.60}: {expected}") from None
    if isinstance(given, str):
        given = dict(_entry(part, expected) for part in given.split(";") if part)
    if isinstance(given, list):
        given = {
            each["claim"]: (each.get("declared") or {})["plan"]
            for each in given
            if isinstance(each, Mapping) and "plan" in (each.get("declared") or {})
        }
    if not isinstance(given, Mapping):
        raise TypeError(f"plan={given!r}: {expected}")
    found = {}
    for name, steps in given.items():
        whole = isinstance(steps, (list, tuple)) and all(
            isinstance(step, int) and not isinstance(step, bool) and abs(step) <= _FARTHEST for step in steps
        )
        if not whole:
            raise ValueError(
                f"plan: {name}={steps!r}: expected whole numbers from {-_FARTHEST} to {_FARTHEST}, one per size"
            )
        found[str(name)] = tuple(steps)
    return found


def _entry(part: str, expected: str) -> tuple[str, list[int]]:
    name, equals, steps = part.rpartition("=")
    try:
        if not equals or not name:
            raise ValueError
        return name.strip(), [int(step) for step in steps.split(",")]
    except ValueError:
        raise ValueError(f"plan={part!r}: {expected}") from None
