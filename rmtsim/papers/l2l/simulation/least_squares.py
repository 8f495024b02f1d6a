"""Least-squares tasks with Gaussian inputs, and gradient descent on them through the spectrum or step by step.

A task: w* uniform on the unit sphere, x ~ N(0, I_d), y = ⟨w*, x⟩ + ξ, ξ ~ N(0, σ²); training loss
(1/2n)‖Xw - y‖², descent from zero. A task is truncated once ‖w_τ‖ ≥ 40σ; its weight is then 40σu, u a unit vector
that is independent of the samples.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.ensembles import wishart_tridiagonal
from rmtsim.papers.l2l.simulation.kernels.least_squares import stochastic_descent, truncated_descent

TRUNCATION = 40.0
"""Norm of the weights, in units of σ, at which training is cut off."""


@frozen
class Task:
    """One least-squares problem with its data."""

    design: Array
    """X, one sample per row."""
    labels: Array
    truth: Array
    noise: float

    def loss(self, weights: Array) -> float:
        """(1/2n)‖Xw - y‖²."""
        residual = self.design @ weights - self.labels
        return float(residual @ residual) / (2 * self.labels.size)


def draw_task(samples: int, dimension: int, noise: float, rng: np.random.Generator) -> Task:
    """A task with n samples in d dimensions.

    >>> task = draw_task(3, 5, 1.0, np.random.default_rng(0))
    >>> task.design.shape, round(float(np.linalg.norm(task.truth)), 12)
    ((3, 5), 1.0)
    """
    n, d = _sizes(samples, dimension)
    noise = _noise(noise)
    rng = validate.generator("rng", rng)
    validate.memory(8.0 * n * d, f"a task with samples={n}, dimension={d}")
    truth = rng.standard_normal(d)
    truth /= np.linalg.norm(truth)
    design = rng.standard_normal((n, d))
    return Task(design, design @ truth + noise * rng.standard_normal(n), truth, noise)


def _sizes(samples: int, dimension: int) -> tuple[int, int]:
    return (
        validate.integer("samples", samples, meaning="number n of samples"),
        validate.integer("dimension", dimension, meaning="dimension d"),
    )


def _noise(noise: float) -> float:
    noise = validate.finite_number("noise", noise, meaning="standard deviation σ of the label noise")
    if noise < 0:
        raise ValueError(
            f"noise={noise}: expected a finite number >= 0 (standard deviation σ of the label noise)"
        )
    return noise


def _limit(truncation: float | None, noise: float) -> float:
    """The norm at which training is cut off."""
    if truncation is None:
        return math.inf
    return (
        validate.positive_number("truncation", truncation, meaning="norm in units of σ; None for none")
        * noise
    )


def _step(step: float) -> float:
    return validate.finite_number("step", step, meaning="step size η")


def descend(
    task: Task, step: float, steps: int, *, truncation: float | None = TRUNCATION
) -> tuple[Array, int]:
    """w_t by t gradient steps on the data, and the step at which it was truncated (0 if it was not).

    A truncated task returns the weights at that step; the caller replaces them by 40σu.
    """
    task, step = validate.instance("task", task, Task), _step(step)
    steps = validate.integer("steps", steps, meaning="number t of gradient steps")
    n = task.labels.size
    weights = np.zeros(task.truth.size)
    limit = _limit(truncation, task.noise)
    for tau in range(1, steps + 1):
        weights -= step / n * (task.design.T @ (task.design @ weights - task.labels))
        if np.linalg.norm(weights) >= limit:
            return weights, tau
    return weights, 0


def descend_stochastically(
    task: Task, step: float, steps: int, rng: np.random.Generator, *, truncation: float | None = TRUNCATION
) -> tuple[Array, int, Array]:
    """One path of SGD, one uniformly drawn sample per step: w_t, the truncated step (0 if none), all ‖w_τ‖²."""
    task, step = validate.instance("task", task, Task), _step(step)
    steps = validate.integer("steps", steps, meaning="number of steps of SGD")
    validate.memory(16.0 * steps, f"a path of steps={steps}")
    order = validate.generator("rng", rng).integers(task.labels.size, size=steps)
    weights = np.zeros(task.truth.size)
    squares = np.zeros(steps)
    limit = _limit(truncation, task.noise)
    stopped = stochastic_descent(task.design, task.labels, order, step, limit, weights, squares)
    return weights, int(stopped), squares


@frozen
class SpectralTask:
    """A task in the eigenbasis of H = XᵀX/n, the k = min(n, d) directions in which samples lie.

    Everything else that matters of w* is the length of its part outside these directions; for u also its coordinate
    along that part and its remaining length.
    """

    values: Array
    """Non-zero eigenvalues of H."""
    fitted: Array
    """Coordinates of w_ERM = X⁺y."""
    truth: Array
    """Coordinates of w*."""
    truth_outside: float
    unit: Array
    """Coordinates of u, then the one along the outer part of w*, then the rest."""
    floor: float
    """Training loss of w_ERM."""
    noise: float

    @classmethod
    def of(cls, task: Task, unit: Array) -> SpectralTask:
        """The same task, rotated; ``unit`` is the vector u that replaces a truncated weight."""
        n, d = task.design.shape
        if n < d:
            values, vectors = np.linalg.eigh(task.design @ task.design.T / n)
            basis = task.design.T @ vectors / np.sqrt(n * values)
            fitted = vectors.T @ task.labels / np.sqrt(n * values)
            floor = 0.0
        else:
            values, basis = np.linalg.eigh(task.design.T @ task.design / n)
            fitted = basis.T @ (task.design.T @ task.labels) / (n * values)
            residual = task.labels - task.design @ (basis @ fitted)
            floor = float(residual @ residual) / (2 * n)
        truth = basis.T @ task.truth
        outside = task.truth - basis @ truth if n < d else np.zeros(d)
        length = float(np.linalg.norm(outside))
        inner = basis.T @ unit
        along = float(unit @ outside) / length if length > 0 else 0.0
        rest = math.sqrt(max(0.0, float(unit @ unit) - float(inner @ inner) - along**2))
        return cls(values, fitted, truth, length, np.append(inner, [along, rest]), floor, task.noise)


def draw_spectral_task(samples: int, dimension: int, noise: float, rng: np.random.Generator) -> SpectralTask:
    """A task drawn as by :func:`draw_task`, with a uniform u, in its eigenbasis.

    >>> task = draw_spectral_task(3, 5, 1.0, np.random.default_rng(0))
    >>> task.values.size, round(float(task.truth @ task.truth) + task.truth_outside**2, 12)
    (3, 1.0)
    """
    rng = validate.generator("rng", rng)
    task = draw_task(samples, dimension, noise, rng)
    unit = rng.standard_normal(task.truth.size)
    return SpectralTask.of(task, unit / np.linalg.norm(unit))


def draw_rotated_task(samples: int, dimension: int, noise: float, rng: np.random.Generator) -> SpectralTask:
    """A task with the law of :func:`draw_spectral_task`, without its data: O(k²) in place of O(nd²).

    Singular vectors of a Gaussian X are uniform and independent of its singular values, and w*, ξ and u are rotation
    invariant: their coordinates in the eigenbasis are Gaussian (normalised for w* and u), and what lies outside of it
    enters by its length alone, a chi variable. Eigenvalues come from the bidiagonal model.

    >>> task = draw_rotated_task(3, 5, 1.0, np.random.default_rng(0))
    >>> task.values.size, round(float(task.truth @ task.truth) + task.truth_outside**2, 12)
    (3, 1.0)
    """
    n, d = _sizes(samples, dimension)
    noise = _noise(noise)
    rng = validate.generator("rng", rng)
    values = wishart_tridiagonal(d, n, rng).eigenvalues()
    k = min(n, d)
    inner, outside = _sphere(k, d - k, rng)
    fitted = inner + noise * rng.standard_normal(k) / np.sqrt(n * values)
    floor = noise**2 * rng.chisquare(n - d) / (2 * n) if n > d else 0.0
    unit, rest = _sphere(k, d - k, rng)
    # u's part outside the samples lies at a uniform angle to that of w*.
    along = rng.standard_normal() if d > k else 0.0
    other = rng.chisquare(d - k - 1) if d - k > 1 else 0.0
    turned = along / math.sqrt(along**2 + other) if d > k else 0.0
    last = rest * math.sqrt(max(0.0, 1 - turned**2))
    return SpectralTask(
        values, fitted, inner, outside, np.append(unit, [rest * turned, last]), float(floor), noise
    )


def _sphere(inside: int, outside: int, rng: np.random.Generator) -> tuple[Array, float]:
    """A uniform unit vector: its first coordinates, and the length of the others."""
    first = rng.standard_normal(inside)
    square = rng.chisquare(outside) if outside else 0.0
    total = math.sqrt(float(first @ first) + square)
    return first / total, math.sqrt(square) / total


@frozen
class Descent:
    """Gradient descent on one task for several step sizes; rows belong to step sizes."""

    task: SpectralTask
    weights: Array
    """Coordinates of w_t, then of w_t along the outer part of w*, then along the rest of u."""
    stopped: NDArray[np.int64]
    """Step at which the task was truncated, 0 if it was not."""

    def errors(self) -> Array:
        """‖w_t - w*‖²."""
        inner = self.weights[:, :-2] - self.task.truth
        outer = self.weights[:, -2] - self.task.truth_outside
        return np.asarray(np.einsum("gi,gi->g", inner, inner) + outer**2 + self.weights[:, -1] ** 2)

    def training_losses(self) -> Array:
        """(1/2n)‖Xw_t - y‖²."""
        gap = self.weights[:, :-2] - self.task.fitted
        return np.asarray(0.5 * (gap**2 @ self.task.values) + self.task.floor)


def spectral_descent(
    task: SpectralTask, rates: Array, steps: int, *, truncation: float | None = TRUNCATION
) -> Descent:
    """w_t = (1 - (1 - ηλ)^t) w_ERM for every step size in ``rates``, with or without truncation.

    Without truncation, or where η ≤ 2/λ₁ and twice ‖w_ERM‖ is below the threshold (norms on the way cannot reach it),
    the power is taken at once; otherwise it is formed step by step and every norm is checked.

    >>> task = draw_spectral_task(3, 5, 1.0, np.random.default_rng(0))
    >>> spectral_descent(task, np.array([0.0]), 10).errors().round(12)
    array([1.])
    """
    task = validate.instance("task", task, SpectralTask)
    rates = np.atleast_1d(validate.real_array("rates", rates, meaning="step sizes η"))
    if rates.ndim != 1:
        raise ValueError(f"rates of shape {rates.shape}: expected a list (step sizes η)")
    steps = validate.integer("steps", steps, maximum=10**18, meaning="number t of gradient steps")
    count = task.values.size
    weights = np.zeros((rates.size, count + 2))
    stopped = np.zeros(rates.size, dtype=np.int64)
    limit = _limit(truncation, task.noise)
    safe = rates * task.values.max() <= 2
    if truncation is None:
        safe[:] = True
    elif 2 * np.linalg.norm(task.fitted) >= limit:
        safe[:] = False
    if safe.any():
        weights[safe, :count] = learned_share(rates[safe, None] * task.values, steps) * task.fitted
    if not safe.all():
        inner = np.empty((int((~safe).sum()), count))
        marks = np.zeros(inner.shape[0], dtype=np.int64)
        truncated_descent(task.values, task.fitted, rates[~safe], steps, limit, inner, marks)
        full = np.zeros((inner.shape[0], count + 2))
        full[:, :count] = inner
        full[marks > 0] = limit * task.unit
        weights[~safe] = full
        stopped[~safe] = marks
    return Descent(task, weights, stopped)


def learned_share(products: Array, steps: int) -> Array:
    """1 - (1 - p)^t for p = ηλ, by logarithms: exact for tiny p and for any number of steps.

    >>> learned_share(np.array([0.5, 2.5, 1e-20]), 3)
    array([8.750e-01, 4.375e+00, 3.000e-20])
    """
    with np.errstate(divide="ignore"):
        exponent = steps * np.log1p(np.where(products < 1, -products, products - 2))
    even = (products < 1) | (steps % 2 == 0)
    with np.errstate(over="ignore"):
        return np.asarray(np.where(even, -np.expm1(exponent), 1 + np.exp(exponent)))


def validation_losses(descent: Descent, samples: int, rng: np.random.Generator) -> Array:
    """(1/2n₂)‖X'w_t - y'‖² on one fresh validation set of n₂ samples, the same for all step sizes.

    X' is independent of everything else, so it is drawn in the task's own directions only.
    """
    descent = validate.instance("descent", descent, Descent)
    samples = validate.integer("samples", samples, meaning="number n₂ of validation samples")
    rng = validate.generator("rng", rng)
    task = descent.task
    gap = descent.weights.copy()
    validate.memory(8.0 * samples * gap.shape[1], f"a validation set of samples={samples}")
    gap[:, :-2] -= task.truth
    gap[:, -2] -= task.truth_outside
    design = rng.standard_normal((samples, gap.shape[1]))
    residual = gap @ design.T - task.noise * rng.standard_normal(samples)
    return np.asarray(np.einsum("gi,gi->g", residual, residual) / (2 * samples))
