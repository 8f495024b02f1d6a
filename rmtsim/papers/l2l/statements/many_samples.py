"""Train-by-train with many samples: Theorem 5.4.2 and Lemmas D.3.1-D.3.8; the informal Theorem 5.1.2."""

from __future__ import annotations

import math

import numpy as np

from rmtsim.claims import Bound, Computed, Identity, Law, Limit, Parameter, Plan, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import draw_spectral_task, draw_task, spectral_descent
from rmtsim.papers.l2l.simulation.meta_objectives import sample_train_by_train
from rmtsim.papers.l2l.statements.parameters import (
    BEYOND_CRITICAL_STEP,
    PLENTY,
    PLENTY_GRID,
    POPULATION_OBJECTIVE,
    POSITIVE_NOISE,
    critical,
    samples,
)
from rmtsim.papers.l2l.statements.step_sizes import learned_step, mean_error
from rmtsim.papers.l2l.statements.train_by_train import deviation_from_limit

_STEPS = 10
"""Long enough at n ≥ 40d: |1 - ηλ|^{2t} is below 10⁻⁸."""


def _cost(size: int, ratio: float) -> float:
    return 1.5e-4 + 1.5e-8 * size * size / ratio + 1e-9 * size**3


PLENTY_PLAN = Plan(size_name="d", cost=_cost)


@claim(
    "l2l.thm5.4.2",
    states=Limit(
        lambda ratio, noise: (
            theory.expected_error(theory.train_step(_STEPS, noise, ratio).place, _STEPS, noise, ratio)
            / (ratio * noise**2)
        ),
        within=Relative(0.03),
    ),
    over=PLENTY_GRID,
    plan=PLENTY_PLAN.but(sizes=(24, 48, 96), exponents=(1.0,), cost=lambda size: 1e-3 + 1.1e-4 * size),
)
def error_over_optimum(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Mean error on new tasks at the learned step size, over dσ²/n."""
    step = learned_step(size, rng, ratio, noise, _STEPS, validation=False)
    return mean_error(size, rng, ratio, noise, _STEPS, step) / (ratio * noise**2)


@claim(
    "l2l.thm5.1.2.optimal",
    states=Limit(1.0, within=1e-3),
    over=(POSITIVE_NOISE,),
    points=({"noise": 1.0}, {"noise": 3.0}),
    plan=Plan(sizes=(1000, 2000, 4000, 8000), size_name="n/d", exponents=(1.0,), cost=1e-5),
    evidence=Computed(1e-12, chain=("l2l.thm5.1.2.optimal.join",)),
)
def ridge_over_optimum(size: int, noise: float) -> float:
    """Error of optimal ridge regression over dσ²/n."""
    return theory.ridge_error(noise, 1 / size) * size / noise**2


_TRUTHS = 16
"""Tasks on one design, so that its eigenvalues are computed once."""


@claim(
    "l2l.thm5.1.2.optimal.join",
    states=Limit(
        lambda ratio, noise: theory.ridge_error(noise, ratio) / (ratio * noise**2), within=Relative(0.02)
    ),
    over=(Parameter("ratio", "limit of d/n", 0.1, open_below=True, highest=1.0), POSITIVE_NOISE),
    points=({"ratio": 0.1}, {"ratio": 0.25, "noise": 2.0}),
    plan=Plan(
        sizes=(16, 32, 64, 128),
        size_name="d",
        exponents=(1.0,),
        cost=lambda size, ratio: 2e-4 + 1.5e-8 * size * size / ratio + 2e-9 * size**3,
    ),
)
def ridge_over_optimum_simulated(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Mean of ‖w - w*‖² over tasks on one design, over dσ²/n."""
    n = samples(size, ratio)
    design = rng.standard_normal((n, size))
    truths = rng.standard_normal((size, _TRUTHS))
    truths /= np.linalg.norm(truths, axis=0)
    labels = design @ truths + noise * rng.standard_normal((n, _TRUTHS))
    penalty = noise**2 * size / n
    weights = np.linalg.solve(design.T @ design / n + penalty * np.eye(size), design.T @ labels / n)
    return float(np.mean(np.sum((weights - truths) ** 2, axis=0)) / (noise**2 * size / n))


@claim(
    "l2l.lemmaD.3.1.decomposition",
    states=Identity(within=1e-10),
    plan=Plan(sizes=(4, 12), size_name="d", cost=4e-4),
)
def decomposition_error(size: int, rng: np.random.Generator) -> float:
    """Relative difference of both sides for a random w, n = 3d."""
    task = draw_task(3 * size, size, 1.0, rng)
    weights = rng.standard_normal(size)
    noise = task.labels - task.design @ task.truth
    minimiser = task.truth + np.linalg.pinv(task.design) @ noise
    gap = task.design @ (weights - minimiser)
    rest = noise - task.design @ np.linalg.lstsq(task.design, noise, rcond=None)[0]
    return abs(1 - float(gap @ gap + rest @ rest) / (6 * size) / task.loss(weights))


@claim(
    "l2l.lemmaD.3.1", states=Bound(1.0, likely=True), over=PLENTY_GRID, plan=PLENTY_PLAN.but(sizes=(6, 48))
)
def excess_over_bound(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Excess training loss at η = 2/3 over the printed bound."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    steps = int(rng.integers(1, 41))
    descent = spectral_descent(task, np.array([2 / 3]), steps)
    gap = descent.weights[0, :-2] - task.fitted
    return 0.5 * float(gap**2 @ task.values) / (20 * (2 / 3) ** (2 * steps) * noise**2)


@claim(
    "l2l.lemmaD.3.1.floor",
    states=Limit(1.0, within=0.01),
    over=PLENTY_GRID,
    plan=PLENTY_PLAN.but(sizes=(4, 8, 16), exponents=(1.0,)),
)
def floor_ratio(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Training loss of the empirical risk minimiser over σ²(n - d)/(2n)."""
    count = samples(size, ratio)
    return draw_spectral_task(count, size, noise, rng).floor / (noise**2 * (count - size) / (2 * count))


_EPSILON = Parameter(
    "epsilon", "ε", 0.9, open_below=True, highest=0.99, draw_range=(0.2, 0.9), assumption="0 < ε < 1"
)


@claim(
    "l2l.lemmaD.3.2",
    states=Bound(
        lambda ratio, epsilon: (1 - ratio) / 2 + (1 / 8 - 1 / 20) * epsilon**2 * ratio,
        ">=",
        within=1e-9,
        likely=True,
    ),
    over=(PLENTY, POSITIVE_NOISE, _EPSILON),
    points=({"ratio": 0.02},),
    plan=PLENTY_PLAN.but(sizes=(48,), cost=lambda size, ratio: 16 * _cost(size, ratio)),
    evidence=BEYOND_CRITICAL_STEP,
)
def loss_beyond_threshold(
    size: int, rng: np.random.Generator, ratio: float, noise: float, epsilon: float
) -> float:
    """F_TbT/σ² at a random step size beyond the critical one, t = 40."""
    step = 1.1 * critical(40, noise, ratio) * math.exp(rng.uniform(0, 3))
    found = sample_train_by_train(16, samples(size, ratio), size, noise, np.array([step]), 40, rng)
    return float(found.losses.mean()) / noise**2


@claim(
    "l2l.lemmaD.3.3",
    states=Law(0.0, within=0.02),
    over=PLENTY_GRID,
    points=({"ratio": 0.02},),
    plan=PLENTY_PLAN.but(
        sizes=(12, 24, 48, 96), exponents=(1.0, 0.5), cost=lambda size: size * (2.5e-4 + 1.7e-8 * size**2)
    ),
    evidence=POPULATION_OBJECTIVE,
)
def largest_deviation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """sup over a grid of |F̂_TbT - F_TbT|/σ²."""
    return deviation_from_limit(
        np.linspace(0, 0.95 * theory.critical_step_limit(ratio), 12), size, rng, ratio, noise
    )
