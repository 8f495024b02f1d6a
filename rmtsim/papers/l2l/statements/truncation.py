"""Divergence and truncation: the threshold step sizes η̃ and η̂, monotone truncation, and what truncation costs."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Bound, Corrected, Erratum, Grid, Limit, Parameter, Place, Plan, Relative, claim
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import (
    SpectralTask,
    draw_spectral_task,
    draw_task,
    spectral_descent,
)
from rmtsim.papers.l2l.statements.parameters import EXACT, PLENTY, POSITIVE_NOISE, SCARCE, STEPS, L, samples


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
    at=Place("Section 5.4.1: 1/L < η̃ < 3/L", qualifier="we can also show"),
    standing="remark",
    printed="The step size η̃ beyond which tasks are truncated is below 3/L, L = 100; measured as L times the "
    "critical step size of a task.",
    corrected=Corrected(
        "The critical step size of a task tends to the η at which ‖w_τ‖ of the limit law reaches 40σ "
        "for some τ ≤ t; as t → ∞ that is 2/(1 + √(d/n))², between 0.22 and 0.43.",
        states=LIMIT_LAW,
        plan=EDGE_PLAN,
        note="",
    ),
    states=Bound(3.0, within=1e-6),
    over=THRESHOLD_GRID,
    plan=THRESHOLD_PLAN,
    erratum=Erratum(
        cause="3/L is printed for 3L",
        note="η̃ of Definition D.2.5 is the step size at which truncated tasks begin to matter (σ²/L⁶ in expectation), "
        "a very low quantile of the critical step size of a task; both have the same limit, since the critical step "
        "size concentrates. Gradient descent diverges only beyond 2/λ₁(H), and λ₁(H) is at most about 9, not L = 100.",
        credit="Lemma D.2.7 proves 1/L < η̃ < 3L.",
    ),
)
def scaled_critical_step(
    size: int, rng: np.random.Generator, form: str, ratio: float, noise: float, steps: int
) -> float:
    """Critical step size of one task, times L = 100 as printed."""
    return (L if form == "printed" else 1.0) * drawn_critical_step(size, rng, ratio, noise, steps)


@claim(
    "l2l.lemmaD.2.7",
    at="Lemma D.2.7: 1/L < η̃",
    standing="lemma",
    printed="η̃ > 1/L (the proof gives 2/L); measured as L times the critical step size of a task.",
    states=Bound(2.0, ">=", within=1e-6),
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
    at="Lemma D.2.7: η̃ < 3L",
    standing="lemma",
    printed="η̃ < 3L = 300; measured as the critical step size of a task.",
    states=Bound(300.0, within=1e-6),
    over=THRESHOLD_GRID,
    plan=THRESHOLD_PLAN,
)
claim(
    "l2l.lemmaD.3.7",
    drawn_critical_step,
    at=Place(
        "Lemma D.3.7", note="The lemma prints η̃ for η̂, the threshold of Definition D.3.5 that it is about."
    ),
    standing="lemma",
    printed="For n ≥ cd the threshold η̂ lies in (4/3, 6): the critical step size of a task tends to that of "
    "the limit law, and to 2/(1 + √(d/n))² as t → ∞, between 1.49 and 2 for n ≥ 40d.",
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
    at="Lemma D.2.6, Lemma D.3.6",
    standing="lemma",
    printed="On the event E₁, a task that is truncated at a step size is truncated at every larger one; "
    "measured as the share of pairs of neighbouring step sizes that respect the order.",
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


def cost_of_truncation(size: int, rng: np.random.Generator, form: str, ratio: float, noise: float) -> float:
    """Training loss over σ² of a truncated task (w = 40σu).

    u is orthogonal to all samples, or (corrected) chosen before the samples.
    """
    task = draw_task(samples(size, ratio), size, noise, rng)
    if form == "printed":
        unit = rng.standard_normal(size)
        unit -= task.design.T @ np.linalg.solve(task.design @ task.design.T, task.design @ unit)
        return task.loss(40 * noise * unit / np.linalg.norm(unit)) / noise**2
    unit = np.zeros(size)
    unit[0] = 1
    return task.loss(40 * noise * unit) / noise**2


ARBITRARY = Erratum(
    cause="u may not depend on the samples",
    note="The step ‖w‖²_H ≥ ‖w‖²/L holds for w in the span of the samples. A u outside of it is allowed by "
    "“arbitrary”; if u is orthogonal to all n < d samples, a truncated task costs ½(1 + σ²) on average, as much "
    "as w = 0.",
)
COST_PLAN = Plan(sizes=(24, 96), size_name="d", cost=lambda size: 5e-5 + 2e-8 * size * size)

claim(
    "l2l.truncation.cost",
    cost_of_truncation,
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
        states=Limit(
            lambda ratio, noise: theory.truncated_train_by_train(noise, ratio) / noise**2,
            within=Relative(0.02),
        ),
        plan=COST_PLAN.but(sizes=(24, 48, 96, 192), exponents=(1.0,), because=EXACT),
        note="",
    ),
    states=Bound(2.0, ">=", within=1e-6),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 1.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=COST_PLAN,
    erratum=ARBITRARY.but(
        credit="Read with one u fixed beforehand, the footnote and the lemmas hold; for n > d (appendix D.3) they "
        "hold for every u."
    ),
)


@claim(
    "l2l.lemmaD.2.20",
    at=Place("Lemma D.2.20", qualifier="for some arbitrary vector u with unit norm"),
    standing="lemma",
    printed="Read with u free to depend on the samples: for η ≥ 3L, where all tasks are truncated, F_TbV(η) ≥ σ²; "
    "measured over σ², m = 16 tasks.",
    corrected=Corrected(
        "If u does not depend on the samples: F_TbV(η) ≥ σ² for η ≥ 3L (in fact about 800σ²).", note=""
    ),
    states=Bound(1.0, ">=", within=1e-6),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 2.0, "noise": 2.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=COST_PLAN.but(cost=lambda size: 16 * (5e-5 + 2e-8 * size * size)),
    erratum=ARBITRARY.but(
        note=f"{ARBITRARY.note} The validation samples have a null space as well, since n₂ < d.",
        credit="Read with one u fixed beforehand the lemma holds.",
    ),
)
def validation_cost_of_truncation(
    size: int, rng: np.random.Generator, form: str, ratio: float, noise: float
) -> float:
    """Average validation loss over σ² of 16 truncated tasks; the samples are the validation samples."""
    return float(np.mean([cost_of_truncation(size, rng, form, ratio, noise) for _ in range(16)]))
