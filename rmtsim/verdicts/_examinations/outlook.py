"""How much more nominal time, or which sizes, a verdict is expected to need."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._models.fit import Candidate, Fit
from rmtsim.verdicts._needs import Lack
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

QUANTILES = (0.1, 0.8)
"""Quantiles of the doublings that the models need, weighted by fit: the ends of the predicted range."""

SHARP = 1.5
"""A range of so many doublings at most is named as one figure: both ends lie within a factor of two of it."""

_NODES = ((0.0, 2 / 3), (-math.sqrt(3.0), 1 / 6), (math.sqrt(3.0), 1 / 6))
"""Places of the limit in standard errors, with their weights: the three-point rule of a normal law."""

SPARE = 1.0
"""Doublings by which a wider range is extended on both sides: a factor of two, as a figure has."""

SHRINKAGE = 0.8
"""Factor of the doublings at the lower end of a wider range: replicates to come are allotted better than those so far,
and values that happen to lie near the edge of the zone predict too long a time."""

MOST_MODELS = 12
"""Models that are followed into the future: the closest ones."""

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


@dataclass(frozen=True)
class Forecast:
    """Nominal seconds more until a verdict, from ``least`` to ``most``; infinite if more replicates do not decide."""

    least: float = math.inf
    most: float = math.inf

    @property
    def middle(self) -> float:
        """The figure in place of the range; its lower end where nothing bounds the range above."""
        return math.sqrt(self.least * self.most) if math.isfinite(self.most) else self.least

    @classmethod
    def within(cls, spent: float, low: float, high: float) -> Forecast:
        """From the doublings of what was spent: one figure if they hardly differ."""
        if low >= STEPS:
            return cls()
        if high - low <= SHARP:
            figure = spent * (2.0 ** max((low + high) / 2, RESOLUTION / 2) - 1)
            return cls(figure, figure)
        top = math.inf if high >= STEPS else spent * (2.0 ** (high + SPARE) - 1)
        return cls(spent * (2.0 ** max(SHRINKAGE * low - SPARE, RESOLUTION / 2) - 1), top)


def time_to_verdict(
    asked: Question,
    later: Callable[[float], MeanSet],
    analysis: Analysis,
    spent: float,
    examine: Callable[[MeanSet, float], Analysis] | None = None,
) -> Forecast:
    """Nominal seconds until a verdict.

    ``later(factor)`` is the confidence set of the means after ``factor`` times the replicates. It is centred on the
    closest model of every admissible branch, one branch after the other, and analysed in two ways: as if the data went
    on to need no more terms than now, and (``examine``) as a later look would, which finds all terms of the model in
    question and has objections. What comes of a model depends on terms that the data do not show yet, so the
    prediction is the range of both over all models.
    """
    if analysis.fit is None:
        guess = outlook_of(asked.predicted, asked.tolerance, analysis, spent)
        return Forecast(guess, guess)
    fit = analysis.fit
    plausible = sorted(fit.plausible, key=lambda pair: pair[0])[:MOST_MODELS]
    weights = np.exp(-FIT_WEIGHT * np.array([quality for quality, _ in plausible]))

    def doublings(analysed: Callable[[MeanSet, float], Analysis], shift: float = 0.0) -> list[float]:
        return [_doublings(asked, later, fit, model, analysed, shift) for _, model in plausible]

    def spread(analysed: Callable[[MeanSet, float], Analysis]) -> tuple[float, float]:
        found = [each for node, _ in _NODES for each in doublings(analysed, node * error)]
        return _quantiles(found, np.concatenate([weight * weights for _, weight in _NODES]))

    def look(means: MeanSet, factor: float) -> Analysis:
        return asked.analysed(means) if examine is None else examine(means, factor)

    # Where the limit lies is known within its standard error only.
    error = analysis.statistical / later(1.0).sigmas if math.isfinite(analysis.statistical) else 0.0
    if analysis.objections:
        low, high = spread(look)
        if high - low <= SHARP and any(need.lack is Lack.PLAINER_POWER for need in analysis.objections):
            # A power that these models lack describes the values; when it ceases to do so cannot be predicted.
            high = STEPS
        return Forecast.within(spent, low, high)
    plain = partial(asked.judged, needed=analysis.needed, refine=False)
    ends = [spread(lambda means, factor: plain(means)), _quantiles(doublings(look), weights)]
    known = [each for each in ends if each[0] < STEPS]
    if not known:
        return Forecast()
    return Forecast.within(spent, min(low for low, _ in known), max(high for _, high in known))


def _quantiles(doublings: Sequence[float], weights: NDArray[np.float64]) -> tuple[float, float]:
    """The ends of the range over models with these weights.

    >>> _quantiles([3.0, 1.0, 2.0], np.ones(3))
    (1.0, 3.0)
    """
    found = np.asarray(doublings)
    order = np.argsort(found)
    places = np.searchsorted(np.cumsum(weights[order]), np.array(QUANTILES) * weights.sum())
    low, high = found[order[np.minimum(places, len(found) - 1)]].tolist()
    return low, high


def _doublings(
    asked: Question,
    later: Callable[[float], MeanSet],
    fit: Fit,
    model: Candidate,
    analysed: Callable[[MeanSet, float], Analysis],
    shift: float = 0.0,
) -> float:
    """How often the time must double until this model, if it is right, is decided; ``STEPS`` if that is not enough.

    The model is moved by ``shift``.
    """
    curve: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def decided(doublings: float) -> bool:
        means = later(2.0**doublings)
        if means.sizes not in curve:
            curve[means.sizes] = (
                _power_curve(fit, model, means, shift)
                if asked.rate
                else fit.smooth(means.sizes, model) + shift
            )
        found = analysed(means.moved_to(curve[means.sizes]), 2.0**doublings)
        room = FLUCTUATION * (found.interval[1] - found.interval[0]) / 2
        moved = (found.interval[0] - room, found.interval[1] + room)
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


def _power_curve(fit: Fit, model: Candidate, means: MeanSet, shift: float) -> NDArray[np.float64]:
    """Means under a model of a rate, its exponent moved by ``shift``; ``fit`` is one of logarithms."""
    family, projection, member = model
    shape = family.offsets[member] + (projection.centre[member] + shift) * family.leads[member]
    known = np.isfinite(fit.means.values) & (fit.weight > 0)
    gaps = np.where(known, fit.means.values, 0.0) - shape
    level = np.average(gaps[known], weights=fit.weight[known] ** 2) if known.any() else 0.0
    sign = 1.0 if means.values[np.argmax(np.abs(means.values))] >= 0 else -1.0
    return np.asarray(sign * np.exp(shape + level))


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
