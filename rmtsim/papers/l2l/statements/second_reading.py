"""Steps of `l2l`'s proofs with mistakes of their own: negative step sizes, halves and quarters, a union bound."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rmtsim.claims import Bound, Computed, Corrected, Parameter, Plan, claim
from rmtsim.papers.l2l.simulation.least_squares import draw_task
from rmtsim.papers.l2l.simulation.quadratics import draw
from rmtsim.papers.l2l.statements.parameters import SCARCE, L, samples

# ---- Theorem 5.3.2: step sizes below zero ----


@claim(
    "l2l.thm5.3.2.negative",
    states=Bound(1.0, within=1e-9),
    plan=Plan(sizes=(2, 5), size_name="d", cost=2e-3),
)
def slope_below_zero(size: int, rng: np.random.Generator) -> float:
    """The larger of -F'(1 + |η|L)/(2L) and 2α/((1 + |η|α)(-F')) at η < 0."""
    one = draw(size, rng)
    step = -math.exp(rng.uniform(-3, 3)) / one.largest
    slope = -one.slope(step)
    upper = slope * (1 - step * one.largest) / (2 * one.largest)
    lower = 2 * one.smallest / ((1 - step * one.smallest) * slope)
    return max(upper, lower)


# ---- Lemma D.2.14: a half is lost ----


@claim(
    "l2l.lemmaD.2.14.half",
    states=Bound(1.0),
    over=(SCARCE,),
    points=({"ratio": 4 / 3}, {"ratio": 4.0}),
    plan=Plan(sizes=(12, 24), size_name="d", cost=5e-4),
)
def early_objective(size: int, rng: np.random.Generator, form: str, ratio: float) -> float:
    """(‖w*‖² - G(η))/(C/4), or with ½‖w*‖², η in [0, C/(4Lt)], σ = 1; inputs are scaled to the largest eigenvalue L."""
    count, steps = samples(size, ratio), int(rng.integers(1, 1000))
    gain = 1 / (1280 * L**5)
    task = draw_task(count, size, 1.0, rng)
    values, vectors = np.linalg.eigh(task.design.T @ task.design / count)
    factor = math.sqrt(L / values[-1])
    rate = rng.random() * gain / (4 * L * steps)
    shrink = -np.expm1(steps * np.log1p(-rate * factor**2 * values))
    truth = vectors.T @ task.truth
    fitted = vectors.T @ np.linalg.pinv(task.design) @ (task.labels - task.design @ task.truth) / factor
    # G - ½‖w*‖² without the difference of nearly equal numbers: w* outside the span does not move.
    moved = 0.5 * np.sum((shrink * truth) ** 2 + (shrink * fitted) ** 2) - np.sum(shrink * truth**2)
    return float(4 * ((0.5 if form == "printed" else 0.0) - moved) / gain)


# ---- Lemma D.2.11: the condition on a probability ----


@claim(
    "l2l.lemmaD.2.11.delta",
    states=Bound(1.0, within=1e-12),
    plan=Plan(sizes=(1, 3), size_name="σ", cost=2e-5),
)
def loss_of_a_rare_event(size: int, rng: np.random.Generator, form: str) -> float:
    """(½ + 13Lσ²)δ over C/10 at the largest δ that the proof allows, for C between 10⁻⁹ and 0.9."""
    gain = math.exp(rng.uniform(math.log(1e-9), math.log(0.9)))
    allowed = gain / ((5 * gain if form == "printed" else 5.0) + 130 * L * size**2)
    return (0.5 + 13 * L * size**2) * allowed / (gain / 10)


# ---- Lemma D.3.1: two factors below one ----


@claim(
    "l2l.lemmaD.3.1.projection",
    states=Bound(1.0, within=1e-9),
    plan=Plan(sizes=(40, 160), size_name="n/d", cost=2e-5),
)
def projected_energy(size: int, rng: np.random.Generator, form: str) -> float:
    """(1 - (1 - ε²)²(1 - ε²d/n)²) over 2ε², corrected over 2ε²(1 + d/n)."""
    square = math.exp(rng.uniform(math.log(1e-6), 0.0))
    logarithm = 2 * (math.log1p(-square) + math.log1p(-square / size)) if square < 1 else -math.inf
    return -math.expm1(logarithm) / (2 * square * (1.0 if form == "printed" else 1 + 1 / size))


# ---- Lemma D.3.2: a quarter is lost in words ----


@claim(
    "l2l.lemmaD.3.2.loss",
    corrected=Corrected(states=Bound(35**2 / 4, ">=", likely=True)),
    states=Bound(35.0**2, ">=", likely=True),
    plan=Plan(sizes=(4, 8), size_name="d", cost=5e-4),
)
def loss_of_a_truncated_task(size: int, rng: np.random.Generator) -> float:
    """½‖40σu - w_train‖²_H over σ², u = e₁, n = 160d, on the event 1/2 ≤ λ ≤ 3/2, √nσ/2 ≤ ‖ξ‖ ≤ 2√nσ."""
    count = 160 * size
    while True:
        task = draw_task(count, size, 1.0, rng)
        gram = task.design.T @ task.design / count
        noise = np.linalg.norm(task.labels - task.design @ task.truth) / math.sqrt(count)
        values = np.linalg.eigvalsh(gram)
        if values[0] >= 0.5 and values[-1] <= 1.5 and 0.5 <= noise <= 2:
            break
    gap = -np.linalg.lstsq(task.design, task.labels)[0]
    gap[0] += 40.0
    return float(gap @ gram @ gap) / 2


# ---- Lemma D.4.14: a union bound over all times ----

_LEVEL = 0.01


def _exponent(time: float, dimension: float, logarithm: float) -> float:
    """-τ/(2L) + √2 L²d√τ·log(…), which multiplies η."""
    return -time / (2 * L) + math.sqrt(2.0) * L**2 * dimension * math.sqrt(time) * logarithm


def _largest(dimension: float, logarithm_at: Callable[[float], float], longest: float) -> float:
    times = map(float, np.geomspace(1.0, longest, 4001))
    return max(_exponent(each, dimension, logarithm_at(each)) for each in times)


@claim(
    "l2l.lemmaD.4.14.union",
    states=Bound(1.0, within=1e-6),
    over=(Parameter("dimension", "dimension d", 10, integer=True, lowest=2, draw_range=(2, 1000)),),
    points=({"dimension": 10}, {"dimension": 1000}),
    plan=Plan(sizes=(20, 40, 80), size_name="log₁₀ t", cost=0.05),
    evidence=Computed(1e-3),
)
def exponent_at_early_times(size: int, form: str, dimension: int) -> float:
    """Largest exponent over τ ≤ t = 10^size at the level δ/t each, over its largest value at τ = t for any t.

    Corrected: at the level δ/(2τ²), over 300 L⁵d² log²(d/δ).
    """
    longest = 10.0**size
    if form == "corrected":
        found = _largest(dimension, lambda time: math.log(2 * time**2 / _LEVEL), longest)
        return found / (300 * L**5 * dimension**2 * math.log(dimension / _LEVEL) ** 2)
    found = _largest(dimension, lambda time: math.log(longest / _LEVEL), longest)
    return found / _largest(dimension, lambda time: math.log(time / _LEVEL), 1e40)
