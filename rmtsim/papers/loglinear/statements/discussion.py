"""Remarks around the main theorem: contexts without a margin, thresholds and margins, overlap, the printed tables."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Computed, Corrected, Identity, Limit, Plan, claim
from rmtsim.papers.loglinear import theory
from rmtsim.papers.loglinear.statements import quotients as q
from rmtsim.papers.loglinear.statements.transfer import AT_MOST_ONE, QUARTER, RANDOM, RIGHT_SIDE, SEARCHED

ONCE = Plan(sizes=(1,), size_name="-", cost=1e-6)
EXACT = Computed(1e-15)


@claim(
    "loglinear.eq3.19",
    corrected=Corrected(plan=SEARCHED),
    states=AT_MOST_ONE,
    plan=RANDOM,
    evidence=RIGHT_SIDE,
)
def floor_over_divergence(size: int, rng: np.random.Generator, form: str) -> float:
    """Right side of (3.22) over D_KL: a context outside POS ∪ NEG; corrected: the worst inside that a search finds.

    As printed: two words of interest with a = ±1 and one bulk word, logits (h, -h, 0) and (-h, h, 0), Γ = 1, ε_b = 0,
    b = -log(4k).
    """
    if form == "corrected":
        return q.worst_found(size, rng, q.floor_divergence, QUARTER)
    gap = math.exp(rng.uniform(math.log(1e-4), math.log(1e-2)))
    weights = np.exp([gap, -gap, 0.0])
    teacher, student = weights / weights.sum(), weights[[1, 0, 2]] / weights.sum()
    least = float(theory.tradeoff_floor(0.25, 0.5))
    return float(2 * (teacher[2] * least) ** 2 / (teacher @ np.log(teacher / student)))


def _margins(logits: Array, coefficients: Array, lowered: float) -> Array:
    """f* of every context over k max|a|, thresholds lowered from zero."""
    active = np.maximum(logits + lowered, 0.0)
    return np.asarray(active @ coefficients / (coefficients.size * np.abs(coefficients).max()))


@claim(
    "loglinear.sec3.5.4.thresholds",
    corrected=Corrected(states=Bound(1.0, within=1e-9)),
    states=Identity(within=0.05),
    plan=Plan(sizes=(2, 6), size_name="k", cost=2e-4),
)
def change_of_the_margin(size: int, rng: np.random.Generator, form: str) -> float:
    """|(Γ' - Γ)/s - 1|, Γ' with thresholds lowered by s; corrected: (Γ' - Γ)/s over max(k₊, k₋)/k.

    Both signs occur among the coefficients. In half of the draws all words of one sign are on and the others far off.
    """
    signs = np.where(np.arange(size) < int(rng.integers(1, size)), 1.0, -1.0)
    lowered = rng.uniform(0.1, 2.0)
    if rng.random() < 0.5:
        coefficients = signs
        logits = np.where(np.sign(coefficients) == rng.choice([-1.0, 1.0], (8, 1)), 1.0, -3.0)
    else:
        coefficients = signs * rng.uniform(0.2, 1.0, size)
        logits = 2 * rng.standard_normal((8, size))
    before = _margins(logits, coefficients, 0.0)
    labels = np.where(before < 0, -1.0, 1.0)
    change = (labels * _margins(logits, coefficients, lowered)).min() - np.abs(before).min()
    if form == "printed":
        return abs(float(change) / lowered - 1)
    most = max((signs > 0).sum(), (signs < 0).sum()) / size
    return float(change / (lowered * most))


@claim(
    "loglinear.sec3.5.4.cancel",
    corrected=Corrected(states=Limit(-0.5, within=0.01)),
    states=Limit(0.0, within=0.1),
    plan=Plan(
        sizes=(16, 32, 64, 128),
        size_name="s",
        exponents=(1.0,),
        because="the logarithm of the bound is linear in s up to a constant",
        cost=1e-4,
    ),
    evidence=Computed(1e-9, chain=("loglinear.lemma3.5.9",)),
)
def log_bound_per_threshold(size: int, form: str) -> float:
    """(1/s) log of (3.12) with thresholds lowered by s and Γ raised by s, over (3.12) itself; K = 1/4, Λ = 1."""
    moved = theory.least_tradeoff(0.25 * math.exp(-size), 1.0 + size / 2)
    return float(np.log(moved / theory.least_tradeoff(0.25, 1.0)) / size)


@claim("loglinear.assumption3.2.2", states=Identity(within=1e-12), plan=ONCE, evidence=EXACT)
def difference_at_full_overlap(size: int, form: str) -> float:
    """TV of two laws of (x₁, x₂) with μ = 1: independent fair bits, and equal ones; corrected: the larger of x₋ᵢ."""
    before, after = np.full((2, 2), 0.25), np.diag([0.5, 0.5])
    overlap = min(float((before.sum(axis=i) / after.sum(axis=i)).min()) for i in (0, 1))
    if overlap != 1:
        raise AssertionError("the example has μ = 1")
    if form == "printed":
        return float(np.abs(before - after).sum()) / 2
    return max(float(np.abs(before.sum(axis=i) - after.sum(axis=i)).sum()) / 2 for i in (0, 1))


TABLE_B2 = {
    "GPT-2": (625.8, 651.4, 665.2, 685.5, 727.4),
    "GPT-2 M": (0.7647, 0.3444, 0.3005, 0.2683, 0.2396),
    "GPT-2 L": (0.7296, 0.1288, 0.0740, 0.0317, 0.0022),
    "GPT-2 XL": (0.7716, 0.1219, 0.0648, 0.0279, 0.0019),
    "OPT-125M": (0.6688, 0.1010, 0.0443, 0.0117, 0.0006),
    "OPT-350M": (2.2449, 0.9393, 0.7587, 0.6182, 0.4275),
    "OPT-1.3B": (0.5234, 0.0984, 0.0402, 0.0117, 0.0006),
}
"""ε_MSE as printed, for k = 0, 10, 100, 1000, 10000."""
TABLE_31 = {
    "GPT-2 L": (0.7296, 0.0740),
    "GPT-2 XL": (0.7716, 0.0648),
    "OPT-125M": (0.6688, 0.0443),
    "OPT-1.3B": (0.5234, 0.0402),
}
"""Original and bulk ε_MSE as printed."""


@claim("loglinear.sec3.4.2.level", states=Bound(20.0), plan=ONCE, evidence=EXACT)
def least_size_of_log_partition(size: int, form: str) -> float:
    """Largest √ε_MSE of Table B.2; corrected: without GPT-2."""
    rows = [row for name, row in TABLE_B2.items() if form == "printed" or name != "GPT-2"]
    return math.sqrt(max(map(max, rows)))


@claim("loglinear.tableB.2.order", states=Bound(1.0), plan=ONCE, evidence=EXACT)
def largest_growth(size: int) -> float:
    """Largest quotient of neighbours along a row, GPT-2 excepted."""
    return max(b / a for name, row in TABLE_B2.items() if name != "GPT-2" for a, b in pairwise(row))


@claim("loglinear.table3.1", states=Identity(within=1e-12), plan=ONCE, evidence=EXACT)
def differing_entries(size: int) -> float:
    """Entries of Table 3.1 that differ from Table B.2, k = 0 and 100, in the four rows with the least bulk error."""
    chosen = sorted(TABLE_B2, key=lambda name: TABLE_B2[name][2])[:4]
    return float(sum(TABLE_31.get(name) != (TABLE_B2[name][0], TABLE_B2[name][2]) for name in chosen))


TABLE_B1 = {
    "GPT-2": (124, 768),
    "GPT-2 M": (355, 1024),
    "GPT-2 L": (774, 1280),
    "GPT-2 XL": (1500, 1600),
    "OPT-125M": (125, 768),
    "OPT-350M": (350, 1024),
    "OPT-1.3B": (1300, 2048),
}
"""Millions of parameters and hidden dimensions as printed."""


@claim("loglinear.tableB.1", states=Identity(within=1e-12), plan=ONCE, evidence=EXACT)
def differing_ranges(size: int, form: str) -> float:
    """Ends of the ranges of parameters and dimensions in the text that differ from Table B.1."""
    parameters, dimensions = zip(*TABLE_B1.values(), strict=True)
    smallest = 125 if form == "printed" else 124
    stated = (smallest, 1500, 768, 2048)
    found = (min(parameters), max(parameters), min(dimensions), max(dimensions))
    return float(sum(a != b for a, b in zip(stated, found, strict=True)))
