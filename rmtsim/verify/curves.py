"""The band of admissible finite-size models over sizes, for figures."""

from __future__ import annotations

import math

import numpy as np

from rmtsim.verify.evidence import MeanSet
from rmtsim.verify.fits import Projection
from rmtsim.verify.shapes import Family

__all__ = ["Curve", "model_band"]

Curve = tuple[tuple[float, float, float, float], ...]
"""Rows (size, lowest, best, highest)."""

_POINTS = 40
_REACH = 8.0
"""The band is drawn to this multiple of the largest size."""


def model_band(means: MeanSet, family: Family, projection: Projection) -> Curve:
    """Lowest, best and highest admissible model at sizes from the smallest to eight times the largest.

    Each admissible model enters with the least, best and greatest limit it allows and the amplitude that then
    fits best. Empty for families with two free terms.
    """
    if family.kind != "limit" or not projection.admissible.any() or len(means.sizes) < 2:
        return ()
    n = np.asarray(means.sizes, dtype=float)
    grid = np.geomspace(n[0], _REACH * n[-1], _POINTS)
    low, high = means.ends
    # Relative weights: exact values have no width at all, and one over its square would overflow.
    width = np.maximum(high - low, np.finfo(float).eps * max(float(np.abs(means.values).max()), 1e-290))
    weight = (width.min() / width) ** 2
    lowest, highest = np.full(_POINTS, math.inf), np.full(_POINTS, -math.inf)
    best = np.zeros(_POINTS)
    for member in np.flatnonzero(projection.admissible).tolist():
        x = (grid / n[0]) ** -family.exponents[member]
        form, fine = family.forms[member, 0], x + family.taus[member] * x**2
        for limit in (projection.low[member], projection.centre[member], projection.high[member]):
            amplitude = float((weight * form * (means.values - limit)).sum() / (weight * form**2).sum())
            curve = limit + amplitude * fine
            lowest, highest = np.minimum(lowest, curve), np.maximum(highest, curve)
            if member == projection.best and limit == projection.centre[member]:
                best = curve
    return tuple(
        (float(size), float(a), float(b), float(c))
        for size, a, b, c in zip(grid, lowest, best, highest, strict=True)
    )
