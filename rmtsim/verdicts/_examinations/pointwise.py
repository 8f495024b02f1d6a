"""Statements that hold at every draw: identities (to rounding) and bounds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._evidence.independent import BatchMeans, dependence, repeated
from rmtsim.verdicts._evidence.moments import Moments
from rmtsim.verdicts._evidence.sequences import event_interval
from rmtsim.verdicts._examinations.design import FIRST_ROUND, Setting, batch_length, keys_for
from rmtsim.verdicts._needs import Lack, Need
from rmtsim.verdicts._results import PointResult, Verdict
from rmtsim.verdicts._words.numbers import counted

CLEAR = 10.0
"""An error of an identity of this many tolerances is not rounding."""

IDENTITY_POINTS = 20
"""Random points per size at which an identity is tried."""

TARGET = 0.01
"""A bound is confirmed once violations are rarer than this at every size, at the claim's level."""

FIRST_SHARE = 0.125
"""Share of the draws requested first; it doubles in each round, because one counter-example ends the run."""


class _AtEveryDraw(ABC):
    """Draws at every size until each has ``goal`` of them, or one exceeds ``stop_above``; extremes are kept."""

    def __init__(
        self,
        claim: Claim,
        setting: Setting,
        goal: int,
        *,
        sign: float = 1.0,
        stop_above: Sequence[float] | None = None,
    ) -> None:
        self.claim = claim
        self.setting = setting
        self.goal = 1 if claim.accuracy is not None else goal
        self.sign = sign
        count = len(claim.sizes)
        self.stop_above = [math.inf] * count if stop_above is None else stop_above
        """At each size, times the sign of the bound."""
        self.costs = [float(claim.cost(setting.parameters, size)) for size in claim.sizes]
        self.counts = [0] * count
        self.worst = [-math.inf] * count
        """The extreme at each size, times the sign of the bound."""
        self._moments = [Moments() for _ in range(count)]
        self._batches = [BatchMeans() for _ in range(count)]
        self._taken = [0] * count
        self._share = FIRST_SHARE
        self._owners: list[int] = []

    def ask(self) -> tuple[Sequence[BatchKey], float]:
        """What is missing to the next share of the goal, at every size."""
        keys: list[BatchKey] = []
        self._share = min(self._share, max(self._affordable(), 1 / self.goal))
        while not keys:
            self._owners = []
            cost = 0.0
            for index, size in enumerate(self.claim.sizes):
                if self.claim.accuracy is not None and not self.counts[index]:
                    # One value per size: those that the budget affords first.
                    cost += self.costs[index]
                    if keys and cost > self.setting.allowance:
                        break
                length = 1 if self.claim.accuracy is not None else min(batch_length(self.costs[index]), 64)
                missing = math.ceil((math.ceil(self.goal * self._share) - self.counts[index]) / length)
                batch = keys_for(self.claim, self.setting, size, self._taken[index], max(0, missing), length)
                keys += batch
                self._owners += [index] * len(batch)
            self._share = min(1.0, 2 * self._share)
        cost = sum(key.replicates * self.costs[owner] for key, owner in zip(keys, self._owners, strict=True))
        return keys, cost

    def _affordable(self) -> float:
        """Share of the goal that the budget affords: a first round takes half of it, a later one what is left."""
        whole = self.goal * sum(self.costs)
        had = sum(count * cost for count, cost in zip(self.counts, self.costs, strict=True))
        left = self.setting.left() if had else FIRST_ROUND * self.setting.allowance
        return (had + left) / whole

    def take(self, values: list[NDArray[np.float64]]) -> None:
        """Counts and extremes."""
        for index, batch in zip(self._owners, values, strict=True):
            self.counts[index] += len(batch)
            self._taken[index] += 1
            self.worst[index] = max(self.worst[index], float(self.measure(batch).max()))
            self._moments[index] = self._moments[index].updated(batch)
            self._batches[index].add(batch, len(batch))

    @property
    def misdrawn(self) -> tuple[Need, ...]:
        """Why the draws are not independent: they repeat, or those of one call share randomness."""
        if self.claim.accuracy is not None:
            return ()
        pairs = list(zip(self._batches, self._moments, strict=True))
        return (*repeated(self.claim.sizes, self._batches), *dependence(pairs))[:1]

    def measure(self, batch: NDArray[np.float64]) -> NDArray[np.float64]:
        """Quantity that must not be large, in the order of the draws."""
        return self.sign * batch

    def analyse(self, spent: float, looks: int) -> float | None:
        """Continue until there are enough draws, or one violates the statement."""
        return None if self.exceeding is not None or min(self.counts) >= self.goal else 0.0

    @property
    def exceeding(self) -> int | None:
        """Number of the size whose extreme exceeds ``stop_above`` most; None if none does."""
        excess = [worst - limit for worst, limit in zip(self.worst, self.stop_above, strict=True)]
        return int(np.argmax(excess)) if max(excess) > 0 else None

    @abstractmethod
    def conclude(self, spent: float, looks: int) -> PointResult:
        """The result, from counts and extremes."""


class Identity(_AtEveryDraw):
    """Relative errors at random points against the declared rounding tolerance."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        super().__init__(claim, setting, IDENTITY_POINTS)

    def measure(self, batch: NDArray[np.float64]) -> NDArray[np.float64]:
        """An error may have either sign."""
        return np.abs(batch)

    def conclude(self, spent: float, looks: int) -> PointResult:
        """By the largest error."""
        claim, setting, counts, worst = self.claim, self.setting, self.counts, self.worst
        tolerance = claim.tolerance.width(0.0)
        top = max(worst)
        total = sum(counts)
        # A computed value may be compared with a printed number; the tolerance is then the uncertainty of that
        # number.
        rounded = claim.accuracy is None
        rare = 1 - setting.level ** (1 / total) if total else 1.0
        misdrawn = self.misdrawn
        if top <= tolerance and min(counts) > 0 and misdrawn:
            verdict = Verdict.INCONCLUSIVE
            reason = f"The largest relative error is {top:.2g}, but the {total} points are not independent."
        elif top <= tolerance and min(counts) > 0:
            verdict = Verdict.CONFIRMED
            reason = (
                f"The largest relative error at {total} random points is {top:.2g}, within the rounding of "
                f"{tolerance:.2g}; a formula wrong on more than {rare:.2g} of all points would have been caught at "
                f"level {setting.level:.2g}."
                if claim.accuracy is None
                else f"The largest relative error of {counted(total, 'computed value')} is {top:.2g}, within "
                f"{tolerance:.2g}."
            )
        elif top > CLEAR * tolerance:
            verdict = Verdict.REFUTED
            reason = (
                f"A relative error of {top:.3g} is far beyond {'the rounding of ' * rounded}{tolerance:.2g}."
            )
        else:
            verdict = Verdict.INCONCLUSIVE
            reason = f"The largest relative error, {top:.2g}, is near {'the rounding of ' * rounded}{tolerance:.2g}."
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
            values=tuple(worst),
            errors=(0.0,) * len(counts),
            quantity="relative error",
            # A function without randomness is evaluated once at each size, so there is no rate of violations.
            excluded_rate=rare if verdict is Verdict.CONFIRMED and claim.accuracy is None else None,
            reason=reason,
            lacks=() if verdict is not Verdict.INCONCLUSIVE else misdrawn or (Need(lack=Lack.SHARPER_VALUE),),
            nominal=spent,
            looks=looks,
            drawn=setting.drawn,
        )


def stated_bounds(claim: Claim, setting: Setting, sizes: Sequence[int]) -> list[tuple[float, float]]:
    """(bound, slack) at each size."""
    stated = [claim.prediction(setting.parameters, size) for size in sizes]
    return [(each, claim.tolerance.width(each)) for each in stated]


class Bound(_AtEveryDraw):
    """value ≤ bound (or ≥, by ``claim.sense``) in every replicate, with the tolerance as numerical slack."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        sign = 1.0 if claim.sense == "<=" else -1.0
        self._bounds = stated_bounds(claim, setting, claim.sizes)
        goal = math.ceil((math.log(len(claim.sizes) / setting.level) + 8) / TARGET)
        limits = [sign * bound + slack for bound, slack in self._bounds]
        super().__init__(claim, setting, goal, sign=sign, stop_above=limits)

    def conclude(self, spent: float, looks: int) -> PointResult:
        """By the extreme value met, or by how rare violations must be."""
        claim, setting, counts, worst = self.claim, self.setting, self.counts, self.worst
        sign, goal = self.sign, self.goal
        exceeding = self.exceeding
        # The size where a value exceeds its bound most, or comes closest to it.
        near = int(np.argmax(np.array(worst) - np.array(self.stop_above)))
        (bound, slack), extreme = self._bounds[near], worst[near]
        computed = claim.accuracy is not None
        # Without randomness there is one value at each size.
        upper = (
            float(not all(counts))
            if computed
            else max(event_interval(0, count, setting.level / len(counts))[1] for count in counts)
        )
        if exceeding is not None:
            verdict = Verdict.REFUTED
            reason = (
                f"A counter-example: {sign * extreme:.6g} at size {claim.sizes[exceeding]} "
                f"against the bound {bound:.6g} (slack {slack:.2g})."
            )
        elif self.misdrawn:
            verdict = Verdict.INCONCLUSIVE
            reason = f"No violation in {sum(counts)} draws, which are not independent."
        elif upper <= TARGET:
            verdict = Verdict.CONFIRMED
            rare = (
                f"in {counted(sum(counts), 'computed value')}"
                if computed
                else f"in {sum(counts)} draws: at every size violations have probability below {upper:.2g} at level "
                f"{setting.level:.2g}"
            )
            reason = f"No violation {rare}; the closest value is {sign * extreme:.6g}, the bound {bound:.6g}."
            equal = [size for size, mine in zip(claim.sizes, self._moments, strict=True) if not mine.varies]
            if equal and not computed:
                reason += f" All draws at size {equal[0]} gave one value: does the function use rng?"
        else:
            verdict = Verdict.INCONCLUSIVE
            reason = (
                f"{counts.count(0)} of {len(counts)} sizes were not computed."
                if computed
                else f"No violation in {sum(counts)} draws: violations of probability {upper:.2g} are still possible."
            )
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
            # A bound of zero has no scale but the size of the values.
            deviations=()
            if bound or computed
            else tuple(math.hypot(m.mean, m.deviation) for m in self._moments),
            quantity="extreme value",
            excluded_rate=upper if verdict is Verdict.CONFIRMED and not computed else None,
            reason=reason,
            lacks=()
            if verdict is not Verdict.INCONCLUSIVE
            else self.misdrawn
            if self.misdrawn
            else (Need(lack=Lack.VALUES if computed else Lack.DRAWS, seconds=more),),
            more=more if verdict is Verdict.INCONCLUSIVE and not self.misdrawn else None,
            nominal=spent,
            looks=looks,
            drawn=setting.drawn,
        )
