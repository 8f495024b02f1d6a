"""`dong` Lemma 3: gated sample covariances at finite d and N."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.declare import claim, correction
from rmtsim.claims.dong.parameters import integer_parameter
from rmtsim.claims.model import Tolerance
from rmtsim.claims.papers import PAPERS
from rmtsim.predict.relu_gates import gated_pair_moment


def gated_pairs(
    size: int, rng: np.random.Generator, replicates: int, dimension: int, gates: int
) -> NDArray[np.float64]:
    """Σ_{n≠n'} λ_n λ_n' (x_n·x_n')²/(d N(N-1)), λ_n = 1 where the first ``gates`` of two gates are open."""
    inputs = rng.standard_normal((replicates, size, dimension))
    weights = rng.standard_normal((replicates, dimension, 2))
    # Loaded here: numba is slow to import, and listing claims does not need it.
    from rmtsim.kernels.gates import gated_pair_sums

    total = np.empty(replicates)
    gated_pair_sums(inputs, weights, gates, total)
    return np.asarray(total / (dimension * size * (size - 1)))


def _cost(size: int, dimension: int) -> float:
    return 3e-8 * size * (1 + size / 8 + dimension / 2)


statement_on_gates = partial(
    claim,
    paper=PAPERS["dong"],
    source="Lemma 3",
    standing="lemma",
    parameters=(integer_parameter("dimension", default=3, lowest=1, draw_range=(2, 20)),),
    grid=({"dimension": 1}, {"dimension": 2}, {"dimension": 5}),
    sizes=(4, 8, 16),
    size_name="N",
    tolerance=Tolerance(relative=0.03),
    exponents=(1.0,),
    because="an average over pairs of samples has one mean at every N: there is no correction to fit",
    cost=_cost,
)


@statement_on_gates(
    "dong.lemma3.diagonal",
    statement="L_ii has the law of (1/N)X̂Λ̂X̂ᵀ with independent fair coins Λ̂ at every d, N: hence "
    "E[λλ'(x·x')²]/d = 1/4 for n ≠ n'.",
    limit=0.25,
)
def one_gate_pairs(
    size: int, rng: np.random.Generator, replicates: int, dimension: int
) -> NDArray[np.float64]:
    """The off-diagonal part of ‖L_ii‖²/d."""
    return gated_pairs(size, rng, replicates, dimension, 1)


@statement_on_gates(
    "dong.lemma3.offdiagonal",
    statement="L_ij, i ≠ j, has the law of (1/N)X̂Λ̂X̂ᵀ with independent Ber(1/4) Λ̂ at every d, N: hence "
    "E[λλ'(x·x')²]/d = 1/16.",
    limit=1 / 16,
    cause="the product of two gates is taken for an independent coin",
    note="For i ≠ j a sign flip of x_n turns both gates at once, so the product of gates is a fair "
    "coin where w_i·x_n and w_j·x_n "
    "have one sign and zero elsewhere: neither independent of X nor, with W shared by all "
    "samples, independent over n. "
    "Only the limit of the spectrum (Proposition 6) survives.",
    credit="Proposition 6, for which the lemma is used, holds.",
    corrected=correction(
        "dong.lemma3.offdiagonal/corrected",
        statement="For i ≠ j, with θ the angle of w_i and w_j: E[λλ'(x·x')²]/d = E[(π-θ)²]/(4π²) + E[sin²θ]/(2π²d) at "
        "every d.",
        limit=partial(gated_pair_moment, diagonal=False),
    ),
)
def two_gates_pairs(
    size: int, rng: np.random.Generator, replicates: int, dimension: int
) -> NDArray[np.float64]:
    """The off-diagonal part of ‖L_ij‖²/d."""
    return gated_pairs(size, rng, replicates, dimension, 2)
