"""How much more nominal time, or which sizes, a verdict is expected to need."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._models.fit import Candidate, Fit
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import Verdict

STEPS = 20
"""A verdict that needs more than 2²⁰ times the time is out of reach."""

RESOLUTION = 0.4
"""Precision of the number of doublings."""

_STRIDE = 2.5
"""Doublings between the first trials."""

FLUCTUATION = 0.2
"""Typical random shift of the middle of an interval, as a share of its half-width (about one deviation)."""

FIT_WEIGHT = 3.0
"""A model at the edge of the set of means has this exponent against it: it counts as a twentieth of the best."""

QUANTILE = 0.2
"""Quantile of the doublings that the models need, weighted by fit, which predicts best what claims then need."""

REGRESSION = (0.6, 0.8)
"""Doublings to expect, a + b·doublings of the models: forecasts from noisy values are too extreme. These three
constants were chosen on synthetic claims with seeds 3 and 6 to 15; results on other seeds are in
docs/calibration-statements.md."""

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
    # The spread of undetermined models shrinks with the noise in part: half of it is assumed to remain.
    room = gap - 0.5 * analysis.model
    shrinking = analysis.statistical + 0.5 * analysis.model
    if room <= 0:
        return math.inf
    factor = shrinking / room
    return max(0.0, spent * (factor**2 - 1))


def time_to_verdict(
    asked: Question, later: Callable[[float], MeanSet], analysis: Analysis, spent: float
) -> float:
    """Nominal seconds until a verdict has probability one half; infinite if more replicates would not decide.

    ``later(factor)`` is the confidence set of the means after ``factor`` times the replicates. It is centred on the
    closest model of every admissible branch, one branch after the other, and analysed. The best model alone is not
    enough, because a simple model is decided early and is often wrong; nor is the slowest model, because its limit
    may be far off.
    """
    if analysis.fit is None or asked.rate:
        return outlook_of(asked.predicted, asked.tolerance, analysis, spent)
    plausible = analysis.fit.plausible
    fit, needed = analysis.fit, analysis.needed
    doublings = np.array([_doublings(asked, later, fit, model, needed) for _, model in plausible])
    weights = np.exp(-FIT_WEIGHT * np.array([quality for quality, _ in plausible]))
    order = np.argsort(doublings)
    chosen = doublings[order[np.searchsorted(np.cumsum(weights[order]), QUANTILE * weights.sum())]]
    if chosen >= STEPS:
        return math.inf
    base, slope = REGRESSION
    return float(spent * (2.0 ** (base + slope * chosen) - 1))


def _doublings(
    asked: Question, later: Callable[[float], MeanSet], fit: Fit, model: Candidate, needed: int
) -> float:
    """How often the time must double until this model, if it is right, is decided; ``STEPS`` if that is not enough."""
    curve: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def decided(doublings: float) -> bool:
        means = later(2.0**doublings)
        if means.sizes not in curve:
            curve[means.sizes] = fit.smooth(means.sizes, model)
        moved_means = means.moved_to(curve[means.sizes])
        found = asked.judged(moved_means, needed=needed, refine=False)
        shift = FLUCTUATION * (found.interval[1] - found.interval[0]) / 2
        moved = (found.interval[0] - shift, found.interval[1] + shift)
        return asked.verdict(replace(found, interval=moved)) is not Verdict.INCONCLUSIVE

    # Start from small factors: no model of a coarse grid passes through a very small set, so nothing is decided
    # there.
    high = 0.0
    while high < STEPS and not decided(high):
        high = min(high + _STRIDE, float(STEPS))
    if high >= STEPS:
        return float(STEPS)
    low = max(0.0, high - _STRIDE)
    while high - low > RESOLUTION:
        middle = (low + high) / 2
        low, high = (low, middle) if decided(middle) else (middle, high)
    return high


def sizes_to_verdict(asked: Question, means: MeanSet, analysis: Analysis) -> int | None:
    """Up to which size doubling sizes, measured as well as the largest is now, would decide; None beyond reach."""
    if analysis.fit is None or asked.rate or means.axes is None or means.correlation is not None:
        return None
    for factor in LARGEST_SIZES:
        more = tuple(means.sizes[-1] * 2**step for step in range(1, int(math.log2(factor)) + 1))
        sizes = (*means.sizes, *more)
        axes = np.concatenate((means.axes, np.full(len(more), means.axes[-1])))
        found = asked.judged(MeanSet(sizes, analysis.fit.smooth(sizes), axes=axes, sigmas=means.sigmas))
        if asked.verdict(found) is not Verdict.INCONCLUSIVE:
            return int(sizes[-1])
    return None
