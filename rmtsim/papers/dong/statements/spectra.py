"""Spectra of single blocks: `dong` Propositions 2, 4 and 6.

The distance to a law is taken where the paper takes it, between Stieltjes transforms
(:mod:`rmtsim.papers.dong.statements.resolvents`).
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._declare import claim, correction
from rmtsim.claims._model import Tolerance
from rmtsim.claims._papers import PAPERS
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, SMALL_CLASSES, fixed_output
from rmtsim.papers.dong.statements.resolvents import StatedResolvent


def _cost(overhead: float, size: int, gamma: float) -> float:
    return overhead + 4e-8 * size**2 * max(gamma, 1 / gamma) + 5e-10 * size**3 * max(gamma**3, 1 / gamma)


def _cost_of_gates(size: int, gamma: float) -> float:
    return _cost(1e-4, size, gamma)


def _cost_of_network(size: int, gamma: float) -> float:
    return _cost(2e-4, size, gamma)


statement_on_spectrum = partial(
    claim,
    paper=PAPERS["dong"],
    standing="lemma",
    law=0.0,
    sizes=(25, 50, 100, 200),
    size_name="min(d, N)",
    # A root mean square gap of two per cent, of a quantity that is at most one.
    tolerance=Tolerance(absolute=0.02**2),
    exponents=(1.0,),
    because="given W the weights of a block are N independent numbers, and the transform is a smooth function of "
    "them and of the Gaussian inputs: variance and squared bias are series in 1/N",
    theory_in_sampler="the measured quantity is a distance to the stated law, whose transform is needed to form it",
    revision=2,
)


# ---- Proposition 6: gated sample covariances ---------------------------------------------------------------------


@lru_cache(maxsize=64)
def gated_law(gamma: float, factor: float) -> StatedResolvent:
    """MP(factor·γ, 1/factor)."""
    from rmtsim.laws._marchenko_pastur import MarchenkoPastur

    return StatedResolvent.of(MarchenkoPastur(ratio=factor * gamma, variance=1 / factor))


def gated_eigenvalues(size: int, rng: np.random.Generator, gamma: float, gates: int) -> NDArray[np.float64]:
    """Eigenvalues of (1/N) Σ x_n x_nᵀ over the samples for which ``gates`` independent gates are open."""
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((samples, dimension))
    open_gates = inputs @ rng.standard_normal((dimension, gates)) > 0
    kept = inputs[open_gates.all(axis=1)]
    if len(kept) >= dimension:
        return np.asarray(np.linalg.eigvalsh(kept.T @ kept / samples))
    # Few open gates: the same eigenvalues from the smaller side, and zeros.
    return np.concatenate([np.linalg.eigvalsh(kept @ kept.T / samples), np.zeros(dimension - len(kept))])


statement_on_gates = partial(
    statement_on_spectrum,
    source="Proposition 6",
    parameters=(GAMMA,),
    grid=({"gamma": 0.2}, {"gamma": 1.0}),
    cost=_cost_of_gates,
)


@statement_on_gates(
    "dong.prop6.diagonal-law",
    statement="The spectrum of L_ii tends to MP(2γ, 1/2) as d, N → ∞, d/N → γ.",
)
def one_gate_distance(size: int, rng: np.random.Generator, gamma: float) -> float:
    """Distance of the spectrum of L_ii to MP(2γ, 1/2)."""
    return gated_law(gamma, 2.0).distance(gated_eigenvalues(size, rng, gamma, 1))


@statement_on_gates(
    "dong.prop6.offdiagonal-law",
    statement="The spectrum of L_ij, i ≠ j, tends to MP(4γ, 1/4) as d, N → ∞, d/N → γ.",
)
def two_gates_distance(size: int, rng: np.random.Generator, gamma: float) -> float:
    """Distance of the spectrum of L_ij to MP(4γ, 1/4)."""
    return gated_law(gamma, 4.0).distance(gated_eigenvalues(size, rng, gamma, 2))


# ---- Proposition 2: the linear model -----------------------------------------------------------------------------


@lru_cache(maxsize=64)
def linear_law(gamma: float, classes: int, diagonal: bool, sign: int) -> StatedResolvent:
    """Generalised Marchenko-Pastur law of the population sign·h₁ (diagonal) or sign·h₂."""
    from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur
    from rmtsim.papers.dong.theory.curvature_population import linear_population

    return StatedResolvent.of(GeneralizedMarchenkoPastur(gamma, sign * linear_population(classes, diagonal)))


def linear_eigenvalues(
    size: int, rng: np.random.Generator, gamma: float, classes: int, block: tuple[int, int]
) -> NDArray[np.float64]:
    """Eigenvalues of one block of a drawn linear model."""
    from rmtsim.curvature._linear_energies import block_eigenvalues
    from rmtsim.curvature._linear_model import sample_linear
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    return block_eigenvalues(sample_linear(dimension, samples, classes, rng), *block)


def linear_diagonal_distance(size: int, rng: np.random.Generator, gamma: float, classes: int) -> float:
    """Distance of the spectrum of H_11 to the law with population p(1-p)."""
    return linear_law(gamma, classes, True, 1).distance(linear_eigenvalues(size, rng, gamma, classes, (0, 0)))


def linear_offdiagonal_distance(size: int, rng: np.random.Generator, gamma: float, classes: int) -> float:
    """Distance of the spectrum of H_12 to the law with population p₁p₂, as printed."""
    return linear_law(gamma, classes, False, 1).distance(
        linear_eigenvalues(size, rng, gamma, classes, (0, 1))
    )


def linear_negative_distance(size: int, rng: np.random.Generator, gamma: float, classes: int) -> float:
    """Distance of the spectrum of H_12 to the law with population -p₁p₂."""
    return linear_law(gamma, classes, False, -1).distance(
        linear_eigenvalues(size, rng, gamma, classes, (0, 1))
    )


statement_on_linear_spectrum = partial(
    statement_on_spectrum,
    parameters=(GAMMA, SMALL_CLASSES),
    grid=({"gamma": 0.5, "classes": 3}, {"gamma": 2.0, "classes": 10}),
    cost=_cost_of_network,
)
statement_on_linear_spectrum(
    "dong.prop2.diagonal-law",
    linear_diagonal_distance,
    source="Proposition 2, eq. (55)",
    statement="The spectrum of H_ii tends to the generalised Marchenko-Pastur law of the population p(1-p), d/N → "
    "γ, C fixed.",
)
statement_on_linear_spectrum(
    "dong.prop2.offdiagonal-law",
    linear_offdiagonal_distance,
    source="Proposition 2, eq. (56)",
    statement="The spectrum of H_ij, i ≠ j, tends to the generalised Marchenko-Pastur law of the "
    "population p_i p_j, d/N → γ, C fixed.",
    cause="the minus sign of the off-diagonal weights is lost",
    note="H_ij = -(1/N) Σ p_ni p_nj x_n x_nᵀ has no positive eigenvalue; the proof takes the "
    "population p_i p_j where the weights "
    "are -p_i p_j.",
    credit="Section 7.1 begins with the right weights, β_n = -p_i p_j.",
    corrected=correction(
        "dong.prop2.offdiagonal-law/corrected",
        measured=linear_negative_distance,
        statement="The spectrum of H_ij, i ≠ j, tends to the generalised Marchenko-Pastur law of the "
        "population -p_i p_j, d/N → γ, C fixed.",
    ),
)


# ---- Proposition 4: the hidden layer at a fixed V ----------------------------------------------------------------


@lru_cache(maxsize=64)
def hidden_law(gamma: float, hidden: int, classes: int, diagonal: bool) -> StatedResolvent:
    """Generalised Marchenko-Pastur law of the population ξ_C(V) (diagonal) or η_C(V) at the fixed V."""
    from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur
    from rmtsim.papers.dong.theory.curvature_population import hidden_population

    atoms, weights = hidden_population(fixed_output(classes, hidden), diagonal)
    return StatedResolvent.of(GeneralizedMarchenkoPastur(gamma, atoms, weights))


def hidden_eigenvalues(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, block: tuple[int, int]
) -> NDArray[np.float64]:
    """Eigenvalues of one hidden-layer block of a network with the fixed V and a drawn W."""
    from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((samples, dimension))
    first = rng.standard_normal((hidden, dimension)) / np.sqrt(dimension)
    network = OneHiddenNetwork(inputs, first, fixed_output(classes, hidden), np.zeros((samples, classes)))
    return np.asarray(np.linalg.eigvalsh(hidden_block(forward(network, "ce"), *block)))


statement_on_hidden_spectrum = partial(
    statement_on_spectrum,
    parameters=(GAMMA, HIDDEN, SMALL_CLASSES),
    grid=({"gamma": 0.5, "hidden": 5, "classes": 5}, {"gamma": 2.0, "hidden": 8, "classes": 10}),
    cost=_cost_of_network,
)


@statement_on_hidden_spectrum(
    "dong.prop4.diagonal-law",
    source="Proposition 4, eq. (81)",
    statement="At a fixed V the spectrum of G_ii tends to the generalised Marchenko-Pastur law of the population "
    "ξ_C(V), d/N → γ.",
)
def hidden_diagonal_distance(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> float:
    """Distance of the spectrum of G_11 to its law."""
    return hidden_law(gamma, hidden, classes, True).distance(
        hidden_eigenvalues(size, rng, gamma, hidden, classes, (0, 0))
    )


@statement_on_hidden_spectrum(
    "dong.prop4.offdiagonal-law",
    source="Proposition 4, eq. (82)",
    statement="At a fixed V the spectrum of G_ij tends to the generalised Marchenko-Pastur law of the population "
    "η_C(V), d/N → γ.",
)
def hidden_offdiagonal_distance(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> float:
    """Distance of the spectrum of G_12 to its law."""
    return hidden_law(gamma, hidden, classes, False).distance(
        hidden_eigenvalues(size, rng, gamma, hidden, classes, (0, 1))
    )
