"""Meta-gradients of a step size on one quadratic f(w) = ½wᵀHw (Section 5.3): exact, scaled, bounded.

In the eigenbasis w₀ has coordinates cᵢ, and w_t has cᵢ(1 - ηλᵢ)^t. With the plain objective f(w_t) the derivative in η
is exponential in t; with (1/t) log f(w_t) it is a quotient of two such numbers, which the largest |1 - ηλᵢ| scales.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.l2l.theory.powers import logarithm

__all__ = ["best_step", "log_meta_gradient", "meta_gradient_logarithm", "overflow_steps"]


def _problem(eigenvalues: Any, coordinates: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = validate.real_array("eigenvalues", eigenvalues, meaning="eigenvalues of H")
    weights = (
        validate.real_array("coordinates", coordinates, meaning="coordinates of w₀ in the eigenbasis") ** 2
    )
    if values.ndim != 1 or values.shape != weights.shape or values.size == 0:
        raise ValueError(
            f"coordinates of shape {weights.shape}: expected one per eigenvalue, shape {values.shape}"
        )
    if values.min() <= 0:
        raise ValueError(f"eigenvalues={values.min()}: expected numbers > 0 (H is positive definite)")
    return values, weights


@takes_arrays(whole=("eigenvalues", "coordinates"))
def log_meta_gradient(eigenvalues: Any, coordinates: Any, step: float, steps: int) -> float:
    """Derivative in η of (1/t) log f(w_t): -2 Σ cᵢ²λᵢ²(1 - ηλᵢ)^{2t-1} / Σ cᵢ²λᵢ(1 - ηλᵢ)^{2t}, scaled.

    Numerator and denominator are divided by the largest |1 - ηλᵢ|^{2t}, so neither overflows nor vanishes.

    >>> round(log_meta_gradient([1.0, 4.0], [0.6, 0.8], step=0.1, steps=10**6), 9)  # -2α/(1 - ηα)
    -2.222222222
    >>> log_meta_gradient([1.0, 4.0], [0.6, 0.8], step=[0.1, 0.2], steps=10**6).round(9)  # the quadratic stays whole
    array([-2.22222222, -2.5       ])
    """
    values, weights = _problem(eigenvalues, coordinates)
    step = validate.finite_number("step", step, meaning="step size η")
    steps = validate.integer("steps", steps, meaning="number t of inner steps")
    products = step * values
    sizes = logarithm(products)
    top = sizes.max()
    if top == -math.inf:
        raise ValueError(f"step={step}: expected a step size at which f(w_t) > 0 (all 1 - ηλ vanish here)")
    signs = np.where(products > 1, -1.0, 1.0)
    upper = np.exp((2 * steps - 1) * (sizes - top)) * signs
    lower = np.exp(2 * steps * (sizes - top))
    return float(-2 * (weights * values**2 @ upper) / (weights * values @ lower) * math.exp(-top))


@takes_arrays(whole=("eigenvalues", "coordinates"))
def meta_gradient_logarithm(eigenvalues: Any, coordinates: Any, step: float, steps: int) -> float:
    """log|d f(w_t)/dη|, f the plain objective: linear in t with slope 2 log max|1 - ηλᵢ|.

    >>> round(meta_gradient_logarithm([1.0, 4.0], [0.6, 0.8], step=0.1, steps=1000) / 2000, 3)  # near log(0.9)
    -0.102
    """
    values, weights = _problem(eigenvalues, coordinates)
    steps = validate.integer("steps", steps, meaning="number t of inner steps")
    products = validate.finite_number("step", step, meaning="step size η") * values
    sizes = (2 * steps - 1) * logarithm(products)
    top = sizes.max()
    total = abs(float(weights * values**2 * np.where(products > 1, -1.0, 1.0) @ np.exp(sizes - top)))
    return float(top + math.log(steps * total)) if total > 0 else -math.inf


@takes_arrays(whole=("eigenvalues", "coordinates"))
def best_step(eigenvalues: Any, coordinates: Any, steps: int) -> float:
    """η*: the minimiser of f(w_t), unique and in [1/L, 1/α].

    >>> round(best_step([1.0, 4.0], [0.6, 0.8], steps=10**5), 4)  # tends to 2/(α + L)
    0.4
    """
    values, _ = _problem(eigenvalues, coordinates)
    low, high = 1 / float(values.max()), 1 / float(values.min())
    if low == high:
        return low
    return float(
        brentq(
            lambda step: log_meta_gradient(values, coordinates, step, steps),
            low,
            high,
            xtol=1e-15 * high,
            rtol=1e-14,
        )
    )


@takes_arrays
def overflow_steps(largest_factor: float, digits: str = "float32") -> float:
    """Number of inner steps after which f(w_t) ~ ρ^{2t} leaves the range of a float type, ρ = max|1 - ηλ|.

    Growing (ρ > 1) it overflows, shrinking (ρ < 1) it underflows to zero and 1/f becomes infinite: both after
    log(limit)/(2 log ρ) steps, up to the constant cᵢ²λᵢ/2.

    >>> round(overflow_steps(5.7), 1), round(overflow_steps(5.7, "float64"), 1)
    (25.5, 203.9)
    """
    rho = validate.positive_number("largest_factor", largest_factor, meaning="ρ = max|1 - ηλ|")
    kind = np.finfo(validate.choice("digits", digits, ("float16", "float32", "float64")))
    if rho == 1:
        return math.inf
    limit = math.log(float(kind.max)) if rho > 1 else math.log(float(kind.smallest_subnormal))
    return limit / (2 * math.log(rho))
