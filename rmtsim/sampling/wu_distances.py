"""Energy distances between simulated values and the laws ``wu`` prints, unbiased over the inputs.

The energy distance 2E‖Y-Z‖ - E‖Y-Y'‖ - E‖Z-Z'‖ of two laws is zero if and only if they are equal. Each
expectation is estimated over pairs of different draws, so the estimate has no bias at any number of inputs.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from numpy.typing import NDArray

__all__ = ["energy_distance", "rectified_energy_distance"]

Array = NDArray[np.float64]


def rectified_energy_distance(values: Array, variance: float) -> float:
    """Mean over columns of the energy distance between a column's law and the rectified N(0, variance).

    E|t - Z| and E|Z - Z'| of Z = max(N(0, variance), 0) are closed forms; only ``values`` are random.
    """
    count = values.shape[0]
    deviation = math.sqrt(variance)
    scaled = values / deviation
    density = np.exp(-0.5 * scaled**2) / math.sqrt(2 * math.pi)
    cross = values * (2 * scipy.special.ndtr(scaled) - 1) + deviation * (
        2 * density - 1 / math.sqrt(2 * math.pi)
    )
    ordered = np.sort(values, axis=0)
    own = 2 * (2 * np.arange(count) - count + 1) @ ordered / (count * (count - 1))
    return float((2 * cross.mean(axis=0) - own).mean() - deviation / math.sqrt(math.pi))


def _mean_distance(first: Array, second: Array | None = None) -> float:
    """Mean distance over pairs: all of two samples, or different ones of one sample."""
    if second is None:
        count = first.shape[0]
        return float(_mean_distance(first, first) * count / (count - 1))
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2 * first @ second.T
    return float(np.sqrt(np.maximum(squares, 0.0)).mean())


def energy_distance(first: Array, second: Array) -> float:
    """Energy distance of the laws of two independent samples (rows), unbiased.

    >>> rng = np.random.default_rng(0)
    >>> same = energy_distance(rng.standard_normal((400, 2)), rng.standard_normal((400, 2)))
    >>> abs(same) < 0.02
    True
    """
    return 2 * _mean_distance(first, second) - _mean_distance(first) - _mean_distance(second)
