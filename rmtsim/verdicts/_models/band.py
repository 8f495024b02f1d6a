"""The band of admissible finite-size models over sizes, for figures."""

from __future__ import annotations

import numpy as np

from rmtsim.verdicts._models.fit import Fit, curves_of

__all__ = ["Curve", "model_band"]

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
    n = np.asarray(means.sizes, dtype=float)
    grid = np.geomspace(n[0], _REACH * n[-1], _POINTS)
    weight = fit.weight
    curves = []
    for family, projection in fit.parts:
        members = np.flatnonzero(projection.admissible)
        if len(members) == 0:
            continue
        # Rows: the least, best and greatest limit of each admissible model.
        limits = np.stack([part[members] for part in (projection.low, projection.centre, projection.high)])
        curves.append(
            curves_of(means.values, weight, limits, family.forms[members], family.corrections(members, grid))
        )
    everything = np.concatenate(curves, axis=1)
    family, projection, member = fit.best
    centre = projection.centre[[member]][None]
    chosen = np.array([member])
    best = curves_of(means.values, weight, centre, family.forms[chosen], family.corrections(chosen, grid))[
        0, 0
    ]
    lowest, highest = everything.min(axis=(0, 1)), everything.max(axis=(0, 1))
    return tuple(
        (float(size), float(a), float(b), float(c))
        for size, a, b, c in zip(grid, lowest, best, highest, strict=True)
    )
