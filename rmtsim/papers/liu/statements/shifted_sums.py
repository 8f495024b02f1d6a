"""Appendix I.9: Lemma H.1 on Σ x̄_i ȳ_i², as the uniform statement it is, and the displays (120)-(125) of its proof."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Corrected, Identity, Limit, Parameter, Probability, claim
from rmtsim.papers.liu.simulation.shifted_sums import fixed_shifts, smallest_sums
from rmtsim.papers.liu.statements.bottleneck import DELTA
from rmtsim.papers.liu.statements.parameters import RADIUS, WIDTHS
from rmtsim.papers.liu.theory.bottleneck import shifted_sum_floor

_CHOSEN = WIDTHS.but(
    sizes=(50, 100, 200, 400, 800),
    exponents=(1.0,),
    because="over √m the second-order terms of the shifts are O(1/m), like the effect of the fluctuating lengths "
    "‖y²‖ and ‖xy‖ on a mean (docs/papers/liu/index.md)",
    cost=lambda size: 2e-6 + 8e-8 * size,
)
"""Shifts chosen for the drawn x and y."""


@claim(
    "liu.lemmaH.1",
    corrected=Corrected(
        measured=smallest_sums,
        states=Limit(shifted_sum_floor, within=0.02),
        points=({"radius": 0.2}, {"radius": 0.5}),
        plan=_CHOSEN,
    ),
    states=Probability(1.0, within=0.4),
    over=(RADIUS,),
    plan=_CHOSEN.but(exponents=(0.5, 1.0)),
)
def no_shift_reaches_zero(size: int, rng: Generator, replicates: int, radius: float) -> NDArray[np.bool_]:
    """Whether the sum stays away from zero."""
    return np.asarray(smallest_sums(size, rng, replicates, radius) > 1e-9)


@claim(
    "liu.lemmaH.1.fixed",
    states=Bound(lambda delta: 1 - 2 * delta, ">=", of="probability"),
    over=(
        Parameter("radius", "radius R of the balls", 0.5, highest=0.5, draw_range=(0.1, 0.5)),
        Parameter("delta", "δ of the lemma", 0.45, lowest=0.2, highest=0.49),
        Parameter("constant", "C₁ of the lemma", 17.0, lowest=5.0, draw_range=(5.0, 17.0)),
    ),
    points=({"delta": 0.2}, {"delta": 0.45}),
    plan=WIDTHS.but(sizes=(100, 400, 1600), cost=lambda size: 2e-6 + 8e-8 * size),
)
def fixed_shift(
    size: int, rng: Generator, replicates: int, radius: float, delta: float, constant: float
) -> NDArray[np.bool_]:
    """Whether (105) holds; its right side is positive at all parameters that are accepted, m ≥ 100."""
    shifts = rng.standard_normal((2, replicates, size))
    s, t = radius * shifts / np.linalg.norm(shifts, axis=2, keepdims=True)
    x, y = rng.standard_normal((2, replicates, size))
    right = math.sqrt(3 * size) * constant * delta**3 - 3 * math.log(4 / delta) * radius**4 - radius**3
    return np.asarray(np.abs(((x + s) * (y + t) ** 2).sum(axis=1)) >= right)


@claim("liu.eq120", states=Identity(within=1e-12), over=(RADIUS,), plan=WIDTHS.but(sizes=(2, 20), cost=1e-4))
def expansion_gap(size: int, rng: Generator, radius: float) -> float:
    """|left - right| over the sum of absolute terms."""
    x, y = rng.standard_normal((2, size))
    s, t = fixed_shifts(size, rng, radius)
    terms = [(x + s) * y**2, 2 * x * t * y, 2 * s * t * y, x * t**2, s * t**2]
    left = float((x + s) @ (y + t) ** 2)
    return abs(left - float(np.sum(terms))) / float(np.abs(terms).sum())


def _second_moment(s: Array, t: Array) -> float:
    """E(Σ(x+s)y² + 2Σxty)² exactly, by Gauss–Hermite rules on every pair of indices."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    weights = weights / weights.sum()
    x, y = nodes[:, None], nodes[None, :]
    both = weights[:, None] * weights[None, :]
    each = (x + s[:, None, None]) * y**2 + 2 * x * t[:, None, None] * y
    means = (both * each).sum(axis=(1, 2))
    own = (both * each**2).sum(axis=(1, 2))
    # Different indices are independent: the mean of the product is the product of the means.
    return float(own.sum() + means.sum() ** 2 - (means**2).sum())


@claim("liu.eq122", states=Identity(within=1e-12), over=(RADIUS,), plan=WIDTHS.but(sizes=(3, 12), cost=3e-4))
def middle_line_gap(size: int, rng: Generator, form: str, radius: float) -> float:
    """|stated - exact|/exact; as printed the sum is over all ordered pairs."""
    s, _ = fixed_shifts(size, rng, radius)
    pairs = float(s.sum() ** 2 - s @ s)
    stated = 3 * size + 3 * float(s @ s) + 2 * (pairs if form == "printed" else pairs / 2)
    exact = _second_moment(s, np.zeros(size))
    return abs(stated - exact) / exact


@claim("liu.eq122.bound", states=Bound(1.0, ">="), over=(RADIUS,), plan=WIDTHS.but(sizes=(2, 12), cost=3e-4))
def second_moment_quotient(size: int, rng: Generator, radius: float) -> float:
    """E(…)²/(3m)."""
    s, t = fixed_shifts(size, rng, radius)
    return _second_moment(s, t) / (3 * size)


@claim(
    "liu.eq124",
    states=Bound(lambda delta: 1 - delta, ">=", within=0.01, of="probability"),
    over=(RADIUS, DELTA),
    points=({"radius": 2.0}, {"radius": 0.5}),
    plan=WIDTHS.but(sizes=(4, 16, 64), exponents=(1.0,), cost=3e-5),
)
def within_bound(size: int, rng: Generator, form: str, radius: float, delta: float) -> bool:
    """Whether both sums obey the bound for shifts fixed beforehand: all of s and t on one index."""
    logarithm = math.log(4 / delta)
    bound = logarithm * radius**4 if form == "printed" else radius**2 * math.sqrt(2 * logarithm)
    x, y = rng.standard_normal((2, size))
    s = t = radius * np.eye(size)[0]
    return max(abs(float(np.sum(s * t * y))), abs(float(x @ t**2))) <= bound


@claim("liu.eq125", states=Bound(1.0, within=1e-12), over=(RADIUS,), plan=WIDTHS.but(sizes=(1, 5), cost=1e-4))
def third_order_quotient(size: int, rng: Generator, radius: float) -> float:
    """|Σ s t²|/R³, half of the time with everything on one index."""
    s, t = fixed_shifts(size, rng, radius)
    if rng.random() < 0.5:
        s, t = (np.eye(size)[0] * radius for _ in range(2))
    return abs(float(s @ t**2)) / max(radius**3, 1e-300)
