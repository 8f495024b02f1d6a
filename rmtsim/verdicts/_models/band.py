"""The band of admissible finite-size models over sizes, for figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts._models.fit import Fit, curves_of

Curve = tuple[tuple[float, float, float, float], ...]
"""Rows (size, lowest, best, highest)."""

_POINTS = 40
_REACH = 8.0
"""The band is drawn to this multiple of the largest size."""


def model_band(fit: Fit) -> Curve:
    """Lowest, best and highest admissible model at sizes from the smallest to eight times the largest.

    Each admissible model enters with the least, best and greatest limit it allows and the amplitudes that then
    fit best.
    """
    means = fit.means
    if fit.hull is None or len(means.sizes) < 2:
        return ()
    grid = np.geomspace(means.sizes[0], _REACH * means.sizes[-1], _POINTS)
    lowest, highest = band_at(fit, grid)
    family, projection, member = fit.best
    centre = projection.centre[[member]][None]
    chosen = np.array([member])
    best = curves_of(means.values, fit.weight, centre, family.forms[chosen], family.corrections(chosen, grid))
    return tuple(
        (float(size), float(a), float(b), float(c))
        for size, a, b, c in zip(grid, lowest, best[0, 0], highest, strict=True)
    )


def band_at(fit: Fit, sizes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest admissible model at ``sizes``."""
    low, high = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    for family, projection in fit.parts:
        members = np.flatnonzero(projection.admissible)
        if len(members) == 0:
            continue
        # Rows: the least, best and greatest limit of each admissible model.
        limits = np.stack([part[members] for part in (projection.low, projection.centre, projection.high)])
        fine = family.corrections(members, sizes)
        curves = curves_of(fit.means.values, fit.weight, limits, family.forms[members], fine)
        low, high = np.minimum(low, curves.min(axis=(0, 1))), np.maximum(high, curves.max(axis=(0, 1)))
    return low, high
