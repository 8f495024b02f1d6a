"""Simulation equals prediction: errors and both meta-objectives over step sizes, steps, noise and shapes."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Grid, Identity, Limit, Parameter, Plan, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.statements.parameters import NOISE, POSITIVE_NOISE, RATIO, SMOOTH, STEPS, samples

STEP = Parameter(
    "step",
    "step size η",
    0.1,
    highest=0.5,
    draw_range=(0.02, 0.2),
    assumption="below 2/λ₊: beyond it tasks are truncated, see l2l.truncation.cost",
)
PREDICTION_GRID = Grid(
    (STEP, STEPS, NOISE, RATIO),
    points=(
        {"step": 0.1, "steps": 40, "noise": 1.0, "ratio": 2.0},
        {"step": 0.3, "steps": 10, "noise": 3.0, "ratio": 4 / 3},
        {"step": 0.2, "steps": 40, "noise": 1.0, "ratio": 1.0},
        {"step": 0.02, "steps": 20, "noise": 0.5, "ratio": 4.0},
        {"step": 0.4, "steps": 10, "noise": 2.0, "ratio": 0.5},
    ),
)
"""n < d, n = d and n > d, weak and strong noise, short and long training."""
_WIDE = (48, 96, 192, 384)
_LARGE = (96, 192, 384, 768)
_SHARED = 256
"""Tasks that share a spectrum in one replicate: then the spectrum's fluctuations carry most of the noise."""


def _cost(size: int, ratio: float) -> float:
    return 2e-4 + _SHARED * 3e-8 * min(size, size / ratio) + 2e-8 * min(size, size / ratio) ** 2


EQUALITY_PLAN = Plan(
    sizes=(24, 48, 96, 192),
    size_name="d",
    exponents=(1.0,),
    because=SMOOTH,
    cost=lambda size, ratio: 1.5e-4 + 3e-8 * size * size / ratio + 6e-10 * size**3 / max(ratio, 1.0) ** 2,
)


@claim(
    "l2l.prediction.error",
    states=Limit(theory.expected_error, within=Relative(0.02)),
    over=PREDICTION_GRID,
    plan=EQUALITY_PLAN.but(
        cost=lambda size, ratio, steps: 5e-5 + size * size / ratio * (1.5e-8 + 3e-10 * steps) + 4e-6 * steps
    ),
)
def squared_error(
    size: int, rng: np.random.Generator, step: float, steps: int, noise: float, ratio: float
) -> float:
    """‖w_t - w*‖² of one task, by t gradient steps on its data."""
    from rmtsim.papers.l2l.simulation.least_squares import descend, draw_task

    task = draw_task(samples(size, ratio), size, noise, rng)
    weights, _ = descend(task, step, steps, truncation=None)
    return float(np.sum((weights - task.truth) ** 2))


@claim(
    "l2l.prediction.train-by-train",
    states=Limit(theory.train_by_train, within=Relative(0.02)),
    over=PREDICTION_GRID,
    plan=EQUALITY_PLAN.but(sizes=_LARGE, cost=_cost),
)
def training_loss(
    size: int, rng: np.random.Generator, step: float, steps: int, noise: float, ratio: float
) -> float:
    """Average of the train-by-train meta-loss over tasks on one spectrum."""
    from rmtsim.papers.l2l.simulation.task_batches import draw_tasks

    tasks = draw_tasks(1, _SHARED, samples(size, ratio), size, noise, rng)
    return float(np.mean(tasks.training_losses(np.array([step]), steps)))


@claim(
    "l2l.prediction.train-by-validation",
    states=Limit(theory.train_by_validation, within=Relative(0.02)),
    over=PREDICTION_GRID,
    plan=EQUALITY_PLAN.but(sizes=_WIDE, cost=lambda size, ratio: 5e-4 + 1.5 * _cost(size, ratio)),
)
def validation_loss(
    size: int, rng: np.random.Generator, step: float, steps: int, noise: float, ratio: float
) -> float:
    """Average of the train-by-validation meta-loss over tasks on one spectrum, each with its own validation set."""
    from rmtsim.papers.l2l.simulation.task_batches import ValidationSets, draw_tasks

    training = samples(size, ratio)
    tasks = draw_tasks(1, _SHARED, training, size, noise, rng)
    sets = ValidationSets(tasks, max(1, training // 2), rng)
    return float(np.mean(sets.losses(np.array([step]), steps)))


_LONG = 10**9


@claim(
    "l2l.prediction.minimiser",
    states=Limit(theory.erm_error, within=Relative(0.02)),
    over=(NOISE, RATIO),
    points=({"noise": 1.0, "ratio": 2.0}, {"noise": 2.0, "ratio": 4.0}, {"noise": 1.0, "ratio": 0.5}),
    plan=Plan(sizes=_WIDE, size_name="d", exponents=(1.0,), cost=_cost),
)
def converged_error(size: int, rng: np.random.Generator, noise: float, ratio: float) -> float:
    """Average of ‖w_t - w*‖² over tasks on one spectrum, after 10⁹ steps at η = 1/λ₁."""
    from rmtsim.papers.l2l.simulation.task_batches import draw_tasks

    tasks = draw_tasks(1, _SHARED, samples(size, ratio), size, noise, rng)
    return float(np.mean(tasks.errors(1 / tasks.values.max(keepdims=True)[0], _LONG)))


@claim(
    "l2l.footnote4",
    states=Identity(within=1e-6),
    over=(POSITIVE_NOISE,),
    points=({"noise": 1.0},),
    plan=Plan(sizes=(16, 32), size_name="d", cost=0.02),
)
def distance_to_minimiser(size: int, rng: np.random.Generator, noise: float) -> float:
    """‖w_t - X⁺y‖/‖X⁺y‖ for n = d/4 and 1000 steps at η = 1/λ₁."""
    from rmtsim.papers.l2l.simulation.least_squares import descend, draw_task

    task = draw_task(size // 4, size, noise, rng)
    goal = np.linalg.lstsq(task.design, task.labels, rcond=None)[0]
    largest = float(np.linalg.norm(task.design, 2)) ** 2 / (size // 4)
    weights, _ = descend(task, 1 / largest, 1000, truncation=None)
    return float(np.linalg.norm(weights - goal) / np.linalg.norm(goal))
