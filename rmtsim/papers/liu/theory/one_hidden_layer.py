"""One hidden layer, f = m^{-1/2} Σ v_i σ(w_i x): limits and laws of √m‖H‖ in closed form.

Two cases. *Fixed signs* (the paper's Section 3.1): v_i = ±1 is not trained, H is diagonal and √m‖H‖ is x² times the
largest of m independent |σ''(w_i x)|. *Trained* Gaussian output weights: H falls into 2 × 2 blocks
m^{-1/2}[[v_i σ''x², σ'x], [σ'x, 0]], one a neuron, and √m‖H‖ is the largest of m independent numbers again.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import erfc

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.liu.theory.activations import curvature_bound, derivative
from rmtsim.papers.liu.theory.gaussian import expectation

__all__ = [
    "criterion_constant",
    "hessian_constant",
    "hessian_deficit_rate",
    "kernel_limit",
    "output_variance",
    "trained_hessian_exceedance",
    "trained_hessian_median",
    "trained_hessian_quantile",
]


@takes_arrays
def kernel_limit(activation: str, x: float) -> float:
    """lim K(x, x) = x² E[σ'(wx)²], w ~ N(0, 1), only w trained: the law of large numbers on eq. (10).

    >>> bool(np.isclose(kernel_limit("sin", 1.0), (1 + np.exp(-2)) / 2, rtol=1e-12))  # E cos² w
    True
    >>> kernel_limit([["tanh"], ["sin"]], [0.5, 1.0]).round(4)  # names are broadcast like numbers
    array([[0.1793, 0.4644],
           [0.2008, 0.5677]])
    """
    x = _moderate(x)
    return x**2 * expectation(lambda z: derivative(activation, z, 1) ** 2, x**2)


@takes_arrays
def output_variance(activation: str, x: float) -> float:
    """Variance of f at initialisation, E[σ(wx)²], at every width.

    >>> bool(np.isclose(output_variance("sin", 1.0), (1 - np.exp(-2)) / 2, rtol=1e-12))
    True
    """
    x = _moderate(x)
    return expectation(lambda z: derivative(activation, z) ** 2, x**2)


@takes_arrays
def hessian_constant(activation: str, x: float) -> float:
    """lim √m‖H‖ = x² sup|σ''| for fixed signs: the largest of m independent |σ''(w_i x)| tends to the supremum.

    >>> round(hessian_constant("tanh", 2.0) / 4, 6)  # 4/(3√3)
    0.7698
    """
    bound = curvature_bound(activation)
    return _moderate(x) ** 2 * bound


@takes_arrays
def criterion_constant(activation: str, x: float) -> float:
    """lim √m‖D²f‖/‖Df‖² = sup|σ''|/E[σ'(wx)²] for fixed signs: the factor 𝓑 of eq. (3).

    >>> bool(np.isclose(criterion_constant("sin", 1.0), 2 / (1 + np.exp(-2)), rtol=1e-9))
    True
    """
    x = _input(x)
    return curvature_bound(activation) * x**2 / kernel_limit(activation, x)


class _Peak(NamedTuple):
    place: float
    sharpness: float
    """κ in |σ''(z)| = β(1 - κ(z - place)²/2 + …)."""


@cache
def _peaks(activation: str, reach: float = 60.0) -> tuple[_Peak, ...]:
    """Where |σ''| takes its supremum."""
    top = curvature_bound(activation)
    if top == 0:
        raise ValueError(f"activation={activation!r}: expected one with σ'' ≠ 0")
    grid = np.linspace(-reach, reach, 240_001)
    values = np.abs(derivative(activation, grid, 2))
    inner = (values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:]) & (values[1:-1] > top * (1 - 1e-6))
    found = []
    for start in grid[1:-1][inner]:
        h = 0.01

        def at(z: float) -> float:
            return abs(float(derivative(activation, z, 2)))

        place = float(start)
        for _ in range(20):
            # Newton on five-point differences: exact to h⁴, far below the accuracy that a rate needs.
            f = [at(place + k * h) for k in (-2, -1, 0, 1, 2)]
            slope = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
            bend = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h**2)
            place -= slope / bend
        found.append(_Peak(place, -bend / top))
    return tuple(found)


@takes_arrays
def hessian_deficit_rate(activation: str, x: float) -> float:
    """Λ of the limit law of m√(1 - √m‖H‖/(x² sup|σ''|)) for fixed signs: exponential with density Λe^{-Λt}.

    Near a maximiser z_* of |σ''| the deficit is κ(z - z_*)²/2; among m Gaussian w_i x the nearest is exponentially
    distant: Λ = Σ_* 2√(2/κ)·φ(z_*/x)/|x|. The deficit is of order m^{-2}.

    >>> z = math.atanh(3**-0.5)  # tanh: κ = 4, two maximisers
    >>> expected = 4 * math.sqrt(0.5) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    >>> abs(hessian_deficit_rate("tanh", 1.0) / expected - 1) < 1e-6
    True
    """
    curvature_bound(activation)  # names an activation that is not known
    size = abs(_input(x))
    if not 1e-100 <= size <= 1e100:
        raise ValueError(f"x={x}: expected a number of size 1e-100 to 1e100 (the input)")
    return math.fsum(
        2
        * math.sqrt(2 / peak.sharpness)
        * math.exp(-((peak.place / size) ** 2) / 2)
        / (math.sqrt(2 * math.pi) * size)
        for peak in _peaks(activation)
    )


@takes_arrays
def trained_hessian_exceedance(activation: str, x: float, level: float) -> float:
    """P(one neuron's block has norm > level), w, v ~ N(0, 1) both trained: P(√m‖H‖ ≤ s) = (1 - this)^m exactly.

    The block [[a, b], [b, 0]], a = vσ''(wx)x², b = σ'(wx)x, has norm ≤ s if and only if |a| ≤ s - b²/s and |b| ≤ s.

    >>> round(trained_hessian_exceedance("tanh", 1.0, 1.0), 6)
    0.445231
    """
    x = _input(x)
    s = validate.positive_number("level", level, meaning="a value of √m‖H‖")
    nodes, weights = _nodes()
    b = np.abs(derivative(activation, nodes * x, 1) * x)
    spread = np.abs(derivative(activation, nodes * x, 2)) * x**2
    room = s - b**2 / s
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.where(spread > 0, erfc(room / (math.sqrt(2) * spread)), 0.0)
    return float(weights @ np.where(room > 0, tail, 1.0))


@takes_arrays
def trained_hessian_quantile(activation: str, x: float, log_width: float, probability: float) -> float:
    """The s with P(√m‖H‖ ≤ s) = ``probability``, both layers trained, at ln m = ``log_width``: exact at every width.

    F(s)^m = p is solved as ln(-ln F(s)) = ln(-ln p) - ln m, so widths beyond any number of digits are no harder.

    >>> [round(trained_hessian_quantile("tanh", 1.0, 7.0, p), 4) for p in (0.05, 0.5, 0.95)]
    [2.194, 2.4992, 2.9867]
    """
    log_width = validate.positive_number("log_width", log_width, meaning="logarithm of the width m")
    if log_width > _LARGEST:
        raise ValueError(
            f"log_width={log_width}: expected at most {_LARGEST:g}, where probabilities underflow (ln m)"
        )
    probability = validate.finite_number("probability", probability, meaning="of a norm up to the quantile")
    if not 0 < probability < 1:
        raise ValueError(f"probability={probability}: expected a number in (0, 1)")
    target = math.log(-math.log(probability)) - log_width

    def gap(s: float) -> float:
        exceedance = trained_hessian_exceedance(activation, x, s)
        if exceedance >= 1:
            return math.inf
        return math.log(-math.log1p(-exceedance)) - target if exceedance > 0 else -math.inf

    high = 1.0
    while gap(high) > 0:
        high *= 1.5
    low = high
    while gap(low) <= 0:
        low /= 1.5
    return float(brentq(lambda s: max(min(gap(s), 1e3), -1e3), low, high, xtol=1e-12, rtol=1e-12))


@takes_arrays
def trained_hessian_median(activation: str, x: float, log_width: float) -> float:
    """Median of √m‖H‖ with both layers trained, at ln m = ``log_width``; grows like x² sup|σ''| √(2 ln m).

    >>> [round(trained_hessian_median("tanh", 1.0, k), 4) for k in (5.0, 50.0, 500.0)]
    [2.0756, 7.3949, 24.1913]
    """
    return trained_hessian_quantile(activation, x, log_width, 0.5)


_LARGEST = 600.0


@cache
def _nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Panels of Gauss–Legendre nodes for N(0, 1) on [-13, 13]: fine enough for peaks of width 1/√(ln m)."""
    points, masses = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(-13.0, 13.0, 521)
    half = np.diff(edges) / 2
    nodes = ((edges[:-1] + half)[:, None] + half[:, None] * points).ravel()
    weights = (half[:, None] * masses).ravel() * np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)
    return nodes, weights


def _moderate(x: float) -> float:
    """An input whose square is a double."""
    x = validate.finite_number("x", x, meaning="the input")
    if abs(x) > 1e100:
        raise ValueError(f"x={x}: expected a number of modulus up to 1e100 (the input)")
    return x


def _input(x: float) -> float:
    x = _moderate(x)
    if abs(x) < 1e-100:
        raise ValueError(
            f"x={x}: expected a number of modulus from 1e-100 on (at zero f does not depend on the hidden weights)"
        )
    return x
