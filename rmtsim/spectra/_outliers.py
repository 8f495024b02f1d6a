"""Which eigenvalues lie outside the bulk: Tracy–Widom tests from the largest on, each against those below it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rmtsim._internal.arrays import FloatArray, Mask
from rmtsim._internal.docstrings import frozen
from rmtsim.spectra._bulk import Bulk, Frame

_SCREEN = 1e-4
"""Level of the preliminary test: strict, because only strong outliers mask each other."""
SHARE = 0.25
"""Largest share of the eigenvalues that may be called components."""
_LEAST = 8
"""Eigenvalues that a bulk needs: with fewer nothing is called an outlier."""


@frozen(eq=False)
class Separation:
    """Outliers with the logarithms of their p-values (running maxima), and the tail of the first one kept."""

    outliers: Mask
    log_tails: FloatArray
    """One a tested eigenvalue: the outliers from the top, then (Wigner) those from the bottom."""
    next_log_tail: float
    """Of the most suspicious eigenvalue that stayed in the bulk."""


def separate(
    values: FloatArray, bulk: Bulk, level: float, *, trimmed: bool = False, both: bool = False
) -> Separation:
    """Test λ₁, λ₂, … (decreasing ``values``) until one is not beyond the bulk of those below it at the level.

    The chance that any true bulk eigenvalue is called an outlier is the level: λ_{r+1} must fail its own test first,
    where r is the true number. With ``both`` the lower end is tested too, half the level at each end.

    The bulk against which λ_j is tested contains λ_j itself (as its null hypothesis says), but not the eigenvalues
    that a preliminary robust test finds too large, so that many spikes of one size do not mask each other.
    """
    estimate = bulk.trimmed if trimmed else bulk.fit
    share = 0.5 * level if both else level
    suspected = screened(values, bulk, both, min(share, _SCREEN))
    top = _walk(values, bulk, estimate, share, suspected, flipped=False)
    if not both:
        outliers = np.zeros(values.shape, dtype=bool)
        outliers[: len(top) - 1] = True
        return Separation(outliers, np.array(top[:-1]), top[-1])
    bottom = _walk(values, bulk, estimate, share, suspected, flipped=True)
    outliers = np.zeros(values.shape, dtype=bool)
    outliers[: len(top) - 1] = True
    outliers[values.size - (len(bottom) - 1) :] = True
    # Bonferroni over the two ends.
    doubled = [min(0.0, tail + math.log(2)) for tail in (*top[:-1], *bottom[:-1])]
    return Separation(outliers, np.array(doubled), min(0.0, math.log(2) + min(top[-1], bottom[-1])))


def _walk(
    values: FloatArray,
    bulk: Bulk,
    estimate: Callable[[FloatArray, Mask], Frame],
    level: float,
    suspected: Mask,
    *,
    flipped: bool,
) -> list[float]:
    """Log tails of the outliers of one end, then that of the first eigenvalue kept."""
    order = np.arange(values.size)[:: -1 if flipped else 1]
    mask = suspected.copy()
    tails: list[float] = []
    most = -math.inf
    for place in order[: max(min(values.size - _LEAST, values.size // 2 + 1), 1)]:
        mask[place] = False
        frame = estimate(values, mask)
        value = float(values[place])
        if flipped:
            value = 2 * frame.centre - value
        most = max(most, bulk.log_tail(value, frame, int(mask.sum())))
        tails.append(most)
        if most > math.log(level):
            return tails
        mask[place] = True
    return [*tails, 0.0] if values.size > _LEAST else [0.0]


def screened(values: FloatArray, bulk: Bulk, both: bool, level: float = _SCREEN) -> Mask:
    """Eigenvalues beyond the bulk of a robust fit, at most half of them: a preliminary test."""
    mask = np.zeros(values.shape, dtype=bool)
    if values.size <= _LEAST:
        return mask
    top = bottom = 0

    def beyond(value: float, frame: Frame) -> bool:
        # Three half-widths from the centre no law of the edge is needed.
        return value > frame.centre + 3 * frame.half or bulk.log_tail(
            value, frame, top + bottom, known=True
        ) < math.log(level)

    while top + bottom < values.size // 2:
        frame = bulk.robust(values, mask)
        if beyond(float(values[top]), frame):
            mask[top] = True
            top += 1
            continue
        if both and beyond(2 * frame.centre - float(values[values.size - 1 - bottom]), frame):
            bottom += 1
            mask[values.size - bottom] = True
            continue
        break
    return mask
