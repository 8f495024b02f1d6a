"""`dong` (19) and (20): the second term of the cross-layer block (18) when C is large."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Limit, Plan, Rate, claim
from rmtsim.papers.dong.statements.parameters import HIDDEN

if TYPE_CHECKING:
    from rmtsim.papers.dong.simulation.one_hidden_hessian import Pass


def small_network(classes: int, hidden: int, rng: np.random.Generator) -> Pass:
    """A network with d = 10, N = 20 and many classes, passed through once."""
    from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward

    return forward(sample_one_hidden(10, 20, hidden, classes, rng), "ce")


PLAN = Plan(size_name="C", cost=lambda size: 3e-4 + 6e-7 * size)


@claim(
    "dong.eq20",
    states=Rate(1.0, "O", within=0.1),
    over=(HIDDEN,),
    points=({"hidden": 8},),
    plan=PLAN.but(sizes=(100, 400, 1600, 6400), exponents=(1.0,)),
)
def second_term_norm(size: int, rng: np.random.Generator, hidden: int) -> float:
    """Root mean square over classes j of ‖(1/N) Σ_n a_nj x_n f_nᵀ‖, through the Gram matrix of x_n f_nᵀ."""
    state = small_network(size, hidden, rng)
    inputs, gates, term = state.network.inputs, state.gates[:, 0], state.mixed_curvature(0)
    gram = (inputs @ inputs.T) * (state.features @ state.features.T) * np.outer(gates, gates)
    energies = np.einsum("nj,nj->j", term, gram @ term) / len(inputs) ** 2
    return math.sqrt(float(energies.mean()))


@claim(
    "dong.eq19",
    states=Limit(0.0, within=0.05),
    over=(HIDDEN,),
    points=({"hidden": 8},),
    plan=PLAN.but(sizes=(200, 800, 3200), exponents=(0.5, 1.0)),
)
def relative_error(
    size: int, rng: np.random.Generator, replicates: int, form: str, hidden: int
) -> NDArray[np.float64]:
    """Relative squared error of v_ji/C or of p_nj (v_ji - σ(w_i·x_n)/m), over samples with an open gate.

    i is the first neuron. Networks whose first neuron is active for no sample are drawn again: without one there is
    nothing to compare.
    """
    from rmtsim.networks._softmax import softmax_in_place
    from rmtsim.papers.dong.simulation.one_hidden_stack import draw_stacks

    def has_an_open_gate(inputs: NDArray[np.float64], first: NDArray[np.float64]) -> bool:
        return bool((inputs @ first[0] > 0).any())

    found = []
    for stack in draw_stacks(10, 20, hidden, size, replicates, rng, accepted=has_an_open_gate):
        features = np.maximum(stack.inputs @ stack.hidden.mT, 0.0)
        own = features[:, :, :1]
        p = softmax_in_place(features @ stack.output.mT)
        column = stack.output.mT[:, :1]
        term = p * (column - (p @ column.mT))
        rows = own[:, :, 0] > 0
        stated = column / size if form == "printed" else p * (column - own / hidden)
        above = np.square(term - stated).sum(axis=2)
        found.append((above * rows).sum(axis=1) / (np.square(term).sum(axis=2) * rows).sum(axis=1))
    return np.concatenate(found)
