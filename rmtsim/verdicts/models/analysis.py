"""From the set of means to an interval for the limit or the rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts.evidence.mean_set import MeanSet
from rmtsim.verdicts.models.band import model_band
from rmtsim.verdicts.models.family import Family, limit_family, rate_family, two_term_family
from rmtsim.verdicts.models.projection import Projection, project_box, project_ellipsoid, richardson_weights
from rmtsim.verdicts.models.richardson import extrapolate, sequence
from rmtsim.verdicts.results import ModelRow

__all__ = [
    "UNKNOWN",
    "Analysis",
    "analyse_limit",
    "analyse_rate",
    "analyse_sequence",
    "foreseen_limit_widths",
    "foreseen_width",
]


@dataclass(frozen=True)
class Analysis:
    """An interval with its error budget and the models behind it."""

    interval: tuple[float, float]
    estimate: float
    statistical: float
    model: float
    rows: tuple[ModelRow, ...] = ()
    curve: tuple[tuple[float, float, float, float], ...] = ()
    window: int = 0
    """How many of the smallest sizes the admissible models had to leave out."""
    best: str = ""
    """The model behind ``estimate``."""
    weights: tuple[float, ...] = ()
    """Its Richardson weights: what each size's mean counts in the estimate (empty where that is not linear)."""

    def within(self, low: float, high: float) -> Analysis:
        """The same, cut to values the quantity can take."""
        ends = (min(max(self.interval[0], low), high), max(min(self.interval[1], high), low))
        return replace(self, interval=ends, estimate=min(max(self.estimate, low), high))


UNKNOWN = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
"""Before anything was measured."""


def _rows(family: Family, projection: Projection) -> tuple[ModelRow, ...]:
    """One row per name: models that differ only in unnamed parameters are joined."""
    names = family.names
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    which = np.array([numbers[name] for name in names])
    quality = np.where(np.isnan(projection.quality), math.inf, projection.quality)
    rows = []
    for name, number in numbers.items():
        members = which == number
        keep = members & projection.admissible
        ends = (float(projection.low[keep].min()), float(projection.high[keep].max())) if keep.any() else None
        rows.append(ModelRow(name, ends, float(quality[members].min())))
    return tuple(rows)


def _weights(means: MeanSet, family: Family, member: int, window: int) -> tuple[float, ...]:
    if means.axes is None or family.kind == "rate":
        return ()
    found = richardson_weights(means.values, means.axes, family, member, means.correlation)
    return (0.0,) * window + tuple(found.tolist())


def _from_projection(
    means: MeanSet, family: Family, projection: Projection, window: int, rows: bool
) -> Analysis | None:
    hull = projection.hull
    if hull is None:
        return None
    best = projection.best
    half = (hull[1] - hull[0]) / 2
    # Chance alone: what the best model would leave if it were known to be right.
    statistical = min(half, float(projection.high[best] - projection.low[best]) / 2)
    return Analysis(
        hull,
        float(projection.centre[best]),
        statistical,
        half - statistical if math.isfinite(half) else math.inf,
        _rows(family, projection) if rows else (),
        window=window,
        best=family.name(best) if rows else "",
        weights=_weights(means, family, best, window) if rows else (),
    )


def _project(means: MeanSet, family: Family) -> Projection:
    if means.axes is not None:
        return project_ellipsoid(means.values, means.axes, family, means.correlation)
    low, high = means.ends
    return project_box(low, high, family)


def foreseen_width(found: Analysis) -> float:
    """What a plan is judged by. Equal widths (bounded quantities at their bound) are told apart by the noise left."""
    return found.interval[1] - found.interval[0] + 1e-3 * found.statistical


def foreseen_limit_widths(
    means: MeanSet, plans: NDArray[np.float64], exponents: tuple[float, ...]
) -> NDArray[np.float64]:
    """Width of the limit's interval if the ellipsoid of ``means`` had each row of ``plans`` as its axes.

    Coarse grids do for planning, and so do the plain models, unless none is admissible: then widths are infinite.
    """
    return project_ellipsoid(means.values, plans, limit_family(means.sizes, exponents)).widths


REFINEMENTS = 6
"""Passes of refinement, each four times finer: a second term is then known to 10⁻⁴ of its bound."""


def _fitted(means: MeanSet, family: Family, refine: bool) -> tuple[Family, Projection]:
    """Projection over the family, its grid refined where the interval's ends and the best fit lie."""
    projection = _project(means, family)
    local, found = family, projection
    for _ in range(REFINEMENTS if refine and len(means.sizes) > 1 else 0):
        keep = found.admissible
        # Each branch on its own: the best of all may lie on a wrong exponent while the grid is still coarse.
        members = [found.best_of(local.branch == branch) for branch in range(len(local.branches))]
        if keep.any():
            members.append(int(np.argmin(np.where(keep, found.low, math.inf))))
            members.append(int(np.argmax(np.where(keep, found.high, -math.inf))))
        local = local.around(members)
        found = _project(means, local)
        family, projection = family.joined(local), projection.joined(found)
    return family, projection


def analyse_limit(
    means: MeanSet, exponents: tuple[float, ...], *, refine: bool = True, band: bool = False
) -> Analysis:
    """Interval for the limit over all admissible models.

    The smallest sizes are left out only when no model of the family passes through all of them, and three
    sizes are always kept. If noise is so small that nothing passes, the means are extrapolated as a
    deterministic sequence and their noise is added. ``band`` asks for the figure's curves as well.
    """
    count = len(means.sizes)
    for window in range(max(1, count - 2)):
        part = means.since(window)
        family, projection = _fitted(part, limit_family(part.sizes, exponents), refine)
        found = _from_projection(part, family, projection, window, refine)
        if found is None and part.axes is not None and len(part.sizes) >= 4:
            family = two_term_family(part.sizes, exponents)
            projection = _project(part, family)
            found = _from_projection(part, family, projection, window, refine)
        if found is not None:
            return replace(found, curve=model_band(part, family, projection)) if band else found
    low, high = means.ends
    if count < 3 or not np.isfinite(high - low).all():
        return Analysis((-math.inf, math.inf), float(means.values[-1]), math.inf, 0.0)
    return analyse_sequence(means.sizes, means.values.tolist(), ((high - low) / 2).tolist(), exponents)


def analyse_sequence(
    sizes: Sequence[int], values: Sequence[float], errors: Sequence[float], exponents: Sequence[float]
) -> Analysis:
    """Interval for the limit of a noise-free sequence with stated errors."""
    _, known, within = sequence(sizes, values, errors)
    values, errors = known.tolist(), within.tolist()
    if len(values) < 3:
        spread = abs(values[-1] - values[0]) + max(errors)
        return Analysis((values[-1] - spread, values[-1] + spread), values[-1], max(errors), spread)
    found = extrapolate(sizes, values, errors, exponents)
    low = min(item.limit - item.error for item in found)
    high = max(item.limit + item.error for item in found)
    half = (high - low) / 2
    propagated = min(half, found[0].propagated)
    rows = tuple(
        ModelRow(
            f"{item.exponent:.3g}, Richardson table", (item.limit - item.error, item.limit + item.error), 0.0
        )
        for item in found
    )
    return Analysis(
        (low, high),
        found[0].limit,
        propagated,
        half - propagated,
        rows,
        best=rows[0].name,
        weights=found[0].weights,
    )


def analyse_rate(means: MeanSet, exponents: tuple[float, ...], *, refine: bool = True) -> Analysis:
    """Interval for β in |mean| ~ size^-β; means that may be zero give upper bounds only."""
    low, high = means.ends
    sign = 1.0 if means.values[int(np.argmax(np.abs(means.values) / (high - low + 1e-300)))] >= 0 else -1.0
    low, high = (low, high) if sign > 0 else (-high, -low)
    values = sign * means.values
    with np.errstate(divide="ignore", invalid="ignore"):
        log_low = np.where(low > 0, np.log(np.maximum(low, 1e-300)), -math.inf)
        # Where even the sign is open, the size of the mean is at most the larger end's.
        log_high = np.log(np.maximum(np.maximum(high, np.where(low > 0, high, -low)), 1e-300))
        log_values = np.where(values > 0, np.log(np.maximum(values, 1e-300)), -math.inf)
    logs = MeanSet(means.sizes, log_values, low=log_low, high=log_high)
    if means.axes is not None and means.correlation is None and np.isfinite(log_low).all():
        # The ellipsoid in logarithms: the longer side of each axis keeps it on the safe side. (Of a turned
        # ellipsoid the box around it is kept: stretching its coordinates unequally could cut it short.)
        logs = MeanSet(means.sizes, log_values, axes=np.maximum(log_high - log_values, log_values - log_low))
    for window in range(max(1, len(means.sizes) - 2)):
        part = logs.since(window)
        family, projection = _fitted(part, rate_family(part.sizes, exponents), refine)
        found = _from_projection(part, family, projection, window, refine)
        if found is not None:
            return found
    return UNKNOWN
