"""Claims of `li` on the law of Theorem 2 with a network's own covariance: does it describe the network's spectrum?

Weights N(0, 2/n) are fixed and data random, with fair labels and all hinges active: H = −(1/m)Σ y_i ∇²T(x_i) has the
mean zero. The equation's fourth moment is (1/N) tr(S[S[1]] + S[1]²) = (2/N) E tr(H²H'²), H' an independent copy: S
enters through its definition, E[HRH] at these weights, and no equation need be solved.
"""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Limit, Parameter, Plan, claim
from rmtsim.papers.li.simulation.hinge_training import hinge_problem
from rmtsim.papers.li.simulation.network_hessians import DATA_SETS, bulk_moments, centred_hessian
from rmtsim.papers.li.statements.symmetry import LAYERS

DATA = Parameter(
    "samples_per_neuron", "m/n, samples over width", 4.0, lowest=0.5, highest=32.0, draw_range=(1.0, 8.0)
)


@claim(
    "li.thm2.law.network",
    states=Limit(0.0, within=0.05),
    over=(DATA,),
    points=({"samples_per_neuron": 1.0}, {"samples_per_neuron": 4.0}),
    plan=Plan(
        size_name="n",
        exponents=(1.0,),
        sizes=(8, 16, 32),
        cost=lambda size, samples_per_neuron: 1e-3 + 9e-6 * size**2,
    ),
)
def gap_of_the_bulk(size: int, rng: np.random.Generator, samples_per_neuron: float) -> float:
    """The gap between the fourth moments of the bulk, drawn again if no sample reaches the output."""
    while True:
        found = bulk_moments(size, max(1, round(samples_per_neuron * size)), rng)
        if found.network > 0 and found.equation > 0:
            return found.gap


@claim(
    "li.thm2.law.outliers",
    states=Limit(0.0, within=0.05),
    over=(LAYERS, DATA),
    points=({"layers": 2}, {"layers": 3}),
    plan=Plan(
        size_name="n",
        exponents=(1.0,),
        sizes=(4, 6, 8, 12, 16),
        cost=lambda size, layers: 2e-3 + 1e-7 * (layers * size**2) ** 2,
    ),
)
def fourth_moment_gap(size: int, rng: np.random.Generator, layers: int, samples_per_neuron: float) -> float:
    """(tr H⁴ − μ₄)/(tr H⁴ + μ₄), μ₄ the equation's fourth moment; four data sets at one draw of the weights."""
    while True:
        network, _, _ = hinge_problem(size, layers, 1, rng)
        squares = []
        for _ in range(DATA_SETS):
            hessian = centred_hessian(network, max(1, round(samples_per_neuron * size)), rng)
            squares.append(hessian @ hessian)
        if all(square.any() for square in squares):
            own = float(np.mean([(square * square).sum() for square in squares]))
            cross = [(squares[a] * squares[b]).sum() for a in range(DATA_SETS) for b in range(a)]
            stated = 2 * float(np.mean(cross))
            return (own - stated) / (own + stated)
