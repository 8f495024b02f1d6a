"""`dong` Lemma 3: gated sample covariances at finite d and N."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Limit, Plan, Relative, Simulated, claim
from rmtsim.papers.dong.simulation.gated_covariances import coin_matrices, gated_matrices
from rmtsim.papers.dong.statements.parameters import integer_parameter
from rmtsim.papers.dong.theory.relu_gates import gated_pair_moment

DIMENSION = integer_parameter("dimension", default=3, lowest=1, draw_range=(2, 20))
SAMPLES = integer_parameter("samples", default=4, lowest=1, draw_range=(2, 20))

# ---- One gate ------------------------------------------------------------------------------------------------------


@claim(
    "dong.lemma3.diagonal",
    states=Limit(0.0, within=0.002),
    over=(DIMENSION, SAMPLES),
    points=({"dimension": 1, "samples": 2}, {"dimension": 2, "samples": 4}, {"dimension": 5, "samples": 8}),
    plan=Plan(
        sizes=(50, 100, 200),
        size_name="draws of a matrix",
        exponents=(1.0,),
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
    states=Limit(1 / 16, within=Relative(0.03)),
    corrected=lambda dimension: gated_pair_moment(dimension, diagonal=False),
    over=(DIMENSION,),
    points=({"dimension": 1}, {"dimension": 2}, {"dimension": 5}),
    plan=Plan(
        sizes=(4, 8, 16),
        size_name="N",
        exponents=(1.0,),
        cost=lambda size, dimension: 3e-8 * size * (1 + size / 8 + dimension / 2),
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
