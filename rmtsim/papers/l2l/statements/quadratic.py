"""Section 5.3: one quadratic, its meta-gradient, and meta-gradient descent."""

from __future__ import annotations

import math

import numpy as np

from rmtsim.claims import Bound, Corrected, Limit, Plan, Rate, Tolerance, claim
from rmtsim.papers.l2l.simulation.quadratics import Pair, draw, minimiser
from rmtsim.papers.l2l.simulation.unrolled import meta_descent, scaled_tangent

_SLACK = Tolerance(absolute=1e-7)
"""Room for rounding in quotients that a bound compares with one."""
QUADRATIC_PLAN = Plan(sizes=(2, 5), size_name="d", cost=3e-4)


# ---- Theorem 5.3.1 ----


@claim("l2l.thm5.3.1.convex", states=Bound(0.0, ">="), plan=QUADRATIC_PLAN)
def derivative_increase(size: int, rng: np.random.Generator) -> float:
    """(F'(η₂) - F'(η₁))/(|F'(η₁)| + |F'(η₂)|) for two random step sizes η₁ < η₂."""
    one = draw(size, rng)
    low, high = np.sort(rng.uniform(0, 4 / one.largest, 2))
    first, second = (scaled_tangent(one.problem, float(step), one.steps) for step in (low, high))
    top = max(first.log_gradient, second.log_gradient)
    a, b = (item.sign * math.exp(item.log_gradient - top) for item in (first, second))
    return (b - a) / (abs(a) + abs(b))


@claim("l2l.thm5.3.1.vanishing", states=Bound(1.0, within=_SLACK), plan=QUADRATIC_PLAN)
def vanishing_quotient(size: int, rng: np.random.Generator) -> float:
    """|F'(η)| over the printed bound, η uniform in (0, 2/L)."""
    one = draw(size, rng)
    step = rng.uniform(0, 2) / one.largest
    rho = max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
    found = scaled_tangent(one.problem, step, one.steps).log_gradient
    return math.exp(found - math.log(one.steps * one.largest**2) - (2 * one.steps - 1) * math.log(rho))


@claim("l2l.thm5.3.1.exploding", states=Bound(1.0, ">=", within=_SLACK), plan=QUADRATIC_PLAN)
def exploding_quotient(size: int, rng: np.random.Generator) -> float:
    """(|F'(η)| + L²t) over c₁²L²t(ηL - 1)^{2t-1}, η between 2/L and 6/L."""
    one = draw(size, rng)
    step = rng.uniform(2, 6) / one.largest
    scale = math.log(one.steps * one.largest**2)
    found = np.logaddexp(scaled_tangent(one.problem, step, one.steps).log_gradient, scale)
    printed = scale + 2 * math.log(one.along_largest) + (2 * one.steps - 1) * math.log(step * one.largest - 1)
    return math.exp(found - printed)


# ---- Claims 5.3.4-5.3.6 (D.1.1-D.1.3), Theorem 5.3.2 ----


@claim("l2l.claim5.3.4", states=Bound(1.0, ">="), plan=QUADRATIC_PLAN.but(cost=2e-3))
def room_for_sign_changes(size: int, rng: np.random.Generator) -> float:
    """2 - number of sign changes of F' over step sizes from e⁻⁴/L to e⁴/α; 0 if it begins positive or ends negative."""
    one = draw(size, rng)
    steps = np.sort(np.exp(rng.uniform(-4 - math.log(one.largest), 4 - math.log(one.smallest), 10)))
    ends = math.exp(-4) / one.largest, math.exp(4) / one.smallest
    signs = np.sign([one.slope(float(step)) for step in (ends[0], *steps, ends[1])])
    changes = int(np.count_nonzero(signs[1:] != signs[:-1]))
    return float(2 - changes) if signs[0] < 0 < signs[-1] else 0.0


@claim("l2l.claimD.1.1.interval", states=Bound(0.0, ">="), plan=QUADRATIC_PLAN)
def interval_margin(size: int, rng: np.random.Generator) -> float:
    """min(-F'(η₁), F'(η₂)), scaled, for η₁ just below 1/L or anywhere below, η₂ just above 1/α or anywhere above."""
    one = draw(size, rng)
    shift = rng.choice([1e-6, rng.uniform(0, 1)])
    below, above = (1 - shift) / one.largest, (1 + shift) / one.smallest
    scaled = [
        sign
        * one.slope(step)
        * max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
        / (2 * one.largest)
        for sign, step in ((-1, below), (1, above))
    ]
    return float(min(scaled))


@claim("l2l.claim5.3.5", states=Bound(1.0, within=_SLACK), plan=QUADRATIC_PLAN)
def gradient_over_bound(size: int, rng: np.random.Generator) -> float:
    """|F'(η)| over 4L³/(c_min²α(L - α)), η over many orders of magnitude."""
    one = draw(size, rng)
    step = math.exp(rng.uniform(-4, 4)) / one.largest
    bound = 4 * one.largest**3 / (one.c_min**2 * one.smallest * (one.largest - one.smallest))
    return abs(one.slope(step)) / bound


@claim("l2l.claim5.3.6", states=Bound(1.0, ">=", within=_SLACK), plan=QUADRATIC_PLAN.but(cost=2e-3))
def gradient_away_from_minimiser(size: int, rng: np.random.Generator) -> float:
    """|F'(η)| over the larger of the two printed lower bounds, at a distance of at least ε from η*."""
    one = draw(size, rng)
    best = minimiser(one)
    epsilon = rng.uniform(0, 1) / one.largest
    furthest = rng.uniform(2, 4) / one.smallest
    left, right = best - epsilon, furthest - best - epsilon
    if left > 0 and rng.random() < left / (left + right):
        step = rng.uniform(0, left)
    else:
        step = rng.uniform(best + epsilon, furthest)
    bound = min(
        2 * epsilon * one.along_smallest**2 * one.smallest**3 / one.largest,
        2 * epsilon * one.along_largest**2 * one.largest**2 / (furthest * one.largest - 1) ** 2,
    )
    return abs(one.slope(step)) / bound


_FLAT = 0.02
"""Scale of the eigenvalues at which distances fall slowly enough to be followed."""


@claim(
    "l2l.thm5.3.2.convergence",
    states=Limit(1.0, within=0.03),
    plan=Plan(
        sizes=(1000, 2000, 4000, 8000), size_name="k", exponents=(0.5,), cost=lambda size: 1e-3 + 5e-6 * size
    ),
)
def convergence_rate(size: int, rng: np.random.Generator) -> float:
    """log(|η_k - η*|/|η_4k - η*|) over 2√k F''(η*)."""
    drawn = Pair.draw(rng)
    pair = Pair(_FLAT * drawn.smallest, _FLAT * drawn.largest)
    best = pair.minimiser()
    path = meta_descent(pair.slope, best * float(rng.uniform(0.95, 1.05)), 4 * size, "decay", 1.0)
    width = 1e-4 * best
    curvature = (pair.slope(best + width) - pair.slope(best - width)) / (2 * width)
    early, late = abs(path[size] - best), abs(path[4 * size] - best)
    return math.log(early / late) / (2 * math.sqrt(size) * curvature)


_NEAR = 0.05
"""ε of the counts of iterations."""


def _iterations(start: float, pair: Pair) -> int:
    """First k from which on |η_k - η*| ≤ ε, as far as 6000 iterations show."""
    path = meta_descent(pair.slope, start, 6_000, "decay", 1.0)
    outside = np.nonzero(np.abs(path - pair.minimiser()) > _NEAR)[0]
    return int(outside[-1]) + 1 if outside.size else 0


@claim(
    "l2l.thm5.3.2.iterations",
    corrected=Corrected(states=Rate(0.0, "Theta", within=0.05)),
    states=Rate(6.0, "O", within=0.5),
    plan=Plan(
        sizes=(4, 8, 16, 32),
        size_name="1/M",
        exponents=(1.0,),
        because="the mean number of iterations is a smooth function of the start 1/size",
        cost=0.016,
    ),
)
def iterations_from_small_start(size: int, rng: np.random.Generator) -> float:
    """Iterations after which η_k stays within 0.05 of η* from η₀ = M = 1/size, over those from η₀ = 0."""
    pair = Pair.draw(rng)
    return _iterations(1 / size, pair) / _iterations(0.0, pair)
