"""The band of admissible finite-size models over sizes, for figures."""

from __future__ import annotations

import numpy as np

from rmtsim.verdicts.evidence.mean_set import MeanSet
from rmtsim.verdicts.models.family import Family
from rmtsim.verdicts.models.projection import Projection

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
    members = np.flatnonzero(projection.admissible)
    form, fine = family.forms[members, 0], family.corrections(members, grid)
    # Rows: the least, best and greatest limit of each admissible model.
    limits = np.stack([part[members] for part in (projection.low, projection.centre, projection.high)])
    gaps = means.values - limits[..., None]
    amplitudes = (weight * form * gaps).sum(axis=-1) / (weight * form**2).sum(axis=-1)
    curves = limits[..., None] + amplitudes[..., None] * fine
    lowest, highest = curves.min(axis=(0, 1)), curves.max(axis=(0, 1))
    best = curves[1, int(np.argmin(projection.quality[members]))]
    return tuple(
        (float(size), float(a), float(b), float(c))
        for size, a, b, c in zip(grid, lowest, best, highest, strict=True)
    )
