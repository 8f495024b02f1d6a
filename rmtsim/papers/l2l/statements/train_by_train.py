"""Train-by-train with few samples: Lemmas 5.4.3-5.4.5, D.2.4, D.2.8-D.2.10, and what Theorem D.2.1 is proved from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Law, Limit, Plan, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import draw_rotated_task, draw_spectral_task, spectral_descent
from rmtsim.papers.l2l.simulation.meta_objectives import sample_train_by_train
from rmtsim.papers.l2l.simulation.task_batches import draw_tasks
from rmtsim.papers.l2l.statements.parameters import (
    BEYOND_CRITICAL_STEP,
    POPULATION_OBJECTIVE,
    POSITIVE_NOISE,
    SCARCE,
    SCARCE_GRID,
    SCARCE_PLAN,
    SCARCE_POINT,
    STEPS,
    L,
    critical,
    samples,
    task_cost,
)


@claim(
    "l2l.lemma5.4.3.monotone",
    states=Bound(0.0, within=1e-12, likely=True),
    over=SCARCE_GRID,
    plan=SCARCE_PLAN.but(sizes=(24, 96)),
)
def largest_increase(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Largest relative increase of the training loss over a grid of [0, 1/L], random number of steps."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    steps = int(np.exp(rng.uniform(0, math.log(1000))))
    losses = spectral_descent(task, np.linspace(0, 1 / L, 21), steps).training_losses()
    return float(np.max(losses[1:] / losses[:-1] - 1))


@claim(
    "l2l.lemma5.4.3.bound",
    states=Bound(1.0, likely=True),
    over=SCARCE_GRID,
    plan=SCARCE_PLAN.but(sizes=(24, 96)),
)
def loss_over_bound(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Training loss at η = 1/L over the printed bound."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    steps = int(np.exp(rng.uniform(0, math.log(1e5))))
    if task.values.min() < 1 / L:
        return 0.0
    loss = spectral_descent(task, np.array([1 / L]), steps).training_losses()[0]
    return float(loss) / (2 * L**2 * noise**2) * math.exp(-steps * math.log1p(-1 / L**2))


@claim(
    "l2l.lemma5.4.4",
    states=Bound(0.0, ">=", likely=True),
    over=(SCARCE, POSITIVE_NOISE, STEPS),
    points=({"ratio": 4 / 3, "steps": 40}, {"ratio": 4.0, "steps": 100}),
    plan=Plan(sizes=(96,), size_name="d", cost=lambda size, ratio: 16 * task_cost(size, ratio)),
    evidence=BEYOND_CRITICAL_STEP,
)
def log_loss_beyond_threshold(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int
) -> float:
    """log of F_TbT over σ²/(10L⁸) at a random step size beyond the critical one."""
    step = 1.1 * critical(steps, noise, ratio) * math.exp(rng.uniform(0, 3))
    found = sample_train_by_train(16, samples(size, ratio), size, noise, np.array([step]), steps, rng)
    return float(np.log(found.losses.mean()) - math.log(noise**2 / (10 * L**8)))


def deviation_from_limit(
    rates: NDArray[np.float64], size: int, rng: np.random.Generator, ratio: float, noise: float
) -> float:
    """sup over these step sizes of |F̂_TbT - F_TbT|/σ², for m = d tasks and ten steps."""
    steps = 10
    found = sample_train_by_train(
        size, samples(size, ratio), size, noise, rates, steps, rng, draw=draw_rotated_task
    )
    limits = np.array([theory.train_by_train(float(rate), steps, noise, ratio) for rate in rates])
    return float(np.abs(found.losses.mean(axis=0) - limits).max()) / noise**2


@claim(
    "l2l.lemma5.4.5",
    states=Law(0.0, within=0.02),
    over=SCARCE_POINT,
    plan=Plan(
        sizes=(48, 96, 192),
        size_name="m = d",
        exponents=(1.0, 0.5),
        cost=lambda size, ratio: size * (2.5e-4 + 1.7e-8 * (size / ratio) ** 2),
    ),
    evidence=POPULATION_OBJECTIVE,
)
def largest_deviation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """sup over a grid of |F̂_TbT - F_TbT|/σ²."""
    return deviation_from_limit(
        np.linspace(1 / L, 0.8 * theory.critical_step_limit(ratio), 12), size, rng, ratio, noise
    )


@claim(
    "l2l.lemmaD.2.9", states=Bound(1.0, likely=True), over=SCARCE_GRID, plan=SCARCE_PLAN.but(sizes=(24, 96))
)
def slope_over_bound(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Difference quotient of the training loss in η over 48L³σ²t, at step sizes up to the critical one."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    steps = int(rng.integers(1, 100))
    rate = rng.uniform(1 / L, 2.2 / task.values.max())
    descent = spectral_descent(task, rate * np.array([1, 1 + 1e-6]), steps)
    if (descent.stopped > 0).any():
        return 0.0
    losses = descent.training_losses()
    return float(abs(losses[1] - losses[0]) / (1e-6 * rate)) / (48 * L**3 * noise**2 * steps)


@claim(
    "l2l.thmD.2.1.floor",
    states=Limit(lambda ratio, noise: theory.erm_error(noise, ratio) / noise**2, within=Relative(0.03)),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 1.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=SCARCE_PLAN.but(sizes=(24, 48, 96, 192), exponents=(1.0,)),
)
def minimiser_error_over_noise(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """‖X⁺y - w*‖²/σ² of one task."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    return float(np.sum((task.fitted - task.truth) ** 2) + task.truth_outside**2) / noise**2


@claim(
    "l2l.sec5.4.1.loss",
    states=Limit(
        lambda ratio, noise: theory.train_by_train(1 / L, 200, noise, ratio) / noise**2, within=Relative(0.03)
    ),
    over=SCARCE_GRID,
    plan=SCARCE_PLAN.but(
        sizes=(192, 384, 768, 1536),
        exponents=(1.0,),
        cost=lambda size, ratio: 2e-4 + 8e-6 * size / ratio + 2e-8 * (size / ratio) ** 2,
    ),
)
def loss_at_small_step(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Training loss at η = 1/L after 200 steps, over σ²: the average of 256 tasks on one spectrum.

    Weights stay far below the truncation: ‖w_t‖ ≤ tη‖Xᵀy/n‖ = 2‖Xᵀy/n‖ with t/L = 2.
    """
    tasks = draw_tasks(1, 256, samples(size, ratio), size, noise, rng)
    return float(np.mean(tasks.training_losses(np.array([1 / L]), 200))) / noise**2
