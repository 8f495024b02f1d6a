"""Why a verdict is what it is, in words: its reasons, its evidence base, what it lacks, what a reader is warned of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rmtsim.verdicts._evidence.moments import TINIEST
from rmtsim.verdicts._evidence.sequences import ROOMY
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._models.slow import SLOWEST_TRIED
from rmtsim.verdicts._needs import Caution, Lack, Need, Warned
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict
from rmtsim.verdicts._words.numbers import PRACTICAL, duration, ends_words


def explain_limit(quantity: str, verdict: Verdict, analysis: Analysis, asked: Question) -> str:
    """One or two sentences on the verdict."""
    zone = f"{asked.predicted:.6g} ± {asked.tolerance:.3g}"
    ends = ends_words(analysis.interval)
    if verdict is not Verdict.INCONCLUSIVE:
        rests = rests_on(verdict, analysis.breakdown, rate=asked.rate)
        if verdict is Verdict.CONFIRMED:
            return (
                f"The interval {ends} for the {quantity} lies inside {zone} under every admissible finite-size model. "
                f"{rests}"
            )
        return f"Every admissible finite-size model excludes {zone}: the {quantity} lies in {ends}. {rests}"
    if analysis.contradicted:
        return (
            f"An earlier evaluation admitted only values of the {quantity} that this one excludes: "
            f"no model is right. {ends}"
        )
    if not analysis.described:
        return (
            f"No admissible finite-size model describes the values, so nothing is known about the {quantity}."
        )
    if asked.rests_on_guess(analysis):
        return (
            f"The interval {ends} for the {quantity} would decide against {zone}, but only for corrections that decay "
            f"at least like size^-{analysis.breakdown:.2g}, which the claim does not declare."
        )
    if analysis.objections:
        return (
            f"The interval {ends} for the {quantity} would decide against {zone}, but not every size agrees: see what "
            "would decide it."
        )
    if not math.isfinite(analysis.interval[0]) and not math.isfinite(analysis.interval[1]):
        return f"Too little was measured to bound the {quantity}."
    return f"The interval {ends} for the {quantity} straddles the edge of {zone}."


def rests_on(verdict: Verdict, breakdown: float | None, *, rate: bool = False) -> str:
    """The breakdown point in words: the slowest correction under which the verdict holds; empty without a verdict.

    Corrections of a rate are relative and tried up to twice the power at the smallest size: the sentence says so.

    >>> rests_on(Verdict.REFUTED, 0.31)
    'REFUTED for every correction that decays at least like size^-0.31; a slower one would reconcile it.'
    """
    if breakdown is None or verdict is Verdict.INCONCLUSIVE:
        return ""
    undone = "reconcile" if verdict is Verdict.REFUTED else "unsettle"
    limited = " of at most twice the power at the smallest size" if rate else ""
    power = f"{verdict} for every correction{limited} that decays at least like size^-{breakdown:.2g}"
    if breakdown <= SLOWEST_TRIED:
        return f"{power}, the slowest tried, and like 1/log(size)."
    return f"{power}; a slower {'or larger ' if rate else ''}one would {undone} it."


def flat_distance(sizes: Sequence[int], distances: Sequence[float]) -> str:
    """Hint that the sample may not grow with the size, if the distance to a law does not shrink; else empty.

    >>> flat_distance((100, 200, 400, 800), (0.5, 0.3, 0.2, 0.1))
    ''
    """
    if len(distances) < 3 or sizes[-1] < 4 * sizes[0] or distances[-1] < 0.7 * distances[0]:
        return ""
    if not distances[-1] > 0:
        return ""
    count = (0.87 / distances[-1]) ** 2
    return (
        " The distance does not shrink with the size. If the law is right, check that the sample grows with the size: "
        f"one of m numbers keeps a distance of about 0.87/√m, here m ≈ {count:.0f}."
    )


def unmet_values(resting: Sequence[tuple[int, int]]) -> str:
    """Warning that a verdict from few replicates may have missed rare values; empty if there are many.

    ``resting`` are pairs (size, replicates); rare values at one size count for all sizes.

    >>> unmet_values([(64, 128), (512, 16)])
    ' It rests on 144 replicates in all: rarer values may not have occurred.'
    >>> unmet_values([(64, 640), (512, 16)])
    ''
    """
    total = sum(count for _, count in resting)
    if not resting or total >= ROOMY:
        return ""
    return f" It rests on {total} replicates in all: rarer values may not have occurred."


_AT_EVERY_SIZE = ("identity", "bound")


def evidence_base(result: ClaimResult, point: PointResult) -> list[str]:
    """A few words each: which sizes count, how often the largest were drawn, and whether only the mean was tested.

    >>> from rmtsim import verify
    >>> (result,) = verify("dong.thm1.diagonal-limit")
    >>> evidence_base(result, result.points[0])
    []
    """
    if result.kind in _AT_EVERY_SIZE:
        return ["at these sizes only"] if point.sizes else []
    if result.evidence == "computed" or not point.deviations:
        return []
    parts = []
    declared, measured, votes = len(point.declared_sizes), len(point.sizes), len(point.voting)
    if declared and (measured < declared or votes < measured):
        parts.append(f"{declared} sizes declared, {measured} measured, {votes} with a vote")
    if len(point.replicates) > 1:
        parts.append(f"{point.replicates[-2]} and {point.replicates[-1]} replicates at the two largest sizes")
    spread = point.spread
    if result.kind == "limit" and point.quantity == "limit" and spread is not None:
        parts.append(f"mean only; standard deviation like size^{-spread:+.2f}")
    return parts


def needs_words(needs: Sequence[Need]) -> str:
    """All needs of a point in one line; empty if there is none. Impractical times are named last, as no remedy.

    >>> needs_words((Need(lack=Lack.FEWER_EXPONENTS), Need(lack=Lack.REACH, reach=640)))
    'fewer exponents of finite-size corrections, declared with their reason (exponents=), or sizes up to 640'
    >>> needs_words((Need(lack=Lack.SHARPER_VALUE), Need(lack=Lack.TIME, seconds=900)))
    'a sharper independent value of one side; about 15 min more of one core'
    >>> needs_words((Need(lack=Lack.TIME, seconds=5e6), Need(lack=Lack.REACH, reach=640)))
    'sizes up to 640; time alone is not practical (about 58 days more of one core)'
    """
    late = [need for need in needs if _impractical(need)]
    if not late:
        return _joined(needs)
    return f"{remedies_words(needs)}; time alone is not practical ({_time(late[0])})"


def remedies_words(needs: Sequence[Need]) -> str:
    """What would decide other than an impractical time; general remedies if the needs name none.

    >>> remedies_words((Need(lack=Lack.TIME, seconds=5e6),))
    'a sampler with less variance, larger sizes, or a wider tolerance'
    """
    others = [need for need in needs if need.lack not in _OF_TIME]
    if others:
        return _joined(others)
    if any(need.lack in (Lack.DRAWS, Lack.VALUES) for need in needs):
        return "a cheaper sampler, or smaller sizes"
    return "a sampler with less variance, larger sizes, or a wider tolerance"


_OF_TIME = frozenset({Lack.TIME, Lack.ESTIMATE, Lack.DRAWS, Lack.VALUES})


def _impractical(need: Need) -> bool:
    return need.lack in _OF_TIME and (need.seconds or 0.0) > PRACTICAL


def _joined(needs: Sequence[Need]) -> str:
    words = ""
    before: Lack | None = None
    for need in needs:
        cheaper = before in (Lack.EXPONENTS, Lack.FEWER_EXPONENTS, Lack.EDGE, Lack.REACH)
        otherwise = need.lack is Lack.REACH or (need.lack in (Lack.TIME, Lack.ESTIMATE) and cheaper)
        joint = "" if not words else ", or " if otherwise else "; "
        before = need.lack
        words += joint + _WORDS[need.lack](need)
    return words


def _sizes(need: Need) -> str:
    return f"size{'s' if len(need.sizes) > 1 else ''} {', '.join(map(str, need.sizes))}"


def _replicates(need: Need, why: str) -> str:
    so_far = ", ".join(map(str, need.counts))
    return f"at least {need.number:.0f} replicates at {_sizes(need)}, {why} ({so_far} so far)"


def _time(need: Need) -> str:
    """Time as one figure or as a range.

    >>> _time(Need(lack=Lack.TIME, seconds=60, most=7200))
    'between 60 s and 2 h more of one core, which more draws will narrow down'
    """
    least = duration(need.seconds or 0.0)
    if need.most is None:
        return f"about {least} more of one core"
    if not math.isfinite(need.most):
        return f"at least {least} more of one core, and possibly far more"
    return f"between {least} and {duration(need.most)} more of one core, which more draws will narrow down"


_WORDS: dict[Lack, Callable[[Need], str]] = {
    Lack.BUDGET: lambda need: "a larger budget: no batch fitted into this one",
    Lack.TIME: _time,
    Lack.ESTIMATE: lambda need: (
        f"about {duration(need.seconds or 0.0)} of one core for a first estimate of the budget: there are too few "
        "replicates so far"
    ),
    Lack.FAMILY: lambda need: (
        "more evidence or more decided claims: too few claims of this run are decided for a false discovery rate"
        if need.number is None
        else f"an e-value of {need.number:.3g}, which makes it a discovery among all claims of this run"
    ),
    Lack.EDGE: lambda need: (
        "possibly nothing: the interval shrinks around the edge of the zone, and if the truth is there, no budget "
        "decides this"
    ),
    Lack.UNREACHED_SIZES: lambda need: (
        f"a budget that covers the declared sizes {', '.join(map(str, need.sizes))}"
    ),
    Lack.REPLICATES: lambda need: _replicates(need, "where values are skewed"),
    Lack.REPLICATES_RARE: lambda need: _replicates(need, "since rare values stand out"),
    Lack.DESCRIPTION: lambda need: (
        "larger sizes, or exponents= that describe the values: no correction of the family does"
    ),
    Lack.EXPONENTS: lambda need: (
        "the exponents of the finite-size corrections, declared with their reason (with exponents=("
        f"{', '.join(f'{p:.3g}' for p in need.exponents)}) "
        + (
            f"it is {need.verdict} now)"
            if need.verdict
            else f"about {duration(need.seconds or 0.0)} more decide it)"
        )
    ),
    Lack.FEWER_EXPONENTS: lambda need: (
        "fewer exponents of finite-size corrections, declared with their reason (exponents=)"
    ),
    Lack.LARGER_SIZES: lambda need: (
        "larger sizes: the spread between admissible finite-size models exceeds the tolerance"
    ),
    Lack.REACH: lambda need: f"sizes up to {need.reach}",
    Lack.MORE_SIZES: lambda need: (
        f"at least {need.number:.0f} sizes, or exponents= that describe the values: the data need so many terms that "
        "no size is left to test one more"
    ),
    Lack.VOTES: lambda need: (
        f"sharper values at {_sizes(need)}: among the two largest, they would not show a deviation that matters"
    ),
    Lack.CONTRADICTION: lambda need: (
        f"an explanation of {_sizes(need)}, whose own interval contradicts the models that describe the other sizes"
    ),
    Lack.PLAINER_POWER: lambda need: (
        f"a reason against size^-{need.number:.2g}, or other exponents= with their reason: this single power, slower "
        "than those of the models, describes the values, and under it the verdict would be another"
    ),
    Lack.SMALLEST_SIZE: lambda need: f"a verdict that also holds without {_sizes(need)}, the smallest",
    Lack.PAIR: lambda need: (
        f"one exponent in place of {' and '.join(f'{p:.3g}' for p in need.exponents)}, or larger sizes: powers with "
        "both exponents at once describe the values too, and decide otherwise"
    ),
    Lack.MOVING: lambda need: (
        f"larger sizes: at {_sizes(need)} the values still move towards the stated one, and the steps do not shrink as "
        "the declared corrections would"
    ),
    Lack.CROSSED: lambda need: (
        f"larger sizes: the values at {_sizes(need)} have not passed the stated one, and a faster correction than "
        "declared describes them too and may end there"
    ),
    Lack.VARIATION: lambda need: (
        f"values that vary: all values at {_sizes(need)} are equal, which says nothing about a mean; draw from rng if "
        "the sampler seeds a generator of its own, declare support=(low, high) if the quantity is bounded, or "
        "accuracy= (and no rng) if it is computed without chance"
    ),
    Lack.SCALE: lambda need: (
        f"larger numbers: those at {_sizes(need)} are too small to be squared (differences below {TINIEST:g}); "
        "multiply them, or return logarithms"
    ),
    Lack.LIGHT_TAILS: lambda need: (
        f"values with lighter tails: one of {need.counts[0]} values at {_sizes(need)} carries {need.number or 0:.0%} "
        "of their variance, as Cauchy-like noise does, whose mean does not exist; measure a median, a bounded function "
        "or a logarithm instead"
    ),
    Lack.RANDOMNESS: lambda need: (
        f"randomness from rng: every batch at {_sizes(need)} has the same values, as from a seed of its own"
    ),
    Lack.INDEPENDENCE: lambda need: (
        f"independent replicates: means of batches vary {need.number:.3g} times as much as independent values "
        "allow, so values of one call share randomness; return one number per call (their mean, say)"
    ),
    Lack.DRAWS: lambda need: f"more draws, {_time(need)}",
    Lack.VALUES: lambda need: f"the other sizes, {_time(need)}",
    Lack.SHARPER_VALUE: lambda need: "a sharper independent value of one side",
    Lack.SAMPLER: lambda need: "a sampler that runs",
    Lack.LOST_BATCH: lambda need: need.text,
    Lack.REST_OF_RUN: lambda need: "the rest of its run, which was interrupted",
    Lack.OTHER: lambda need: need.text,
}


def warnings_words(warnings: Sequence[Warned]) -> str:
    """All warnings of a point in one line; empty if there is none.

    >>> warnings_words((Warned(caution=Caution.UNMEASURED_SIZES, sizes=(640,)),))
    'size 640 not measured'
    """
    return "; ".join(_WARNINGS[warned.caution](warned) for warned in warnings)


_WARNINGS: dict[Caution, Callable[[Warned], str]] = {
    Caution.UNMEASURED_SIZES: lambda warned: (
        f"size{'s' if len(warned.sizes) > 1 else ''} {', '.join(map(str, warned.sizes))} not measured"
    ),
    Caution.OTHER_POWER: lambda warned: (
        f"size^-{warned.numbers[0]:.2g} alone describes the values, the declared exponents need two terms"
    ),
    Caution.BETTER_POWER: lambda warned: (
        f"size^-{warned.numbers[0]:.2g} describes the values better than the declared exponents"
    ),
    Caution.UNDECLARED: lambda warned: (
        f"if corrections decay at least like size^-{warned.numbers[0]:.2g}, no exponents are declared"
    ),
    Caution.SLOWER_POWER: lambda warned: (
        f"a correction slower than size^-{warned.numbers[0]:.2g} would reconcile it"
    ),
    Caution.LARGE_CORRECTION: lambda warned: (
        f"a correction {warned.numbers[0]:.2g} times the power at the smallest size would reconcile it"
    ),
    Caution.MEAN_ONLY: lambda warned: (
        f"of the mean only, the standard deviation does not decrease ({warned.numbers[0]:.2g} at the smallest size, "
        f"{warned.numbers[1]:.2g} at the largest)"
    ),
}
