"""How much more nominal time, or which sizes, a verdict is expected to need."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rmtsim.verdicts.evidence.mean_set import MeanSet
from rmtsim.verdicts.models.analysis import Analysis
from rmtsim.verdicts.question import Question
from rmtsim.verdicts.results import Verdict

__all__ = ["outlook_of", "sizes_to_verdict", "time_to_verdict"]

STEPS = 20
"""A verdict that needs more than 2²⁰ times the time is out of reach."""

LARGEST_SIZES = (2, 4, 8, 16, 64, 256)
"""Multiples of the largest size that are tried."""


def outlook_of(predicted: float, tolerance: float, analysis: Analysis, spent: float) -> float:
    """Nominal seconds still needed if chance shrinks like 1/√time and the model spread stays; may be infinite.

    A quick guess that orders claims while they run. The verdict comes when the half-width fits either inside the
    zone or between estimate and zone.
    """
    half = (analysis.interval[1] - analysis.interval[0]) / 2
    if not math.isfinite(half) or not math.isfinite(analysis.estimate):
        return spent
    middle = (analysis.interval[1] + analysis.interval[0]) / 2
    gap = abs(abs(middle - predicted) - tolerance)
    # Undetermined models shrink with the noise too, though not wholly: count half of their spread as lasting.
    room = gap - 0.5 * analysis.model
    shrinking = analysis.statistical + 0.5 * analysis.model
    if room <= 0:
        return math.inf
    factor = shrinking / room
    return max(0.0, spent * (factor**2 - 1))


def time_to_verdict(
    asked: Question, later: Callable[[float], MeanSet], analysis: Analysis, spent: float
) -> float:
    """Nominal seconds until the best model, if it is right, would be decided; infinite where noise is not what lacks.

    ``later(factor)`` is the set of means after so many times the replicates; it is moved onto that model and analysed
    anew, for twice the time, four times, and so on.
    """
    if analysis.fit is None or asked.rate or analysis.window:
        return outlook_of(asked.predicted, asked.tolerance, analysis, spent)
    for step in range(1, STEPS + 1):
        means = later(2.0**step)
        shrunk = means.moved_to(analysis.fit.smooth(means.sizes))
        if asked.verdict(asked.analysed(shrunk)) is not Verdict.INCONCLUSIVE:
            # Half as much was not enough: the middle of the two, less what was spent already.
            return float(spent * (2 ** (step - 0.5) - 1))
    return math.inf


def sizes_to_verdict(asked: Question, means: MeanSet, analysis: Analysis) -> int | None:
    """Up to which size doubling sizes, measured as well as the largest is now, would decide; None beyond reach."""
    if analysis.fit is None or asked.rate or means.axes is None or means.correlation is not None:
        return None
    for factor in LARGEST_SIZES:
        more = tuple(means.sizes[-1] * 2**step for step in range(1, int(math.log2(factor)) + 1))
        sizes = (*means.sizes, *more)
        axes = np.concatenate((means.axes, np.full(len(more), means.axes[-1])))
        if asked.verdict(asked.analysed(MeanSet(sizes, analysis.fit.smooth(sizes), axes=axes))) is not (
            Verdict.INCONCLUSIVE
        ):
            return int(sizes[-1])
    return None
