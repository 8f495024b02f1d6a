"""Meta-gradients of a step size by unrolling gradient descent on one quadratic: back-propagation, and where it fails.

Inner problem f(w) = ½wᵀHw, w_{τ+1} = w_τ - ηHw_τ; outer objective (1/t) log f(w_t). Back-propagation stores the
trajectory and multiplies by Jacobians from the end; everything happens in one float type, as in a deep-learning tool.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

Rule = Literal["decay", "constant", "rmsprop"]
RULES: tuple[Rule, ...] = get_args(Rule)


@frozen
class Quadratic:
    """f(w) = ½wᵀHw and the start w₀ of gradient descent."""

    matrix: Array
    start: Array

    def eigen(self) -> tuple[Array, Array]:
        """Eigenvalues of H, ascending, and the coordinates of w₀."""
        values, vectors = np.linalg.eigh(self.matrix)
        return values, vectors.T @ self.start


def draw_quadratic(dimension: int, rng: np.random.Generator, *, rows: int | None = None) -> Quadratic:
    """H = XᵀX with X rows×d standard Gaussian (rows = d as in appendix D.6), w₀ of unit norm.

    >>> draw_quadratic(3, np.random.default_rng(0)).matrix.shape
    (3, 3)
    """
    d = validate.integer("dimension", dimension, meaning="dimension d")
    rng = validate.generator("rng", rng)
    count = d if rows is None else validate.integer("rows", rows, meaning="rows of the design X")
    validate.memory(8.0 * (count + d) * d, f"a {count}×{d} design and its Gram matrix (dimension={d})")
    design = rng.standard_normal((count, d))
    start = rng.standard_normal(d)
    return Quadratic(design.T @ design, start / np.linalg.norm(start))


@frozen
class Backward:
    """What back-propagation computes: the loss, the factor 1/(t f) it starts from, and the meta-gradient."""

    loss: float
    seed: float
    gradient: float


def backpropagate(problem: Quadratic, step: float, steps: int, dtype: Any = np.float64) -> Backward:
    """Derivative in η of (1/t) log f(w_t) by reverse accumulation in one float type; may be infinite or NaN.

    >>> problem = Quadratic(np.diag([1.0, 4.0]), np.array([0.6, 0.8]))
    >>> round(backpropagate(problem, 0.1, 10).gradient, 6)
    -2.245933
    >>> backpropagate(problem, 0.4, 200, np.float32).loss  # (1 - ηλ)^{2t} = 0.6⁴⁰⁰ is below every float32
    0.0
    """
    problem = validate.instance("problem", problem, Quadratic)
    step = validate.finite_number("step", step, meaning="step size η")
    steps = validate.integer("steps", steps, meaning="number t of inner steps")
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype!r}: expected numpy.float32 or numpy.float64")
    validate.memory(8.0 * (steps + 1) * problem.start.size, f"a trajectory of steps={steps}")
    matrix, eta = problem.matrix.astype(dtype), np.dtype(dtype).type(step)
    path = np.empty((steps + 1, problem.start.size), dtype=dtype)
    path[0] = problem.start
    with np.errstate(all="ignore"):
        for tau in range(steps):
            path[tau + 1] = path[tau] - eta * (matrix @ path[tau])
        last = matrix @ path[steps]
        loss = path[steps] @ last / np.dtype(dtype).type(2)
        seed = np.dtype(dtype).type(1) / (np.dtype(dtype).type(steps) * loss)
        adjoint = seed * last
        gradient = np.dtype(dtype).type(0)
        for tau in range(steps - 1, -1, -1):
            gradient -= adjoint @ (matrix @ path[tau])
            adjoint = adjoint - eta * (matrix @ adjoint)
    return Backward(float(loss), float(seed), float(gradient))


@frozen
class Tangent:
    """Values along the trajectory with their common scale taken out."""

    log_loss: float
    """log f(w_t)."""
    log_gradient: float
    """log|d f(w_t)/dη|."""
    sign: float
    ratio: float
    """Derivative of (1/t) log f(w_t)."""


def scaled_tangent(problem: Quadratic, step: float, steps: int) -> Tangent:
    """w_t and dw_t/dη carried along and rescaled at every step: no closed form, and no overflow.

    >>> problem = Quadratic(np.diag([1.0, 4.0]), np.array([0.6, 0.8]))
    >>> round(scaled_tangent(problem, 0.1, 10).ratio, 6)
    -2.245933
    """
    problem = validate.instance("problem", problem, Quadratic)
    step = validate.finite_number("step", step, meaning="step size η")
    steps = validate.integer("steps", steps, maximum=10**6, meaning="number t of inner steps")
    w, tangent, scale = problem.start.copy(), np.zeros_like(problem.start), 0.0
    for _ in range(steps):
        force = problem.matrix @ w
        tangent = tangent - step * (problem.matrix @ tangent) - force
        w = w - step * force
        size = max(float(np.abs(w).max()), float(np.abs(tangent).max()))
        w, tangent, scale = w / size, tangent / size, scale + math.log(size)
    force = problem.matrix @ w
    loss, slope = float(w @ force) / 2, float(force @ tangent)
    return Tangent(
        2 * scale + math.log(loss),
        2 * scale + math.log(abs(slope)) if slope != 0 else -math.inf,
        math.copysign(1.0, slope),
        slope / loss / steps,
    )


def meta_descent(
    gradient: Callable[[float], float], start: float, iterations: int, rule: Rule, rate: float
) -> Array:
    """η_k under meta-gradient descent, reset to zero when negative; a gradient that is not finite leaves η where it is.

    Rules: ``decay`` is η - rate/√k·g, ``constant`` η - rate·g, ``rmsprop`` divides by the root of a running mean of g²
    (decay 0.9).

    >>> float(meta_descent(lambda eta: 2 * (eta - 1), 0.0, 200, "decay", 0.3)[-1].round(6))
    1.0
    """
    if not callable(gradient):
        raise TypeError(f"gradient: expected a function of η, not {type(gradient).__name__}")
    start = validate.finite_number("start", start, meaning="first step size η")
    iterations = validate.integer("iterations", iterations, minimum=0, meaning="meta-gradient steps")
    validate.choice("rule", rule, RULES)
    rate = validate.finite_number("rate", rate, meaning="meta step size")
    path = np.empty(iterations + 1)
    path[0] = eta = start
    mean = 0.0
    for k in range(1, iterations + 1):
        slope = gradient(eta)
        if math.isfinite(slope):
            mean = 0.9 * mean + 0.1 * slope * slope
            change = {"decay": rate / math.sqrt(k), "constant": rate}.get(rule)
            if change is None:
                change = rate / math.sqrt(mean + 1e-10)
            eta = max(0.0, eta - change * slope)
        path[k] = eta
    return path
