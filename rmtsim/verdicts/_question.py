"""The question about a claim: the zone that the interval is compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import DEFAULT_EXPONENTS, Claim
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._examinations.design import Setting
from rmtsim.verdicts._models.analysis import (
    Analysis,
    analyse_limit,
    analyse_rate,
    analyse_sequence,
    cautious_sequence,
    limit_breakdown,
    logarithms,
    rate_breakdown,
    sequence_breakdown,
)
from rmtsim.verdicts._models.slow import SLOWEST_PLAUSIBLE, SLOWEST_USUAL
from rmtsim.verdicts._models.stability import (
    better_power,
    contradicting,
    crossed,
    fragile,
    moving,
    paired,
    plainer_power,
    reconciling,
    voteless,
    voting,
)
from rmtsim.verdicts._needs import Lack, Need
from rmtsim.verdicts._results import Verdict

MISFIT = 0.01
"""Share of the tolerance by which values may deviate, at every size, from a series that describes them otherwise."""


def decide(
    interval: tuple[float, float], predicted: float, tolerance: float, *, at_least: bool = False
) -> Verdict:
    """Verdict by equivalence; ``at_least`` requires only that the truth is not below the zone.

    >>> [str(decide(ends, 2.0, 0.1)) for ends in ((1.95, 2.05), (1.95, 2.2), (2.2, 2.3))]
    ['CONFIRMED', 'INCONCLUSIVE', 'REFUTED']
    """
    low, high = interval
    if low >= predicted - tolerance and (at_least or high <= predicted + tolerance):
        return Verdict.CONFIRMED
    if high < predicted - tolerance or (not at_least and low > predicted + tolerance):
        return Verdict.REFUTED
    return Verdict.INCONCLUSIVE


@frozen
class Question:
    """What the interval is compared with."""

    quantity: str
    predicted: float
    tolerance: float
    at_least: bool = False
    scale: Callable[[int], float] = lambda size: 1.0
    possible: tuple[float, float] = (-math.inf, math.inf)
    rate: bool = False
    origin: float | None = None
    """For a limit of squared distances: the point from which they are measured."""
    running: bool = False
    """Whether the largest squared distance from each size on counts, along one growing object."""
    exponents: tuple[float, ...] = DEFAULT_EXPONENTS
    declared: bool = True
    """Whether the exponents of the corrections are declared."""
    reasoned: bool = False
    """Whether the declaration gives a reason for them."""

    def analysed(self, means: MeanSet, *, refine: bool = True) -> Analysis:
        """Interval of the quantity in question from the confidence set of the means, with its breakdown point."""
        return self._with_breakdown(means, self._interval(means, refine=refine))

    def judged(self, means: MeanSet, *, needed: int | None = None, refine: bool = True) -> Analysis:
        """As ``analysed``, without the breakdown point if the verdict does not need it."""
        return self._as_judged(means, self._interval(means, needed=needed, refine=refine))

    def judged_for(self, wanted: Verdict, means: MeanSet, needed: int | None = None) -> Analysis:
        """As ``judged``, if only the verdict ``wanted`` matters.

        If a hull of models does not give this verdict, no wider hull does, so grids are not refined further.
        """
        found = self._interval(
            means, needed=needed, settled=lambda interval: self._decided(interval) is not wanted
        )
        return self._as_judged(means, found) if self.decided(found) is wanted else found

    def examined(self, means: MeanSet, errors: NDArray[np.float64], counts: NDArray[np.int_]) -> Analysis:
        """The interval with its breakdown point, and the objections to its verdict.

        ``errors`` are standard errors of the values at each size, from ``counts`` replicates.
        """
        found = self.analysed(means)
        means = self._described(found, means)
        matters = self.resolution(found, means.sizes)
        found = replace(found, voting=voting(means, matters))
        stands = self.as_decided_by(found.interval)
        if stands is None:
            return found
        if self.declared and found.needed > 1 and not self.rate:
            found = replace(found, other_power=plainer_power(means, self.exponents, self.possible))
        if self.declared and not self.rate:
            found = replace(found, better_power=better_power(found, self.exponents, self.possible))
        votes = voteless(means, matters)
        against = contradicting(found, errors, counts, found.misfit)
        objections = [
            *([Need(lack=Lack.CONTRADICTION, sizes=against)] if against else []),
            *([Need(lack=Lack.VOTES, sizes=votes)] if votes else []),
        ]
        # Without declared exponents, slow corrections that describe the values by themselves prevent a refutation.
        guessed = not self.declared and not self.rate and self.decided(found) is Verdict.REFUTED
        if not objections and (guessed or found.other_power is not None):
            power = plainer_power(means, self.exponents, self.possible, stands, squares=guessed)
            if power is not None:
                objections.append(Need(lack=Lack.PLAINER_POWER, number=power))
        if not objections and self.declared and found.needed > 1 and not self.rate:
            objections += paired(means, self.exponents, self.possible, stands)
        if self.rate and self.decided(found) is Verdict.REFUTED:
            large = reconciling(logarithms(means), self.exponents, stands)
            found = replace(found, large_correction=large)
        if not objections and self.decided(found) is Verdict.REFUTED and not self.rate:
            zone = (self.predicted - self.tolerance, self.predicted + self.tolerance)
            objections += moving(found, self.exponents, zone)
            if not objections and self.declared and not self.reasoned and crossed(found, zone):
                # A faster decay would end nearer to the last values: add a free exponent to the declared ones.
                free = replace(self, declared=False)._interval(means)
                if not (free.described and stands(free.interval)):
                    objections.append(Need(lack=Lack.CROSSED, sizes=means.sizes[-1:]))
        if not objections:
            # Data that need two powers may need more than were tried, and the smallest size shows these most. Terms
            # left out may refute true statements, but hardly ever confirm false ones.
            open_to_more = found.needed > 1 and (not self.declared or self.decided(found) is Verdict.REFUTED)
            share = 0.5 if open_to_more else 0.0
            objections += fragile(means, self._reduced(found), stands, share=share)
        return replace(found, objections=tuple(objections))

    def _reduced(self, found: Analysis) -> Callable[[MeanSet], Analysis]:
        """The analysis of fewer sizes, with as many terms as these allow."""
        return lambda means: self._interval(means, needed=min(found.needed, max(0, len(means.sizes) - 2)))

    def resolution(self, found: Analysis, sizes: Sequence[float]) -> float:
        """The deviation at a size that would matter: the tolerance, or the distance from the prediction if larger."""
        away = abs(found.estimate - self.predicted) if math.isfinite(found.estimate) else 0.0
        matters = max(self.tolerance, away)
        if self.at_least:
            # A faster decay than the stated upper bound is no deviation.
            matters = max(matters, found.interval[0] - self.predicted + self.tolerance)
        return matters * math.log(sizes[-1] / sizes[0]) if self.rate else matters

    def _interval(
        self,
        means: MeanSet,
        *,
        needed: int | None = None,
        refine: bool = True,
        settled: Callable[[tuple[float, float]], bool] | None = None,
    ) -> Analysis:
        if self.rate:
            return analyse_rate(means, self.exponents, refine=refine, settled=settled)
        analyse = partial(
            analyse_limit,
            exponents=self.exponents,
            possible=self.possible,
            declared=self.declared,
            needed=needed,
            refine=refine,
            settled=settled,
        )
        found = analyse(means)
        allowed = MISFIT * self.tolerance
        if found.described or not allowed > 0:
            return found
        # Values known to a small part of the tolerance may show deviations from every series that do not matter.
        again = analyse(means.widened(allowed))
        return replace(again, misfit=allowed) if again.described else found

    def _described(self, found: Analysis, means: MeanSet) -> MeanSet:
        """The set of means that the models of ``found`` describe: the given one, or one with the allowed misfit."""
        return means.widened(found.misfit) if found.misfit else means

    def _as_judged(self, means: MeanSet, found: Analysis) -> Analysis:
        return self._with_breakdown(means, found) if self._may_rest_on_guess(found) else found

    def _with_breakdown(self, means: MeanSet, found: Analysis) -> Analysis:
        stands = self.as_decided_by(found.interval)
        if stands is None:
            return found
        means = self._described(found, means)
        if self.rate:
            return replace(found, breakdown=rate_breakdown(means, self.exponents, found, stands))
        reached = limit_breakdown(means, self.exponents, found, stands, self.possible)
        return replace(found, breakdown=reached)

    def computed(self, sizes: Sequence[float], values: Sequence[float], errors: Sequence[float]) -> Analysis:
        """The same from values without noise."""
        found = analyse_sequence(sizes, values, errors, self.exponents, self.possible)
        stands = self.as_decided_by(found.interval)
        if stands is None:
            return found
        reached = sequence_breakdown(sizes, values, errors, self.exponents, found, stands, self.possible)
        found = replace(found, breakdown=reached)
        if self.decided(found) is Verdict.REFUTED and not stands(
            cautious_sequence(sizes, values, errors, found)
        ):
            return replace(found, objections=(Need(lack=Lack.LARGER_SIZES),))
        return found

    def as_decided_by(self, interval: tuple[float, float]) -> Callable[[tuple[float, float]], bool] | None:
        """Whether another interval gives the same verdict; None if this one gives none."""
        found = self._decided(interval)
        if found is Verdict.INCONCLUSIVE:
            return None
        return lambda other: self._decided(other) is found

    def _decided(self, interval: tuple[float, float]) -> Verdict:
        return decide(interval, self.predicted, self.tolerance, at_least=self.at_least)

    def decided(self, analysis: Analysis) -> Verdict:
        """Verdict of the interval alone, without its breakdown point."""
        return self._decided(analysis.interval)

    def verdict(self, analysis: Analysis) -> Verdict:
        """By equivalence; where no corrections are declared, only if it holds for every plausible one."""
        if analysis.contradicted or analysis.objections:
            return Verdict.INCONCLUSIVE
        if self.rests_on_guess(analysis):
            return Verdict.INCONCLUSIVE
        return self._decided(analysis.interval)

    def excludes(self, analysis: Analysis, wanted: Verdict) -> bool:
        """Whether every admissible model excludes whatever would keep the verdict from being ``wanted``."""
        if not analysis.described:
            return True
        return self._decided(analysis.interval) is wanted and not self.rests_on_guess(analysis)

    def rests_on_guess(self, analysis: Analysis) -> bool:
        """Whether the interval decides, but only under exponents that were not declared.

        Values without noise show slow corrections clearly, so the requirement is stricter for them.
        """
        if not self._may_rest_on_guess(analysis) or analysis.breakdown is None:
            return False
        return analysis.breakdown > (SLOWEST_PLAUSIBLE if analysis.series else SLOWEST_USUAL)

    def assumed_decay(self, analysis: Analysis) -> float | None:
        """Exponent of the slowest correction for which the verdict holds, where a reader should be warned of it.

        That is the case if a slower correction is plausible, and either no exponents are declared or a refutation
        rests on exponents that are declared without a reason.
        """
        reached = analysis.breakdown
        if reached is None or self.reasoned or reached <= SLOWEST_PLAUSIBLE:
            return None
        refuted = self._decided(analysis.interval) is Verdict.REFUTED
        return reached if refuted or not self.declared else None

    def _may_rest_on_guess(self, analysis: Analysis) -> bool:
        if self._decided(analysis.interval) is Verdict.INCONCLUSIVE:
            return False
        return not self.declared


def question(claim: Claim, setting: Setting) -> Question:
    """What the interval of this claim is compared with at this point."""
    found = _question(claim, setting)
    return replace(
        found,
        exponents=claim.exponents,
        declared=claim.exponents_declared,
        reasoned=bool(claim.because),
    )


def entailed_limit(claim: Claim, asked: Question) -> Question | None:
    """The limit that a rate with a limit implies: the distance of the values from it must vanish.

    None where no limit is stated.
    """
    if claim.approached is None or claim.exponent is None:
        return None
    stated = claim.exponent
    exponents = (stated, *(stated + p for p in claim.exponents if claim.exponents_declared))
    return Question("distance from the limit", 0.0, 0.0, exponents=exponents)


def unscaled(means: MeanSet, asked: Question) -> MeanSet:
    """The set of means of the values themselves, where those of ``means`` are scaled for an amplitude."""
    scales = np.array([asked.scale(size) for size in means.sizes])
    axes, low, high = (
        None if each is None else each / scales for each in (means.axes, means.low, means.high)
    )
    return replace(means, values=means.values / scales, axes=axes, low=low, high=high)


def _question(claim: Claim, setting: Setting) -> Question:
    if claim.kind == "rate":
        if claim.exponent is None:
            raise ValueError(f"{claim.id}: a rate must declare its exponent")
        exponent = claim.exponent
        if claim.predict is None:
            width = claim.tolerance.width(exponent)
            return Question("exponent", exponent, width, at_least=claim.relation == "O", rate=True)
        stated = claim.prediction(setting.parameters)
        width = claim.tolerance.width(stated)
        return Question("amplitude", stated, width, scale=lambda size: float(size) ** exponent)
    possible = (-math.inf, math.inf)
    if claim.kind == "law":
        possible = (0.0, math.inf)
    if claim.kind == "probability":
        possible = (0.0, 1.0)
    if claim.support is not None:
        possible = (max(possible[0], claim.support[0]), min(possible[1], claim.support[1]))
    stated = claim.prediction(setting.parameters)
    width = claim.tolerance.width(stated)
    if claim.mode in ("in probability", "almost surely"):
        return Question(
            "mean squared distance",
            0.0,
            width**2,
            possible=(0.0, math.inf),
            origin=stated,
            running=claim.mode == "almost surely",
        )
    if claim.kind == "law" and claim.draws > 1:
        # Replicates of the law of a drawn number estimate the square of its distance.
        return Question("squared distance", 0.0, width**2, possible=possible)
    quantity = {"law": "distance", "probability": "probability"}.get(claim.kind, "limit")
    return Question(quantity, stated, width, possible=possible)
