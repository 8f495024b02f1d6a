"""Laws of the k-th largest eigenvalue at a soft edge for β = 1, 2, 4, from the spectrum of one operator.

Let V_t have the kernel Ai(x + y + t) on L²(0, ∞) and eigenvalues v_i, and let N be the number of eigenvalues of the
Airy point process above t. With a = Π(1 + σv_i), b = Π(1 - σv_i) the generating functions E[ζ^N] are

    β = 2:  Π(1 - v_i² + ζv_i²),
    β = 4:  C(1 - ζ),                     C(σ²) = (a + b)/2,
    β = 1:  C(1 - ζ²) - (1 - ζ)S(1 - ζ²), S(σ²) = (a - b)/(2σ),

the last from Dieng's formula for its square, which is a perfect square in these variables. So P(N = 2m) = C_m - S_m
and P(N = 2m + 1) = S_m for β = 1, and P(N = m) = C_m for β = 4, where C_m and S_m are coefficients in powers of ζ
and ζ² of C(1 - ·) and S(1 - ·).
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import airy

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws import _painleve as painleve

_DEGREE = 17
_RIGHT, _NARROW = 16.0, 4.0
_WIDTHS = (2.0, 0.8)
"""Widths of the elements to the right and to the left of ``_NARROW``."""
_NEGLIGIBLE = 1e-14


@frozen
class EdgeTable:
    """A cumulative distribution function as a piecewise Chebyshev series."""

    ends: FloatArray
    """Ends of the elements, in increasing order; the function is 0 to the left of them and 1 to the right."""
    coefficients: FloatArray
    """Chebyshev coefficients, one row an element."""
    error: float
    """Bound or estimate of the absolute error."""


def counts(t: float, beta: int, most: int) -> FloatArray:
    """P(N = 0), …, P(N = most) for the number N of points of the Airy process with index 1, 2 or 4 above t.

    >>> bool(np.isclose(counts(-2.0, 2, 30).sum(), 1.0, rtol=0, atol=1e-13))
    True
    """
    return _probabilities(_eigenvalues(np.array([t]))[0], beta, most)


def _probabilities(values: FloatArray, beta: int, most: int) -> FloatArray:
    return generated(values[np.abs(values) > 1e-18], beta, most)[0]


def generated(
    values: FloatArray, beta: int, most: int, slopes: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """P(N = 0), …, P(N = most) from the eigenvalues of the operator, and their derivatives from the eigenvalues' own.

    The same formulas hold at a hard edge, with the operator of a Bessel kernel.
    """
    change = np.zeros(values.shape) if slopes is None else slopes
    if beta == 2:
        total, moved = np.zeros(most + 1), np.zeros(most + 1)
        total[0] = 1.0
        for value, slope in zip(values, change, strict=True):
            square, growth = value**2, 2 * value * slope
            before, moved_before = np.append(0.0, total[:-1]), np.append(0.0, moved[:-1])
            moved = (1 - square) * moved + square * moved_before + growth * (before - total)
            total = (1 - square) * total + square * before
        return total, moved
    # Coefficients by a discrete Fourier transform over the unit circle: sums of probabilities times numbers of size 1.
    size = 2 * max(most + 2, len(values))
    zeta = np.exp(2j * np.pi * np.arange(size) / size)
    sigma = np.asarray(np.sqrt(1 - zeta), dtype=np.complex128)[:, None]
    plus, minus = (np.prod(1 + sign * sigma * values, axis=1) for sign in (1, -1))
    plus_moved = plus * (sigma * change / (1 + sigma * values)).sum(axis=1)
    minus_moved = -minus * (sigma * change / (1 - sigma * values)).sum(axis=1)

    def coefficients(
        first: NDArray[np.complex128], second: NDArray[np.complex128], limit: float
    ) -> FloatArray:
        even = np.fft.fft(0.5 * (first + second)).real / size
        if beta == 4:
            return np.asarray(even[: most + 1])
        ratio = np.full(size, limit, dtype=np.complex128)  # the limit σ → 0, which ζ = 1 has
        ratio[1:] = 0.5 * (first - second)[1:] / sigma[1:, 0]
        odd = np.fft.fft(ratio).real / size
        return np.stack([even - odd, odd], axis=1).ravel()[: most + 1]

    return (
        coefficients(plus, minus, float(values.sum())),
        coefficients(plus_moved, minus_moved, float(change.sum())),
    )


def _eigenvalues(t: FloatArray) -> FloatArray:
    """Eigenvalues of V_t by Gauss–Legendre quadrature, for points t that are close to each other."""
    left = max(0.0, -float(t.min()))
    reach = 15.0 + left
    # The kernel oscillates like Ai at -|t|: a few nodes for each half wave.
    u, w = np.polynomial.legendre.leggauss(34 + int(2.5 * left**1.25))
    u, root = 0.5 * reach * (u + 1), np.sqrt(0.5 * reach * w)
    i, j = np.triu_indices(len(u))
    kernel = np.empty((len(t), len(u), len(u)))
    kernel[:, j, i] = kernel[:, i, j] = airy(t[:, None] + (u[i] + u[j]))[0] * root[i] * root[j]
    return np.asarray(np.linalg.eigvalsh(kernel), dtype=np.float64)


@functools.cache
def _element(number: int) -> tuple[float, FloatArray]:
    """Lower end of an element, counted from the right, and the eigenvalues of V_t at its nodes."""
    wide = int((_RIGHT - _NARROW) / _WIDTHS[0])
    low = _RIGHT - (number + 1) * _WIDTHS[0]
    if number >= wide:
        low = _NARROW - (number - wide + 1) * _WIDTHS[1]
    width = _WIDTHS[number >= wide]
    return low, _eigenvalues(low + 0.5 * width * (painleve.nodes(_DEGREE) + 1))


@functools.lru_cache(maxsize=64)
def counted_table(beta: int, k: int) -> EdgeTable:
    """P(fewer than k points above t) for all t, in steps to the left until it is below 1e-14.

    >>> counted_table(1, 2).error < 1e-12
    True
    """
    rows: list[FloatArray] = []
    ends = [_RIGHT]
    error = _NEGLIGIBLE
    while True:
        low, spectra = _element(len(rows))
        values = np.array([math.fsum(_probabilities(row, beta, k)[:k]) for row in spectra])
        rows.append(painleve.to_coefficients(_DEGREE) @ values)
        error = max(error, 10 * float(np.abs(rows[-1][-2:]).max()))
        ends.append(low)
        if values[0] < _NEGLIGIBLE:
            return EdgeTable(np.array(ends[::-1]), np.array(rows[::-1]), error)
