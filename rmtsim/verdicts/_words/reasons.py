"""Why a verdict is what it is, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rmtsim.verdicts._evidence.sequences import ROOMY
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._models.slow import SLOWEST_TRIED
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import Verdict
from rmtsim.verdicts._words.numbers import ends_words


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
        return f"An earlier look held only values of the {quantity} that this one excludes: no model is right. {ends}"
    if not analysis.described:
        return (
            f"No admissible finite-size model describes the values, so nothing is known about the {quantity}."
        )
    if asked.rests_on_guess(analysis):
        return (
            f"The interval {ends} for the {quantity} would decide against {zone}, but only for corrections that decay "
            f"at least like size^-{analysis.breakdown:.2g}, and nobody declared that they do."
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
    """What a verdict rests on: the slowest correction that leaves it as it is; empty for an open one.

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
    """A hint for a distance to a law that does not shrink: the sample may not grow with the size; else empty.

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
    """What a verdict from few replicates of an unbounded quantity cannot know; empty where there are many.

    ``resting`` are pairs (size, replicates); what stands out at one size counts at all.

    >>> unmet_values([(64, 128), (512, 16)])
    ' It rests on 144 replicates in all: values that come more seldom may have gone unmet.'
    >>> unmet_values([(64, 640), (512, 16)])
    ''
    """
    total = sum(count for _, count in resting)
    if not resting or total >= ROOMY:
        return ""
    return f" It rests on {total} replicates in all: values that come more seldom may have gone unmet."
