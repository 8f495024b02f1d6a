"""Divergence and truncation: the threshold step sizes η̃ and η̂, monotone truncation, and what truncation costs."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Bound, Corrected, Erratum, Limit, Parameter, Place, Plan, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import (
    SpectralTask,
    draw_spectral_task,
    draw_task,
    spectral_descent,
)
from rmtsim.papers.l2l.statements.parameters import POSITIVE_NOISE, SCARCE, STEPS, L, samples

PLENTY = Parameter(
    "ratio",
    "limit of d/n",
    0.02,
    open_below=True,
    highest=0.025,
    draw_range=(0.005, 0.025),
    assumption="Lemma D.3.7 assumes n ≥ cd; 40d here, as Lemma D.3.1",
)


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


def critical_step_times_l(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int
) -> float:
    """L times the critical step size of one task, L = 100."""
    return L * drawn_critical_step(size, rng, ratio, noise, steps)


def _cost(size: int, ratio: float, steps: int) -> float:
    smaller = min(size, size / ratio)
    return 2e-4 + 2e-8 * size * size / ratio + 1e-9 * smaller**3 + 14 * (2e-5 + 1e-9 * smaller * steps)


_THRESHOLD = (
    "η̃ of Definition D.2.5 is the step size at which truncated tasks begin to matter (σ²/L⁶ in expectation), a "
    "very low quantile of the critical step size of a task; both have the same limit, since the critical step "
    "size concentrates."
)
THRESHOLD_PLAN = Plan(size_name="d", cost=_cost)
THRESHOLD_POINTS = ({"ratio": 4 / 3, "steps": 40}, {"ratio": 4.0, "steps": 200})

claim(
    "l2l.sec5.4.1.threshold",
    critical_step_times_l,
    at=Place("Section 5.4.1: 1/L < η̃ < 3/L", qualifier="we can also show"),
    standing="remark",
    printed="The step size η̃ beyond which tasks are truncated is below 3/L, L = 100; measured as L times the "
    "critical step size of a task.",
    corrected=Corrected(
        "The critical step size of a task tends to the η at which ‖w_τ‖ of the limit law reaches 40σ "
        "for some τ ≤ t; as t → ∞ that is 2/(1 + √(d/n))², between 0.22 and 0.43.",
        measured=drawn_critical_step,
        states=Limit(
            lambda ratio, noise, steps: theory.critical_step(steps, noise, ratio), within=Relative(0.02)
        ),
        plan=THRESHOLD_PLAN.but(
            sizes=(24, 48, 96, 192),
            exponents=(2 / 3, 1.0),
            because="norms of long trained weights are governed by the largest eigenvalue, at a soft edge",
        ),
        note="",
    ),
    states=Bound(3.0, within=1e-6),
    over=(SCARCE, POSITIVE_NOISE, STEPS),
    points=THRESHOLD_POINTS,
    plan=THRESHOLD_PLAN.but(sizes=(24, 96)),
    erratum=Erratum(
        cause="3/L is printed for 3L",
        note=f"{_THRESHOLD} Gradient descent diverges only beyond 2/λ₁(H), and λ₁(H) is at most about 9, not L = 100.",
        credit="Lemma D.2.7 proves 1/L < η̃ < 3L.",
    ),
)
claim(
    "l2l.lemmaD.2.7",
    critical_step_times_l,
    at="Lemma D.2.7: 1/L < η̃",
    standing="lemma",
    printed="η̃ > 1/L (the proof gives 2/L); measured as L times the critical step size of a task.",
    states=Bound(2.0, ">=", within=1e-6),
    over=(SCARCE, POSITIVE_NOISE, STEPS),
    points=THRESHOLD_POINTS,
    plan=THRESHOLD_PLAN.but(sizes=(24, 96)),
)


@claim(
    "l2l.lemmaD.2.7.upper",
    at="Lemma D.2.7: η̃ < 3L",
    standing="lemma",
    printed="η̃ < 3L = 300; measured as the critical step size of a task.",
    states=Bound(300.0, within=1e-6),
    over=(SCARCE, POSITIVE_NOISE, STEPS),
    points=THRESHOLD_POINTS,
    plan=THRESHOLD_PLAN.but(sizes=(24, 96)),
)
def critical_step_of_a_task(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int
) -> float:
    """Critical step size of one task."""
    return drawn_critical_step(size, rng, ratio, noise, steps)


@claim(
    "l2l.lemmaD.3.7",
    at=Place(
        "Lemma D.3.7", note="The lemma prints η̃ for η̂, the threshold of Definition D.3.5 that it is about."
    ),
    standing="lemma",
    printed="For n ≥ cd the threshold η̂ lies in (4/3, 6): the critical step size of a task tends to that of "
    "the limit law, and to 2/(1 + √(d/n))² as t → ∞, between 1.49 and 2 for n ≥ 40d.",
    states=Limit(
        lambda ratio, noise, steps: theory.critical_step(steps, noise, ratio), within=Relative(0.02)
    ),
    over=(PLENTY, POSITIVE_NOISE, STEPS),
    points=({"ratio": 0.02, "steps": 40}, {"ratio": 0.01, "steps": 40}),
    plan=Plan(
        sizes=(6, 12, 24, 48),
        size_name="d",
        exponents=(2 / 3, 1.0),
        because="norms of long trained weights are governed by the largest eigenvalue, at a soft edge",
        cost=_cost,
    ),
)
def critical_step_with_many_samples(
    size: int, rng: np.random.Generator, ratio: float, noise: float, steps: int
) -> float:
    """Critical step size of one task with n = d/ratio samples."""
    return drawn_critical_step(size, rng, ratio, noise, steps)


def _typical(task: SpectralTask, ratio: float) -> bool:
    """Event E₁: the spectrum within the bounds of Lemma D.2.3 (Lemma D.3.4 for n > d)."""
    low, high = (1 / L, L) if ratio > 1 else (0.5, 1.5)
    return bool(low <= task.values.min() and task.values.max() <= high)


@claim(
    "l2l.lemmaD.2.6",
    at="Lemma D.2.6, Lemma D.3.6",
    standing="lemma",
    printed="On the event E₁, a task that is truncated at a step size is truncated at every larger one; "
    "measured as the share of pairs of neighbouring step sizes that respect the order.",
    states=Bound(1.0, ">=", within=1e-9),
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


def cost_of_hidden_vector(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Training loss over σ² of a truncated task whose u is orthogonal to all samples."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    unit = rng.standard_normal(size)
    unit -= task.design.T @ np.linalg.solve(task.design @ task.design.T, task.design @ unit)
    return task.loss(40 * noise * unit / np.linalg.norm(unit)) / noise**2


def cost_of_fixed_vector(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Training loss over σ² of a truncated task whose u was chosen before the samples."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    unit = np.zeros(size)
    unit[0] = 1
    return task.loss(40 * noise * unit) / noise**2


_ARBITRARY = "u may not depend on the samples"
_NULL_SPACE = (
    "The step ‖w‖²_H ≥ ‖w‖²/L holds for w in the span of the samples. A u outside of it is allowed by "
    "“arbitrary”; if u is orthogonal to all n < d samples, a truncated task costs ½(1 + σ²) on average, as much "
    "as w = 0."
)

claim(
    "l2l.truncation.cost",
    cost_of_hidden_vector,
    at=Place(
        "Section 5.4, footnote 3, with Lemma 5.4.4, proof",
        qualifier="for some arbitrary vector u with unit norm",
    ),
    standing="remark",
    printed="Read with u free to depend on the samples: a truncated task (w = 40σu) has a training loss of at "
    "least 2σ².",
    corrected=Corrected(
        "If u does not depend on the samples, a truncated task costs (1600σ² + 1 + σ²)/2 in "
        "expectation; over σ².",
        measured=cost_of_fixed_vector,
        states=Limit(
            lambda ratio, noise: theory.truncated_train_by_train(noise, ratio) / noise**2,
            within=Relative(0.02),
        ),
        plan=Plan(
            sizes=(24, 48, 96, 192),
            size_name="d",
            cost=lambda size: 5e-5 + 2e-8 * size * size,
            exponents=(1.0,),
            because="the stated value is exact at every n and d",
        ),
        note="",
    ),
    states=Bound(2.0, ">=", within=1e-6),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 1.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=Plan(sizes=(24, 96), size_name="d", cost=lambda size: 5e-5 + 2e-8 * size * size),
    erratum=Erratum(
        cause=_ARBITRARY,
        note=_NULL_SPACE,
        credit="Read with one u fixed beforehand, the footnote and the lemmas hold; for n > d "
        "(appendix D.3) they hold for "
        "every u.",
    ),
)


def hidden_validation_cost(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Average validation loss over σ² of 16 truncated tasks whose u is orthogonal to the validation samples."""
    return float(np.mean([cost_of_hidden_vector(size, rng, ratio, noise) for _ in range(16)]))


def fixed_validation_cost(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """The same for a u that was chosen before the samples."""
    return float(np.mean([cost_of_fixed_vector(size, rng, ratio, noise) for _ in range(16)]))


claim(
    "l2l.lemmaD.2.20",
    hidden_validation_cost,
    at=Place("Lemma D.2.20", qualifier="for some arbitrary vector u with unit norm"),
    standing="lemma",
    printed="Read with u free to depend on the samples: for η ≥ 3L, where all tasks are truncated, F_TbV(η) ≥ σ²; "
    "measured over σ², m = 16 tasks.",
    corrected=Corrected(
        "If u does not depend on the samples: F_TbV(η) ≥ σ² for η ≥ 3L (in fact about 800σ²).",
        measured=fixed_validation_cost,
        note="",
    ),
    states=Bound(1.0, ">=", within=1e-6),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 2.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=Plan(sizes=(24, 96), size_name="d", cost=lambda size: 16 * (5e-5 + 2e-8 * size * size)),
    erratum=Erratum(
        cause=_ARBITRARY,
        note=_NULL_SPACE + " The validation samples have a null space as well, since n₂ < d.",
        credit="Read with one u fixed beforehand the lemma holds.",
    ),
)
