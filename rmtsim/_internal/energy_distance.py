"""Energy distance between two samples, unbiased.

The energy distance 2E‖Y-Z‖ - E‖Y-Y'‖ - E‖Z-Z'‖ of two laws is zero if and only if they are equal. Each
expectation is estimated over pairs of different draws, so the estimate has no bias at any number of draws.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array

DRAWS = "one draw a row, at least two"
_LARGEST = 1e150


def draws(name: str, values: Array, columns: int | None = None) -> Array:
    """A sample: at least two draws, one a row (a vector is a column), of a size whose squares are doubles."""
    array = validate.real_array(name, values, meaning=DRAWS, copy=False)
    column = array[:, None] if array.ndim == 1 else array
    checked = validate.matrix(name, column, columns=columns, meaning=DRAWS)
    if len(checked) < 2 or np.abs(checked).max() > _LARGEST:
        raise ValueError(f"{name}: expected at least two draws, none beyond ±{_LARGEST:g}")
    return checked


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
    first = draws("first", first)
    second = draws("second", second, columns=first.shape[1])
    return 2 * _mean_distance(first, second) - _mean_distance(first) - _mean_distance(second)
