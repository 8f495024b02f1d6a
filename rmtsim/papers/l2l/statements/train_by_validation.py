"""Train-by-validation with few samples: Lemmas 5.4.6-5.4.8 and D.2.11-D.2.24."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import (
    Bound,
    Computed,
    Grid,
    Identity,
    Law,
    Limit,
    Plan,
    Probability,
    Rate,
    Relative,
    claim,
)
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import (
    SpectralTask,
    draw_rotated_task,
    draw_spectral_task,
    spectral_descent,
)
from rmtsim.papers.l2l.simulation.meta_objectives import sample_train_by_validation
from rmtsim.papers.l2l.statements.parameters import (
    AT_BEST_STEP,
    LARGE_NOISE,
    NOISE,
    POPULATION_OBJECTIVE,
    POSITIVE_NOISE,
    SCARCE,
    SCARCE_GRID,
    SCARCE_PLAN,
    SCARCE_POINT,
    SCARCE_RATIOS,
    L,
    best_time,
    samples,
    task_cost,
)

# ---- Lemma 5.4.6 = D.2.11, D.2.14 ----


@claim(
    "l2l.lemma5.4.6",
    states=Limit(lambda ratio, noise: 1 - theory.validation_time(noise, ratio).value, within=0.01),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 4 / 3, "noise": 1.0}, {"ratio": 2.0, "noise": 3.0}),
    plan=SCARCE_PLAN.but(sizes=(24, 48, 96, 192), exponents=(1.0,)),
    evidence=AT_BEST_STEP,
)
def gain_at_best_time(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """1 - ‖w_t - w*‖² at η = τ*/t."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    rate = best_time(noise, ratio) / 1000
    return 1 - float(spectral_descent(task, np.array([rate]), 1000).errors()[0])


@claim(
    "l2l.lemma5.4.6.late",
    states=Bound(1.0, ">=", likely=True),
    over=(SCARCE, LARGE_NOISE),
    points=({"ratio": 4 / 3}, {"ratio": 4.0}),
    plan=SCARCE_PLAN.but(sizes=(24, 96)),
)
def late_error(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """‖w_t - w*‖² at a random step size between η₃ and 1/L, t from log(2)L² to 10⁶."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    steps = math.ceil(math.log(2) * L**2 * math.exp(rng.uniform(0, 5)))
    low, high = math.log(2) * L / steps, 1 / L
    rate = low * (high / low) ** rng.random()
    return float(spectral_descent(task, np.array([rate]), steps).errors()[0])


_GAIN = 1 / (1280 * L**5)
"""C·σ² of Lemma D.2.14, its 5C/4 solved correctly (l2l.lemmaD.2.14.constant/corrected)."""


@claim(
    "l2l.lemma5.4.6.early",
    states=Bound(1.0, likely=True),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 4 / 3, "noise": 1.0}, {"ratio": 4.0, "noise": 80.0}),
    plan=SCARCE_PLAN.but(sizes=(24, 96)),
)
def early_gain(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """E[1 - ‖w_t - w*‖² | X] = (1/d) Σ [1 - p² - σ²(d/n)(1 - p)²/λ], p = (1 - ηλ)^t, over 1.2C."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    gain = _GAIN / noise**2
    steps = math.exp(rng.uniform(0, math.log(1e6)))
    rate = rng.random() * gain / (4 * L * steps)
    exponent = steps * np.log1p(-rate * task.values)
    fitted = noise**2 / samples(size, ratio) * np.expm1(exponent) ** 2 / task.values
    return float(np.sum(-np.expm1(2 * exponent) / size - fitted)) / (1.2 * gain)


class Constant(NamedTuple):
    """A gain 1/(gain·L⁵σ²), and C = 1/(printed·L⁵σ²) or 1/(right·L⁵σ²)."""

    gain: float
    printed: float
    right: float


def constant_error(size: int, form: str, constant: Constant, noise: float) -> float:
    """|(5/4)C/G - 1| for the gain G and the constant C."""
    stated = constant.printed if form == "printed" else constant.right
    return abs(1.25 / (stated * L**5 * noise**2) * (constant.gain * L**5 * noise**2) - 1)


CONSTANT_GRID = Grid(
    (replace(NOISE, default=80.0, open_below=True, draw_range=(1.0, 100.0)),), points=({"noise": 80.0},)
)
CONSTANT_PLAN = Plan(sizes=(1,), size_name="-", cost=1e-6)
claim(
    "l2l.lemmaD.2.14.constant",
    partial(constant_error, constant=Constant(1024.0, 819.2, 1280.0)),
    states=Identity(within=1e-12),
    over=CONSTANT_GRID,
    plan=CONSTANT_PLAN,
    evidence=Computed(1e-15),
)
claim(
    "l2l.lemmaD.4.8.constant",
    partial(constant_error, constant=Constant(3072.0, 3072.0, 3840.0)),
    states=Identity(within=1e-12),
    over=CONSTANT_GRID,
    plan=CONSTANT_PLAN,
    evidence=Computed(1e-15),
)


# ---- Lemmas D.2.15, D.2.16 ----


@claim(
    "l2l.lemmaD.2.15",
    states=Rate(0.5, "O", within=0.1),
    over=SCARCE_GRID,
    plan=SCARCE_PLAN.but(sizes=(24, 48, 96, 192), exponents=(0.5, 1.0)),
)
def crossing_term(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """sup over 25 step sizes of |⟨B w* - w*, B X⁺ξ⟩|/σ."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    steps = 1000
    rates = np.append(0.0, np.geomspace(1e-3 / steps, 1 / L, 24))
    with np.errstate(divide="ignore"):
        shrunk = -np.expm1(steps * np.log1p(-rates[:, None] * task.values))
    noise_part = shrunk * (task.fitted - task.truth)
    bias_part = (shrunk - 1) * task.truth
    return float(np.abs(np.einsum("gi,gi->g", noise_part, bias_part)).max()) / noise


@claim(
    "l2l.lemmaD.2.16",
    states=Probability(1.0, within=0.05),
    over=SCARCE_RATIOS,
    plan=SCARCE_PLAN.but(sizes=(24, 48, 96), exponents=(1.0,)),
)
def direction_is_captured(size: int, rng: np.random.Generator, form: str, ratio: float) -> float:
    """Whether ⟨B w*, w*⟩ ≥ ηt/(16L) at a random η of [0, L/t]: t even and below 100, or (corrected) at least L²."""
    few = form == "printed"
    steps = 2 * int(rng.integers(1, 50)) if few else int(L**2) + int(rng.integers(10**5))
    task = draw_spectral_task(samples(size, ratio), size, 1.0, rng)
    rate = (1 - rng.random()) * L / steps
    products = rate * task.values
    with np.errstate(divide="ignore", over="ignore"):
        power = np.exp(steps * np.log(np.abs(1 - products)))
    signs = np.where((products > 1) & (steps % 2 == 1), -1.0, 1.0)
    return float((1 - signs * power) @ task.truth**2 >= rate * steps / (16 * L))


# ---- Lemmas 5.4.7 = D.2.13, 5.4.8 = D.2.12, D.2.18 ----


@claim(
    "l2l.lemma5.4.7",
    states=Limit(
        lambda ratio, noise: (theory.train_by_validation(1 / L, 10**5, noise, ratio) / noise**2) - 0.5,
        within=Relative(0.03),
    ),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 3.0}, {"ratio": 4.0, "noise": 10.0}),
    plan=SCARCE_PLAN.but(sizes=(24, 48, 96, 192), exponents=(1.0,)),
)
def excess_at_small_step(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """(½‖w_t - w*‖²)/σ² at η = 1/L after 10⁵ steps: the validation loss in expectation over the validation set."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    return 0.5 * float(spectral_descent(task, np.array([1 / L]), 10**5).errors()[0]) / noise**2


@claim(
    "l2l.lemma5.4.7.everywhere",
    states=Bound(lambda ratio: 0.5 + 1 / (16 * (ratio - 1)), ">=", within=1e-6, likely=True),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 3.0}, {"ratio": 4.0, "noise": 10.0}),
    plan=SCARCE_PLAN.but(
        sizes=(192,), cost=lambda size, ratio: 16 * (task_cost(size, ratio) + 3e-8 * size * size / ratio)
    ),
)
def loss_at_large_steps(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """F_TbV/σ² at a random step size from 1/L on, validation sets as large as training sets."""
    count = samples(size, ratio)
    rate = np.array([math.exp(rng.uniform(0, 6)) / L])
    found = sample_train_by_validation(16, count, count, size, noise, rate, 10**4, rng)
    return float(found.losses.mean()) / noise**2


@claim(
    "l2l.lemma5.4.8",
    states=Law(0.0, within=0.02),
    over=SCARCE_POINT,
    plan=SCARCE_PLAN.but(
        sizes=(12, 24, 48, 96),
        size_name="m = d",
        exponents=(1.0, 0.5),
        cost=lambda size, ratio: size * (task_cost(size, ratio) + 3e-8 * size * size / ratio),
    ),
    evidence=POPULATION_OBJECTIVE,
)
def largest_deviation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """sup over a grid of |F̂_TbV - F_TbV|/(1 + σ²)."""
    steps, count = 100, samples(size, ratio)
    rates = np.linspace(0, 1 / L, 11)
    found = sample_train_by_validation(size, count, count, size, noise, rates, steps, rng)
    limits = np.array([theory.train_by_validation(float(rate), steps, noise, ratio) for rate in rates])
    return float(np.abs(found.losses.mean(axis=0) - limits).max()) / (1 + noise**2)


@claim(
    "l2l.lemmaD.2.18",
    states=Limit(
        lambda: 0.5 * (1 + theory.erm_error(1.0, 4.0)) - theory.validation_time(1.0, 4.0).value, within=0.02
    ),
    plan=SCARCE_PLAN.but(sizes=(1000, 2000, 4000, 8000), size_name="t", exponents=(1.0,), cost=0.01),
)
def variation(size: int, rng: np.random.Generator) -> float:
    """Variation over [0, 1/L] of the average of ½‖w_t - w*‖² over eight tasks with d = 256."""
    rates = np.append(0.0, np.geomspace(1e-3 / size, 1 / L, 60))
    tasks = [draw_spectral_task(64, 256, 1.0, rng) for _ in range(8)]
    mean = np.mean([0.5 * spectral_descent(task, rates, size).errors() for task in tasks], axis=0)
    return float(np.abs(np.diff(mean)).sum())


# ---- Lemmas D.2.23, D.2.24 ----


def _dip(task: SpectralTask, steps: int) -> float:
    """Step size near 2/λ₁ at which an even number of steps leaves no error along the first eigenvector.

    (ηλ₁ - 1)^t = 1 - w*₁/w_ERM,1, so that the weight 1 - (1 - ηλ₁)^t times w_ERM,1 is w*₁.
    """
    top = int(task.values.argmax())
    power = max(1 - task.truth[top] / task.fitted[top], 1e-300)
    return float((1 + math.exp(math.log(power) / steps)) / task.values[top])


def _spectral_excess(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int
) -> NDArray[np.float64]:
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    rates = np.append(np.geomspace(1 / L, 1.0, 30), np.geomspace(1, 3 * L, 6)[1:])
    rates = np.append(rates, _dip(task, steps))
    with np.errstate(over="ignore"):
        weights = spectral_descent(task, rates, steps, truncation=None).weights[:, :-2]
        return np.asarray((weights - task.truth) ** 2 @ task.values)


@claim(
    "l2l.lemmaD.2.23",
    states=Probability(1.0, within=0.02),
    over=(SCARCE,),
    points=({"ratio": 2.0}, {"ratio": 4.0}),
    plan=SCARCE_PLAN.but(
        sizes=(96, 192, 384), exponents=(4.0,), cost=lambda size, ratio: 1e-3 + task_cost(size, ratio)
    ),
)
def noise_is_fitted(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Whether the least value over the grid of step sizes is at least σ²/2."""
    steps = 10**4 + int(rng.integers(2))
    return float(_spectral_excess(size, rng, ratio, 50.0, steps).min() >= 0.5 * 50.0**2)


_VALIDATION_SETS = 32
"""Drawn for one task."""


@claim(
    "l2l.lemmaD.2.24",
    states=Rate(0.5, "O", within=0.1),
    over=SCARCE_POINT,
    plan=SCARCE_PLAN.but(
        sizes=(64, 256, 1024, 4096),
        exponents=(0.5, 1.0),
        cost=lambda size: 1e-3 + 2e-5 * size + 2e-9 * size * size,
    ),
)
def validation_shortfall(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Largest (‖w - w*‖²_{H_valid} + σ² - ‖w - w_valid‖²_{H_valid})/σ² over 25 step sizes, or zero.

    The average over validation sets for one task: they carry nearly all of the noise. X' is needed in the span of the
    25 vectors w - w* alone.
    """
    count = samples(size, ratio)
    task = draw_rotated_task(count, size, noise, rng)
    descent = spectral_descent(task, np.geomspace(1 / L, 3 * L, 25), 40)
    gap = descent.weights.copy()
    gap[:, :-2] -= task.truth
    gap[:, -2] -= task.truth_outside
    coordinates = np.linalg.qr(gap.T, mode="r")
    inner = rng.standard_normal((_VALIDATION_SETS, count, len(coordinates))) @ coordinates
    labels = noise * rng.standard_normal((_VALIDATION_SETS, count, 1))
    difference = np.mean((inner - labels) ** 2 - inner**2, axis=1)
    return float(np.mean(np.maximum(0.0, 1 - difference.min(axis=1) / noise**2)))
