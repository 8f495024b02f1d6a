"""Claims of `wu` on moments of rectified Gaussians: eqs. (36), (80), (90), (183), (186), (249), Lemma B.24."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Computed, Limit, Plan, Relative, Simulated, claim
from rmtsim.papers.wu.simulation.input_moments import INPUTS, draw_pair, mean_square_along_ones
from rmtsim.papers.wu.statements.parameters import ALPHA_GRID

FLUCTUATION = (math.pi - 1) / (2 * math.pi)
"""Var x, eq. (80)."""
COMPUTED_PLAN = Plan(
    sizes=(8, 16, 32, 64),
    size_name="width",
    exponents=(0.5, 1.0),
    because="the value is the same at every width",
    cost=2e-3,
)
INTEGRALS = ALPHA_GRID.but(plan=COMPUTED_PLAN, evidence=Computed(1e-11))


@lru_cache(maxsize=8)
def rectified_moments(variance: float) -> tuple[float, float, float, float]:
    """E y, E y², E y³, E y⁴ of max(N(0, variance), 0) by quadrature of the density."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x, w = 6.5 * (nodes + 1), 6.5 * weights
    density = np.exp(-0.5 * x**2 / variance) / math.sqrt(2 * math.pi * variance)
    first, second, third, fourth = (float((w * density) @ x**k) for k in (1, 2, 3, 4))
    return first, second, third, fourth


# ---- The autocorrelation of the inputs: simulated, against Lemma B.24 and what follows from eq. (172) ------------


INPUTS_PLAN = Plan(
    sizes=(8, 16, 32, 64),
    size_name="width",
    exponents=(1.0,),
    because="the expectation is the same at every d",
    cost=lambda size, alpha: float(5e-5 + 2.5e-8 * INPUTS * float(size) ** (1 + alpha)),
)
DRAWN_INPUTS = ALPHA_GRID.but(plan=INPUTS_PLAN, evidence=Simulated(revision=2))


@claim("wu.lemmaB.24", states=Limit(1 / (2 * math.pi), within=Relative(0.005)), over=DRAWN_INPUTS)
def eigenvalue_along_ones(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Mean of (1·x)²/d², less (π-1)/(2πd)."""
    from rmtsim.papers.wu.simulation.relu_network import input_dimension

    value = mean_square_along_ones(size, rng, replicates, alpha)
    return value - (math.pi - 1) / (2 * math.pi * input_dimension(size, alpha))


@claim("wu.lemmaB.24.bulk", states=Limit(FLUCTUATION, within=Relative(0.01)), over=DRAWN_INPUTS)
def eigenvalue_across_ones(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """Mean over inputs of |x|² less its part along 1, over d - 1."""
    inputs = np.concatenate(draw_pair(size, rng, alpha))
    d = inputs.shape[1]
    across = np.einsum("xj,xj->x", inputs, inputs) - inputs.sum(axis=1) ** 2 / d
    return float(across.mean() / (d - 1))


@claim(
    "wu.eq186",
    states=Limit(FLUCTUATION, within=Relative(0.01)),
    corrected=(math.pi**2 - 1) / (4 * math.pi**2),
    over=DRAWN_INPUTS,
)
def excess_of_energy(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """((x·x')² - (d/2π)²)/d, averaged over all pairs of one input from each batch, with three companions of known mean.

    With x = μ1 + ξ the deviation of x·x' from d/2π is μ(1·ξ) + μ(1·ξ') + ξ·ξ'. Its own mean is zero, and the squares of
    its first two parts, which pairs with one input share, have the mean μ²d Var x; the variance is that of eq. (80).
    """
    first, second = draw_pair(size, rng, alpha)
    d, mean = first.shape[1], 1 / math.sqrt(2 * math.pi)
    deviation = first @ second.T - d * mean**2
    shared = sum(mean**2 * float(np.mean((part.sum(axis=1) - d * mean) ** 2)) for part in (first, second))
    return float((np.mean(deviation**2) - shared) / d + 2 * mean**2 * FLUCTUATION)


@claim("wu.eq183", states=Limit(FLUCTUATION, within=Relative(0.01)), over=DRAWN_INPUTS)
def excess_of_sum(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """((1·x)² - d²/2π)/d, averaged over inputs, with the known mean d/√2π of 1·x as a companion."""
    first, second = draw_pair(size, rng, alpha)
    d = first.shape[1]
    deviation = np.concatenate([first, second]).sum(axis=1) - d / math.sqrt(2 * math.pi)
    return float((deviation**2).mean() / d)


@claim(
    "wu.eq249",
    states=Limit(1.0, within=Relative(0.01)),
    corrected=1 / (2 * math.pi),
    over=ALPHA_GRID,
    plan=INPUTS_PLAN.but(slowest=lambda alpha: 1 + alpha),
)
def norm_along_ones(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Mean of (1·x)²/d²."""
    return mean_square_along_ones(size, rng, replicates, alpha)


# ---- Moments of a unit -------------------------------------------------------------------------------------------


def central_fourth() -> float:
    """E(x - Ex)⁴ of max(g, 0)."""
    m1, m2, m3, m4 = rectified_moments(1.0)
    return m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4


_CORE = (6 * math.pi**2 - 10 * math.pi - 3) / (4 * math.pi**2)


@claim("wu.eq80", states=Limit(_CORE, within=Relative(1e-9)), over=INTEGRALS)
def fourth_moment_of_input(size: int, alpha: float, classes: int) -> float:
    """E(x - Ex)⁴."""
    return central_fourth()


@claim(
    "wu.eq90",
    states=Limit(_CORE * (math.pi - 1) / (2 * math.pi), within=Relative(1e-9)),
    corrected=_CORE * FLUCTUATION**2,
    over=ALPHA_GRID,
    plan=COMPUTED_PLAN,
    evidence=Computed(1e-11, revision=2),
)
def fourth_moment_of_unit(size: int, alpha: float, classes: int) -> float:
    """E(y - Ey)⁴, by quadrature of the density of N(0, (π-1)/(2π)) itself."""
    m1, m2, m3, m4 = rectified_moments(FLUCTUATION)
    return m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4


@claim("wu.eq36", states=Limit(1.0, within=Relative(1e-9)), over=INTEGRALS)
def total_mass(size: int, form: str, alpha: float, classes: int) -> float:
    """Total mass of the density of eq. (36) at μ = 1/2, σ = 1: Φ(μ/σ), corrected Φ(-μ/σ), plus the positive part."""
    from scipy.special import ndtr

    mean = 0.5
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x, w = 6.5 * (nodes + 1), 6.5 * weights
    density = np.exp(-0.5 * (x - mean) ** 2) / math.sqrt(2 * math.pi)
    return float(ndtr(mean if form == "printed" else -mean) + w @ density)
