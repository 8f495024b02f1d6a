"""Piecewise Chebyshev series: functions on consecutive intervals, evaluated at many points at once."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev

from rmtsim._internal.arrays import FloatArray


def evaluate(
    ends: FloatArray, coefficients: FloatArray, s: FloatArray, *, derivative: bool = False
) -> FloatArray:
    """The series with these ``coefficients`` (a row an interval of ``ends``), or its derivative, at points within.

    >>> evaluate(np.array([0.0, 1.0, 3.0]), np.array([[0.5, 0.5], [2.0, 1.0]]), np.array([0.25, 2.0]))
    array([0.25, 2.  ])
    """
    place = np.clip(np.searchsorted(ends, s, side="right") - 1, 0, len(ends) - 2)
    length = ends[place + 1] - ends[place]
    x = 2 * (s - ends[place]) / length - 1
    if derivative:
        slopes = np.asarray(chebyshev.chebder(coefficients, axis=1), dtype=np.float64)
        return np.asarray(_clenshaw(slopes[place], x) * 2 / length)
    return _clenshaw(coefficients[place], x)


def _clenshaw(rows: FloatArray, x: FloatArray) -> FloatArray:
    above, higher = np.zeros(x.shape), np.zeros(x.shape)
    for k in range(rows.shape[1] - 1, 0, -1):
        above, higher = 2 * x * above - higher + rows[:, k], above
    return np.asarray(x * above - higher + rows[:, 0])
