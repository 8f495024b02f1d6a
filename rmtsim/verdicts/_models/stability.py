"""Conditions of a verdict beyond its interval: a vote for every size, and robustness to omitting the smallest size."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.analysis import Analysis, good_share
from rmtsim.verdicts._models.fit import band_at, project
from rmtsim.verdicts._models.slow import (
    SLOWEST_PLAUSIBLE,
    free_powers,
    large_corrections,
    near_pairs,
    slow_alone,
)
from rmtsim.verdicts._needs import Lack, Need

VOTE = 2.5
"""A size has a vote if its own half-width is at most this many times the deviation that would matter. Half-widths are
those of the joint set, four to five standard errors; so a deviation that matters is two standard errors or more."""

CONTRADICTION = 0.01
"""Level, over all sizes, of the ordinary intervals that are compared with the models."""

_DECIDING = 2
"""The largest sizes that must have a vote."""


def voting(means: MeanSet, resolution: float) -> tuple[int, ...]:
    """Sizes whose own interval would show a deviation of ``resolution``."""
    low, high = means.ends
    with np.errstate(invalid="ignore"):
        sharp = (high - low) / 2 <= VOTE * resolution
    return tuple(size for size, votes in zip(means.sizes, sharp.tolist(), strict=True) if votes)


def voteless(means: MeanSet, resolution: float) -> tuple[int, ...]:
    """Sizes among the two largest that would not show a deviation of ``resolution``."""
    votes = voting(means, resolution)
    return tuple(size for size in means.sizes[-_DECIDING:] if size not in votes)


def contradicting(
    analysis: Analysis, errors: NDArray[np.float64], counts: NDArray[np.int_], misfit: float = 0.0
) -> tuple[int, ...]:
    """Sizes whose ordinary interval, mean ± (t·standard error + misfit), lies outside the band of all models."""
    fit = analysis.fit
    if fit is None or fit.parts[0][0].form == "rate" or fit.hull is None:
        return ()
    means = fit.means
    low, high = band_at(fit, np.asarray(means.sizes, dtype=float))
    quantile = -special.stdtrit(np.maximum(counts - 1, 1), CONTRADICTION / 2 / len(means.sizes))
    reach = np.where((counts > 1) & np.isfinite(errors), quantile * errors + misfit, math.inf)
    # Models pass within rounding of exact values.
    slack = 1e-9 * (np.abs(means.values) + high - low)
    outside = (means.values + reach < low - slack) | (means.values - reach > high + slack)
    return tuple(size for size, away in zip(means.sizes, outside.tolist(), strict=True) if away)


def plainer_power(
    means: MeanSet,
    exponents: tuple[float, ...],
    possible: tuple[float, float],
    stands: Callable[[tuple[float, float]], bool] | None = None,
    *,
    squares: bool = False,
) -> float | None:
    """Exponent of a single power, slower than those declared, that is admissible; None if there is none.

    With ``stands``, one under which the verdict would change. If the declared powers need two terms, such a power is
    the simpler explanation. Logarithms count as the slowest plausible power, with ``squares`` theirs too; these have
    two free terms, and count only for limits that the last values approach.
    """
    for slow in slow_alone(means.sizes, exponents, squares=squares):
        free = slow.family.forms.shape[1] > 1
        found = project(means, slow.family, _ahead(means, possible) if free else possible)
        plausible = found.admissible & (slow.speeds >= SLOWEST_PLAUSIBLE)
        for k in np.flatnonzero(plausible).tolist():
            if stands is None or not stands((float(found.low[k]), float(found.high[k]))):
                return float(slow.speeds[k])
    return None


BETTER = 2 * float(special.gammainccinv(0.5, 0.05))
"""Decrease of chi-square by which one more parameter describes values better, at level 0.05."""


def better_power(
    analysis: Analysis, exponents: tuple[float, ...], possible: tuple[float, float]
) -> float | None:
    """A free exponent that describes the means better than the declared ones; None if there is none.

    Better is a significantly smaller chi-square (in ordinary standard errors) with as many terms as the data need, or,
    where these are three or more, a slower power that describes the means with one term less. (For two terms,
    :func:`plainer_power` finds that power.)
    """
    fit = analysis.fit
    if fit is None or analysis.needed < 1 or fit.means.axes is None:
        return None
    terms = min(analysis.needed, len(fit.means.sizes) - 2)
    declared = math.inf
    for family, projection in fit.parts:
        named = np.array([branch.exponent is not None for branch in family.branches])[family.branch]
        if family.forms.shape[1] <= terms:
            declared = min(declared, float(np.where(named, projection.quality, math.inf).min()))
    for count in range(1, terms + 1):
        free = free_powers(fit.means.sizes, count)
        quality = project(fit.means, free.family, possible).quality
        best = int(np.argmin(quality))
        if math.isfinite(declared) and (declared - quality[best]) * fit.means.sigmas**2 > BETTER:
            return float(free.speeds[best])
        slower = free.speeds < min(exponents)
        if 2 <= count < analysis.needed and slower.any():
            best = int(np.argmin(np.where(slower, quality, math.inf)))
            if quality[best] <= good_share(fit.means, count + 1):
                return float(free.speeds[best])
    return None


def _ahead(means: MeanSet, possible: tuple[float, float]) -> tuple[float, float]:
    """Limits in the direction of the change between the last two sizes; all limits if there may be no change."""
    low, high = means.ends
    if high[-1] < low[-2]:
        return possible[0], min(possible[1], float(high[-1]))
    if low[-1] > high[-2]:
        return max(possible[0], float(low[-1])), possible[1]
    return possible


def paired(
    means: MeanSet,
    exponents: tuple[float, ...],
    possible: tuple[float, float],
    stands: Callable[[tuple[float, float]], bool],
) -> tuple[Need, ...]:
    """Need of a verdict that a model with two close declared powers would change."""
    for p, q, family in near_pairs(means.sizes, exponents):
        found = project(means, family, possible)
        if found.admissible[0] and not stands((float(found.low[0]), float(found.high[0]))):
            return (Need(lack=Lack.PAIR, exponents=(p, q)),)
    return ()


def reconciling(
    logs: MeanSet, exponents: tuple[float, ...], stands: Callable[[tuple[float, float]], bool]
) -> float | None:
    """Least relative correction, in units of the power at the smallest size, under which a refuted rate may hold.

    ``logs`` is the set of means of logarithms. None if no correction of those tried does.
    """
    large = large_corrections(logs.sizes, exponents)
    found = project(logs, large.family)
    members = np.flatnonzero(found.admissible).tolist()
    undone = [
        float(large.speeds[k]) for k in members if not stands((float(found.low[k]), float(found.high[k])))
    ]
    return min(undone, default=None)


SETTLED = 0.6
"""Least decay of steps between the largest sizes, as a share of the slowest exponent, if its power dominates."""

HEADING = 4.0
"""A stated value is not refuted within this many times the remaining correction of the best model."""


def moving(analysis: Analysis, exponents: tuple[float, ...], edges: tuple[float, float]) -> tuple[Need, ...]:
    """Need of a refutation if the values still approach the stated zone with these ``edges``.

    Per unit of log size, a correction of powers from p on has steps that shrink like size^-p once its leading term
    dominates. If the best model needs two terms and its steps at the last three sizes shrink with less than 0.6 of
    that exponent, the sizes are too small for the series, and the remaining correction is known only up to a factor.
    """
    fit = analysis.fit
    if fit is None or analysis.needed < 2 or fit.hull is None or len(fit.means.sizes) < 3:
        return ()
    last = fit.means.sizes[-3:]
    curve = fit.smooth(last)
    logs = np.log(np.asarray(last, dtype=float))
    first, second = (np.diff(curve) / np.diff(logs)).tolist()
    if first * second > 0:
        speed = -math.log(second / first) / (0.5 * float(logs[2] - logs[0]))
        if speed >= SETTLED * min(exponents):
            return ()
    rest = analysis.estimate - float(curve[-1])
    ahead = [(edge - float(curve[-1])) * math.copysign(1.0, rest) for edge in edges]
    # The zone can be reached unless all of it lies behind the last value, or too far ahead of it.
    if max(ahead) <= 0 or min(ahead) > HEADING * abs(rest):
        return ()
    return (Need(lack=Lack.MOVING, sizes=last[-2:]),)


def crossed(analysis: Analysis, edges: tuple[float, float]) -> bool:
    """Whether the models cross the zone with these ``edges`` beyond the largest size: no value has passed it."""
    fit = analysis.fit
    if fit is None:
        return False
    last = float(fit.smooth(fit.means.sizes)[-1])
    low, high = analysis.interval
    return (low > edges[1] > last) or (high < edges[0] < last)


def fragile(
    means: MeanSet,
    analysed: Callable[[MeanSet], Analysis],
    stands: Callable[[tuple[float, float]], bool],
    *,
    share: float,
) -> tuple[Need, ...]:
    """Need of a verdict that changes if the smallest size is omitted.

    Without that size the interval, reduced to a ``share`` of its length on either side of the best estimate, must still
    decide. Half of a joint half-width is two standard errors and more.
    """
    if len(means.sizes) < 3:
        return (Need(lack=Lack.MORE_SIZES, number=3.0),)
    found = analysed(means.since(1))
    best = found.estimate
    low, high = (best + share * (end - best) if share else best for end in found.interval)
    if found.described and math.isfinite(best) and stands((low, high)):
        return ()
    return (Need(lack=Lack.SMALLEST_SIZE, sizes=means.sizes[:1]),)
