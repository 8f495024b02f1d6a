"""Step sizes that minimise the meta-objectives, their limits for long training, and how well they are known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from rmtsim._internal.arrays import records_take_arrays, takes_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.papers.l2l.theory.errors import check_shape, check_task, expected_error, flow_error
from rmtsim.papers.l2l.theory.objectives import train_by_train
from rmtsim.papers.l2l.theory.powers import logarithm, powers
from rmtsim.papers.l2l.theory.spectrum import ORDER, edges, nodes

__all__ = ["Minimum", "train_step", "train_step_limit", "validation_step", "validation_time"]


@frozen
class Minimum:
    """A minimiser, the value there, and a bound on the error of the minimiser."""

    place: float
    value: float
    error: float


@records_take_arrays
def train_step(steps: int, noise: float, ratio: float) -> Minimum:
    """The step size that minimises train-by-train; unique, since the objective is strictly convex in η.

    ``value`` is the meta-objective there. As t grows the step size tends to :func:`train_step_limit`.

    >>> best = train_step(40, 1.0, 2.0)
    >>> round(best.place, 9), best.error < 1e-12
    (0.330907317, True)
    >>> train_step([40, 10**6], 1.0, 2.0).place.round(6)  # of arrays every field is an array
    array([0.330907, 0.333333])
    """
    steps, noise, ratio = check_task(steps, noise, ratio)

    def slope(step: float, order: int) -> float:
        """Derivative of the objective in η over a positive factor."""
        law = nodes(ratio, step, steps, order=order)
        products = step * law.values
        exponent = (2 * steps - 1) * logarithm(products)
        signs = np.where(products > 1, 1.0, -1.0)
        sizes = np.exp(exponent - exponent.max()) * law.values * (law.values + noise * noise * ratio)
        return law.integral(signs * sizes)

    lowest = 1 / edges(ratio)[1]
    return _root(slope, lowest * (1 - 1e-9), lowest, lambda step: train_by_train(step, steps, noise, ratio))


@takes_arrays
def train_step_limit(ratio: float) -> float:
    """Limit of the train-by-train step size as t → ∞: 2/(λ₋ + λ₊) = 1/(1 + d/n).

    Only the largest |1 - ηλ| matters then, and at the minimiser it is the same at both edges of the spectrum.

    >>> train_step_limit(1.0), train_step_limit(4.0)
    (0.5, 0.2)
    """
    return 1 / (1 + check_shape(0.0, ratio)[1])


@records_take_arrays
def validation_step(steps: int, noise: float, ratio: float) -> Minimum:
    """The step size that minimises E‖w_t - w*‖², so also train-by-validation; ``value`` is the error there.

    ``ratio`` is d/n₁ for the n₁ samples used for training.

    >>> best = validation_step(40, 1.0, 4.0)
    >>> round(best.place, 9), round(best.value, 9)
    (0.004317008, 0.883750521)
    """
    steps, noise, ratio = check_task(steps, noise, ratio)
    penalty = noise * noise * ratio
    largest = edges(ratio)[1]

    def slope(step: float, order: int) -> float:
        law = nodes(ratio, step, steps, order=order)
        p = powers(step, steps, law.values)
        # (1 - ηλ)^(t-1) may be tiny where 1 - ηλ is: a power of its own, never a quotient.
        before = powers(step, steps - 1, law.values) if steps > 1 else None
        factor = np.ones_like(law.values) if before is None else before.power
        return law.integral(factor * (penalty * p.complement - law.values * p.power))

    # The error is not convex: find the best of a fine grid, then the root of the slope around it.
    shortest = 1 / ((largest + penalty) * steps) / 20
    grid = np.concatenate(
        [np.geomspace(shortest, 0.2 / largest, 60), np.linspace(0.2 / largest, 3 / largest, 85)[1:]]
    )
    values = [expected_error(float(step), steps, noise, ratio) for step in grid]
    best = int(np.argmin(values))
    if best in (0, grid.size - 1):
        raise ConvergenceError(
            f"noise={noise:g}, ratio={ratio:g}, steps={steps}: no minimum between step sizes {grid[0]:g} and "
            f"{grid[-1]:g}",
            residual=math.inf,
            iterations=grid.size,
        )
    return _between(
        slope,
        float(grid[best - 1]),
        float(grid[best + 1]),
        lambda step: expected_error(step, steps, noise, ratio),
    )


@records_take_arrays
def validation_time(noise: float, ratio: float) -> Minimum:
    """τ*: limit of η·t at the minimiser of train-by-validation as t → ∞; ``value`` is the error there.

    For large noise τ* ≈ 1/(σ²y) and the error ≈ 1 - 1/(σ²y).

    >>> best = validation_time(1.0, 4.0)
    >>> round(best.place, 9), round(best.value, 9)
    (0.174357381, 0.883693551)
    """
    noise, ratio = check_shape(noise, ratio, positive=True)
    penalty = noise * noise * ratio
    if not penalty > 1e-300:
        raise ValueError(f"noise={noise}: expected noise²·ratio above 1e-300 (ratio={ratio})")

    def slope(time: float, order: int) -> float:
        law = nodes(ratio, time, 1, order=order)
        decay = np.exp(-time * law.values)
        return law.integral(decay * (-penalty * np.expm1(-time * law.values) - law.values * decay))

    # For a single eigenvalue τ = log(1 + λ/σ²y)/λ is best, which decreases in λ: the edges bracket the minimiser.
    lower, upper = edges(ratio)
    shortest = math.log1p(upper / penalty) / upper
    longest = math.log1p(lower / penalty) / lower if lower > 0 else 1 / penalty
    return _between(slope, shortest, longest, lambda time: flow_error(time, noise, ratio))


def _root(
    slope: Callable[[float, int], float], lowest: float, width: float, value: Callable[[float], float]
) -> Minimum:
    highest = lowest + width
    while slope(highest, ORDER) <= 0:
        lowest, highest = highest, 2 * highest
    return _between(slope, lowest, highest, value)


def _between(
    slope: Callable[[float, int], float], lowest: float, highest: float, value: Callable[[float], float]
) -> Minimum:
    """The sign change of the slope; its error from a second rule and from rounding."""
    eps = float(np.finfo(float).eps)
    found = [
        float(
            brentq(slope, lowest, highest, args=(order,), xtol=4 * eps * highest, rtol=4 * eps, maxiter=200)
        )
        for order in (ORDER, ORDER + 6)
    ]
    error = abs(found[1] - found[0]) + 16 * eps * found[0]
    return Minimum(found[0], value(found[0]), error)
