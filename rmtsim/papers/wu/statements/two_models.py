"""Claims of `wu` on two independently initialised models: Theorem G.1."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from rmtsim.claims import Limit, Plan, Simulated, claim
from rmtsim.papers.wu.simulation.two_models import overlap_over_orders, top_spaces
from rmtsim.papers.wu.statements.costs import network_memory, output_cost
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, FRACTION

ORDERS = 16
"""Orders of the second model's units that are averaged over."""


MODELS = 4
"""Independent models of a replicate where all their pairs are averaged over."""
MANY_MODELS = 8
"""The same where the average over orders is taken in closed form."""


def models_cost(size: int, alpha: float, classes: int) -> float:
    """Two models and their eigenvectors."""
    return 0.5 * output_cost(size, alpha, classes, 2 * size) + 1.5e-9 * size**3 + 1e-3


def pairs_cost(size: int, alpha: float, classes: int) -> float:
    """All pairs of :data:`MODELS` models over some orders."""
    return MODELS / 2 * models_cost(size, alpha, classes) + MODELS * (MODELS - 1) / 2 * ORDERS * 1e-5


def layers_cost(size: int, alpha: float, classes: int) -> float:
    """Layer eigenspaces of :data:`MANY_MODELS` networks on 2n inputs, and their pairs."""
    dimension = float(size) ** (1 + alpha)
    return float(4e-3 + 4e-6 * (classes - 1) * size**2 + 1.2e-7 * size * dimension)


TWO_MODELS_PLAN = Plan(
    sizes=(24, 48, 96, 192),
    size_name="width",
    exponents=(1.0,),
    because="overlaps of independent spaces with exchangeable units deviate from k/m by O(1/m) in mean and variance",
    cost=models_cost,
)


def mean_overlap(size: int, rng: np.random.Generator, alpha: float, classes: int, fraction: float) -> float:
    """m/k times the overlap of two models' top k spaces, averaged over orders of the second model's units.

    A model with its units in another order is the same model, and every order has the same law, so the average has the
    expectation of one overlap and less noise.
    """
    from rmtsim.papers.wu.simulation.eigenspaces import overlap

    first, second = top_spaces(size, rng, alpha, classes, fraction)
    orders = [rng.permutation(size) for _ in range(ORDERS)]
    mean = sum(overlap(first, second[order]) for order in orders) / ORDERS
    return float(mean * size / first.shape[1])


claim(
    "wu.thmG.1",
    mean_overlap,
    states=Limit(1.0, within=0.01),
    over=(ALPHA, CLASSES, FRACTION),
    points=({"fraction": 0.25}, {"fraction": 0.5}),
    plan=TWO_MODELS_PLAN,
    evidence=Simulated(revision=2),
)


@claim(
    "wu.thmG.1.layer",
    states=Limit(1.0, within=0.05),
    over=(ALPHA, CLASSES),
    points=({"alpha": 0.3, "classes": 4}, {"alpha": 0.6, "classes": 3}),
    plan=Plan(
        sizes=(16, 32, 64, 128),
        size_name="width",
        exponents=(1.0,),
        cost=layers_cost,
        memory=lambda size, classes: MANY_MODELS * network_memory(size, classes, 2 * size),
    ),
    evidence=Simulated(revision=2),
)
def mean_overlap_of_layers(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """m/k times the overlap of the top c-1 eigenspaces of H^(1) of two networks on one set of inputs.

    The mean over all pairs of several networks and, in closed form, over all orders of their units.
    """
    from rmtsim.papers.wu.simulation.layer_hessian import LayerHessian
    from rmtsim.papers.wu.simulation.relu_network import draw_responses

    drawn = draw_responses(size, alpha, classes, 2 * size, rng, networks=MANY_MODELS)
    spaces = [LayerHessian(later[-1], response).top(classes - 1) for later, response in drawn]
    overlaps = [overlap_over_orders(first, second) for first, second in combinations(spaces, 2)]
    return sum(overlaps) / len(overlaps) * size / (classes - 1)


@claim(
    "wu.thmG.1.spread",
    states=Limit(0.0, within=0.01),
    over=(ALPHA, CLASSES, FRACTION),
    points=({"fraction": 0.25}, {"fraction": 0.5}),
    plan=TWO_MODELS_PLAN.but(sizes=(32, 64, 128, 256), cost=pairs_cost),
    evidence=Simulated(revision=2),
)
def squared_deviation_of_overlap(
    size: int, rng: np.random.Generator, alpha: float, classes: int, fraction: float
) -> float:
    """Squared deviation from one of m/k times the overlap of two models.

    The mean over all pairs of several models and over orders of the second one's units; every order has the law of the
    model, so that each term has the expectation of one.
    """
    from rmtsim.papers.wu.simulation.eigenspaces import overlap

    spaces = top_spaces(size, rng, alpha, classes, fraction, MODELS)
    scale = size / spaces[0].shape[1]
    squares = [
        (scale * overlap(first, second[rng.permutation(size)]) - 1) ** 2
        for first, second in combinations(spaces, 2)
        for _ in range(ORDERS)
    ]
    return float(sum(squares) / len(squares))
