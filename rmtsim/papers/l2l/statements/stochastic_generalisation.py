"""Train-by-validation under stochastic gradient descent: Lemmas D.4.7-D.4.12.

Paths of one task share their samples' order over all step sizes, so that a path is a smooth function of its step size.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Law, Limit, Plan, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import (
    SpectralTask,
    descend_stochastically,
    draw_task,
    spectral_descent,
)
from rmtsim.papers.l2l.simulation.stochastic_paths import sample_order, truncated_paths, well_behaved
from rmtsim.papers.l2l.simulation.task_batches import draw_tasks
from rmtsim.papers.l2l.statements.parameters import (
    LARGE_NOISE,
    POPULATION_OBJECTIVE,
    SCARCE,
    SCARCE_GRID,
    SCARCE_POINT,
    L,
    best_time,
    samples,
)
from rmtsim.papers.l2l.statements.stochastic import long_training

_LONGER = 4
"""Steps of the net's lemma in units of d² log² d: the best step size lies well within the interval then."""


def _path_cost(size: int, steps: float) -> float:
    """Nominal seconds of one path."""
    return 2e-5 + 1.6e-9 * size * steps


def _validation_objective(
    tasks: int, size: int, ratio: float, noise: float, rates: Array, steps: int, rng: np.random.Generator
) -> Array:
    """F̂_TbV of SGD over a number of tasks, one path and n₂ = n₁ new samples each."""
    count = samples(size, ratio)
    losses = np.zeros(rates.size)
    for _ in range(tasks):
        task = draw_task(count, size, noise, rng)
        gap = truncated_paths(task, rates, steps, sample_order(rng)) - task.truth
        residual = gap @ rng.standard_normal((size, count)) - noise * rng.standard_normal(count)
        losses += (residual**2).mean(axis=1) / 2
    return losses / tasks


@claim(
    "l2l.lemmaD.4.7",
    states=Law(0.0, within=0.02),
    over=SCARCE_POINT,
    plan=Plan(
        sizes=(8, 16, 32),
        size_name="m = d",
        exponents=(1.0, 0.5),
        cost=lambda size: size * (1e-4 + 5 * _path_cost(size, long_training(size))),
    ),
    evidence=POPULATION_OBJECTIVE,
)
def largest_deviation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """sup over five step sizes of |F̂_TbV - F_TbV|/(1 + σ²)."""
    times = np.linspace(0, 1, 5)
    steps = long_training(size)
    found = _validation_objective(size, size, ratio, noise, times / steps, steps, rng)
    limits = np.array([(theory.flow_error(float(time), noise, ratio) + noise**2) / 2 for time in times])
    return float(np.abs(found - limits).max()) / (1 + noise**2)


@claim(
    "l2l.lemmaD.4.8",
    states=Bound(1.0, ">=", likely=True),
    over=(SCARCE, LARGE_NOISE),
    points=({"ratio": 4 / 3}, {"ratio": 2.0}),
    plan=Plan(
        sizes=(12, 20),
        size_name="d",
        cost=lambda size: 1e-4 + _path_cost(size, 1.7 * L * math.log(2) * long_training(size)),
    ),
)
def late_error(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """‖w'_t - w*‖² at a random step size of the interval, for t up to e times the least possible."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    high = 1 / long_training(size)
    steps = math.ceil(L * math.log(2) / high * math.exp(rng.uniform(0, 1)))
    low = L * math.log(2) / steps
    rate = low * (high / low) ** rng.random()
    weights, _, _ = descend_stochastically(task, rate, steps, rng, truncation=None)
    return float(np.sum((weights - task.truth) ** 2))


_EPSILON = 0.01


@claim(
    "l2l.lemmaD.4.9",
    states=Bound(_EPSILON),
    over=SCARCE_GRID,
    plan=Plan(
        sizes=(8, 16), size_name="d", cost=lambda size: 2e-4 + 8 * _path_cost(size, 2 * long_training(size))
    ),
)
def effect_of_truncation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """|Q - Q'| from four paths; zero for a task that violates the assumptions of the lemma."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    if not well_behaved(task, L):
        return 0.0
    rate = rng.random() / (size * math.log(size / _EPSILON)) ** 2
    steps = math.ceil(long_training(size) * math.exp(rng.uniform(0, 1)))
    effect = 0.0
    for _ in range(4):
        order = sample_order(rng)
        free, _, _ = descend_stochastically(task, rate, steps, np.random.default_rng(order), truncation=None)
        cut = truncated_paths(task, np.array([rate]), steps, order)[0]
        effect += float(np.sum((cut - task.truth) ** 2) - np.sum((free - task.truth) ** 2)) / 8
    return abs(effect)


_NET_RATES, _NET_TASKS, _OTHER_GROUPS = 13, 8, 64


@claim(
    "l2l.lemmaD.4.12",
    states=Limit(
        lambda ratio, noise: (
            (1 + theory.flow_error(_LONGER, noise, ratio)) / 2 - theory.validation_time(noise, ratio).value
        ),
        within=0.02,
    ),
    over=SCARCE_POINT,
    plan=Plan(
        sizes=(8, 16, 32),
        size_name="d",
        exponents=(1.0,),
        cost=lambda size: (
            0.03 + _NET_TASKS * (1e-4 + _NET_RATES * _path_cost(size, _LONGER * long_training(size)))
        ),
    ),
)
def variation(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Variation of F̂_TbV over eight tasks; validation in expectation, ½‖w - w*‖², as the proof of Lemma D.4.11.

    Gradient descent on the same tasks has nearly the same variation: it is taken off and its mean, from many other
    tasks, is put back.
    """
    best = best_time(noise, ratio)
    times = np.append(
        np.linspace(0, best, _NET_RATES // 2), np.linspace(best, _LONGER, 1 + _NET_RATES // 2)[1:]
    )
    steps = _LONGER * long_training(size)
    rates, count = times / steps, samples(size, ratio)
    stochastic, plain = np.zeros(times.size), np.zeros(times.size)
    for _ in range(_NET_TASKS):
        task = draw_task(count, size, noise, rng)
        ends = truncated_paths(task, rates, steps, sample_order(rng))
        stochastic += ((ends - task.truth) ** 2).sum(axis=1)
        spectral = SpectralTask.of(task, np.eye(size)[0])
        plain += spectral_descent(spectral, rates, steps, truncation=None).errors()
    others = draw_tasks(_NET_TASKS * _OTHER_GROUPS, 1, count, size, noise, rng).errors(rates, steps)
    others = others.reshape(_OTHER_GROUPS, _NET_TASKS, -1).sum(axis=1)
    return (_variation(stochastic) - _variation(plain) + float(np.mean([*map(_variation, others)]))) / (
        2 * _NET_TASKS
    )


def _variation(values: Array) -> float:
    return float(np.abs(np.diff(values)).sum())
