"""How many step sizes a net needs: Lemmas D.2.9, D.2.10, D.2.18, D.2.19, D.3.9, D.3.10.

Step sizes at which the objective has changed by ε since the last one form an ε-net; it has V/ε + 1 points, V the
variation of the objective, and one more for every jump. So the count is the variation over ε, and that has a limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Plan, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import draw_rotated_task, draw_spectral_task
from rmtsim.papers.l2l.simulation.meta_objectives import (
    Draw,
    sample_train_by_train,
    sample_train_by_validation,
)
from rmtsim.papers.l2l.statements.parameters import (
    PLENTY,
    POSITIVE_NOISE,
    SCARCE,
    SCARCE_GRID,
    UP_TO_CRITICAL_STEP,
    L,
    samples,
)

_TASKS = 16
_FEW, _MANY = 10, 1000
"""Steps t of train-by-train and of train-by-validation."""


def _variation(objective: Callable[[float], float], low: float, best: float, high: float) -> float:
    """Variation over [low, high] of a function that falls up to ``best`` and rises from there on."""
    bottom = objective(min(max(best, low), high))
    return objective(low) + objective(high) - 2 * bottom


def _train_variation(low: float, share: float, noise: float, ratio: float) -> float:
    """Variation of F_TbT/σ² of the limit law from ``low`` to ``share`` of the critical step size, t = 10."""
    best = theory.train_step(_FEW, noise, ratio).place
    high = share * theory.critical_step_limit(ratio)
    value = _variation(lambda rate: theory.train_by_train(rate, _FEW, noise, ratio), low, best, high)
    return value / noise**2


def _sampled_train_variation(
    size: int,
    rng: np.random.Generator,
    low: float,
    share: float,
    noise: float,
    ratio: float,
    draw: Draw = draw_spectral_task,
) -> float:
    """The same of the average over 16 tasks."""
    rates = np.linspace(low, share * theory.critical_step_limit(ratio), 60)
    found = sample_train_by_train(_TASKS, samples(size, ratio), size, noise, rates, _FEW, rng, draw=draw)
    return float(np.abs(np.diff(found.losses.mean(axis=0))).sum()) / noise**2


@claim(
    "l2l.lemmaD.2.10",
    states=Limit(lambda ratio, noise: _train_variation(1 / L, 0.8, noise, ratio), within=Relative(0.02)),
    over=SCARCE_GRID,
    plan=Plan(
        sizes=(48, 96, 192, 384),
        size_name="d",
        exponents=(1.0,),
        cost=lambda size, ratio: _TASKS * (2e-4 + 1.5e-6 * size / ratio + 1.3e-8 * (size / ratio) ** 2),
    ),
    evidence=UP_TO_CRITICAL_STEP,
)
def train_variation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Variation of F̂_TbT/σ² with few samples."""
    return _sampled_train_variation(size, rng, 1 / L, 0.8, noise, ratio, draw_rotated_task)


@claim(
    "l2l.lemmaD.3.10",
    states=Limit(lambda ratio, noise: _train_variation(0.0, 0.95, noise, ratio), within=Relative(0.02)),
    over=(PLENTY, POSITIVE_NOISE),
    points=({"ratio": 0.02, "noise": 1.0},),
    plan=Plan(
        sizes=(6, 12, 24, 48),
        size_name="d",
        exponents=(1.0,),
        cost=lambda size, ratio: _TASKS * (1.5e-4 + 1.5e-8 * size * size / ratio + 1e-9 * size**3),
    ),
    evidence=UP_TO_CRITICAL_STEP,
)
def train_variation_with_many_samples(
    size: int, rng: np.random.Generator, ratio: float, noise: float
) -> float:
    """Variation of F̂_TbT/σ² with many samples."""
    return _sampled_train_variation(size, rng, 0.0, 0.95, noise, ratio)


def net_size(values: Array, epsilon: float) -> int:
    """Points of the greedy net of the line through these values: a new one wherever the last is ε away."""
    count, last = 1, float(values[0])
    for value in values[1:]:
        fresh = int(abs(value - last) / epsilon)
        count += fresh
        last += math.copysign(fresh * epsilon, value - last)
    return count


def _validation_variation(ratio: float, noise: float) -> float:
    """Variation of F_TbV of the limit law over [0, 1/L], t = 1000."""
    best = theory.validation_step(_MANY, noise, ratio).place
    return _variation(lambda rate: theory.train_by_validation(rate, _MANY, noise, ratio), 0.0, best, 1 / L)


@claim(
    "l2l.lemmaD.2.19",
    states=Limit(_validation_variation, within=Relative(0.05)),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 3.0},),
    plan=Plan(
        sizes=(32, 64, 128, 256),
        size_name="1/ε",
        exponents=(1.0,),
        cost=lambda size, ratio: _TASKS * (3e-4 + 5e-8 * size * size / ratio + 1e-9 * (size / ratio) ** 3),
    ),
)
def validation_net(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """ε times the size of the greedy net of F̂ between 100 step sizes; a new validation set per task."""
    count = samples(size, ratio)
    rates = np.append(0.0, np.geomspace(1e-3 / _MANY, 1 / L, 100))
    found = sample_train_by_validation(_TASKS, count, count, size, noise, rates, _MANY, rng)
    return net_size(found.losses.mean(axis=0), 1 / size) / size
