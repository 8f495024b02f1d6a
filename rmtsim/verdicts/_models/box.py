"""Boxes, where quantities have known bounds: the interval for the target under each model, from corners of the box."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts._models.family import Family
from rmtsim.verdicts._models.projection import Projection

_AT_ONCE = 2**17
"""Numbers per array while a box is projected: a mebibyte stays near the processor."""


def project_box(low: NDArray[np.float64], high: NDArray[np.float64], family: Family) -> Projection:
    """Intervals of the target when each mean lies in its own interval [low_k, high_k] (ends may be infinite).

    A linear programme in two or three unknowns: its extremes lie where as many constraints meet. Models with two free
    terms need finite ends; where one is infinite they allow anything.
    """
    models, count = family.leads.shape
    if count == 1:
        shift = family.offsets[:, 0]
        return _from_ends(low[0] - shift, high[0] - shift, np.ones(models, dtype=bool))
    terms = family.forms.shape[1]
    open_ended = not (np.isfinite(low).all() and np.isfinite(high).all())
    if terms > 1 and open_ended:
        endless = np.full(models, math.inf)
        return _from_ends(-endless, endless, np.ones(models, dtype=bool))
    least: NDArray[np.float64] = np.full(models, math.inf)
    greatest: NDArray[np.float64] = np.full(models, -math.inf)
    slack = 1e-9 * np.maximum(np.where(np.isfinite(high - low), high - low, 1.0), 1e-12)
    floor, ceiling = (end[:, None, None, None] for end in (low - slack, high + slack))
    columns, offsets = family.columns[:, :, None, None], family.offsets.T[:, None, None]
    sides = np.array(list(itertools.product((0, 1), repeat=1 + terms)))
    at_once = max(1, _AT_ONCE // (count * len(sides) * models))
    choices, sound, solving = family.meetings
    for first in range(0, len(choices), at_once):
        # Arrays are (choices, corners, models); sums are explicit, because contractions over so few terms are slow.
        now = slice(first, first + at_once)
        sizes, usable, inverse = choices[now], sound[now], solving[now]
        corners = np.where(sides, high[sizes][:, None], low[sizes][:, None])
        finite = np.asarray(np.isfinite(corners).all(axis=2))
        corners = np.where(finite[..., None], corners, 0.0)
        right = [corners[..., k, None] - family.offsets.T[sizes[:, k], None] for k in range(1 + terms)]
        unknowns = [
            _sum_of_products([inverse[:, row, k, None] for k in range(1 + terms)], right)
            for row in range(1 + terms)
        ]
        value = offsets + _sum_of_products(unknowns, columns)
        good = usable[:, None] & finite[..., None] & ((value >= floor) & (value <= ceiling)).all(axis=0)
        least = np.minimum(least, np.where(good, unknowns[0], math.inf).min(axis=(0, 1)))
        greatest = np.maximum(greatest, np.where(good, unknowns[0], -math.inf).max(axis=(0, 1)))
    keep = least <= greatest
    # If an end is infinite, the set may be unbounded: move far along the ray of each vertex.
    if open_ended and keep.any():
        upper_open, lower_open = _open_ends(low, high, family)
        least = np.where(keep & lower_open, -math.inf, least)
        greatest = np.where(keep & upper_open, math.inf, greatest)
    return _from_ends(least, greatest, keep)


def _sum_of_products(
    one: Iterable[NDArray[np.float64]], other: Iterable[NDArray[np.float64]]
) -> NDArray[np.float64]:
    return functools.reduce(operator.add, map(operator.mul, one, other))


def _from_ends(
    least: NDArray[np.float64], greatest: NDArray[np.float64], keep: NDArray[np.bool_]
) -> Projection:
    """Intervals of a box: every model that passes fits alike."""
    nan = np.full(keep.shape, math.nan)
    return Projection(
        np.where(keep, least, nan),
        np.where(keep, greatest, nan),
        np.where(keep, _middle(least, greatest), math.nan),
        np.where(keep, 0.5, math.inf),
    )


def _open_ends(
    low: NDArray[np.float64], high: NDArray[np.float64], family: Family
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the target may grow (fall) without bound: there is a direction that keeps every constraint valid."""
    models = len(family)
    result = []
    for sign in (1.0, -1.0):
        # Direction (sign, a): sign·lead_k + a·form_k must be ≤ 0 where high_k is finite, ≥ 0 where low_k is.
        a_low, a_high = np.full(models, -math.inf), np.full(models, math.inf)
        for k in range(len(low)):
            lead, form = sign * family.leads[:, k], family.forms[:, 0, k]
            ratio = -lead / np.where(form == 0, 1e-300, form)
            positive = form > 0
            if np.isfinite(high[k]):
                a_high = np.where(positive, np.minimum(a_high, ratio), a_high)
                a_low = np.where(~positive, np.maximum(a_low, ratio), a_low)
            if np.isfinite(low[k]):
                a_low = np.where(positive, np.maximum(a_low, ratio), a_low)
                a_high = np.where(~positive, np.minimum(a_high, ratio), a_high)
        result.append(a_low <= a_high + 1e-12 * np.abs(a_high))
    return result[0], result[1]


def _middle(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (low + high)
    return np.where(
        np.isfinite(middle), middle, np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0))
    )
