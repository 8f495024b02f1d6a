"""Claims of `wu` section 5.3, Theorem G.1 and section G.3.2 on two models' layers that read hidden activations.

There the two models' leading input directions t₁, t₂ differ: activations are non-negative, but unit i of one model is
unrelated to unit i of the other. Labels of parameters: m is the layer's output dimension, k that of the spaces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from rmtsim.claims import Choice, Corrected, Limit, Option, Plan, Simulated, claim
from rmtsim.papers.wu.simulation.two_models import overlap_over_orders, squared_cosine_over_orders
from rmtsim.papers.wu.statements.costs import INPUTS, network_memory, response_cost
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, DEPTH
from rmtsim.papers.wu.theory import limits

SIZES = (32, 48, 64, 96)
"""λ₂/λ₁ of the activations is about 8/n at N = 2n inputs: from 32 on it is small beside the spread of E[A]."""

MODELS = 8
"""Independent networks of a replicate where all their pairs are averaged over."""

# ---- The factor (t₁·t₂)² ------------------------------------------------------------------------------------------


@claim(
    "wu.sec5.3.means",
    states=Limit(limits.shared_mean_direction, within=0.01),
    over=(ALPHA, DEPTH),
    points=({"depth": 2}, {"depth": 3}),
    plan=Plan(
        sizes=(32, 64, 128, 256),
        size_name="width",
        exponents=(1.0,),
        cost=lambda size, alpha, depth: 2 * response_cost(size, alpha) + 5e-9 * depth * size**2,
        memory=lambda size: network_memory(size, 3),
    ),
)
def squared_cosine_of_means(size: int, rng: np.random.Generator, alpha: float, depth: int) -> float:
    """(m₁·m₂)²/(|m₁|²|m₂|²) of two networks' mean last hidden activations, over orders of the second one's units."""
    from rmtsim.papers.wu.simulation.relu_network import draw_responses

    drawn = draw_responses(size, alpha, 3, INPUTS, rng, networks=2, depth=depth, inner=False)
    first, second = ([half.hidden[-1].mean(axis=0) for half in response.halves()] for _, response in drawn)
    return squared_cosine_over_orders(*first, *second)


@claim(
    "wu.thmG.1.hidden",
    states=Limit(1.0, within=0.05),
    over=(ALPHA, CLASSES),
    points=({"alpha": 0.3, "classes": 4}, {"alpha": 0.6, "classes": 3}),
    plan=Plan(
        sizes=(32, 64, 128, 256),
        size_name="width",
        exponents=(1.0,),
        cost=lambda size, alpha, classes: (
            4e-3 + 4e-6 * (classes - 1) * size**2 + 1.2e-7 * float(size) ** (2 + alpha)
        ),
        memory=lambda size, classes: MODELS * network_memory(size, classes, 2 * size),
    ),
    evidence=Simulated(revision=2),
)
def mean_overlap_of_hidden_layers(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """m/k times the overlap of the top c-1 eigenspaces of H^(2) over (t₁·t₂)², two networks on one set of inputs.

    The mean over all pairs of several networks.
    """
    from rmtsim.papers.wu.simulation.later_layers import hidden_layer_hessian, leading_direction
    from rmtsim.papers.wu.simulation.relu_network import draw_responses

    drawn = draw_responses(size, alpha, classes, 2 * size, rng, networks=MODELS, depth=3, inner=False)
    layers = [
        (hidden_layer_hessian(later[-1], response).top(classes - 1), leading_direction(response.hidden[-2]))
        for later, response in drawn
    ]
    ratios = [
        overlap_over_orders(first, second) / float(along @ other) ** 2
        for (first, along), (second, other) in combinations(layers, 2)
    ]
    return sum(ratios) / len(ratios) * size / (classes - 1)


# ---- The output layer ---------------------------------------------------------------------------------------------


def overlap_of_output_layers(
    size: int, rng: np.random.Generator, alpha: float, classes: int, spaces: Callable[[int], int]
) -> float:
    """Overlap of the top k eigenspaces of two networks' output layers over (t₁·t₂)², over orders of classes.

    ``spaces`` is k as a function of the number of classes.
    """
    from rmtsim.papers.wu.simulation.later_layers import leading_direction, output_layer_hessian
    from rmtsim.papers.wu.simulation.relu_network import draw_responses

    count = spaces(classes)
    drawn = draw_responses(size, alpha, classes, 2 * size, rng, networks=2, inner=False)
    # One eigenvalue more makes it Lanczos: with c rows an input, its products cost far less than the Gram matrix.
    first, second = (
        output_layer_hessian(response).top(count, extra=1, tolerance=1e-6) for _, response in drawn
    )
    along = [leading_direction(response.hidden[-1]) for _, response in drawn]
    return overlap_over_orders(first, second) / float(along[0] @ along[1]) ** 2


SOME_CLASSES = replace(
    CLASSES, lowest=4, draw_range=(4, 8), assumption="k = ⌊c/2⌋ < c-1 needs at least four classes"
)
OUTPUT_LAYERS_PLAN = Plan(
    sizes=SIZES,
    size_name="width",
    exponents=(1.0,),
    because="λ₂/λ₁ = O(1/n) of the activations; A moves with y by O(n^{-1/2}), which enters squared; O(1/N), N = 2n",
    cost=lambda size, classes: 3e-3 + 2e-7 * (7 + classes) * float(size) ** 2,
    memory=lambda size, classes: 2 * network_memory(size, classes, 2 * size),
)
OUTPUT_LAYERS_POINTS = ({"alpha": 0.3, "classes": 4}, {"alpha": 0.6, "classes": 6})
claim(
    "wu.secG.3.2",
    partial(overlap_of_output_layers, spaces=lambda classes: classes - 1),
    states=Limit(1.0, within=0.03),
    over=(ALPHA, CLASSES),
    points=OUTPUT_LAYERS_POINTS,
    plan=OUTPUT_LAYERS_PLAN,
)
claim(
    "wu.secG.3.2.{spaces}",
    overlap_of_output_layers,
    states=Limit(1.0, within=0.03),
    over=[
        Choice(
            "spaces",
            {
                "below": Option(
                    lambda classes: classes // 2,
                    "for every k ≤ m, since output neurons cannot be permuted: at k = ⌊c/2⌋",
                    over=(ALPHA, SOME_CLASSES),
                    words={"where": "for all k ≤ m"},
                    states=Limit(lambda classes: (classes // 2) / (classes - 1), within=0.03),
                ),
                "peak": Option(
                    lambda classes: classes,
                    "at k = m = c:",
                    over=(ALPHA, CLASSES),
                    words={"where": "at k = m"},
                    corrected=Corrected(states=Limit(lambda classes: (classes - 1) / classes, within=0.03)),
                ),
            },
        )
    ],
    points=OUTPUT_LAYERS_POINTS,
    plan=OUTPUT_LAYERS_PLAN,
)
