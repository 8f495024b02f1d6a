"""Theorem 3.5.7: the minimum over ε_p, its constants, and the theorem over distributions of the worst context."""

from __future__ import annotations

from functools import partial

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Identity, Plan, claim
from rmtsim.papers.loglinear import theory
from rmtsim.papers.loglinear.statements import quotients as q
from rmtsim.papers.loglinear.statements.parameters import ROUNDING
from rmtsim.papers.loglinear.statements.transfer import (
    AT_MOST_ONE,
    EIGHTH,
    QUARTER,
    RIGHT_SIDE,
    SEARCHED,
    found_case,
)

NUMBERS = Plan(sizes=(8, 32), size_name="draws", cost=1e-4)
"""A replicate is the worst of as many draws of (K, Λ, ε)."""


def draw_numbers(size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """K (log-uniform over ten decades) and Λ in (0, 3)."""
    return 10 ** rng.uniform(-5, 5, size), 3 * rng.uniform(1e-3, 1, size)


@claim(
    "loglinear.eq3.21", states=Bound(1.0, within=ROUNDING), plan=NUMBERS.but(cost=8e-4), evidence=RIGHT_SIDE
)
def floor_quotient(size: int, rng: np.random.Generator) -> float:
    """Largest floor over scanned minimum."""
    weight, room = draw_numbers(size, rng)
    shifts = room[:, None] * np.linspace(0, 1.25, 401)
    values = -np.expm1(-shifts) + weight[:, None] * np.exp(-shifts) * np.expm1(
        np.maximum(room[:, None] - shifts, 0)
    )
    return float(np.max(theory.tradeoff_floor(weight, room) / values.min(axis=1)))


@claim("loglinear.eq3.20.cases", states=Bound(1.0, within=ROUNDING), plan=NUMBERS)
def case_quotient(size: int, rng: np.random.Generator, form: str) -> float:
    """Worst quotient over Λ and ε in the case stated."""
    _, room = draw_numbers(size, rng)
    small = room / 3 * rng.uniform(1e-3, 1, size)
    if form == "printed":
        return float(np.max(np.expm1(-room / 3) / np.expm1(-small)))
    large = room / 3 * (1 + 5 * rng.uniform(0, 1, size))
    first = np.expm1(-room / 3) / np.expm1(-large)
    second = 2 * np.sinh(room / 3) / (np.exp(-small) * np.expm1(room - small))
    return float(max(first.max(), second.max()))


@claim("loglinear.eq3.20.sinh", states=Identity(within=ROUNDING), plan=NUMBERS)
def sinh_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Largest relative error over Λ."""
    _, room = draw_numbers(size, rng)
    left = np.exp(-room / 3) * np.expm1(2 * room / 3)
    factor = 1.0 if form == "printed" else 2.0
    return float(np.max(np.abs(left / (factor * np.sinh(room / 3)) - 1)))


@claim("loglinear.eq3.22.constants", states=Bound(1.0, within=ROUNDING), plan=NUMBERS, evidence=RIGHT_SIDE)
def constant_quotient(size: int, rng: np.random.Generator) -> float:
    """Worst quotient over Γ, ε_b and K ≥ 1/4, corners included."""
    margin = 6 * rng.uniform(1e-3, 1, size)
    error = margin / 8 * np.minimum(rng.uniform(0, 1.25, size), 1)
    weight = 0.25 * np.exp(np.maximum(rng.normal(0, 1, size), 0))
    least = theory.tradeoff_floor(weight, margin / 2 - 2 * error)
    return float(np.max(margin**2 / 576 / least**2))


@claim("loglinear.thm3.5.7", states=AT_MOST_ONE, plan=SEARCHED)
def theorem_quotient(size: int, rng: np.random.Generator) -> float:
    """ε_CLS μ p_b² Γ²/(288 ε_KL) for random weights of two contexts: the worst that is found, and one without error.

    On the second context student and teacher agree; both have the margin and the bulk probability of the first.
    """
    before, after = rng.dirichlet(np.ones(2), 2)
    overlap = float(np.min(before / after))
    alone = found_case(size, rng, q.main_theorem, EIGHTH)
    return alone * float(after[0]) * overlap / float(before[0])


claim(
    "loglinear.remark3.5.8",
    partial(found_case, case=partial(q.main_theorem, highest=3.0), largest_error=QUARTER),
    states=AT_MOST_ONE,
    plan=SEARCHED,
)
claim(
    "loglinear.thm3.5.7.constant",
    partial(found_case, case=partial(q.main_theorem, constant=172.0), largest_error=EIGHTH),
    states=AT_MOST_ONE,
    plan=SEARCHED,
)
