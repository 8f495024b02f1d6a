"""Claims of `wu` on moments of rectified Gaussians: eqs. (36), (80), (90), (183), (186), (249), Lemma B.24."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Computed, Corrected, Erratum, Limit, Plan, Relative, Simulated, claim
from rmtsim.papers.wu.simulation.input_moments import INPUTS, draw_pair, mean_square_along_ones
from rmtsim.papers.wu.statements.causes import (
    DIAGONAL_OF_AUTOCORRELATION,
    FACTOR_TWO_PI,
    FOURTH_MOMENT,
    MASS_AT_ZERO,
)
from rmtsim.papers.wu.statements.parameters import ALPHA_GRID

Array = NDArray[np.float64]
FLUCTUATION = (math.pi - 1) / (2 * math.pi)
"""Var x, eq. (80)."""
COMPUTED_PLAN = Plan(
    sizes=(8, 16, 32, 64),
    size_name="width",
    exponents=(0.5, 1.0),
    because="the value is the same at every width",
    cost=2e-3,
)


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


@claim(
    "wu.lemmaB.24",
    at="Lemma B.24, eq. (172)",
    standing="lemma",
    printed="E[xxᵀ]/d has the eigenvalue 1/(2π) + (π-1)/(2πd) along 1/√d: (1·x)²/d² has that mean over the inputs; "
    "measured less (π-1)/(2πd), with the known mean of 1·x as a companion.",
    states=Limit(1 / (2 * math.pi), within=Relative(0.005)),
    over=ALPHA_GRID,
    plan=INPUTS_PLAN,
    evidence=Simulated(revision=2),
)
def eigenvalue_along_ones(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Mean of (1·x)²/d², less (π-1)/(2πd)."""
    from rmtsim.papers.wu.simulation.relu_network import input_dimension

    value = mean_square_along_ones(size, rng, replicates, alpha)
    return value - (math.pi - 1) / (2 * math.pi * input_dimension(size, alpha))


@claim(
    "wu.lemmaB.24.bulk",
    at="Lemma B.24, eq. (172)",
    standing="lemma",
    printed="E[xxᵀ]/d has the eigenvalue (π-1)/(2πd) on the complement of 1. Inputs are exchangeable, so all "
    "eigenvalues there are equal: their mean E(|x|² - (1·x)²/d)/(d-1) = (π-1)/(2π).",
    states=Limit(FLUCTUATION, within=Relative(0.01)),
    over=ALPHA_GRID,
    plan=INPUTS_PLAN,
    evidence=Simulated(revision=2),
)
def eigenvalue_across_ones(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """Mean over inputs of |x|² less its part along 1, over d - 1."""
    inputs = np.concatenate(draw_pair(size, rng, alpha))
    d = inputs.shape[1]
    across = np.einsum("xj,xj->x", inputs, inputs) - inputs.sum(axis=1) ** 2 / d
    return float(across.mean() / (d - 1))


@claim(
    "wu.eq186",
    at="eq. (186)",
    standing="equation",
    printed="‖E[xxᵀ]‖²_F = d²/(4π²) + d(π-1)/(2π): (‖E[xxᵀ]‖²_F - d²/(4π²))/d = (π-1)/(2π).",
    corrected=Corrected(
        "‖E[xxᵀ]‖²_F = d²/(4π²) + d(π²-1)/(4π²): (‖E[xxᵀ]‖²_F - d²/(4π²))/d = (π²-1)/(4π²).",
        states=Limit((math.pi**2 - 1) / (4 * math.pi**2), within=Relative(0.01)),
    ),
    states=Limit(FLUCTUATION, within=Relative(0.01)),
    over=ALPHA_GRID,
    plan=INPUTS_PLAN,
    evidence=Simulated(revision=2),
    erratum=Erratum(
        cause=DIAGONAL_OF_AUTOCORRELATION,
        note="A diagonal entry is 1/2, so d of them exceed 1/(4π²) each by 1/4 - 1/(4π²); eq. (173) has a third value. "
        "Measured as E(x·x')² over independent inputs. Harmless: only the first term enters the limit.",
    ),
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


@claim(
    "wu.eq183",
    at="eq. (183)",
    standing="equation",
    printed="1ᵀE[xxᵀ]1 = d²/(2π) + d(π-1)/(2π): (E(1·x)² - d²/(2π))/d = (π-1)/(2π).",
    states=Limit(FLUCTUATION, within=Relative(0.01)),
    over=ALPHA_GRID,
    plan=INPUTS_PLAN,
    evidence=Simulated(revision=2),
)
def excess_of_sum(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """((1·x)² - d²/2π)/d, averaged over inputs, with the known mean d/√2π of 1·x as a companion."""
    first, second = draw_pair(size, rng, alpha)
    d = first.shape[1]
    deviation = np.concatenate([first, second]).sum(axis=1) - d / math.sqrt(2 * math.pi)
    return float((deviation**2).mean() / d)


@claim(
    "wu.eq249",
    at="eq. (249), also (247)",
    standing="equation",
    printed="‖UᵀUX̌UᵀU‖_F = (1/d²)(2πd²/(2π) + (π-1)d/(2π)) for U = 1ᵀ/√d, X̌ = E[xxᵀ]/d: it tends to 1 (and is "
    "said to be below 1/2).",
    corrected=Corrected(
        "‖UᵀUX̌UᵀU‖_F = 1ᵀE[xxᵀ]1/d² = 1/(2π) + (π-1)/(2πd) < 1/2: it tends to 1/(2π).",
        states=Limit(1 / (2 * math.pi), within=Relative(0.01)),
    ),
    states=Limit(1.0, within=Relative(0.01)),
    over=ALPHA_GRID,
    plan=INPUTS_PLAN.but(
        slowest=lambda alpha: 1 + alpha, because="the correction is (π-1)/(2πd), d = n^{1+α}"
    ),
    erratum=Erratum(
        cause=FACTOR_TWO_PI,
        note="The norm is 1ᵀE[xxᵀ]1/d²; the printed value exceeds 1, against the bound printed beside it. Harmless: "
        "(250) needs the norm bounded.",
        credit="Eq. (183) has the sum right, and the bound 1/2 of (249) holds for it.",
    ),
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


@claim(
    "wu.eq80",
    at="eq. (80)",
    standing="equation",
    printed="E(x - Ex)⁴ = (6π² - 10π - 3)/(4π²) for x = max(g, 0), g standard normal.",
    states=Limit(_CORE, within=Relative(1e-9)),
    over=ALPHA_GRID,
    plan=COMPUTED_PLAN,
    evidence=Computed(1e-11),
)
def fourth_moment_of_input(size: int, alpha: float, classes: int) -> float:
    """E(x - Ex)⁴."""
    return central_fourth()


@claim(
    "wu.eq90",
    at="eq. (90)",
    standing="equation",
    printed="E(y - Ey)⁴ = (6π² - 10π - 3)(π-1)/(8π³) for y the rectified N(0, (π-1)/(2π)).",
    corrected=Corrected(
        "E(y - Ey)⁴ = (6π² - 10π - 3)(π-1)²/(16π⁴) for y the rectified N(0, (π-1)/(2π)).",
        states=Limit(_CORE * FLUCTUATION**2, within=Relative(1e-9)),
    ),
    states=Limit(_CORE * (math.pi - 1) / (2 * math.pi), within=Relative(1e-9)),
    over=ALPHA_GRID,
    plan=COMPUTED_PLAN,
    evidence=Computed(1e-11, revision=2),
    erratum=Erratum(
        cause=FOURTH_MOMENT,
        note="A fourth moment scales with the square of the variance; the printed value scales with the variance. "
        "Harmless: it is needed below 1.",
    ),
)
def fourth_moment_of_unit(size: int, alpha: float, classes: int) -> float:
    """E(y - Ey)⁴, by quadrature of the density of N(0, (π-1)/(2π)) itself."""
    m1, m2, m3, m4 = rectified_moments(FLUCTUATION)
    return m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4


@claim(
    "wu.eq36",
    at="eq. (36)",
    standing="remark",
    printed="As our copies read: the rectified Gaussian has point mass Φ(μ/σ) at zero, and the density mass one "
    "(μ = 1/2, σ = 1).",
    corrected=Corrected(
        "The rectified Gaussian has point mass Φ(-μ/σ) at zero: the stated density has mass one (μ = 1/2, "
        "σ = 1).",
        note="The mass at zero is P(N(μ, σ²) ≤ 0) = Φ(-μ/σ).",
    ),
    states=Limit(1.0, within=Relative(1e-9)),
    over=ALPHA_GRID,
    plan=COMPUTED_PLAN,
    evidence=Computed(1e-11),
    erratum=Erratum(
        cause=MASS_AT_ZERO,
        note="The mass at zero is P(N(μ, σ²) ≤ 0) = Φ(-μ/σ). Our text copies of the paper and of the thesis both read "
        "Φ(μ/σ), where a minus may have been lost; only μ = 0 is used, eq. (37), for which both agree.",
        credit="(37), the only case that is used, is right; a minus may have been lost in our copies.",
    ),
)
def total_mass(size: int, form: str, alpha: float, classes: int) -> float:
    """Total mass of the density of eq. (36) at μ = 1/2, σ = 1: Φ(μ/σ), corrected Φ(-μ/σ), plus the positive part."""
    from scipy.special import ndtr

    mean = 0.5
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x, w = 6.5 * (nodes + 1), 6.5 * weights
    density = np.exp(-0.5 * (x - mean) ** 2) / math.sqrt(2 * math.pi)
    return float(ndtr(mean if form == "printed" else -mean) + w @ density)
