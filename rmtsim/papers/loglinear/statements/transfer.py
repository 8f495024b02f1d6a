"""Section 3.5 and appendix B.2: the lemmas behind the transfer of performance, and what TV means in them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rmtsim.claims import Bound, Choice, Corrected, Identity, Option, Plan, Simulated, claim
from rmtsim.papers.loglinear.statements import quotients as q

QUARTER, EIGHTH = 0.25, 0.125
"""Largest ε_b/Γ: Assumption 3.5.5 and Theorem 3.5.7."""
DIGITS = 1e-7
"""Tolerance of quotients of small numbers: differences of probabilities near 10⁻⁹ keep seven digits."""
AT_MOST_ONE = Bound(1.0, within=DIGITS)
NOT_POSITIVE = Bound(0.0, within=DIGITS)
RIGHT_SIDE = Simulated(theory="the bound that the statement gives is its right side")
"""The quotient of both sides of an inequality is measured, and one of them is theory."""
RANDOM = Plan(sizes=(2, 5), size_name="k", cost=8e-4)
"""Each replicate is the worst of 64 random instances."""
SEARCHED = Plan(sizes=(1, 3), size_name="k", cost=8e-3)
"""Each replicate is the worst that a search over 30 generations of 24 instances finds."""


def random_case(
    size: int, rng: np.random.Generator, case: q.Quotient, largest_error: float = QUARTER
) -> float:
    """The largest quotient of random instances."""
    return q.worst_random(size, rng, case, largest_error)


def found_case(
    size: int, rng: np.random.Generator, case: q.Quotient, largest_error: float = QUARTER
) -> float:
    """The largest quotient that a search finds."""
    return q.worst_found(size, rng, case, largest_error)


def _case(quotient: q.Quotient, place: str, text: str, **parts: Any) -> Option:
    return Option(quotient, text, words={"place": place}, **parts)


# ---- In random instances ---------------------------------------------------------------------------------------------

LEMMAS = {
    "9": _case(
        q.lemma_half,
        "Lemma 3.5.9, eqs. (3.11), (3.12)",
        "Misclassified samples have TV(p*, p) ≥ p_b min_ε{…} of (3.12), TV = ½Σ|p*_j - p_j|: right over left is ≤ 1, "
        "the minimum in closed form. Ties f·f* = 0 count as misclassified.",
        evidence=RIGHT_SIDE,
    ),
    "10": _case(
        q.empty,
        "Lemma 3.5.10",
        "S(x) is not empty if the first sum of (3.23) is ≥ γ/2, nor S'(x) if the second is; tested: 1 where it is "
        "empty, else 0, is ≤ 0.",
        states=NOT_POSITIVE,
    ),
    "11": _case(
        q.obstacles,
        "Lemma 3.5.11, eqs. (B.11)–(B.14)",
        "Σ_S Δ_j ≥ γ/(2 max_S a_j), and for S' alike; tested: right over left is ≤ 1.",
    ),
    "12": _case(
        q.bulk_part,
        "Lemma 3.5.12, eq. (3.32)",
        "|Z*_bulk/Z* - Z_bulk/Z| ≥ p_b(1 - e^{-ε_p}): right over left is ≤ 1, p_b the bulk probability itself.",
    ),
    "13": _case(
        q.words_part,
        "Lemma 3.5.13, eq. (3.35)",
        "|p*_j - p_j| ≥ e^{b_j - ε_b - ε_p} p_b (e^{σ(Δ_j - 2ε_b - ε_p)} - 1) for j in S, and in S' with Δ'_j: right "
        "over left is ≤ 1.",
    ),
}
claim(
    "loglinear.lemma3.5.{case}", random_case, states=AT_MOST_ONE, over=(Choice("case", LEMMAS),), plan=RANDOM
)
EQUATIONS = {
    "31": _case(
        q.distance_parts,
        "eqs. (3.27)–(3.31)",
        "Σ_j|p*_j - p_j| ≥ |Z*_bulk/Z* - Z_bulk/Z| + Σ_S|p*_j - p_j|: right over left is ≤ 1. The sum that is "
        "introduced as TV is the l₁ norm.",
    ),
    "44": _case(
        q.jensen,
        "eqs. (3.38)–(3.44)",
        "The sum over S of (3.38) is at least its form (3.44), by Jensen's inequality, |S| ≤ k and Lemma 3.5.11: "
        "(3.44) over (3.38) is ≤ 1.",
    ),
    "22": _case(
        q.floor_divergence,
        "eqs. (3.15)–(3.19), (3.22)",
        "D_KL ≥ 2p_b² min{(1 - e^{-Λ/3})², 4k² min e^{2b_j - 2ε_b} sinh²(Λ/3)} where the student is wrong (one "
        "context, μ = 1): right over left is ≤ 1.",
        evidence=RIGHT_SIDE,
    ),
}
claim("loglinear.eq3.{case}", random_case, states=AT_MOST_ONE, over=(Choice("case", EQUATIONS),), plan=RANDOM)


@claim("loglinear.lemma3.5.10.step", states=NOT_POSITIVE, plan=RANDOM)
def step_excess(size: int, rng: np.random.Generator, form: str) -> float:
    """σ(z*) - σ(z) less its stated bound."""
    return random_case(size, rng, partial(q.relu_step, form=form))


@claim("loglinear.sec3.5.5.obstacles", states=AT_MOST_ONE, plan=RANDOM)
def obstacles_quotient(size: int, rng: np.random.Generator, form: str) -> float:
    """γ, corrected γ/(2 max_S a_j), over Σ_S Δ_j."""
    return random_case(size, rng, partial(q.obstacles, form=form))


@claim(
    "loglinear.eq3.34.words",
    corrected=Corrected(states=AT_MOST_ONE),
    states=Identity(within=0.05),
    plan=RANDOM,
)
def top_part_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of e^z(e^{Δ_j} - 1) for e^{z*} - e^z; corrected: e^{σ(z)}(e^{Δ_j} - 1) over it."""
    return random_case(size, rng, partial(q.top_part, form=form))


@claim("loglinear.eqB.48", states=NOT_POSITIVE, plan=RANDOM)
def second_case_excess(size: int, rng: np.random.Generator, form: str) -> float:
    """The difference of both sides over p*_j."""
    return random_case(size, rng, partial(q.second_case, form=form))


@claim("loglinear.eq3.37", states=AT_MOST_ONE, plan=RANDOM)
def parts_quotient(size: int, rng: np.random.Generator, form: str) -> float:
    """The parts over TV; corrected: over 2TV."""
    return random_case(size, rng, partial(q.distance_parts, share=0.5 if form == "printed" else 1.0))


@claim("loglinear.eq3.14", states=AT_MOST_ONE, plan=RANDOM)
def pinsker_quotient(size: int, rng: np.random.Generator, form: str) -> float:
    """2TV² over D_KL."""
    return random_case(size, rng, partial(q.pinsker, share=1.0 if form == "printed" else 0.5))


# ---- At the worst instance that a search finds -----------------------------------------------------------------------

WORST_LEMMAS = {
    "9": _case(
        q.lemma_half,
        "Lemma 3.5.9, eq. (3.12)",
        "TV(p*, p) ≥ p_b min_ε{…} of (3.12) with TV = ½Σ|p*_j - p_j| at the worst instance that a search finds. The "
        "bound is sharp to first order in Γ.",
        evidence=RIGHT_SIDE,
    ),
    "11": _case(
        q.obstacles,
        "Lemma 3.5.11",
        "Σ_S Δ_j ≥ γ/(2 max_S a_j) at the worst instance that a search finds: right over left is ≤ 1.",
    ),
    "12": _case(
        q.bulk_part,
        "Lemma 3.5.12, eq. (3.32)",
        "|Z*_bulk/Z* - Z_bulk/Z| ≥ p_b(1 - e^{-ε_p}) at the worst instance that a search finds.",
    ),
    "13": _case(
        q.words_part,
        "Lemma 3.5.13, eq. (3.35)",
        "|p*_j - p_j| ≥ e^{b_j - ε_b - ε_p} p_b (e^{σ(Δ_j - 2ε_b - ε_p)} - 1) at the worst instance that a search "
        "finds.",
    ),
}
claim(
    "loglinear.lemma3.5.{case}.adversarial",
    found_case,
    states=AT_MOST_ONE,
    over=(Choice("case", WORST_LEMMAS),),
    plan=SEARCHED,
)
WORST_EQUATIONS = {
    "44": _case(
        q.jensen,
        "eqs. (3.38)–(3.44)",
        "(3.44) over (3.38) is ≤ 1 at the worst instance that a search finds.",
    ),
    "22": _case(
        q.floor_divergence,
        "eq. (3.22)",
        "(3.22) at the worst instance that a search finds: right over left is ≤ 1.",
        evidence=RIGHT_SIDE,
    ),
}
claim(
    "loglinear.eq3.{case}.adversarial",
    found_case,
    states=AT_MOST_ONE,
    over=(Choice("case", WORST_EQUATIONS),),
    plan=SEARCHED,
)
claim(
    "loglinear.eq3.12.l1",
    partial(found_case, case=q.lemma_whole),
    states=AT_MOST_ONE,
    plan=SEARCHED,
    evidence=RIGHT_SIDE,
)
claim(
    "loglinear.eq3.12.margin",
    partial(found_case, case=q.full_margin),
    states=AT_MOST_ONE,
    plan=SEARCHED,
    evidence=RIGHT_SIDE,
)
