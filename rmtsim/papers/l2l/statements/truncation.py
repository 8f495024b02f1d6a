"""Divergence and truncation: the threshold step sizes η̃ and η̂, monotone truncation, and what truncation costs."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Bound, Corrected, Grid, Limit, Parameter, Plan, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import (
    SpectralTask,
    draw_spectral_task,
    draw_task,
    spectral_descent,
)
from rmtsim.papers.l2l.statements.parameters import PLENTY, POSITIVE_NOISE, SCARCE, STEPS, L, samples


def critical_step(task: SpectralTask, steps: int) -> float:
    """Least step size at which the task is truncated within t steps, by bisection over trained paths."""
    low, high = 0.5 / task.values.max(), 4 / task.values.max()
    while spectral_descent(task, np.array([high]), steps).stopped[0] == 0:
        low, high = high, 2 * high
    while spectral_descent(task, np.array([low]), steps).stopped[0] > 0:
        low, high = low / 2, low
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        truncated = spectral_descent(task, np.array([middle]), steps).stopped[0] > 0
        low, high = (low, middle) if truncated else (middle, high)
    return float(high)


def drawn_critical_step(size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int) -> float:
    """Critical step size of one task."""
    return critical_step(draw_spectral_task(samples(size, ratio), size, noise, rng), steps)


def _cost(size: int, ratio: float, steps: int) -> float:
    smaller = min(size, size / ratio)
    return 2e-4 + 2e-8 * size * size / ratio + 1e-9 * smaller**3 + 14 * (2e-5 + 1e-9 * smaller * steps)


THRESHOLD_PLAN = Plan(sizes=(24, 96), size_name="d", cost=_cost)
THRESHOLD_GRID = Grid(
    (SCARCE, POSITIVE_NOISE, STEPS), points=({"ratio": 4 / 3, "steps": 40}, {"ratio": 4.0, "steps": 200})
)
EDGE_PLAN = THRESHOLD_PLAN.but(
    sizes=(24, 48, 96, 192),
    exponents=(2 / 3, 1.0),
    because="norms of long trained weights are governed by the largest eigenvalue, at a soft edge",
)
LIMIT_LAW = Limit(
    lambda ratio, noise, steps: theory.critical_step(steps, noise, ratio), within=Relative(0.02)
)
"""The critical step size of the limit law."""


@claim(
    "l2l.sec5.4.1.threshold",
    corrected=Corrected(states=LIMIT_LAW, plan=EDGE_PLAN),
    states=Bound(3.0, within=1e-6),
    over=THRESHOLD_GRID,
    plan=THRESHOLD_PLAN,
)
def scaled_critical_step(
    size: int, rng: np.random.Generator, form: str, ratio: float, noise: float, steps: int
) -> float:
    """Critical step size of one task, times L = 100 as printed."""
    return (L if form == "printed" else 1.0) * drawn_critical_step(size, rng, ratio, noise, steps)


@claim(
    "l2l.lemmaD.2.7",
    states=Bound(2.0, ">=", within=1e-6, likely=True),
    over=THRESHOLD_GRID,
    plan=THRESHOLD_PLAN,
)
def critical_step_times_l(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int
) -> float:
    """L times the critical step size of one task, L = 100."""
    return L * drawn_critical_step(size, rng, ratio, noise, steps)


claim(
    "l2l.lemmaD.2.7.upper",
    drawn_critical_step,
    states=Bound(300.0, within=1e-6, likely=True),
    over=THRESHOLD_GRID,
    plan=THRESHOLD_PLAN,
)
claim(
    "l2l.lemmaD.3.7",
    drawn_critical_step,
    states=LIMIT_LAW,
    over=(PLENTY, POSITIVE_NOISE, STEPS),
    points=({"ratio": 0.02, "steps": 40}, {"ratio": 0.01, "steps": 40}),
    plan=EDGE_PLAN.but(sizes=(6, 12, 24, 48)),
)


def _typical(task: SpectralTask, ratio: float) -> bool:
    """Event E₁: the spectrum within the bounds of Lemma D.2.3 (Lemma D.3.4 for n > d)."""
    low, high = (1 / L, L) if ratio > 1 else (0.5, 1.5)
    return bool(low <= task.values.min() and task.values.max() <= high)


@claim(
    "l2l.lemmaD.2.6",
    states=Bound(1.0, ">="),
    over=(
        Parameter("ratio", "limit of d/n", 2.0, open_below=True, draw_range=(4 / 3, 4.0)),
        POSITIVE_NOISE,
    ),
    points=({"ratio": 4 / 3}, {"ratio": 4.0, "noise": 3.0}, {"ratio": 0.02}),
    plan=Plan(sizes=(12, 48), size_name="d", cost=lambda size, ratio: 5e-4 + 1.5e-8 * size * size / ratio),
)
def truncation_is_monotone(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Share of 60 neighbouring step sizes, from 1/λ₁ to 5/λ₁ and few or many steps, in order."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    if not _typical(task, ratio):
        return 1.0
    rates = np.linspace(1, 5, 61) / task.values.max()
    stopped = spectral_descent(task, rates, int(rng.integers(2, 60))).stopped > 0
    return float(np.mean(stopped[1:] >= stopped[:-1]))


def cost_of_truncation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Training loss over σ² of a truncated task (w = 40σu), u chosen before the samples."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    unit = np.zeros(size)
    unit[0] = 1
    return task.loss(40 * noise * unit) / noise**2


COST_PLAN = Plan(sizes=(24, 96), size_name="d", cost=lambda size: 5e-5 + 2e-8 * size * size)

claim(
    "l2l.truncation.cost",
    cost_of_truncation,
    states=Limit(
        lambda ratio, noise: theory.truncated_train_by_train(noise, ratio) / noise**2, within=Relative(0.02)
    ),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 1.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=COST_PLAN.but(sizes=(24, 48, 96, 192), exponents=(1.0,)),
)


@claim(
    "l2l.lemmaD.2.20",
    states=Bound(1.0, ">=", within=1e-6, likely=True),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 2.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=COST_PLAN.but(cost=lambda size: 16 * (5e-5 + 2e-8 * size * size)),
)
def validation_cost_of_truncation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Average validation loss over σ² of 16 truncated tasks; the samples are the validation samples."""
    return float(np.mean([cost_of_truncation(size, rng, ratio, noise) for _ in range(16)]))
