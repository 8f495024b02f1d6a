"""Roots of increasing functions, many at once: Newton steps inside a bracket that always shrinks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.errors import ConvergenceError

__all__ = ["increasing_root"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

_STEP = 4 * np.finfo(np.float64).eps
_ITERATIONS = 250


def increasing_root(
    function: Callable[[FloatArray, IndexArray], tuple[FloatArray, FloatArray]],
    low: FloatArray,
    high: FloatArray,
    start: FloatArray | None = None,
    noise: FloatArray | float = 0.0,
) -> FloatArray:
    """x in [low, high] with function(x) = 0, element by element, for increasing functions.

    ``function(x, index)`` returns values and slopes at ``x`` for the problems numbered ``index``; a slope
    that is wrong, infinite or NaN costs time, not correctness, because a Newton step is taken only inside
    the bracket and while steps halve; all others bisect. A value of at most
    ``noise`` in size is a root: below the rounding errors of ``function`` signs mean nothing.

    >>> increasing_root(lambda x, k: (x**3 - 8.0, 3 * x**2), np.array([0.0]), np.array([3.0]))
    array([2.])
    """
    low, high = low.astype(np.float64), high.astype(np.float64)
    x = 0.5 * (low + high) if start is None else np.clip(start, low, high)
    active = np.flatnonzero(high > low)
    noise = np.broadcast_to(noise, x.shape)
    last = high - low
    for _ in range(_ITERATIONS):
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
        candidate = np.where(good, candidate, 0.5 * (bottom + top))
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
