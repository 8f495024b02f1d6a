"""`dong` Lemma 3: gated sample covariances at finite d and N."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Limit, Plan, Relative, Simulated, claim
from rmtsim.papers.dong.simulation.gated_covariances import coin_matrices, gated_matrices
from rmtsim.papers.dong.statements.parameters import integer_parameter
from rmtsim.papers.dong.theory.relu_gates import gated_pair_moment

DIMENSION = integer_parameter("dimension", default=3, lowest=1, draw_range=(2, 20))
SAMPLES = integer_parameter("samples", default=4, lowest=1, draw_range=(2, 20))

# ---- One gate ------------------------------------------------------------------------------------------------------


@claim(
    "dong.lemma3.diagonal",
    at="Lemma 3",
    standing="lemma",
    printed="L_ii has the law of (1/N)X̂Λ̂X̂ᵀ with independent fair coins Λ̂ at every d, N: the energy distance "
    "of the two laws of matrices is zero.",
    states=Limit(0.0, within=0.002),
    over=(DIMENSION, SAMPLES),
    points=({"dimension": 1, "samples": 2}, {"dimension": 2, "samples": 4}, {"dimension": 5, "samples": 8}),
    plan=Plan(
        sizes=(50, 100, 200),
        size_name="draws of a matrix",
        exponents=(1.0,),
        because="the estimate of an energy distance over pairs of different draws has the same mean at every number "
        "of draws",
        cost=lambda size, dimension, samples: (
            5e-5 + 4e-8 * size * samples * dimension + 1.2e-8 * size**2 + 2e-9 * (size * dimension) ** 2
        ),
    ),
    evidence=Simulated(revision=2),
)
def gates_against_coins(size: int, rng: np.random.Generator, dimension: int, samples: int) -> float:
    """Energy distance of the laws of L_ii/√d and of its copy with coins, from ``size`` matrices of each."""
    from rmtsim._internal.energy_distance import energy_distance

    gated, coined = (
        draw(size, rng, dimension, samples) / math.sqrt(dimension) for draw in (gated_matrices, coin_matrices)
    )
    return energy_distance(gated, coined)


# ---- Two gates -----------------------------------------------------------------------------------------------------


@claim(
    "dong.lemma3.offdiagonal",
    at="Lemma 3",
    standing="lemma",
    printed="L_ij, i ≠ j, has the law of (1/N)X̂Λ̂X̂ᵀ with independent Ber(1/4) Λ̂ at every d, N: hence "
    "E[λλ'(x·x')²]/d = 1/16.",
    corrected=Corrected(
        "For i ≠ j, with θ the angle of w_i and w_j: E[λλ'(x·x')²]/d = E[(π-θ)²]/(4π²) + "
        "E[sin²θ]/(2π²d) at every d.",
        states=Limit(lambda dimension: gated_pair_moment(dimension, diagonal=False), within=Relative(0.03)),
    ),
    states=Limit(1 / 16, within=Relative(0.03)),
    over=(DIMENSION,),
    points=({"dimension": 1}, {"dimension": 2}, {"dimension": 5}),
    plan=Plan(
        sizes=(4, 8, 16),
        size_name="N",
        exponents=(1.0,),
        because="an average over pairs of samples has one mean at every N: there is no correction to fit",
        cost=lambda size, dimension: 3e-8 * size * (1 + size / 8 + dimension / 2),
    ),
    erratum=Erratum(
        cause="the product of two gates is taken for an independent coin",
        note="For i ≠ j a sign flip of x_n turns both gates at once, so the product of gates is a fair coin where "
        "w_i·x_n and w_j·x_n have one sign and zero elsewhere: neither independent of X nor, with W shared by all "
        "samples, independent over n. Only the limit of the spectrum (Proposition 6) survives.",
        credit="Proposition 6, for which the lemma is used, holds.",
    ),
)
def gated_pairs(size: int, rng: np.random.Generator, replicates: int, dimension: int) -> NDArray[np.float64]:
    """Σ_{n≠n'} λ_n λ_n' (x_n·x_n')²/(d N(N-1)), λ_n = 1 where two gates are open: a part of ‖L_ij‖²/d."""
    inputs = rng.standard_normal((replicates, size, dimension))
    weights = rng.standard_normal((replicates, dimension, 2))
    # Loaded here: numba is slow to import, and listing claims does not need it.
    from rmtsim.papers.dong.simulation.kernels.gates import gated_pair_sums

    total = np.empty(replicates)
    gated_pair_sums(inputs, weights, 2, total)
    return np.asarray(total / (dimension * size * (size - 1)))
