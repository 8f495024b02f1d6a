"""Support edges of the generalised Marchenko–Pastur law: the critical points of the inverse map.

Off the support v is real and z(v) increases there (Silverstein and Choi 1995; the argument does not use
the sign of the population). F(v) = Σ wₖtₖ²/(v - tₖ)² has to stay below ``ratio``. Between two poles F^(-1/2)
is concave, being a power mean of exponent -2 of distances that are linear in v, and it vanishes at the poles.
So every gap between poles holds no critical point or two, and Newton's iteration for F^(-1/2) = ratio^(-1/2)
started at a pole increases to the first of them without passing it, or passes the maximum if there is none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import FloatArray, IndexArray
from rmtsim.laws._inverse_map import Anchors, InverseMap
from rmtsim.laws._roots import increasing_root

_EPS = float(np.finfo(np.float64).eps)
_WINDOW = 16
"""Neighbours on each side that rule out most gaps of a large population."""
_STEPS = 200
_PINCH = 1.25
"""A gap between poles in which F falls below this many ratios, but not below one, counts as a pinch."""


def critical_points(inverse: InverseMap) -> tuple[Anchors, Anchors]:
    """The critical points c₀ < c₁ < … of z(v) that bound the support, and the pinches between them.

    The support is [z(c₀), z(c₁)] ∪ [z(c₂), z(c₃)] …. A pinch is the least F in a gap between poles that falls
    just short of opening a gap of the support: the density is small there, and only an expansion around the
    pinch itself keeps the digits of its root.
    """
    poles = inverse.poles
    last = poles.size - 1
    inner = np.arange(last)
    alive = np.ones(last, dtype=bool)
    ends = np.zeros((2, last))
    wide = _PINCH * inverse.ratio
    if poles.size > 4 * _WINDOW:
        # A part of F bounds F from below, so a gap without critical points of the part has none.
        alive, ends = _climb_pairs(inverse, wide, inner, ends, _WINDOW)
    inner, ends = inner[alive], ends[:, alive]
    alive, ends = _climb_pairs(inverse, wide, inner, ends, None)
    inner, ends = inner[alive], ends[:, alive]
    alive, final_ends = _climb_pairs(inverse, inverse.ratio, inner, ends, None)
    pinches = _pinches(inverse, inner[~alive], ends[:, ~alive])
    inner, ends = inner[alive], final_ends[:, alive]
    first = _climb(inverse, inverse.ratio, np.array([0]), -1.0, np.zeros(1), None)[0]
    final = _climb(inverse, inverse.ratio, np.array([last]), 1.0, np.zeros(1), None)[0]
    # Critical points from left to right: end of the left outer gap, both ends of each inner gap, ….
    base = np.concatenate([poles[:1], np.column_stack([poles[inner], poles[inner + 1]]).ravel(), poles[-1:]])
    offset = np.concatenate([-first, np.column_stack([ends[0], -ends[1]]).ravel(), final])
    leaves = np.concatenate([[True], np.tile([False, True], inner.size), [False]])
    base, offset = _at_origin(inverse, base, offset, leaves)
    edges = inverse.anchors(base, offset, edge=True)
    # Ends that agree to rounding enclose no gap: the intervals touch.
    value = edges.value
    opened = value[2:-1:2] > value[1:-1:2]
    shut = ~opened & (ends[0] + ends[1] < poles[inner + 1] - poles[inner])
    if shut.any():
        pinches = pinches.joined(_pinches(inverse, inner[shut], ends[:, shut]))
    keep = np.concatenate([[True], np.repeat(opened, 2), [True]])
    edges = edges.chosen(keep)
    # Edges of an interval of tiny mass may agree to all digits, so that rounding determines their order.
    order = np.lexsort((edges.value_low, edges.value))
    return replace(edges, value=edges.value[order], value_low=edges.value_low[order]), pinches


def _pinches(inverse: InverseMap, inner: IndexArray, ends: FloatArray) -> Anchors:
    """Where F is least in these gaps, the ends of the level set F = _PINCH·ratio around it being known.

    F is convex between poles, so its slope has one zero there: Newton inside a shrinking bracket.
    """
    poles, weights = inverse.poles, inverse.weights
    width = poles[inner + 1] - poles[inner]
    # Measured from the nearer pole of the two, which keeps the digits.
    left = ends[0] <= ends[1]
    side = np.where(left, 1.0, -1.0)
    base = np.where(left, poles[inner], poles[inner + 1])
    near, far = np.where(left, ends, ends[::-1])
    low, high = np.minimum(near, width - far), np.maximum(near, width - far)
    offset = np.empty(inner.size)
    step = inverse.rows()
    for begin in range(0, inner.size, step):
        rows = slice(begin, begin + step)
        columns = poles[None, :] - base[rows, None]
        direction = side[rows]

        def slope(
            y: FloatArray,
            k: IndexArray,
            columns: FloatArray = columns,
            direction: FloatArray = direction,
        ) -> tuple[FloatArray, FloatArray]:
            gap = 1 / (direction[k, None] * y[:, None] - columns[k])
            square = weights * (poles * gap) ** 2
            first = -2 * direction[k] * (square * gap).sum(axis=1)
            return first, 6 * (square * gap * gap).sum(axis=1)

        offset[rows] = direction * increasing_root(slope, low[rows], high[rows])
    return inverse.anchors(base, offset, edge=False)


def origin(inverse: InverseMap) -> Anchors:
    """The anchor v = 0, z = 0, with z'(0) = ratio - share."""
    zero = np.zeros(1)
    return Anchors(zero, zero, zero, np.array([sum(inverse.spare)]), zero)


def _climb_pairs(
    inverse: InverseMap, ratio: float, inner: IndexArray, ends: FloatArray, window: int | None
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Distances of the critical points from the poles on both sides of the inner gaps, where they exist."""
    left, left_found = _climb(inverse, ratio, inner, 1.0, ends[0], window)
    right, right_found = _climb(inverse, ratio, inner + 1, -1.0, ends[1], window)
    width = inverse.poles[inner + 1] - inverse.poles[inner]
    return left_found & right_found & (left + right < width), np.array([left, right])


def _climb(
    inverse: InverseMap,
    ratio: float,
    at: IndexArray,
    direction: float,
    start: FloatArray,
    window: int | None,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Distance of the first point with F = ratio from pole ``at`` in a direction, and whether there is one."""
    poles, weights = inverse.poles, inverse.weights
    # The pole by itself puts its critical point at this distance; more poles push it further out.
    distance = np.maximum(start, np.abs(poles[at]) * np.sqrt(weights[at] / ratio))
    found = np.zeros(at.shape, dtype=bool)
    step_rows = inverse.rows() if window is None else max(1, 2**15 // (2 * window + 1))
    neighbours = None if window is None else np.arange(-window, window + 1)
    limit = np.full(at.shape, np.inf)
    has_next = (at + int(direction) >= 0) & (at + int(direction) < poles.size)
    limit[has_next] = np.abs(poles[at[has_next] + int(direction)] - poles[at[has_next]])
    for first in range(0, at.size, step_rows):
        live = np.arange(first, min(first + step_rows, at.size))
        for _ in range(_STEPS):
            here, y = at[live], distance[live]
            if neighbours is None:
                columns = poles[None, :] - poles[here, None]
                atoms, masses = poles[None, :], weights[None, :]
            else:
                places = np.clip(here[:, None] + neighbours, 0, poles.size - 1)
                columns = poles[places] - poles[here, None]
                # A neighbour repeated by clipping counts once.
                inside = (here[:, None] + neighbours >= 0) & (here[:, None] + neighbours < poles.size)
                atoms, masses = poles[places], weights[places] * inside
            with np.errstate(all="ignore"):
                inverse_gap = 1 / (direction * y[:, None] - columns)
                quotient = atoms * inverse_gap
                quotient *= quotient
                quotient *= masses
                total = quotient.sum(axis=1)
                turn = -2 * direction * np.einsum("ij,ij->i", quotient, inverse_gap)
                root = np.sqrt(total / ratio)
                # Newton for F^(-1/2): its value and slope are F^(-1/2) and -F'/(2 F^(3/2)).
                step = 2 * total * (root - 1) / -turn
            arrived = (root <= 1 + 2 * _EPS) | ((turn < 0) & (step <= 2 * _EPS * y))
            over = ~arrived & ((turn >= 0) | (y + step >= limit[live]) | ~np.isfinite(step))
            found[live[arrived]] = True
            moving = ~(arrived | over)
            distance[live[moving]] += step[moving]
            live = live[moving]
            if not live.size:
                break
        # Not converged after so many steps: two critical points agree there to all digits.
    return distance, found


def _at_origin(
    inverse: InverseMap, base: FloatArray, offset: FloatArray, leaves: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Critical points nearer to zero than to their pole, redone around zero, where z = v·(…) keeps digits.

    ``leaves`` marks the points at which z(v) stops increasing.
    """
    poles, weights, slope = inverse.poles, inverse.weights, sum(inverse.spare)
    base, offset = base.copy(), offset.copy()
    location = np.abs(base + offset)
    for k in np.flatnonzero((location < np.abs(offset)) & (location < np.abs(base))):
        start = v = float(base[k] + offset[k])
        if slope == 0:
            # Other critical points may lie nearer to zero than to their pole, but not at zero to rounding.
            if location[k] <= 1e-5 * abs(offset[k]) and _is_origin(inverse, bool(leaves[k])):
                base[k] = offset[k] = 0.0
            continue
        for _ in range(60):
            # z'(v) = (ratio - share) - v Σ wₖ(2tₖ - v)/(v - tₖ)²: exact where z' nearly vanishes at 0.
            gap = 1 / (v - poles)
            value = slope - v * float(np.sum(weights * (2 * poles - v) * gap * gap))
            step = value / (2 * float(np.sum(weights * (poles * gap) ** 2 * gap)))
            v -= step
            if not abs(step) > 2 * _EPS * abs(v):
                break
        # The first result is right up to the rounding of the pole; anything else is another root.
        if abs(v - start) <= 1e-5 * abs(offset[k]):
            base[k], offset[k] = 0.0, v
    return base, offset


def _is_origin(inverse: InverseMap, leaves: bool) -> bool:
    """Whether, with a critical point at v = 0, it is the one at which z stops increasing (or else begins)."""
    # z''(0) = -2 Σ wₖ/tₖ.
    bend = float(np.sum(inverse.weights / inverse.poles))
    return bend > 0 if leaves else bend < 0
