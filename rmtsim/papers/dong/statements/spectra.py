"""Spectra of single blocks: `dong` Propositions 2, 4 and 6.

The distance to a law is taken where the paper takes it, between Stieltjes transforms
(:mod:`rmtsim.papers.dong.statements.resolvents`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from rmtsim.claims import Law, Plan, Simulated, claim
from rmtsim.papers.dong.simulation.block_spectra import (
    gated_eigenvalues,
    hidden_eigenvalues,
    linear_eigenvalues,
)
from rmtsim.papers.dong.simulation.fixed_outputs import fixed_output
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, SMALL_CLASSES, blocks
from rmtsim.papers.dong.statements.resolvents import StatedResolvent


def spectrum_cost(overhead: float) -> Callable[..., float]:
    """Nominal seconds of a replicate."""
    return lambda size, gamma: (
        overhead + 4e-8 * size**2 * max(gamma, 1 / gamma) + 5e-10 * size**3 * max(gamma**3, 1 / gamma)
    )


SPECTRUM_PLAN = Plan(
    sizes=(25, 50, 100, 200),
    size_name="min(d, N)",
    exponents=(1.0,),
    because="given W the weights of a block are N independent numbers, and the transform is a smooth function of "
    "them and of the Gaussian inputs: variance and squared bias are series in 1/N",
    cost=spectrum_cost(2e-4),
)
EVIDENCE = Simulated(
    theory="the measured quantity is a distance to the stated law, whose transform is needed to form it",
    revision=2,
)


# ---- Proposition 6: gated sample covariances ---------------------------------------------------------------------


@lru_cache(maxsize=64)
def gated_law(gamma: float, factor: float) -> StatedResolvent:
    """MP(factor·γ, 1/factor)."""
    from rmtsim.laws import MarchenkoPastur

    return StatedResolvent.of(MarchenkoPastur(ratio=factor * gamma, entry_variance=1 / factor))


@claim(
    "dong.prop6.{block}-law",
    states=Law(0.0, within=0.02**2),
    over=[blocks((1, 2), pair=("", ", i ≠ j,"), gates=("2", "4")), GAMMA],
    points=({"gamma": 0.2}, {"gamma": 1.0}),
    plan=SPECTRUM_PLAN.but(cost=spectrum_cost(1e-4)),
    evidence=EVIDENCE,
)
def gated_distance(size: int, rng: np.random.Generator, block: int, gamma: float) -> float:
    """Distance of the spectrum of L_ii to MP(2γ, 1/2), or of L_ij to MP(4γ, 1/4): one gate or two."""
    return gated_law(gamma, 2.0**block).distance(gated_eigenvalues(size, rng, gamma, block))


# ---- Proposition 2: the linear model -----------------------------------------------------------------------------


@lru_cache(maxsize=64)
def linear_law(gamma: float, classes: int, diagonal: bool, sign: int) -> StatedResolvent:
    """Generalised Marchenko-Pastur law of the population sign·h₁ (diagonal) or sign·h₂."""
    from rmtsim.laws import GeneralizedMarchenkoPastur
    from rmtsim.papers.dong.theory.curvature_population import linear_population

    return StatedResolvent.of(GeneralizedMarchenkoPastur(gamma, sign * linear_population(classes, diagonal)))


@claim(
    "dong.prop2.{block}-law",
    states=Law(0.0, within=0.02**2),
    over=[
        blocks(
            equation=("55", "56"),
            pair=("", ", i ≠ j,"),
            population=("p(1-p)", "p_i p_j"),
        ),
        GAMMA,
        SMALL_CLASSES,
    ],
    points=({"gamma": 0.5, "classes": 3}, {"gamma": 2.0, "classes": 10}),
    plan=SPECTRUM_PLAN,
    evidence=EVIDENCE,
)
def linear_distance(
    size: int, rng: np.random.Generator, form: str, block: str, gamma: float, classes: int
) -> float:
    """Distance of the spectrum of H_11 or H_12 to the law with population p(1-p), p₁p₂ (as printed) or -p₁p₂."""
    diagonal = block == "diagonal"
    law = linear_law(gamma, classes, diagonal, 1 if form == "printed" else -1)
    return law.distance(linear_eigenvalues(size, rng, gamma, classes, (0, 0 if diagonal else 1)))


# ---- Proposition 4: the hidden layer at a fixed V ----------------------------------------------------------------


@lru_cache(maxsize=64)
def hidden_law(gamma: float, hidden: int, classes: int, diagonal: bool) -> StatedResolvent:
    """Generalised Marchenko-Pastur law of the population ξ_C(V) (diagonal) or η_C(V) at the fixed V."""
    from rmtsim.laws import GeneralizedMarchenkoPastur
    from rmtsim.papers.dong.theory.curvature_population import hidden_population

    atoms, weights = hidden_population(fixed_output(classes, hidden), diagonal)
    return StatedResolvent.of(GeneralizedMarchenkoPastur(gamma, atoms, weights))


@claim(
    "dong.prop4.{block}-law",
    states=Law(0.0, within=0.02**2),
    over=[blocks(equation=("81", "82"), population=("ξ", "η")), GAMMA, HIDDEN, SMALL_CLASSES],
    points=({"gamma": 0.5, "hidden": 5, "classes": 5}, {"gamma": 2.0, "hidden": 8, "classes": 10}),
    plan=SPECTRUM_PLAN,
    evidence=EVIDENCE,
)
def hidden_distance(
    size: int, rng: np.random.Generator, block: str, gamma: float, hidden: int, classes: int
) -> float:
    """Distance of the spectrum of G_11 or G_12 to its law."""
    diagonal = block == "diagonal"
    law = hidden_law(gamma, hidden, classes, diagonal)
    return law.distance(hidden_eigenvalues(size, rng, gamma, hidden, classes, (0, 0 if diagonal else 1)))
