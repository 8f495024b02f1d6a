"""Sums that an energy distance between a column of numbers and a rectified Gaussian law is made of, in one loop.

The error function is 1 - exp(-z²)·w(u)/(1 + 2z) with u = (z - k)/(z + k): on [-1, 1] the function w is so smooth that a
polynomial of degree twenty has it to rounding. No call and no branch: the loops become vector code.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special

from rmtsim._internal.jit import kernel
from rmtsim._kernels.softmax import exponential

_MIDDLE = 3.75
"""k, where u = 0."""


def _coefficients(degree: int) -> list[float]:
    """Of w(u) = (1 + 2z) exp(z²) erfc(z), z = k(1 + u)/(1 - u), in powers of u, from its values at Chebyshev points."""
    points = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    z = _MIDDLE * (1 + points) / (1 - points)
    series = np.polynomial.chebyshev.chebfit(points, (1 + 2 * z) * scipy.special.erfcx(z), degree)
    return [float(each) for each in np.polynomial.chebyshev.cheb2poly(series)]


_W0, _W1, _W2, _W3, _W4, _W5, _W6, _W7, _W8, _W9, _W10, *_REST = _coefficients(20)
_W11, _W12, _W13, _W14, _W15, _W16, _W17, _W18, _W19, _W20 = _REST
_COLUMNS = 64
"""Columns whose pairs are taken at once, so that they stay in the first cache."""


@kernel
def _w(u):  # type: ignore[no-untyped-def]
    high = _W15 + u * (_W16 + u * (_W17 + u * (_W18 + u * (_W19 + u * _W20))))
    middle = _W8 + u * (_W9 + u * (_W10 + u * (_W11 + u * (_W12 + u * (_W13 + u * (_W14 + u * high))))))
    low = _W4 + u * (_W5 + u * (_W6 + u * (_W7 + u * middle)))
    return _W0 + u * (_W1 + u * (_W2 + u * (_W3 + u * low)))


@kernel
def rectified_sums(values, deviation):  # type: ignore[no-untyped-def]
    """(Σ |t| erf(|t|/σ√2), Σ exp(-t²/2σ²), Σ |t - t'| over pairs of one column), σ = ``deviation``."""
    rows, columns = values.shape
    scale = 1.0 / (deviation * math.sqrt(2.0))
    errors, densities = np.zeros(columns), np.zeros(columns)
    for x in range(rows):
        row = values[x]
        for i in range(columns):
            size = abs(row[i])
            z = size * scale
            density = exponential(-z * z)
            errors[i] += size * (1.0 - density * _w((z - _MIDDLE) / (z + _MIDDLE)) / (1.0 + 2.0 * z))
            densities[i] += density
    distances = 0.0
    for start in range(0, columns, _COLUMNS):
        block = np.empty((rows, min(_COLUMNS, columns - start)))
        for x in range(rows):
            for i in range(block.shape[1]):
                block[x, i] = values[x, start + i]
        distances += _pair_distances(block)
    return errors.sum(), densities.sum(), distances


@kernel
def _pair_distances(values):  # type: ignore[no-untyped-def]
    """Σ |t - t'| over pairs of one column."""
    rows, columns = values.shape
    sums = np.zeros(columns)
    for x in range(1, rows):
        own = values[x]
        # Four partners at a time: a sum is fetched and stored once for all of them.
        whole = x - x % 4
        for y in range(0, whole, 4):
            a, b, c, d = values[y], values[y + 1], values[y + 2], values[y + 3]
            for i in range(columns):
                t = own[i]
                sums[i] += (abs(t - a[i]) + abs(t - b[i])) + (abs(t - c[i]) + abs(t - d[i]))
        for y in range(whole, x):
            other = values[y]
            for i in range(columns):
                sums[i] += abs(own[i] - other[i])
    return sums.sum()
