"""The Hastings–McLeod solution of Painlevé II, q'' = sq + 2q³ with q ~ Ai as s → ∞, by collocation with a certificate.

On each element q'' is a polynomial through Chebyshev nodes, and q its double integral: integration matrices do not
amplify rounding, as differentiation would. Newton's step couples the elements only through value and slope at
their ends. To the left q follows √(-s/2)(1 + Σ c_k (-s)^{-3k}), whose coefficients come from the equation itself.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.special import airy

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws._piecewise import evaluate

LEFT, RIGHT = -48.0, 10.0
"""Ends of the collocation: to the left the asymptotic series has all digits, to the right q is Ai(1 + O(Ai²))."""
_DEGREE = 17
_TERMS = 8


@functools.cache
def nodes(degree: int = _DEGREE) -> FloatArray:
    """Chebyshev points on [-1, 1], both ends included, in increasing order."""
    return np.asarray(-np.cos(np.pi * np.arange(degree + 1) / degree))


@functools.cache
def to_coefficients(degree: int = _DEGREE) -> FloatArray:
    """Matrix from values at :func:`nodes` to Chebyshev coefficients."""
    return np.asarray(np.linalg.inv(chebyshev.chebvander(nodes(degree), degree)))


@functools.cache
def _integration() -> FloatArray:
    """Matrix from values at the nodes to the values of their integral from -1."""
    columns = chebyshev.chebint(to_coefficients(), lbnd=-1, axis=0)
    return np.asarray(chebyshev.chebvander(nodes(), _DEGREE + 1) @ columns)


@functools.cache
def series() -> tuple[float, ...]:
    """Coefficients c_k of q = √(t/2) Σ c_k t^{-3k}, t = -s: (√t u)'' = t^{3/2}(u³ - u), power by power.

    >>> series()[:3]
    (1.0, -0.125, -0.5703125)
    """
    c = [1.0]
    for k in range(_TERMS - 1):
        left = c[k] * (0.5 - 3 * k) * (-0.5 - 3 * k)
        cube = math.fsum(
            c[i] * c[j] * c[k + 1 - i - j]
            for i in range(k + 2)
            for j in range(k + 2 - i)
            if max(i, j, k + 1 - i - j) <= k
        )
        c.append((left - cube) / 2)
    return tuple(c)


def squared_series() -> FloatArray:
    """Coefficients of 2q²/t in powers of t^{-3}."""
    c = np.array(series())
    return np.convolve(c, c)[:_TERMS]


@frozen
class HastingsMcLeod:
    """q, q' and the integrals over (s, ∞) that the Tracy–Widom laws are made of, on elements [a_e, a_{e+1}]."""

    ends: FloatArray
    """Ends of the elements, in increasing order."""
    values: FloatArray
    """Chebyshev coefficients of q on each element."""
    slopes: FloatArray
    """The same of q'."""
    first: FloatArray
    """The same of ∫_s^∞ q."""
    energy: FloatArray
    """The same of ∫_s^∞ (x - s) q(x)² dx."""
    residual: float
    """Largest |q'' - sq - 2q³| between the nodes, relative to 1 + |s|^{3/2}."""


@functools.cache
def hastings_mcleod() -> HastingsMcLeod:
    """The solution on [-48, 10], with residual below 1e-11; computed once (a few hundredths of a second).

    >>> found = hastings_mcleod()
    >>> found.residual < 1e-11
    True
    >>> round(float(evaluate(found.ends, found.values, np.array([0.0]))[0]), 12)  # q(0)
    0.367061551548
    """
    ends = _element_ends()
    half = 0.5 * np.diff(ends)
    points = ends[:-1, None] + half[:, None] * (nodes() + 1)
    once = _integration()
    twice = once @ once
    width = points.shape[1]
    q = _first_guess(points)
    iterations, change = 0, math.inf
    while change > 1e-14 * abs(LEFT):
        if iterations == 40:
            raise ConvergenceError("Painlevé II did not converge", residual=change, iterations=iterations)
        iterations += 1
        # v = q'' solves v = (s + 6q̄²) q - 4q̄³ with q = q_e + q'_e (s - a) + half² (twice v): affine in (q_e, q'_e).
        weight = points + 6 * q**2
        shift = points - ends[:-1, None]
        matrix = np.eye(width) - weight[:, :, None] * (half[:, None, None] ** 2 * twice)
        right = np.stack([weight, weight * shift, -4 * q**3], axis=2)
        local: FloatArray = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
        start = _element_starts(local, half, once, twice)
        v = local[:, :, 0] * start[:-1, :1] + local[:, :, 1] * start[:-1, 1:] + local[:, :, 2]
        new = start[:-1, :1] + start[:-1, 1:] * shift + half[:, None] ** 2 * (v @ twice.T)
        change = float(np.abs(new - q).max())
        q = new
    slope = start[:-1, 1:] + half[:, None] * (v @ once.T)
    first, energy = _integrals(q, half, once)
    as_coefficients = to_coefficients().T
    solution = HastingsMcLeod(
        ends,
        q @ as_coefficients,
        slope @ as_coefficients,
        first @ as_coefficients,
        energy @ as_coefficients,
        _residual(ends, q @ as_coefficients, v @ as_coefficients),
    )
    if solution.residual > 1e-11:
        raise ConvergenceError(
            "Painlevé II: the collocation does not satisfy the equation between its nodes",
            residual=solution.residual,
            iterations=iterations,
        )
    return solution


def _element_ends() -> FloatArray:
    """Elements on which deviations grow by a factor of e at most, so that matching them keeps the digits.

    A deviation from q grows like exp(s√(s + 6q²)), with s + 6q² → -2s on the left.
    """
    ends = [RIGHT]
    while ends[-1] > LEFT:
        ends.append(max(LEFT, ends[-1] - 1 / math.sqrt(2 * abs(ends[-1]) + 1)))
    return np.array(ends[::-1])


def _first_guess(points: FloatArray) -> FloatArray:
    far_left = np.sqrt(np.maximum(-points, 0.0) / 2)
    right = airy(np.maximum(points, 0.0))[0]
    blend = np.clip((points + 2) / 2, 0.0, 1.0)
    return np.asarray((1 - blend) * np.maximum(far_left, 0.35) + blend * right)


def _element_starts(local: FloatArray, half: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
    """Value and slope at every end: two matching conditions an element, and q given at both ends of all."""
    count = len(half)
    value_end = half[:, None] ** 2 * np.einsum("j,ejk->ek", twice[-1], local)
    slope_end = half[:, None] * np.einsum("j,ejk->ek", once[-1], local)
    # Unknowns (value, slope) end by end; row 0 fixes the value at the left, the last row that at the right, and rows
    # 2e + 1, 2e + 2 match element e: all within two diagonals of the main one.
    size, reach = 2 * count + 2, 2
    bands = np.zeros((2 * reach + 1, size))
    right = np.empty(size)

    def put(row: NDArray[np.intp], column: NDArray[np.intp], entry: FloatArray | float) -> None:
        bands[reach + row - column, column] = entry

    e = np.arange(count)
    put(2 * e + 1, 2 * e, -1 - value_end[:, 0])
    put(2 * e + 1, 2 * e + 1, -2 * half - value_end[:, 1])
    put(2 * e + 1, 2 * e + 2, 1.0)
    put(2 * e + 2, 2 * e, -slope_end[:, 0])
    put(2 * e + 2, 2 * e + 1, -1 - slope_end[:, 1])
    put(2 * e + 2, 2 * e + 3, 1.0)
    right[1:-1:2], right[2:-1:2] = value_end[:, 2], slope_end[:, 2]
    t = -LEFT
    bands[reach, 0] = 1.0
    right[0] = math.sqrt(t / 2) * math.fsum(c * t ** (-3 * k) for k, c in enumerate(series()))
    bands[reach + 1, size - 2] = 1.0
    right[-1] = airy(RIGHT)[0]
    return np.asarray(solve_banded((reach, reach), bands, right)).reshape(count + 1, 2)


def _integrals(q: FloatArray, half: FloatArray, once: FloatArray) -> tuple[FloatArray, FloatArray]:
    """∫_s^∞ q and ∫_s^∞ (x - s)q² at the nodes, summed from the right: all terms have one sign."""
    ai, slope = (float(value) for value in airy(RIGHT)[:2])
    beyond = _airy_tail(RIGHT)
    square = slope**2 - RIGHT * ai**2
    energy = (2 * RIGHT**2 * ai**2 - 2 * RIGHT * slope**2 - ai * slope) / 3
    first_rows, energy_rows = np.empty_like(q), np.empty_like(q)
    for e in range(len(half) - 1, -1, -1):
        # From the right end of the element: the integral over the whole less the integral from the left.
        of_q, of_square = half[e] * (once @ q[e]), half[e] * (once @ q[e] ** 2)
        first_rows[e] = beyond + (of_q[-1] - of_q)
        squares = square + (of_square[-1] - of_square)
        of_squares = half[e] * (once @ squares)
        energy_rows[e] = energy + (of_squares[-1] - of_squares)
        beyond, square, energy = first_rows[e, 0], squares[0], energy_rows[e, 0]
    return first_rows, energy_rows


def _airy_tail(s: float) -> float:
    """∫_s^∞ Ai for large s, by Gauss–Laguerre in x = s + u/√s."""
    u, w = np.polynomial.laguerre.laggauss(40)
    return float(np.sum(w * np.exp(u) * airy(s + u / math.sqrt(s))[0]) / math.sqrt(s))


def _residual(ends: FloatArray, q: FloatArray, v: FloatArray) -> float:
    s = (ends[:-1, None] + np.diff(ends)[:, None] * np.linspace(0.03, 0.97, 11)).ravel()
    value, second = evaluate(ends, q, s), evaluate(ends, v, s)
    return float(np.max(np.abs(second - s * value - 2 * value**3) / (1 + np.abs(s) ** 1.5)))
