"""Statements that hold at every draw: identities (to rounding) and bounds."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Claim
from rmtsim.runs.work import BatchKey
from rmtsim.verdicts.evidence.sequences import event_interval
from rmtsim.verdicts.examinations.plan import batch_length
from rmtsim.verdicts.examinations.requests import Examination, Request, Setting, keys_for
from rmtsim.verdicts.question import CONTROL_ZONE, moved
from rmtsim.verdicts.results import PointResult, Verdict
from rmtsim.verdicts.words.reasons import duration

__all__ = ["examine_bound", "examine_identity"]

CLEAR = 10.0
"""An identity's error this many tolerances large is no rounding."""

IDENTITY_POINTS = 20
"""Random points per size at which an identity is tried."""

TARGET = 0.01
"""A bound is confirmed once violations are rarer than this at every size, at the claim's level."""


def examine_identity(claim: Claim, setting: Setting) -> Examination:
    """Relative errors at random points against the declared rounding tolerance.

    The control multiplies one side by 1 + control, which is an error of that size.
    """
    shift = abs(setting.control)
    tolerance = claim.tolerance.width(0.0)
    if shift:
        tolerance = min(tolerance, CONTROL_ZONE * shift)
    draws = yield from _collect(claim, setting, IDENTITY_POINTS)
    counts, worst = draws.counts, draws.worst
    largest = [number + shift for number in worst]
    top = max(largest)
    total = sum(counts)
    if top <= tolerance and min(counts) > 0:
        verdict = Verdict.CONFIRMED
        rare = 1 - setting.level ** (1 / total)
        reason = (
            f"The largest relative error at {total} random points is {top:.2g}, within the rounding of "
            f"{tolerance:.2g}; a formula wrong on more than {rare:.2g} of all points would have been caught at "
            f"level {setting.level:.2g}."
        )
    elif top > CLEAR * tolerance:
        verdict = Verdict.REFUTED
        reason = f"A relative error of {top:.3g} is far beyond the rounding of {tolerance:.2g}."
    else:
        verdict = Verdict.INCONCLUSIVE
        reason = f"The largest relative error, {top:.2g}, is near the rounding of {tolerance:.2g}."
    return PointResult(
        parameters=setting.parameters,
        verdict=verdict,
        predicted=0.0,
        estimate=top if math.isfinite(top) else None,
        interval=(0.0, max(0.0, top)) if any(counts) else (0.0, math.inf),
        level=setting.level,
        tolerance=tolerance,
        sizes=claim.sizes,
        replicates=tuple(counts),
        values=tuple(largest),
        errors=(0.0,) * len(counts),
        quantity="relative error",
        reason=reason,
        needs="" if verdict is not Verdict.INCONCLUSIVE else "a sharper independent value of one side",
        detectable=CLEAR * tolerance,
        nominal=draws.spent,
        looks=draws.looks,
        drawn=setting.drawn,
    )


def examine_bound(claim: Claim, setting: Setting) -> Examination:
    """value ≤ bound (or ≥, by ``claim.sense``) in every replicate, with the tolerance as numerical slack.

    The control tightens the bound; a tightened bound without a counter-example is left open.
    """
    sign = 1.0 if claim.sense == "<=" else -1.0
    stated = claim.prediction(setting.parameters)
    bound, slack = moved(stated, -sign * abs(setting.control), claim.tolerance.width(stated))
    goal = math.ceil((math.log(len(claim.sizes) / setting.level) + 8) / TARGET)
    draws = yield from _collect(claim, setting, goal, sign=sign, stop_above=sign * bound + slack)
    counts, worst = draws.counts, draws.worst
    extreme = max(worst)
    upper = max(event_interval(0, count, setting.level / len(counts))[1] for count in counts)
    if extreme > sign * bound + slack:
        verdict = Verdict.REFUTED
        reason = (
            f"A counter-example: {sign * extreme:.6g} at size {claim.sizes[int(np.argmax(worst))]} "
            f"against the bound {bound:.6g} (slack {slack:.2g})."
        )
    elif upper <= TARGET and setting.control:
        verdict = Verdict.INCONCLUSIVE
        reason = (
            f"No violation of the tightened bound {bound:.6g} either: the closest value is {sign * extreme:.6g}, "
            "so the stated bound is not sharp enough for this control."
        )
    elif upper <= TARGET:
        verdict = Verdict.CONFIRMED
        reason = (
            f"No violation in {sum(counts)} draws: at every size violations have probability below {upper:.2g} "
            f"at level {setting.level:.2g}; the closest value is {sign * extreme:.6g}, the bound {bound:.6g}."
        )
    else:
        verdict = Verdict.INCONCLUSIVE
        reason = f"No violation in {sum(counts)} draws, which leaves violations of probability {upper:.2g} possible."
    ends = (min(sign * extreme, bound), max(sign * extreme, bound))
    more = sum(
        max(0, goal - count) * float(claim.cost(setting.parameters, size))
        for count, size in zip(counts, claim.sizes, strict=True)
    )
    return PointResult(
        parameters=setting.parameters,
        verdict=verdict,
        predicted=bound,
        estimate=sign * extreme if math.isfinite(extreme) else None,
        interval=ends,
        level=setting.level,
        tolerance=slack,
        sizes=claim.sizes,
        replicates=tuple(counts),
        values=tuple(sign * number for number in worst),
        errors=(0.0,) * len(counts),
        quantity="extreme value",
        reason=reason,
        needs=""
        if verdict is not Verdict.INCONCLUSIVE
        else "a larger shift"
        if setting.control
        else f"more draws, about {duration(more)} more of one core",
        detectable=max(0.0, sign * bound - extreme) + slack if math.isfinite(extreme) else None,
        nominal=draws.spent,
        looks=draws.looks,
        drawn=setting.drawn,
    )


@dataclass
class _Draws:
    """What was drawn: per size the count, the extreme (times the sign of the bound) and batches taken."""

    counts: list[int]
    worst: list[float]
    spent: float = 0.0
    looks: int = 0


def _collect(
    claim: Claim, setting: Setting, goal: int, *, sign: float = 1.0, stop_above: float = math.inf
) -> Generator[Request, list[NDArray[np.float64]] | None, _Draws]:
    """Draws at every size until each has ``goal`` of them, or one exceeds ``stop_above``."""
    sizes = claim.sizes
    goal = 1 if claim.accuracy is not None else goal
    costs = [float(claim.cost(setting.parameters, size)) for size in sizes]
    taken = [0] * len(sizes)
    draws = _Draws([0] * len(sizes), [-math.inf] * len(sizes))
    fraction = 0.125
    while min(draws.counts) < goal:
        keys: list[BatchKey] = []
        owners: list[int] = []
        for index, size in enumerate(sizes):
            length = 1 if claim.accuracy is not None else min(batch_length(costs[index]), 64)
            missing = math.ceil((math.ceil(goal * fraction) - draws.counts[index]) / length)
            batch = keys_for(claim, setting, size, taken[index], max(0, missing), length)
            keys += batch
            owners += [index] * len(batch)
        fraction = min(1.0, 2 * fraction)
        if not keys:
            continue
        cost = sum(key.replicates * costs[owner] for key, owner in zip(keys, owners, strict=True))
        values = yield Request(tuple(keys), cost)
        if values is None:
            break
        for index, batch_values in zip(owners, values, strict=True):
            draws.counts[index] += len(batch_values)
            taken[index] += 1
            draws.worst[index] = max(draws.worst[index], float((sign * batch_values).max()))
        draws.spent += cost
        draws.looks += 1
        if max(draws.worst) > stop_above:
            break
    return draws
