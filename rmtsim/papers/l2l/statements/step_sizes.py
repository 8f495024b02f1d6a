"""Learned step sizes: minimisers of the empirical meta-objectives against those of the limit, and the user's rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Computed, Grid, Limit, Parameter, Plan, Rate, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.statements.parameters import FEW_STEPS, POSITIVE_NOISE, SCARCE, samples

Objective = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Average meta-loss at each of several step sizes."""
_SPECTRA, _EACH = 8, 16
"""Tasks averaged in one empirical meta-objective, several on each spectrum; its minimiser has a bias of order 1/d."""

COUNT = Parameter(
    "samples", "number n of samples for training", 250, integer=True, lowest=1, draw_range=(100, 2000)
)
DIMENSION = Parameter("dimension", "dimension d", 1000, integer=True, lowest=1, draw_range=(500, 1500))
TRAINING = Parameter(
    "training",
    "number n₁ of samples that train under train-by-validation",
    250,
    integer=True,
    lowest=1,
    draw_range=(50, 90),
    assumption="n₁ < n, the rest validates",
)
TOTAL = Parameter(
    "samples", "number n of samples of a task", 500, integer=True, lowest=2, draw_range=(100, 2000)
)


def minimiser(rates: NDArray[np.float64], losses: NDArray[np.float64]) -> float:
    """Minimiser of a curve on a geometric grid: the parabola in log η through the three lowest neighbours."""
    best = int(np.clip(np.argmin(losses), 1, rates.size - 2))
    x, y = np.log(rates[best - 1 : best + 2]), losses[best - 1 : best + 2]
    curvature = y[0] - 2 * y[1] + y[2]
    shift = 0.5 * (y[0] - y[2]) / curvature if curvature > 0 else 0.0
    return float(np.exp(x[1] + np.clip(shift, -1, 1) * (x[1] - x[0])))


def learned_step(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int, *, validation: bool
) -> float:
    """Minimiser over η of an empirical meta-objective: a coarse grid below 2/λ₊, then a fine one around its best."""
    from rmtsim.papers.l2l.simulation.least_squares import TRUNCATION
    from rmtsim.papers.l2l.simulation.task_batches import ValidationSets, draw_tasks

    count = samples(size, ratio)
    tasks = draw_tasks(_SPECTRA, _EACH, count, size, noise, rng)
    limit = 2 / float(tasks.values.max())
    sets = ValidationSets(tasks, count, rng) if validation else None

    def objective(rates: NDArray[np.float64]) -> NDArray[np.float64]:
        losses = tasks.training_losses(rates, steps) if sets is None else sets.losses(rates, steps)
        return np.asarray(losses.mean(axis=0))

    chosen: Objective = objective
    if tasks.norm_bound(limit, steps) >= TRUNCATION * noise:
        chosen, limit = _truncated_objective(count, size, noise, steps, validation, rng)
    shortest = 1e-3 / steps if validation else 0.05
    coarse = limit * np.geomspace(shortest, 1, 25)
    around = minimiser(coarse, chosen(coarse))
    width = (coarse[1] / coarse[0]) ** 1.5
    fine = np.geomspace(around / width, min(around * width, limit), 13)
    return minimiser(fine, chosen(fine))


def _truncated_objective(
    count: int, size: int, noise: float, steps: int, validation: bool, rng: np.random.Generator
) -> tuple[Objective, float]:
    """The same objective where weights may reach the truncation (little noise): task by task, norms checked."""
    from rmtsim.papers.l2l.simulation.least_squares import (
        draw_rotated_task,
        spectral_descent,
        validation_losses,
    )

    tasks = [draw_rotated_task(count, size, noise, rng) for _ in range(_SPECTRA * _EACH)]
    seeds = rng.integers(2**63, size=len(tasks))

    def objective(rates: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.zeros(rates.size)
        for task, seed in zip(tasks, seeds, strict=True):
            descent = spectral_descent(task, rates, steps)
            if validation:
                # One validation set per task, the same at every evaluation of the objective.
                total += validation_losses(descent, count, np.random.default_rng(seed))
            else:
                total += descent.training_losses()
        return total

    return objective, 2 / max(float(task.values.max()) for task in tasks)


def _cost(size: int, ratio: float, *, validation: bool, new_tasks: bool = False) -> float:
    """Seconds of a learned step size, and of its error on new tasks."""
    smaller = min(size, size / ratio)
    learned = 8e-3 + 2.1e-4 * smaller if validation else 1.5e-3 + 4e-5 * smaller + 1e-7 * smaller**2
    return learned + new_tasks * (1e-3 + 2e-5 * smaller + 1e-7 * smaller**2)


_BIAS = "the objective is a smooth function of the task's spectrum, so its minimiser has a bias of order 1/d"
RULE_GRID = Grid(
    (COUNT, DIMENSION, POSITIVE_NOISE, FEW_STEPS),
    points=({"samples": 500, "noise": 1.0, "steps": 10}, {"samples": 1500, "noise": 2.0, "steps": 10}),
)
RULE_PLAN = Plan(sizes=(64, 128, 256), size_name="d", exponents=(1.0,), because=_BIAS)


@claim(
    "l2l.step-size",
    states=Limit(
        lambda samples, dimension, noise, steps: theory.step_rule(samples, dimension, noise, steps).step,
        within=Relative(0.05),
    ),
    over=RULE_GRID,
    plan=RULE_PLAN.but(
        cost=lambda size, samples, dimension: _cost(size, dimension / samples, validation=True)
    ),
)
def learned_validation_step(
    size: int, rng: np.random.Generator, samples: int, dimension: int, noise: float, steps: int
) -> float:
    """Minimiser of the empirical train-by-validation objective."""
    return learned_step(size, rng, dimension / samples, noise, steps, validation=True)


@claim(
    "l2l.step-size.risk",
    states=Limit(
        lambda samples, dimension, noise, steps: theory.step_rule(samples, dimension, noise, steps).error,
        within=Relative(0.02),
    ),
    over=RULE_GRID,
    plan=RULE_PLAN.but(
        cost=lambda size, samples, dimension: _cost(
            size, dimension / samples, validation=True, new_tasks=True
        )
    ),
)
def risk_of_learned_step(
    size: int, rng: np.random.Generator, samples: int, dimension: int, noise: float, steps: int
) -> float:
    """Mean error on new tasks at the learned step size."""
    step = learned_step(size, rng, dimension / samples, noise, steps, validation=True)
    return mean_error(size, rng, dimension / samples, noise, steps, step)


def mean_error(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int, step: float
) -> float:
    """Average of ‖w_t - w*‖² over new tasks, 32 on each of eight spectra."""
    from rmtsim.papers.l2l.simulation.least_squares import TRUNCATION, draw_rotated_task
    from rmtsim.papers.l2l.simulation.meta_objectives import sample_train_by_train
    from rmtsim.papers.l2l.simulation.task_batches import draw_tasks

    count = samples(size, ratio)
    tasks = draw_tasks(8, 32, count, size, noise, rng)
    if tasks.norm_bound(step, steps) < TRUNCATION * noise:
        return float(tasks.errors(np.array([step]), steps).mean())
    # Weights may reach the truncation (little noise, or a step size beyond 2/λ₁): task by task, norms checked.
    found = sample_train_by_train(
        64, count, size, noise, np.array([step]), steps, rng, draw=draw_rotated_task
    )
    return float(found.errors.mean())


def _gap(samples: int, training: int, dimension: int, noise: float, steps: int) -> float:
    both = theory.compare(samples, training, dimension, noise, steps)
    return both.train_error - both.validation_error


@claim(
    "l2l.split",
    states=Limit(_gap, within=0.03),
    over=(TOTAL, TRAINING, DIMENSION, POSITIVE_NOISE, FEW_STEPS),
    points=({"noise": 1.0}, {"noise": 0.2}, {"samples": 3000, "training": 1500, "noise": 1.0}),
    plan=RULE_PLAN.but(
        cost=lambda size, samples, training, dimension: (
            _cost(size, dimension / samples, validation=False, new_tasks=True)
            + _cost(size, dimension / training, validation=True, new_tasks=True)
        )
    ),
)
def gap_on_new_tasks(
    size: int,
    rng: np.random.Generator,
    samples: int,
    training: int,
    dimension: int,
    noise: float,
    steps: int,
) -> float:
    """Error of the train-by-train step size on n samples minus that of train-by-validation on n₁."""
    errors = []
    for count, validation in ((samples, False), (training, True)):
        step = learned_step(size, rng, dimension / count, noise, steps, validation=validation)
        errors.append(mean_error(size, rng, dimension / count, noise, steps, step))
    return errors[0] - errors[1]


# ---- Theorem 5.4.1: the order of the step sizes, and the constants behind it ----


@claim(
    "l2l.thm5.4.1.train-step",
    states=Limit(
        lambda ratio, noise, steps: theory.train_step(steps, noise, ratio).place, within=Relative(0.02)
    ),
    over=(SCARCE, POSITIVE_NOISE, FEW_STEPS),
    points=({"ratio": 2.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=RULE_PLAN.but(
        sizes=(128, 256, 512, 1024),
        exponents=(2 / 3, 1.0),
        because="a polynomial of degree 2t resolves the soft edge up to d of about t³; then the bias is of order 1/d",
        cost=lambda size, ratio: _cost(size, ratio, validation=False),
    ),
)
def learned_train_step(size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int) -> float:
    """Minimiser of the empirical train-by-train objective."""
    return learned_step(size, rng, ratio, noise, steps, validation=False)


@claim(
    "l2l.thm5.4.1.train-error",
    states=Limit(
        lambda ratio, noise, steps: (
            theory.expected_error(theory.train_step(steps, noise, ratio).place, steps, noise, ratio)
            / noise**2
        ),
        within=Relative(0.03),
    ),
    over=(SCARCE, POSITIVE_NOISE, FEW_STEPS),
    points=({"ratio": 2.0, "noise": 2.0}, {"ratio": 4.0, "noise": 5.0}),
    plan=RULE_PLAN.but(cost=lambda size, ratio: _cost(size, ratio, validation=False, new_tasks=True)),
)
def error_over_noise(size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int) -> float:
    """Mean error on new tasks at the learned train-by-train step size, over σ²."""
    step = learned_step(size, rng, ratio, noise, steps, validation=False)
    return mean_error(size, rng, ratio, noise, steps, step) / noise**2


@claim(
    "l2l.thm5.4.1.train-limit",
    states=Limit(theory.train_step_limit, within=Relative(1e-3)),
    over=(SCARCE,),
    points=({"ratio": 4 / 3}, {"ratio": 2.0}, {"ratio": 4.0}),
    plan=Plan(sizes=(2000, 4000, 8000, 16_000), size_name="t", exponents=(1.0,), cost=0.05),
    evidence=Computed(1e-10, chain=("l2l.thm5.4.1.train-step",)),
)
def train_step_after(size: int, ratio: float) -> float:
    """η*_train of the limit law after t steps, σ = 1."""
    return theory.train_step(size, 1.0, ratio).place


@claim(
    "l2l.thm5.4.1.valid-step",
    states=Rate(1.0, "Theta", within=0.05),
    plan=Plan(
        sizes=(16, 32, 64, 128, 256), size_name="t", exponents=(1.0,), cost=_cost(64, 2.0, validation=True)
    ),
)
def validation_step_after(size: int, rng: np.random.Generator) -> float:
    """η*_valid learned with t steps."""
    return learned_step(64, rng, 2.0, 2.0, size, validation=True)


@claim(
    "l2l.thm5.4.1.valid-limit",
    states=Limit(lambda ratio, noise: theory.validation_time(noise, ratio).place, within=Relative(1e-3)),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 1.0}, {"ratio": 4.0, "noise": 10.0}),
    plan=Plan(sizes=(100, 200, 400, 800), size_name="t", exponents=(1.0,), cost=0.3),
    evidence=Computed(1e-10, chain=("l2l.step-size",)),
)
def scaled_validation_step(size: int, ratio: float, noise: float) -> float:
    """t·η*_valid of the limit law."""
    return size * theory.validation_step(size, noise, ratio).place


@claim(
    "l2l.thm5.4.1.valid-error",
    states=Limit(
        lambda ratio, noise, steps: 1 - theory.validation_step(steps, noise, ratio).value, within=0.02
    ),
    over=(SCARCE, POSITIVE_NOISE, FEW_STEPS),
    points=({"ratio": 4 / 3, "noise": 1.0}, {"ratio": 2.0, "noise": 2.0}),
    plan=RULE_PLAN.but(cost=lambda size, ratio: _cost(size, ratio, validation=True, new_tasks=True)),
)
def gain(size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int) -> float:
    """1 - mean error on new tasks at the learned train-by-validation step size."""
    step = learned_step(size, rng, ratio, noise, steps, validation=True)
    return 1 - mean_error(size, rng, ratio, noise, steps, step)
