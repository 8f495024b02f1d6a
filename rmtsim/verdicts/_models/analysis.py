"""From the set of means to an interval for the limit or the rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rmtsim._internal.docstrings import frozen
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.family import (
    MOST_TERMS,
    Family,
    limit_families,
    limit_family,
    long_tails,
    rate_families,
    tied_family,
)
from rmtsim.verdicts._models.fit import ANYTHING, Fit, fitted, project
from rmtsim.verdicts._models.projection import Projection, project_ellipsoid
from rmtsim.verdicts._models.slow import (
    SlowFamily,
    breakdown_of,
    exponents_tried,
    slow_corrections,
    slow_families,
    slow_rates,
)
from rmtsim.verdicts._needs import Need
from rmtsim.verdicts._results import ModelRow

if TYPE_CHECKING:
    from rmtsim.verdicts._models.richardson import Extrapolation


@frozen
class Analysis:
    """An interval with its error budget and the models behind it."""

    interval: tuple[float, float]
    estimate: float
    statistical: float
    model: float
    fit: Fit | None = field(default=None, compare=False, repr=False)
    """Models and their projections, from a set of means; None for a sequence without noise."""
    series: tuple[Extrapolation, ...] = ()
    """Extrapolations, of a sequence without noise."""
    needed: int = 0
    """Fewest terms of a finite-size model that describes the means; models with one more are in the interval."""
    breakdown: float | None = None
    """Slowest correction under which the verdict of the interval holds; None without a verdict."""
    contradicted: bool = False
    """Whether this evaluation excludes all values of an earlier one; the interval then covers both."""
    described: bool = True
    """Whether any model of the family describes the means."""
    misfit: float = 0.0
    """Deviation from the models, at every size, that had to be allowed for them to describe the means."""
    objections: tuple[Need, ...] = ()
    """Objections to a verdict that the interval alone would give."""
    voting: tuple[int, ...] = ()
    """Sizes whose own interval would show a deviation that matters."""
    other_power: float | None = None
    """A single power, slower than those declared, that describes data which need two declared terms."""
    better_power: float | None = None
    """A free exponent with which the means are described significantly better than with the declared ones."""
    large_correction: float | None = None
    """A relative correction, larger than those of the models, that would reconcile a refuted rate."""

    @property
    def rows(self) -> tuple[ModelRow, ...]:
        """What each model says."""
        if self.fit is not None:
            return self.fit.rows
        return tuple(ModelRow(f"{item.exponent:.3g}, series", item.ends, 0.0) for item in self.series)

    @property
    def leading(self) -> frozenset[float | None] | None:
        """Leading exponents of the longest series in the interval (None among them: the free one)."""
        if self.fit is None or self.needed < 1:
            return None
        return frozenset(branch.exponent for branch in self.fit.parts[-1][0].branches)

    @property
    def best(self) -> str:
        """The model behind ``estimate``."""
        if self.fit is not None:
            return self.fit.best_name
        return self.rows[0].name if self.series else ""

    @property
    def weights(self) -> tuple[float, ...]:
        """Richardson weights of the means in the estimate (empty if it is not linear)."""
        if self.fit is None:
            return self.series[0].weights if self.series else ()
        return self.fit.weights


UNKNOWN = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
"""Before anything was measured."""


def _from_fit(fit: Fit, needed: int) -> Analysis | None:
    hull = fit.hull
    if hull is None:
        return None
    _, projection, best = fit.best
    if needed > 1:
        hull = _with_moves(fit, hull)
    half = (hull[1] - hull[0]) / 2
    # Due to chance alone: the interval if the best model were known to be right.
    statistical = min(half, float(projection.high[best] - projection.low[best]) / 2)
    lasting = half - statistical if math.isfinite(half) else math.inf
    return Analysis(hull, float(projection.centre[best]), statistical, lasting, fit, needed=needed)


_MOVES = 2.0
"""Assumed ratio of the terms left out of a series to the change from the order before."""


def _with_moves(fit: Fit, hull: tuple[float, float]) -> tuple[float, float]:
    """The hull extended by what further terms may add, estimated from the change of the best limit between orders.

    Where noise exceeds these changes, the hull contains them already.
    """
    before, last = (float(projection.centre[projection.best]) for _, projection in fit.parts[-2:])
    move = _MOVES * abs(last - before)
    return (min(hull[0], last - move), max(hull[1], last + move)) if math.isfinite(move) else hull


def foreseen_width(found: Analysis) -> float:
    """Criterion of a plan: the width; equal widths (bounded quantities at their bound) are ranked by noise."""
    return found.interval[1] - found.interval[0] + 1e-3 * found.statistical


def foreseen_limit_widths(
    means: MeanSet,
    plans: NDArray[np.float64],
    exponents: tuple[float, ...],
    needed: int,
    leading: frozenset[float | None] | None = None,
) -> NDArray[np.float64]:
    """Width of the limit's interval if the ellipsoid of ``means`` had each row of ``plans`` as its axes.

    Coarse grids are sufficient for planning; widths are infinite if no model is admissible.
    """
    families = limit_families(means.sizes, exponents, needed, leading)
    parts = [project_ellipsoid(means.values, plans, family) for family in families]
    low = np.min([part.lows for part in parts], axis=0)
    high = np.max([part.highs for part in parts], axis=0)
    return np.where(np.isfinite(high - low), high - low, math.inf)


def _flat(means: MeanSet, possible: tuple[float, float]) -> bool:
    """Whether one value at all sizes passes through the set: the data need no correction."""
    count = len(means.sizes)
    if means.axes is None:
        low, high = means.ends
        return bool(max(low.max(), possible[0]) <= min(high.min(), possible[1]))
    if not np.isfinite(means.axes).all():
        kept = np.isfinite(means.axes)
        if means.correlation is not None or kept.sum() < 2:
            return False
        sizes = tuple(size for size, keep in zip(means.sizes, kept.tolist(), strict=True) if keep)
        return _flat(MeanSet(sizes, means.values[kept], axes=means.axes[kept], sigmas=means.sigmas), possible)
    scaled = means.axes[:, None] * np.eye(count)
    covariance = scaled @ (np.eye(count) if means.correlation is None else means.correlation) @ scaled
    floor = (8 * np.finfo(float).eps * max(float(np.abs(means.values).max()), 1e-290)) ** 2
    inverse = np.linalg.inv(covariance + floor * np.eye(count))
    ones = np.ones(count)
    centre = float(ones @ inverse @ means.values / (ones @ inverse @ ones))
    gaps = means.values - min(max(centre, possible[0]), possible[1])
    return bool(gaps @ inverse @ gaps <= good_share(means, 0))


def _passing(parts: Sequence[tuple[Family, Projection]]) -> frozenset[float | None]:
    """Leading exponents (None: the free one) with which some model passes."""
    return frozenset(
        family.branches[number].exponent
        for family, projection in parts
        for number in set(family.branch[projection.admissible].tolist())
    )


_MISFIT = 0.05
"""Level of the test of fit by which further terms are found to be needed."""


def good_share(means: MeanSet, terms: int) -> float:
    """Largest squared distance, in units of the set, of a model with so many terms that describes the means.

    That of a chi-square test with ordinary standard errors. In a box every model that passes describes them.
    """
    if means.axes is None:
        return 1.0
    left = max(1, int(np.isfinite(means.axes).sum()) - 1 - terms)
    return min(1.0, 2 * float(special.gammainccinv(left / 2, _MISFIT)) / means.sigmas**2)


def _declared_powers(family: Family, describing: NDArray[np.bool_]) -> bool:
    """Whether declared powers alone describe the means, without a geometric tail or a free exponent."""
    declared = np.array([branch.exponent is not None for branch in family.branches])[family.branch]
    return bool((describing & declared & (family.taus == 0)).any())


def analyse_limit(
    means: MeanSet,
    exponents: tuple[float, ...],
    possible: tuple[float, float] = ANYTHING,
    *,
    declared: bool = False,
    needed: int | None = None,
    refine: bool = True,
    settled: Callable[[tuple[float, float]], bool] | None = None,
) -> Analysis:
    """Interval for the limit over all admissible models, of the values that are ``possible``.

    Models have at most one term more than the data need (``needed`` terms, where that is known already). With too few
    sizes for that, the interval is unbounded. If the exponents are ``declared``, a free one is added only if no
    series of declared powers describes the data. Grids are refined until ``settled`` returns true, if it is given.
    """
    count = int(np.isfinite(np.subtract(*means.ends)).sum())
    nothing = replace(UNKNOWN, estimate=float(means.values[-1]))
    if count < 2:
        return nothing
    most = min(count - 1, MOST_TERMS)
    found = nothing
    for leading in (frozenset(exponents), None) if declared else (None,):
        parts, known = _series(
            lambda family: fitted(means, (family,), possible, refine=refine, settled=settled).parts[0],
            lambda part: _terms_needed(means, possible, part) if needed is None else needed,
            partial(limit_family, means.sizes, exponents),
            leading,
            most,
        )
        if known is None or known + 1 > most:
            found = replace(nothing, described=False, needed=most if known is None else known)
            continue
        if known == 0 and count > 2:
            parts.append(
                fitted(means, (tied_family(means.sizes, exponents),), possible, refine=refine).parts[0]
            )
        if known > 1:
            tails = long_tails(means.sizes, exponents)
            parts.insert(1, fitted(means, (tails,), possible, refine=refine, settled=settled).parts[0])
        result = _from_fit(Fit(means, tuple(parts)), known)
        if result is not None:
            return result
        found = replace(nothing, described=False, needed=known)
    return found


def _series(
    tried: Callable[[Family], tuple[Family, Projection]],
    needed: Callable[[tuple[Family, Projection]], int | None],
    family: Callable[[int, frozenset[float | None] | None], Family],
    leading: frozenset[float | None] | None,
    most: int,
) -> tuple[list[tuple[Family, Projection]], int | None]:
    """Models with up to one term more than the data need, and how many they need; None if more than were tried."""
    parts = [tried(family(1, leading))]
    known = needed(parts[0])
    while known is None and len(parts) < most:
        parts.append(tried(family(len(parts) + 1, leading)))
        known = needed(parts[-1])
    if known is None or known + 1 > most:
        return parts, known
    for terms in range(len(parts) + 1, known + 1):
        parts.append(tried(family(terms, leading)))
    # The further term continues a series that describes the data; any other series would pass through so few sizes.
    passing = _passing(parts)
    if known > 0 and passing and len(parts) == known:
        parts.append(tried(family(known + 1, passing)))
    return parts, known


def _terms_needed(
    means: MeanSet, possible: tuple[float, float], part: tuple[Family, Projection]
) -> int | None:
    """Terms that the data need if they need no more than the models of ``part`` have; None if they do."""
    family, projection = part
    terms = int(family.forms.shape[1])
    if terms == 1 and _flat(means, possible):
        return 0
    describing = projection.admissible & (projection.quality <= good_share(means, terms))
    if not describing.any():
        return None
    # A geometric tail or a free exponent is one more parameter.
    return terms if _declared_powers(family, describing) else terms + 1


def analyse_sequence(
    sizes: Sequence[float],
    values: Sequence[float],
    errors: Sequence[float],
    exponents: Sequence[float],
    possible: tuple[float, float] = ANYTHING,
) -> Analysis:
    """Interval for the limit of a noise-free sequence with stated errors."""
    from rmtsim.verdicts._models.richardson import extrapolate, sequence

    _, known, within = sequence(sizes, values, errors)
    values, errors = known.tolist(), within.tolist()
    tried = extrapolate(sizes, values, errors, exponents)
    found = [(item, kept) for item in tried if (kept := _cut(item.ends, possible)) is not None]
    if not found:
        return replace(UNKNOWN, estimate=float(values[-1]), described=False)
    low, high = min(ends[0] for _, ends in found), max(ends[1] for _, ends in found)
    best = found[0][0]
    half = (high - low) / 2
    propagated = min(half, best.propagated)
    return Analysis(
        (low, high),
        min(max(best.limit, possible[0]), possible[1]),
        propagated,
        half - propagated,
        series=tuple(item for item, _ in found),
    )


def cautious_sequence(
    sizes: Sequence[float], values: Sequence[float], errors: Sequence[float], found: Analysis
) -> tuple[float, float]:
    """The interval with lower orders of extrapolation, which a refutation by ``found`` must exclude as well."""
    from rmtsim.verdicts._models.richardson import cautious_ends

    low, high = cautious_ends(sizes, values, errors, [item.exponent for item in found.series])
    return min(low, found.interval[0]), max(high, found.interval[1])


def _cut(ends: tuple[float, float], possible: tuple[float, float]) -> tuple[float, float] | None:
    """The possible part of an interval; None if it is empty."""
    low, high = max(ends[0], possible[0]), min(ends[1], possible[1])
    return (low, high) if low <= high else None


def sequence_breakdown(
    sizes: Sequence[float],
    values: Sequence[float],
    errors: Sequence[float],
    exponents: tuple[float, ...],
    analysis: Analysis,
    stands: Callable[[tuple[float, float]], bool],
    possible: tuple[float, float] = ANYTHING,
) -> float:
    """Breakdown point of a verdict on a noise-free sequence."""
    from rmtsim.verdicts._models.richardson import slow_extrapolations

    if len(sizes) < 3:
        return min(exponents)
    half = (analysis.interval[1] - analysis.interval[0]) / 2
    items = slow_extrapolations(sizes, values, errors, slow_corrections(tuple(sizes), exponents), half)
    ends = [(item.exponent, *cut) for item in items if (cut := _cut(item.ends, possible)) is not None]
    tried = exponents_tried(exponents)
    speeds = np.array([*tried, *(speed for speed, _, _ in ends)])
    nothing = np.full(len(tried), math.nan)
    low, high = (np.array([*nothing, *(end[side] for end in ends)]) for side in (1, 2))
    return breakdown_of(speeds, low, high, np.isfinite(low), analysis.interval, stands, exponents)


def limit_breakdown(
    means: MeanSet,
    exponents: tuple[float, ...],
    analysis: Analysis,
    stands: Callable[[tuple[float, float]], bool],
    possible: tuple[float, float] = ANYTHING,
) -> float:
    """Exponent of the slowest correction under which a verdict on a limit holds."""
    terms = () if analysis.fit is None else analysis.fit.needed
    slow = slow_families(means.sizes, exponents, terms, flat=analysis.needed == 0)
    # If the data need two terms on four sizes, a third cannot be tested: no slower correction is excluded.
    if any(len(each) + 1 >= len(means.sizes) for each in terms) and len(means.sizes) > 3:
        return min(exponents)
    return _breakdown(means, slow, exponents, analysis, stands, possible)


def rate_breakdown(
    means: MeanSet,
    exponents: tuple[float, ...],
    analysis: Analysis,
    stands: Callable[[tuple[float, float]], bool],
) -> float:
    """The same for a rate, whose relative correction is slow."""
    logs = logarithms(means)
    slow = slow_rates(logs.sizes, exponents)
    return _breakdown(logs, [] if slow is None else [slow], exponents, analysis, stands, ANYTHING)


def _breakdown(
    means: MeanSet,
    slow: Sequence[SlowFamily],
    exponents: tuple[float, ...],
    analysis: Analysis,
    stands: Callable[[tuple[float, float]], bool],
    possible: tuple[float, float],
) -> float:
    if not slow:
        return min(exponents)
    found = [project(means, each.family, possible) for each in slow]
    whole = found[0].joined(*found[1:])
    speeds = np.concatenate([each.speeds for each in slow])
    return breakdown_of(speeds, whole.low, whole.high, whole.admissible, analysis.interval, stands, exponents)


def logarithms(means: MeanSet) -> MeanSet:
    """The set of means for log|value|; means that may be zero are bounded on one side only."""
    low, high = means.ends
    sign = 1.0 if means.values[int(np.argmax(np.abs(means.values) / (high - low + 1e-300)))] >= 0 else -1.0
    low, high = (low, high) if sign > 0 else (-high, -low)
    values = sign * means.values
    with np.errstate(divide="ignore", invalid="ignore"):
        log_low = np.where(low > 0, np.log(np.maximum(low, 1e-300)), -math.inf)
        # If the sign is unknown, the absolute value of the mean is at most the larger end.
        log_high = np.log(np.maximum(np.maximum(high, np.where(low > 0, high, -low)), 1e-300))
        log_values = np.where(values > 0, np.log(np.maximum(values, 1e-300)), -math.inf)
    if means.axes is not None and means.correlation is None and np.isfinite(log_low).all():
        # The ellipsoid in logarithms: the longer side of each axis makes it conservative. (A correlated ellipsoid is
        # replaced by the box around it, since unequal scaling of the coordinates could make it too small.)
        return MeanSet(means.sizes, log_values, axes=np.maximum(log_high - log_values, log_values - log_low))
    return MeanSet(means.sizes, log_values, low=log_low, high=log_high)


def analyse_rate(
    means: MeanSet,
    exponents: tuple[float, ...],
    *,
    refine: bool = True,
    settled: Callable[[tuple[float, float]], bool] | None = None,
) -> Analysis:
    """Interval for β in |mean| ~ size^-β; means that may be zero give upper bounds only.

    Means of both signs do not follow a power: the correction was as large as the power itself.
    """
    low, high = means.ends
    if (low > 0).any() and (high < 0).any():
        return replace(UNKNOWN, described=False)
    logs = logarithms(means)
    fit = fitted(logs, rate_families(logs.sizes, exponents), refine=refine, settled=settled)
    return _from_fit(fit, 1) or replace(UNKNOWN, described=False)
