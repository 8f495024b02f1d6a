"""From the last analysis of an examination to its result, with the strength of the evidence as e-values.

The set of means at level α is where an e-process E stays below 1/α. A statement whose every point lies outside that set
has E ≥ 1/α everywhere, so the reciprocal of the smallest such level is a lower bound of an e-process against the
whole statement: an e-value, with expectation at most one wherever the statement is true. It may well be less than
one.

For and against are evaluated at the same levels, and at most levels nothing is excluded. One admissible model that is
not excluded shows this, and a coarse grid usually contains one. Grids are therefore refined only as far as the answer
requires, and results for one direction are reused for the other.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rmtsim.claims._model import Claim
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._examinations.design import Setting
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._models.fit import ANYTHING, Curve, model_band
from rmtsim.verdicts._needs import Caution, Need, Warned
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import PointResult, Verdict
from rmtsim.verdicts._words.reasons import (
    explain_limit,
    flat_distance,
    unmet_values,
)

if TYPE_CHECKING:
    from rmtsim.verdicts._examinations.outlook import Forecast

_LADDER = (*(float(f"{digit}e{power}") for power in range(-4, 12) for digit in (1, 2, 5)), 1e12)
"""Values of an e-value; rounded down to one of them, an e-value is still an e-value."""


def e_value(excluded_at: Callable[[float], bool]) -> float:
    """Evidence against a hypothesis that the set of means at level α excludes where ``excluded_at(α)``; rounded down.

    >>> e_value(lambda level: level > 0.9e-3), e_value(lambda level: True), e_value(lambda level: False)
    (1000.0, 1000000000000.0, 0.0)
    """
    # A smaller level excludes less, so what is excluded at one value is excluded at every smaller one.
    found = bisect.bisect_left(_LADDER, True, key=lambda value: not excluded_at(1 / value))
    return _LADDER[found - 1] if found else 0.0


class Exclusions:
    """Answers by level, from the sets of means of one examination."""

    def __init__(self, asked: Question, mean_set: Callable[[float], MeanSet], needed: int) -> None:
        self._asked = asked
        self._mean_set = mean_set
        self._needed = needed
        self._sets: dict[float, MeanSet] = {}
        self._known: dict[float, dict[Verdict, Analysis]] = {}

    def at(self, wanted: Verdict, level: float) -> bool:
        """Whether every admissible model at this level excludes whatever would keep the verdict from ``wanted``."""
        known = self._known.setdefault(level, {})
        if any(not found.described for found in known.values()):
            return True  # no model describes these means
        # A hull computed for another verdict may be too narrow to confirm this one, but if it excludes it, so do
        # wider ones.
        if any(found.described and self._asked.decided(found) is not wanted for found in known.values()):
            return False
        if wanted not in known:
            if level not in self._sets:
                self._sets[level] = self._mean_set(level)
            known[wanted] = self._asked.judged_for(wanted, self._sets[level], self._needed)
        return self._asked.excludes(known[wanted], wanted)


def unmeasured(setting: Setting, reason: str, need: Need) -> PointResult:
    """The result where nothing could be measured."""
    return PointResult(
        parameters=setting.parameters,
        verdict=Verdict.INCONCLUSIVE,
        predicted=None,
        estimate=None,
        interval=ANYTHING,
        level=setting.level,
        tolerance=0.0,
        sizes=(),
        replicates=(),
        values=(),
        errors=(),
        reason=reason,
        lacks=(need,),
        drawn=setting.drawn,
    )


def concluded(
    setting: Setting,
    asked: Question,
    analysis: Analysis,
    *,
    spent: float,
    dropped: tuple[int, ...] = (),
    later: Callable[[float], MeanSet] | None = None,
    examine: Callable[[MeanSet, float], Analysis] | None = None,
    first: float | None = None,
    complaints: Sequence[Need] = (),
    resting: Sequence[tuple[int, int]] = (),
    **measured: Any,
) -> PointResult:
    """The result of an examination that ended with ``analysis``; ``measured`` are its further fields.

    ``resting`` are sizes and replicates of an unbounded quantity that the interval rests on. ``later`` and ``examine``
    serve the forecast of the time to a verdict; where that is impossible, ``first`` are the nominal seconds of the
    replicates that make it possible.
    """
    verdict = asked.verdict(analysis)
    spreads = measured.get("deviations", ()) if measured.pop("mean_only", False) else ()
    lasting = lasting_spread(measured["sizes"], spreads, measured.get("replicates", ()))
    quantity = measured.pop("quantity", asked.quantity)
    reason = explain_limit(quantity, verdict, analysis, asked)
    if quantity == "distance" and verdict is not Verdict.CONFIRMED:
        reason += flat_distance(measured["sizes"], measured["values"])
    if verdict is not Verdict.INCONCLUSIVE:
        reason += unmet_values(resting)
    lacks: tuple[Need, ...] = ()
    more: Forecast | None = None
    if verdict is Verdict.INCONCLUSIVE:
        future = _Future(spent, later, examine, first, dropped)
        lacks, more = _lacking(asked, analysis, future, complaints)
    return PointResult(
        parameters=setting.parameters,
        verdict=verdict,
        predicted=asked.predicted,
        estimate=analysis.estimate if math.isfinite(analysis.estimate) else None,
        interval=analysis.interval,
        level=setting.level,
        tolerance=asked.tolerance,
        quantity=quantity,
        statistical=analysis.statistical,
        model=analysis.model,
        models=analysis.rows,
        best_model=analysis.best,
        breakdown=None if verdict is Verdict.INCONCLUSIVE else analysis.breakdown,
        # Slopes of an exact rate are extrapolated between sizes: their weights are not those of the sizes.
        weights=() if asked.rate else analysis.weights,
        reason=reason,
        lacks=lacks,
        voting=analysis.voting,
        declared_sizes=(*measured["sizes"], *dropped),
        warnings=warnings_of(asked, verdict, analysis, dropped, spreads if lasting else ()),
        more=None if more is None else more.middle,
        more_range=None if more is None else (more.least, more.most),
        nominal=spent,
        drawn=setting.drawn,
        **measured,
    )


@dataclass(frozen=True)
class _Future:
    """What the forecast of an open verdict starts from; see :func:`concluded`."""

    spent: float
    later: Callable[[float], MeanSet] | None
    examine: Callable[[MeanSet, float], Analysis] | None
    first: float | None
    dropped: tuple[int, ...]

    def of(self, asked: Question, analysis: Analysis) -> Forecast:
        from rmtsim.verdicts._examinations.outlook import Forecast, time_to_verdict

        if self.later is None or not self.spent > 0 or not analysis.described:
            return Forecast()
        return time_to_verdict(asked, self.later, analysis, self.spent, self.examine)


def _lacking(
    asked: Question, analysis: Analysis, future: _Future, complaints: Sequence[Need]
) -> tuple[tuple[Need, ...], Forecast | None]:
    """What an open verdict lacks, and the time that would decide it if only time is lacking."""
    from rmtsim.verdicts._examinations.lacking import LONG, only_time_lacks, what_would_decide
    from rmtsim.verdicts._examinations.outlook import Forecast, sizes_to_verdict

    reach, sooner = None, None
    unbounded = not any(math.isfinite(end) for end in analysis.interval)
    starved = future.first is not None and future.spent > 0 and unbounded and analysis.described
    more = Forecast() if starved else future.of(asked, analysis)
    known = future.spent > 0 and analysis.described and not starved
    if known and future.later is not None and more.least > LONG * future.spent:
        reach = sizes_to_verdict(asked, future.later(1.0), analysis)
        sooner = _if_declared(asked, future, analysis, more)
    lacks = what_would_decide(
        asked,
        analysis,
        spent=future.spent,
        more=more,
        first=future.first if starved else None,
        reach=reach,
        sooner=sooner,
        edge=_on_the_edge(asked, analysis),
        dropped=future.dropped,
        complaints=complaints,
    )
    timely = only_time_lacks(asked, analysis, spent=future.spent, more=more, complaints=complaints)
    return lacks, more if timely else None


_GAIN = 3.0
"""A declaration of exponents is suggested if it makes a verdict this many times cheaper."""

_NEAR = 0.5
"""An edge of the zone so near the middle of a narrow interval, as a share of its half-width, may be the truth."""


def _if_declared(asked: Question, future: _Future, analysis: Analysis, more: Forecast) -> float | None:
    """Nominal seconds to a verdict if the exponents were declared, where that is much less."""
    if asked.declared or asked.rate:
        return None
    declared = replace(future, examine=None).of(replace(asked, declared=True), analysis).middle
    return declared if math.isfinite(declared) and _GAIN * declared < more.middle else None


def _on_the_edge(asked: Question, analysis: Analysis) -> bool:
    """Whether the middle of the interval lies so near an edge of the zone that the truth may be there."""
    low, high = analysis.interval
    half, middle = (high - low) / 2, (high + low) / 2
    if not math.isfinite(half) or half <= 0 or 2 * half > asked.tolerance:
        return False
    gap = min(abs(middle - asked.predicted - sign * asked.tolerance) for sign in (-1, 1))
    return gap < _NEAR * half


_TREND = 3
"""Number of largest sizes whose spread is examined."""

_VANISHING = 0.08
"""A standard deviation that decays more slowly than size^-0.08 does not vanish over any sizes worth simulating."""


def warnings_of(
    asked: Question,
    verdict: Verdict,
    analysis: Analysis,
    dropped: tuple[int, ...],
    deviations: Sequence[float],
) -> tuple[Warned, ...]:
    """What the first line of a verdict warns of; ``deviations`` where a spread that should vanish does not."""
    found = []
    if dropped:
        found.append(Warned(caution=Caution.UNMEASURED_SIZES, sizes=dropped))
    if verdict is not Verdict.INCONCLUSIVE and analysis.other_power is not None:
        found.append(Warned(caution=Caution.OTHER_POWER, numbers=(analysis.other_power,)))
    elif verdict is not Verdict.INCONCLUSIVE and analysis.better_power is not None:
        found.append(Warned(caution=Caution.BETTER_POWER, numbers=(analysis.better_power,)))
    if verdict is Verdict.REFUTED and analysis.large_correction is not None:
        found.append(Warned(caution=Caution.LARGE_CORRECTION, numbers=(analysis.large_correction,)))
    decay = None if verdict is Verdict.INCONCLUSIVE else asked.assumed_decay(analysis)
    if decay is not None:
        caution = Caution.SLOWER_POWER if asked.declared else Caution.UNDECLARED
        found.append(Warned(caution=caution, numbers=(decay,)))
    if deviations and verdict is Verdict.CONFIRMED:
        found.append(Warned(caution=Caution.MEAN_ONLY, numbers=(deviations[0], deviations[-1])))
    return tuple(found)


def lasting_spread(sizes: Sequence[int], deviations: Sequence[float], counts: Sequence[int]) -> bool:
    """Whether the standard deviations at the three largest sizes do not decrease with the size.

    They are fitted by a power of the size, with weights by counts of replicates. A partly random limit is visible at
    the largest sizes.

    >>> lasting_spread((10, 20, 40, 80), (0.3, 0.3, 0.3, 0.29), (99, 99, 99, 99))
    True
    >>> lasting_spread((10, 20, 40), (0.3, 0.2, 0.15), (99, 99, 99)), lasting_spread((10, 20), (), ())
    (False, False)
    """
    known = [each for each in zip(sizes, deviations, counts, strict=False) if 0 < each[1] < math.inf][
        -_TREND:
    ]
    if len(known) < 2:
        return False
    logs, spreads, weights = np.log(np.array(known, dtype=float)).T
    slope = np.polyfit(logs, spreads, 1, w=np.exp(weights / 2))[0]
    return bool(slope > -_VANISHING)


def concluded_with_evidence(
    claim: Claim,
    setting: Setting,
    asked: Question,
    mean_set: Callable[..., MeanSet],
    analysis: Analysis,
    *,
    looks: int,
    bounded: bool = False,
    **measured: Any,
) -> PointResult:
    """The result of a random examination: with e-values and the figure's band, from its sets of means by level."""
    curve: Curve = ()
    if looks and not asked.rate and analysis.fit is not None:
        curve = model_band(analysis.fit)
    exclusions = Exclusions(asked, lambda level: mean_set(level, running=False), analysis.needed)
    resting = []
    if looks and not bounded:
        low, high = mean_set(setting.level).ends
        finite = np.isfinite(high - low)
        pairs = zip(measured["sizes"], measured["replicates"], strict=True)
        resting = [pair for pair, counts in zip(pairs, finite.tolist(), strict=True) if counts]
    known = looks > 0 and analysis.described and not analysis.contradicted
    against, in_favour = (
        e_value(partial(exclusions.at, wanted)) if known else None
        for wanted in (Verdict.REFUTED, Verdict.CONFIRMED)
    )
    return concluded(
        setting,
        asked,
        analysis,
        looks=looks,
        resting=resting,
        curve=curve,
        e_value=against,
        e_value_for=in_favour,
        **measured,
    )
