"""Symmetric tridiagonal matrices: Sturm counts, extreme eigenvalues by bisection with them, traces of resolvents."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.jit import kernel


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


@kernel
def count_above(diagonal: FloatArray, squares: FloatArray, point: float) -> int:
    """How many eigenvalues exceed ``point``: the positive pivots of T - x."""
    above = 0
    pivot = 1.0
    for i in range(len(diagonal)):
        pivot = diagonal[i] - point - (squares[i - 1] / pivot if i else 0.0)
        if abs(pivot) < 1e-290:
            pivot = -1e-290
        if pivot > 0:
            above += 1
    return above


@kernel
def resolvent_trace(diagonal, squares, z):  # type: ignore[no-untyped-def]
    """tr (T - z)⁻¹ for Im z > 0: the pivots from above and from below meet in every diagonal entry of the inverse.

    Pivots have imaginary parts of at most -Im z, so that none of them vanishes.
    """
    size = len(diagonal)
    below = np.empty(size, dtype=np.complex128)
    below[size - 1] = diagonal[size - 1] - z
    for i in range(size - 2, -1, -1):
        below[i] = diagonal[i] - z - squares[i] / below[i + 1]
    total = 1.0 / below[0]
    above = diagonal[0] - z
    for i in range(1, size):
        carried = squares[i - 1] / above
        total += 1.0 / (below[i] - carried)
        above = diagonal[i] - z - carried
    return total
