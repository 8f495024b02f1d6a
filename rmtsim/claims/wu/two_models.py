"""Claims of `wu` on two independently initialised models: Theorem G.1."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.declare import claim
from rmtsim.claims.model import Tolerance
from rmtsim.claims.papers import PAPERS
from rmtsim.claims.wu.costs import output_cost
from rmtsim.claims.wu.parameters import ALPHA, CLASSES, FRACTION


def two_models(
    size: int, rng: np.random.Generator, alpha: float, classes: int, fraction: float
) -> list[NDArray[np.float64]]:
    """Top k eigenvectors of the output Hessians of two independent initialisations, on inputs of their own."""
    from rmtsim.hessian.output_hessian import output_hessian
    from rmtsim.sampling.relu_network import draw_response

    count = max(1, round(fraction * size))
    spaces = []
    for _ in range(2):
        later, response = draw_response(size, alpha, classes, 2 * size, rng)
        _, vectors = np.linalg.eigh(output_hessian(later[-1], response))
        spaces.append(vectors[:, ::-1][:, :count])
    return spaces


_SLIPS = (
    "Eq. (268) leaves out the 1/k and the k² - k cross terms of Definition 2.1, which cancel; the inner product it "
    "calls √(1/m) is the root of its mean square."
)
statement_on_two_models = partial(
    claim,
    paper=PAPERS["wu"],
    source="Theorem G.1",
    standing="theorem",
    parameters=(ALPHA, CLASSES, FRACTION),
    grid=({"fraction": 0.25}, {"fraction": 0.5}),
    sizes=(24, 48, 96, 192),
    size_name="width",
    exponents=(1.0,),
    because="overlaps of independent spaces with exchangeable units deviate from k/m by O(1/m) in mean and variance",
    tolerance=Tolerance(absolute=0.01),
    cost=lambda size, alpha, classes: (
        0.5 * output_cost(size, alpha, classes, 2 * size) + 1.5e-9 * size**3 + 1e-3
    ),
)


@statement_on_two_models(
    "wu.thmG.1",
    statement="Granted its assumptions (Kronecker structure, τ_m γ₁ > τ₁ γ₂), the overlap of two models' top k ≤ m "
    "eigenspaces is (k/m)(t₁·t₂)²: for two initialisations of the first layer (t₁ = t₂) the overlap of the top-k "
    "eigenspaces of their output Hessians times m/k → 1.",
    limit=1.0,
    note=f"Holds in expectation. {_SLIPS}",
)
def average_overlap_of_models(
    size: int, rng: np.random.Generator, alpha: float, classes: int, fraction: float
) -> float:
    """m/k times the overlap of two models' top k spaces, averaged over all orders of the second model's units.

    The units of a random network are exchangeable, so every order has the same law. The average of πPπᵀ over
    permutations is aI + b11ᵀ with the trace k and the sum s = 1ᵀP1 of P, and tr(P₁(aI + b11ᵀ)) gives
    1 + (s₁/k - 1)(s₂/k - 1)/(m - 1).
    """
    sums = [
        float(np.sum(basis.sum(axis=0) ** 2)) / basis.shape[1]
        for basis in two_models(size, rng, alpha, classes, fraction)
    ]
    return float(1 + (sums[0] - 1) * (sums[1] - 1) / (size - 1))


@statement_on_two_models(
    "wu.thmG.1.spread",
    statement="Not only in expectation: E(m/k · overlap - 1)² → 0 for the same two models.",
    limit=0.0,
    note=f"Holds: single pairs of models follow the law too. {_SLIPS}",
)
def squared_deviation_of_overlap(
    size: int, rng: np.random.Generator, alpha: float, classes: int, fraction: float
) -> float:
    """Squared deviation from one of m/k times the overlap."""
    from rmtsim.hessian.eigenspaces import overlap

    first, second = two_models(size, rng, alpha, classes, fraction)
    return float((overlap(first, second) * size / first.shape[1] - 1) ** 2)
