"""Extreme eigenvalues of symmetric tridiagonal matrices by bisection with Sturm counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.jit import kernel

__all__ = ["kth_largest"]

FloatArray = NDArray[np.float64]


@kernel
def kth_largest(diagonal: FloatArray, squares: FloatArray, rank: int, low: float, high: float) -> float:
    """The eigenvalue with rank - 1 above it, to rounding; ``squares`` are those of the off-diagonal.

    All eigenvalues lie in [low, high]. The positive pivots of T - x are as many as the eigenvalues above x; counting
    stops as soon as there are enough of them.
    """
    tiny = 1e-290 + 1e-30 * (high - low)
    while True:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            return high
        above = 0
        pivot = 1.0
        for i in range(len(diagonal)):
            pivot = diagonal[i] - middle - (squares[i - 1] / pivot if i else 0.0)
            if abs(pivot) < tiny:
                pivot = -tiny
            if pivot > 0:
                above += 1
                if above >= rank:
                    break
        if above >= rank:
            low = middle
        else:
            high = middle
