"""Laws of the largest eigenvalues at a soft edge for any β > 0, by the diffusion of Bloemendal and Virág.

The number of eigenvalues of the stochastic Airy operator above x is the number of explosions to −∞ of the diffusion
dp = (x' − p²) dx' + (2/√β) db started at p = +∞ at x' = x and restarted at +∞ after each of them. With w = −c cot θ the
restarts disappear: θ moves on the whole line, upwards through every multiple of π. H(x, θ), the probability of ending
below the barrier −√x' when started at θ, solves

    ∂H/∂x + (2/β)H_ww + (x − w²)H_w = 0,    H_w = (sin²θ/c) H_θ,

marched from a large x downwards. At multiples of π the diffusion term vanishes and H is carried upwards only, so that
each interval of length π has its lower end as inflow boundary: H = 0 on the first, and on the next what leaves the one
before. P(λ_k ≤ x) is H at the upper end of the k-th interval.

Space: Chebyshev collocation on elements, continuous with its slope. Descent in x: collocation at Radau points, which
is also the interpolant that is tabulated. One banded factorisation a step serves all k.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import threadpoolctl
from numpy.polynomial import chebyshev
from scipy.linalg import lapack
from scipy.special import ndtr, roots_jacobi

from rmtsim._internal.arrays import FloatArray, IndexArray, Matrix
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws import _painleve as painleve
from rmtsim.laws._airy_counts import EdgeTable
from rmtsim.laws._piecewise import evaluate

ACCURACY = 1e-8
"""Largest difference between two resolutions that is accepted."""
_GOAL = 1e-10
"""Difference at which refining ends."""
_NEGLIGIBLE = 1e-16
_STRETCH = 3.5
"""c in units of β^(-1/3): the barrier at the start lies at the middle of an interval's lower half."""


@frozen
class _Resolution:
    elements: int
    degree: int
    stages: int
    step: float


@functools.lru_cache(maxsize=64)
def diffused_tables(beta: float, most: int) -> tuple[EdgeTable, ...]:
    """P(λ_k ≤ x) for k = 1, …, most, with ten times the difference of two resolutions as their error.

    Raises
    ------
    ConvergenceError
        If two successive resolutions differ by more than 1e-8.
    """
    # Fluctuations have the width β^(-1/2) for large β; for small β, where the law tends to Gumbel's, β^(-2/3).
    front, width = max(1.0, 0.5 * math.sqrt(beta)), min(beta ** (-2 / 3), beta**-0.5)
    error = math.inf
    tables: tuple[EdgeTable, ...] = ()
    with threadpoolctl.threadpool_limits(limits=1, user_api="blas"):
        # Threads slow small banded factorisations down.
        for refined in (1.0, 1.3, 1.7, 2.2):
            finer = _march(
                beta, most, _Resolution(math.ceil(9 * front * refined), 18, 8, 0.5 * width / refined)
            )
            if tables:
                error = max(_distance(old, new) for old, new in zip(tables, finer, strict=True))
            tables = finer
            if error <= _GOAL:
                break
    if not error <= ACCURACY:
        raise ConvergenceError(
            f"beta={beta}: two resolutions of the diffusion differ by {error:.2g}, expected at most {ACCURACY:g}",
            residual=error,
            iterations=4,
        )
    return tuple(EdgeTable(each.ends, each.coefficients, max(10 * error, 1e-12)) for each in tables)


def _distance(first: EdgeTable, second: EdgeTable) -> float:
    low, high = max(first.ends[0], second.ends[0]), min(first.ends[-1], second.ends[-1])
    x = np.linspace(low, high, 1001)
    return float(
        np.abs(
            evaluate(first.ends, first.coefficients, x) - evaluate(second.ends, second.coefficients, x)
        ).max()
    )


class _System:
    """Collocation equations of one step: rows ordered by node and then by stage."""

    def __init__(self, beta: float, resolution: _Resolution) -> None:
        elements, p, s = resolution.elements, resolution.degree, resolution.stages
        self.c = _STRETCH * beta ** (-1 / 3)
        half = 0.5 * math.pi / elements
        first = _differentiation(p) / half
        second = first @ first
        base = p * np.arange(elements)
        self.count = elements * p + 1
        local = base[:, None] + np.arange(p + 1)
        theta = np.empty(self.count)
        theta[local] = math.pi * np.arange(elements)[:, None] / elements + half * (painleve.nodes(p) + 1)
        self.theta = theta
        sine, cosine = np.sin(theta), np.cos(theta)
        sine[0] = sine[-1] = 0.0
        diffusion = 2 / beta * sine**4 / self.c**2
        drift = 4 / beta * sine**3 * cosine / self.c**2 - self.c * cosine**2
        speed = sine**2 / self.c
        # Rows of the equation: all nodes but the inflow and the joints between elements.
        inner = np.ones((elements, p + 1), dtype=bool)
        inner[:, 0] = False
        inner[:-1, -1] = False
        element, place = np.nonzero(inner)
        self.inner = local[element, place]
        rows = np.repeat(self.inner[:, None], p + 1, axis=1)
        columns = local[element]
        fixed = diffusion[rows] * second[place] + drift[rows] * first[place]
        moving = speed[rows] * first[place]
        # Rows of the joints: equal slopes from both sides.
        joints = np.repeat(local[1:, :1], p + 1, axis=1)
        self.nodes, derivative = _radau(s)
        self.start = derivative[:, 0] / resolution.step
        self.width = (p + 1) * s
        self.shape = (3 * self.width + 1, self.count * s)
        self.matrix = np.zeros(self.shape)
        self.moving: list[tuple[IndexArray, FloatArray]] = []
        for i in range(s):
            self._add(rows * s + i, columns * s + i, -fixed)
            self._add(joints * s + i, local[:-1] * s + i, np.broadcast_to(first[-1], joints.shape))
            self._add(joints * s + i, local[1:] * s + i, np.broadcast_to(-first[0], joints.shape))
            self._add(np.array([i]), np.array([i]), np.ones(1))
            for j in range(s):
                slope = np.full(self.inner.shape, derivative[i, j + 1] / resolution.step)
                self._add(self.inner * s + i, self.inner * s + j, slope)
            r, k = rows * s + i, columns * s + i
            self.moving.append((np.ravel_multi_index((2 * self.width + r - k, k), self.shape), moving))

    def _add(self, rows: IndexArray, columns: IndexArray, values: FloatArray) -> None:
        np.add.at(self.matrix, (2 * self.width + rows - columns, columns), values)

    def factorised(self, x: FloatArray) -> tuple[Matrix, Matrix]:
        """Triangular factors of the equations with stages at x."""
        matrix = self.matrix.copy()
        for place, (where, values) in zip(x, self.moving, strict=True):
            matrix.ravel()[where] -= place * values
        factors, pivots, status = lapack.dgbtrf(matrix, self.width, self.width, overwrite_ab=True)
        if status:
            raise ConvergenceError("the collocation matrix is singular", residual=math.inf, iterations=0)
        return factors, pivots

    def solve(self, factors: tuple[Matrix, Matrix], before: FloatArray, inflow: FloatArray) -> FloatArray:
        """Values at all nodes (rows) and stages (columns)."""
        right = np.zeros((self.count, len(inflow)))
        right[self.inner] = -before[self.inner][:, None] * self.start
        right[0] = inflow
        found, _ = lapack.dgbtrs(factors[0], self.width, self.width, right.reshape(-1, 1), factors[1])
        return np.asarray(found).reshape(right.shape)


def _march(beta: float, most: int, resolution: _Resolution) -> tuple[EdgeTable, ...]:
    system = _System(beta, resolution)
    # Paths that start at +∞ come near the barrier at x with probability of order exp(-(2/3)βx^{3/2}) a time 1/β.
    x = (1.5 * (38 + max(0.0, -math.log(beta))) / beta) ** (2 / 3)
    with np.errstate(divide="ignore"):
        w = -system.c / np.tan(system.theta)
    w[0], w[-1] = -math.inf, math.inf
    # Near the unstable point -√x the diffusion is an Ornstein–Uhlenbeck process that runs away.
    states = [ndtr((w + math.sqrt(x)) * math.sqrt(beta * math.sqrt(x)))]
    states += [np.ones(system.count) for _ in range(most - 1)]
    ends = [x]
    rows: list[list[FloatArray]] = [[] for _ in range(most)]
    # From the values at the start of a step and its stages to Chebyshev coefficients over the step, upwards in x.
    points = 1 - 2 * np.concatenate([[0.0], system.nodes])
    transform = np.linalg.inv(chebyshev.chebvander(points, resolution.stages))
    while states[-1][-1] > _NEGLIGIBLE:
        factors = system.factorised(x - resolution.step * system.nodes)
        inflow = np.zeros(resolution.stages)
        for k in range(most):
            start = states[k][-1]
            found = system.solve(factors, states[k], inflow)
            states[k], inflow = found[:, -1], found[-1]
            rows[k].append(transform @ np.concatenate([[start], inflow]))
        x -= resolution.step
        ends.append(x)
        if len(ends) > 2000:
            raise ConvergenceError(
                f"beta={beta}: the distribution function does not vanish",
                residual=states[-1][-1],
                iterations=2000,
            )
    return tuple(EdgeTable(np.array(ends[::-1]), np.array(each[::-1]), 0.0) for each in rows)


@functools.cache
def _differentiation(degree: int) -> FloatArray:
    """Matrix from values at the Chebyshev nodes to those of the derivative."""
    slopes = chebyshev.chebder(painleve.to_coefficients(degree), axis=0)
    return np.asarray(chebyshev.chebvander(painleve.nodes(degree), degree - 1) @ slopes)


@functools.cache
def _radau(stages: int) -> tuple[FloatArray, FloatArray]:
    """Radau points in (0, 1], and slopes there of the interpolant through 0 and them."""
    inside, _ = roots_jacobi(stages - 1, 1, 0)
    t = np.concatenate([[0.0], 0.5 * (inside + 1), [1.0]])
    gaps = t[:, None] - t + np.eye(stages + 1)
    weight = 1 / gaps.prod(axis=1)
    matrix = weight / weight[:, None] / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return t[1:], matrix[1:]
