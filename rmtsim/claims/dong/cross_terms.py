"""`dong` (19) and (20): the second term of the cross-layer block (18) when C is large."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rmtsim.claims.declare import claim, correction
from rmtsim.claims.dong.parameters import HIDDEN
from rmtsim.claims.model import Tolerance
from rmtsim.claims.papers import PAPERS

if TYPE_CHECKING:
    from rmtsim.hessian.one_hidden import Pass


def small_network(classes: int, hidden: int, rng: np.random.Generator) -> Pass:
    """A network with d = 10, N = 20 and many classes, passed through once."""
    from rmtsim.hessian.one_hidden import forward
    from rmtsim.sampling.one_hidden import sample_one_hidden

    return forward(sample_one_hidden(10, 20, hidden, classes, rng), "ce")


def network_with_an_open_gate(classes: int, hidden: int, rng: np.random.Generator) -> Pass:
    """The first drawn network whose first neuron is active for some sample: without one there is nothing to "
    "compare.
    """
    while True:
        state = small_network(classes, hidden, rng)
        if state.gates[:, 0].any():
            return state


def _cost(size: int) -> float:
    return 3e-4 + 6e-7 * size


statement_on_cross_block = partial(
    claim,
    paper=PAPERS["dong"],
    standing="heuristic",
    parameters=(HIDDEN,),
    grid=({"hidden": 8},),
    size_name="C",
    cost=_cost,
)


@statement_on_cross_block(
    "dong.eq20",
    source="eq. (20)",
    qualifier="“≈”",
    statement="The second term of the cross-layer block (18) is O(1/C) as C → ∞ at fixed d, N, m "
    "(root mean square norm).",
    rate=1.0,
    relation="O",
    sizes=(100, 400, 1600, 6400),
    tolerance=Tolerance(absolute=0.1),
    exponents=(1.0,),
    because="averages over C independent rows of V: a series in 1/C",
)
def second_term_norm(size: int, rng: np.random.Generator, hidden: int) -> float:
    """Root mean square over classes j of ‖(1/N) Σ_n a_nj x_n f_nᵀ‖, through the Gram matrix of x_n f_nᵀ."""
    state = small_network(size, hidden, rng)
    inputs, gates, term = state.network.inputs, state.gates[:, 0], state.mixed_curvature(0)
    gram = (inputs @ inputs.T) * (state.features @ state.features.T) * np.outer(gates, gates)
    energies = np.einsum("nj,nj->j", term, gram @ term) / len(inputs) ** 2
    return math.sqrt(float(energies.mean()))


def printed_error(size: int, rng: np.random.Generator, hidden: int) -> float:
    """Relative squared error of v_ji/C."""
    state = network_with_an_open_gate(size, hidden, rng)
    rows, term = state.gates[:, 0] > 0, state.mixed_curvature(0)
    stated = np.broadcast_to(state.network.output[:, 0] / size, term.shape)
    return float(np.square(term[rows] - stated[rows]).sum() / np.square(term[rows]).sum())


def kept_error(size: int, rng: np.random.Generator, hidden: int) -> float:
    """Relative squared error of p_nj (v_ji - σ(w_i·x_n)/m)."""
    state = network_with_an_open_gate(size, hidden, rng)
    rows, term = state.gates[:, 0] > 0, state.mixed_curvature(0)
    stated = state.probabilities * (state.network.output[:, 0] - state.features[:, :1] / hidden)
    return float(np.square(term[rows] - stated[rows]).sum() / np.square(term[rows]).sum())


statement_on_cross_block(
    "dong.eq19",
    printed_error,
    source="eq. (19)",
    qualifier="“approximating p_nj ≈ 1/C”",
    statement="Σ_c (δ_jc - p_nc) p_nj v_ci ≈ v_ji/C when C is large: the relative squared error tends to zero.",
    limit=0.0,
    sizes=(200, 800, 3200),
    tolerance=Tolerance(absolute=0.05),
    exponents=(0.5, 1.0),
    because="averages over C independent rows of V: the mean error is a series in 1/C, single networks scatter like "
    "C^-1/2",
    cause="p ≈ 1/C is put where its spread counts",
    note="Neither p_nj ≈ 1/C nor Σ_c p_nc v_ci ≈ 0 becomes exact: C·p_nj stays log-normal "
    "and Σ_c p_nc v_ci → σ(w_i·x_n)/m.",
    credit="The proof of Proposition 5, below (92), has the limit σ(z_1)/m of Σ_k r_k V_k1.",
    corrected=correction(
        "dong.eq19/corrected",
        measured=kept_error,
        statement="Σ_c (δ_jc - p_nc) p_nj v_ci ≈ p_nj (v_ji - σ(w_i·x_n)/m) when C is large: the relative "
        "squared error tends to zero.",
    ),
)
