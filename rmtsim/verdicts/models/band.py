"""The band of admissible finite-size models over sizes, for figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.verdicts.models.fit import Fit

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
    low, high = means.ends
    # Relative weights: exact values have no width at all, and one over its square would overflow.
    width = np.maximum(high - low, np.finfo(float).eps * max(float(np.abs(means.values).max()), 1e-290))
    weight = width.min() / width
    curves = []
    for family, projection in fit.parts:
        members = np.flatnonzero(projection.admissible)
        if len(members) == 0:
            continue
        # Rows: the least, best and greatest limit of each admissible model.
        limits = np.stack([part[members] for part in (projection.low, projection.centre, projection.high)])
        curves.append(
            _curves(means.values, weight, limits, family.forms[members], family.corrections(members, grid))
        )
    everything = np.concatenate(curves, axis=1)
    family, projection, member = fit.best
    centre = projection.centre[[member]][None]
    chosen = np.array([member])
    best = _curves(means.values, weight, centre, family.forms[chosen], family.corrections(chosen, grid))[0, 0]
    lowest, highest = everything.min(axis=(0, 1)), everything.max(axis=(0, 1))
    return tuple(
        (float(size), float(a), float(b), float(c))
        for size, a, b, c in zip(grid, lowest, best, highest, strict=True)
    )


def _curves(
    values: NDArray[np.float64],
    weight: NDArray[np.float64],
    limits: NDArray[np.float64],
    forms: NDArray[np.float64],
    fine: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Models with given limits, (3, models), at finer sizes: amplitudes by least squares."""
    solve = np.linalg.pinv((forms * weight).transpose(0, 2, 1))
    amplitudes = np.einsum("mtk,lmk->lmt", solve, (values - limits[..., None]) * weight)
    return np.asarray(limits[..., None] + np.einsum("lmt,mts->lms", amplitudes, fine))
