"""Roots of increasing functions, many at once: Newton steps inside a bracket that always shrinks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal.arrays import FloatArray, IndexArray
from rmtsim.errors import ConvergenceError

_STEP = 4 * np.finfo(np.float64).eps
_ITERATIONS = 250
_PATIENCE = 12
"""Steps after which a bracket that still reaches to zero is cut by orders of magnitude, not by halves."""


def increasing_root(
    function: Callable[[FloatArray, IndexArray], tuple[FloatArray, FloatArray]],
    low: FloatArray,
    high: FloatArray,
    start: FloatArray | None = None,
    noise: FloatArray | float = 0.0,
) -> FloatArray:
    """x in [low, high] with function(x) = 0, element by element, for increasing functions.

    ``function(x, index)`` returns values and slopes at ``x`` for the problems numbered ``index``; a slope that is
    wrong, infinite or NaN only costs time, because a Newton step is taken only inside the bracket and while steps
    halve; otherwise the bracket is bisected. A value of at most ``noise`` in size is a root: below the rounding
    errors of ``function`` its sign is not reliable.

    >>> increasing_root(lambda x, k: (x**3 - 8.0, 3 * x**2), np.array([0.0]), np.array([3.0]))
    array([2.])
    """
    low, high = low.astype(np.float64), high.astype(np.float64)
    x = 0.5 * (low + high) if start is None else np.clip(start, low, high)
    active = np.flatnonzero(high > low)
    noise = np.broadcast_to(noise, x.shape)
    last = high - low
    for count in range(_ITERATIONS):
        if not active.size:
            return x
        here = x[active]
        value, slope = function(here, active)
        below, above = value < 0, value > 0
        low[active[below]] = here[below]
        high[active[above]] = here[above]
        bottom, top = low[active], high[active]
        with np.errstate(all="ignore"):
            candidate = here - value / slope
        # A Newton step that is not half the last one is not converging: bisect instead.
        good = (candidate > bottom) & (candidate < top) & (np.abs(candidate - here) <= 0.5 * last[active])
        candidate = np.where(good, candidate, _halfway(bottom, top, patient=count < _PATIENCE))
        last[active] = np.where(good, np.abs(candidate - here), 0.5 * (top - bottom))
        exact = np.abs(value) <= noise[active]
        candidate[exact] = here[exact]
        done = np.abs(candidate - here) <= _STEP * np.abs(candidate)
        done |= (top - bottom <= _STEP * np.maximum(np.abs(bottom), np.abs(top))) | exact
        x[active] = candidate
        active = active[~done]
    residual = float(np.max(high[active] - low[active]))
    raise ConvergenceError(
        f"root not isolated after {_ITERATIONS} steps (bracket of width {residual:.3g})",
        residual=residual,
        iterations=_ITERATIONS,
    )


def _halfway(low: FloatArray, high: FloatArray, patient: bool) -> FloatArray:
    """The middle, or the geometric middle of a bracket whose ends differ in order of magnitude."""
    middle = 0.5 * (low + high)
    if patient:
        return middle
    near, far = np.minimum(np.abs(low), np.abs(high)), np.maximum(np.abs(low), np.abs(high))
    one_sided = (low >= 0) | (high <= 0)
    geometric = np.sign(middle) * np.where(near > 0, np.sqrt(near) * np.sqrt(far), 1e-6 * far)
    return np.where(one_sided & (far > 4 * near), geometric, middle)
