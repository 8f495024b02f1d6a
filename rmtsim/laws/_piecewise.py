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
    place = np.searchsorted(ends[1:-1], s, side="right")
    length = (ends[1:] - ends[:-1])[place]
    x = 2 * (s - ends[place]) / length - 1
    if derivative:
        slopes = np.asarray(chebyshev.chebder(coefficients, axis=1), dtype=np.float64)
        return np.asarray(_clenshaw(slopes.T[:, place], x) * 2 / length)
    return _clenshaw(coefficients.T[:, place], x)


def _clenshaw(columns: FloatArray, x: FloatArray) -> FloatArray:
    """Sums of Chebyshev series, the coefficients of one order in a row; one array is allocated for each order."""
    twice = 2 * x
    above, higher = np.zeros(x.shape), np.zeros(x.shape)
    for row in columns[:0:-1]:
        # above, higher = 2x·above - higher + row, above
        np.subtract(row, higher, out=higher)
        higher += twice * above
        above, higher = higher, above
    return np.asarray(x * above - higher + columns[0])
