"""Expected squared error of gradient descent on Gaussian least squares, as d, n → ∞ with d/n → ratio.

Gradient descent from zero on (1/2n)‖Xw - y‖², y = Xw* + ξ, gives
w_t - w* = -(I - ηH)^t w* + (I - (I - ηH)^t) X⁺ξ with H = XᵀX/n, so for ‖w*‖ = 1 and noise variance σ²

    E‖w_t - w*‖² = ∫ (1 - ηλ)^{2t} dμ + σ² y ∫ (1 - (1 - ηλ)^t)²/λ dμ

with y = d/n and μ the mean law of the eigenvalues of H: at finite n and d exactly, in the limit the
Marchenko–Pastur law with its atom at zero. No truncation; what truncation does is in ``divergence``.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.l2l.theory.powers import powers
from rmtsim.papers.l2l.theory.spectrum import ORDER, nodes

__all__ = [
    "erm_error",
    "expected_error",
    "flow_error",
    "log_expected_error",
    "ridge_error",
]


LARGEST = 1e12
"""Largest accepted noise and ratio d/n; squares and products of them stay in the range of doubles."""


def check(step: float, steps: int, noise: float, ratio: float) -> tuple[float, int, float, float]:
    """The four parameters of gradient descent, each in its domain."""
    step = validate.finite_number("step", step, meaning="step size η")
    if step < 0:
        raise ValueError(f"step={step}: expected a finite number >= 0 (step size η)")
    return (step, *check_task(steps, noise, ratio))


def check_task(steps: int, noise: float, ratio: float) -> tuple[int, float, float]:
    """Number of steps, noise and shape, each in its domain."""
    steps = validate.integer("steps", steps, meaning="number t of gradient steps")
    return (steps, *check_shape(noise, ratio))


def check_shape(noise: float, ratio: float, *, positive: bool = False) -> tuple[float, float]:
    """Noise and shape; ``positive`` where without noise there is nothing to balance."""
    noise = validate.finite_number("noise", noise, meaning="standard deviation σ of the label noise")
    if noise < 0 or (positive and noise == 0):
        least = ">" if positive else ">="
        raise ValueError(
            f"noise={noise}: expected a finite number {least} 0 (standard deviation σ of the label noise)"
        )
    if noise > LARGEST:
        raise ValueError(
            f"noise={noise}: expected at most {LARGEST:g} (standard deviation σ of the label noise)"
        )
    ratio = validate.positive_number("ratio", ratio, meaning="ratio = d/n, dimension over samples")
    if not 1 / LARGEST <= ratio <= LARGEST:
        raise ValueError(
            f"ratio={ratio}: expected a number in [{1 / LARGEST:g}, {LARGEST:g}] (d/n, dimension over samples)"
        )
    return noise, ratio


def _terms(step: float, steps: int, noise: float, ratio: float, order: int) -> tuple[float, float]:
    """The error divided by e^(2 scale), and the scale."""
    law = nodes(ratio, step, steps, order=order)
    p = powers(step, steps, law.values)
    bias = law.integral(p.power**2) + law.atom * math.exp(-2 * p.scale)
    variance = noise * noise * ratio * law.integral(p.complement**2 / law.values)
    return bias + variance, p.scale


@takes_arrays
def expected_error(step: float, steps: int, noise: float, ratio: float) -> float:
    """Limit of E‖w_t - w*‖² as d/n → ratio, for ‖w*‖ = 1.

    ``step`` is η, ``steps`` is t, ``noise`` is σ (variance σ² = noise²). Where the error exceeds the largest
    float (a step size beyond 2/λ₊ and many steps) the value is infinite; :func:`log_expected_error` is not.

    >>> round(expected_error(0.0, 40, 1.0, 2.0), 12)
    1.0
    >>> round(expected_error(0.1, 1, 1.0, 2.0), 12)  # 1 - 2η + η²(1 + y) + σ²η²y
    0.85
    >>> round(expected_error(0.1, 100_000, 1.0, 2.0), 12)  # converged: 1 - 1/y + σ²/(y - 1)
    1.5
    """
    step, steps, noise, ratio = check(step, steps, noise, ratio)
    value, scale = _terms(step, steps, noise, ratio, ORDER)
    # In two factors: e^(2 scale) may overflow where its product with the value does not.
    return math.exp(scale) * value * math.exp(scale) if 2 * scale + math.log(value) < 709.7 else math.inf


@takes_arrays
def log_expected_error(step: float, steps: int, noise: float, ratio: float) -> float:
    """Logarithm of :func:`expected_error`, finite for every step size and number of steps.

    >>> round(log_expected_error(1.0, 100_000, 1.0, 2.0) / 200_000, 4)  # log(λ₊ - 1) per step and factor
    1.5744
    """
    step, steps, noise, ratio = check(step, steps, noise, ratio)
    value, scale = _terms(step, steps, noise, ratio, ORDER)
    return 2 * scale + math.log(value)


@takes_arrays
def flow_error(time: float, noise: float, ratio: float) -> float:
    """Limit of :func:`expected_error` as t → ∞ with η·t → ``time``: gradient flow.

    >>> round(flow_error(0.5, 1.0, 2.0), 6), round(flow_error(0.0, 1.0, 2.0), 12)
    (0.79516, 1.0)
    """
    time = validate.finite_number("time", time, meaning="time τ = η·t of gradient flow")
    if time < 0:
        raise ValueError(f"time={time}: expected a finite number >= 0 (time τ = η·t of gradient flow)")
    noise, ratio = check_shape(noise, ratio)
    law = nodes(ratio, time, 1)
    decay = -time * law.values
    bias = law.integral(np.exp(2 * decay)) + law.atom
    return bias + noise * noise * ratio * law.integral(np.expm1(decay) ** 2 / law.values)


@takes_arrays
def erm_error(noise: float, ratio: float) -> float:
    """Limit of the error of the empirical risk minimiser of least norm, to which gradient descent converges.

    1 - 1/y + σ²/(y - 1) for y = ratio > 1 and σ²y/(1 - y) for y < 1; infinite at y = 1 unless σ = 0.

    >>> erm_error(1.0, 2.0), erm_error(1.0, 0.5), erm_error(1.0, 1.0)
    (1.5, 1.0, inf)
    >>> erm_error([[0.0], [1.0]], [0.5, 2.0, 4.0])  # arrays are broadcast against each other
    array([[0.        , 0.5       , 0.75      ],
           [1.        , 1.5       , 1.08333333]])
    """
    noise, ratio = check_shape(noise, ratio)
    if ratio == 1:
        return math.inf if noise > 0 else 0.0
    if ratio < 1:
        return noise * noise * ratio / (1 - ratio)
    return (ratio - 1) / ratio + noise * noise / (ratio - 1)


@takes_arrays
def ridge_error(noise: float, ratio: float) -> float:
    """Least error of any estimator that shrinks along the eigenvectors of H: ridge regression at its best.

    The shrinkage σ²y/(λ + σ²y) minimises the integrand for every λ, so the value is ∫ σ²y/(λ + σ²y) dμ, that is
    σ²y times the Stieltjes transform at -σ²y. No step size can do better.

    >>> round(ridge_error(1.0, 2.0), 6)
    0.780776
    """
    noise, ratio = check_shape(noise, ratio)
    if noise == 0:
        return max(0.0, (ratio - 1) / ratio)
    penalty = noise * noise * ratio
    # The positive root of y m² s + (1 - y + s) m - 1 = 0 at -s, in the form without cancellation.
    middle = 1 - ratio + penalty
    root = math.hypot(middle, 2 * noise * ratio)
    return 2 * penalty / (middle + root) if middle > 0 else (root - middle) / (2 * ratio)
