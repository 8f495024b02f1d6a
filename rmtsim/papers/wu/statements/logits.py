"""Claims of `wu` on the logits and their curvature E[A]: Lemmas B.10–B.12 and Corollary B.3."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import (
    Corrected,
    Grid,
    Limit,
    Plan,
    Probability,
    Relative,
    Simulated,
    claim,
)
from rmtsim.papers.wu.simulation.conditioned_logits import conditioned, squared_change_of_curvature
from rmtsim.papers.wu.statements.costs import network_memory, response_cost
from rmtsim.papers.wu.statements.networks import DRAWN_NETWORKS, SERIES
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, FIRST, NETWORK_GRID, SECOND
from rmtsim.papers.wu.theory import curvature, limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.relu_network import Response

INPUTS = 48
LAYERS = 24
"""Last layers per hidden layer: the random bias of the logits is averaged over them."""

# ---- Law of the logits given the weights -----------------------------------------------------------------------


def on_one_network(statistic: Callable[[Response, int, np.random.Generator], float]) -> Callable[..., float]:
    """Measure: a statistic of one random network's response to 48 inputs."""

    def of_a_response(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
        from rmtsim.papers.wu.simulation.relu_network import draw_response

        _, response = draw_response(size, alpha, classes, INPUTS, rng)
        return statistic(response, classes, rng)

    return of_a_response


def distance_of_logits(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Mean over W^(2) of the energy distance, less its first-order dependence on averages of exactly known mean."""
    from rmtsim.papers.wu.simulation.activation_pairs import hidden_deviations
    from rmtsim.papers.wu.simulation.energy_distances import logit_energy_distance, logit_scale
    from rmtsim.papers.wu.simulation.response_batches import draw_response_batches

    gamma = limits.printed_logit_variance()
    # The limit κ(2√(m+γ) - √(2(m-τ²)) - √(2γ)) with m = E|y|²/n = 1/4: its slopes in τ² and m.
    own = 1 / math.sqrt(2 * limits.logit_variance())
    slopes = own, 1 / math.sqrt(0.25 + gamma) - own
    found = [np.empty(0)]
    for batch in draw_response_batches(size, alpha, classes, INPUTS, rng, replicates):
        bias, square = hidden_deviations(batch)
        distance = logit_energy_distance(batch.hidden, classes, gamma)
        quieter = distance - logit_scale(classes, 1) * (slopes[0] * bias + slopes[1] * square)
        found.append(quieter[:, 0])
    return np.concatenate(found)


def squared_mean_logit(response: Response, classes: int, rng: np.random.Generator) -> float:
    """Mean over W^(2) of (E z_1)², from two halves of the inputs."""
    first, second = (half.hidden[-1].mean(axis=0) for half in response.halves())
    return float((first * second).mean())


def variance_of_logit(response: Response, classes: int, rng: np.random.Generator) -> float:
    """Mean over W^(2) of Var z_1."""
    return float(response.hidden[-1].var(axis=0, ddof=1).mean())


def variance_of_curvature(response: Response, classes: int, rng: np.random.Generator) -> float:
    """Variance over last layers of E[A]_11, unbiased over inputs by halves, averaged over the diagonal."""
    from rmtsim.networks._softmax import softmax
    from rmtsim.papers.wu.simulation.last_layers import last_layers

    logits = last_layers(response.hidden[-1], classes, LAYERS, rng)
    p = softmax(logits)
    diagonal = p - p**2
    half = p.shape[1] // 2
    means = diagonal[:, :half].mean(axis=1), diagonal[:, half : 2 * half].mean(axis=1)
    first, second = (part - part.mean(axis=0) for part in means)
    return float((first * second).sum(axis=0).mean() / (len(logits) - 1))


def logit_cost(size: int, alpha: float, classes: int, own: float, layers: int = 0) -> float:
    """Nominal seconds: one network, ``own`` for the statistic, ``layers`` last layers."""
    return response_cost(size, alpha, INPUTS, 1) + own + 1.5e-8 * size * layers * classes


LOGITS_PLAN = Plan(sizes=(32, 64, 128, 256), size_name="width", exponents=(1.0,), because=SERIES)
claim(
    "wu.lemmaB.10",
    distance_of_logits,
    corrected=Corrected(states=Limit(limits.logit_energy_distance, within=Relative(0.02))),
    states=Limit(0.0, within=0.01),
    over=NETWORK_GRID,
    plan=LOGITS_PLAN.but(cost=partial(logit_cost, own=3e-4)),
)
claim(
    "wu.lemmaB.10.mean",
    on_one_network(squared_mean_logit),
    states=Limit(0.0, within=0.004),
    corrected=limits.logit_mean_square,
    over=NETWORK_GRID,
    plan=LOGITS_PLAN.but(cost=partial(logit_cost, own=1e-4)),
)
claim(
    "wu.lemmaB.10.variance",
    on_one_network(variance_of_logit),
    states=Limit(limits.printed_logit_variance, within=0.002),
    corrected=limits.logit_variance,
    over=NETWORK_GRID,
    plan=LOGITS_PLAN.but(cost=partial(logit_cost, own=1e-4)),
)
claim(
    "wu.lemmaB.12.limit",
    on_one_network(variance_of_curvature),
    states=Limit(0.0, within=5e-5),
    corrected=curvature.curvature_variance,
    over=NETWORK_GRID,
    plan=LOGITS_PLAN.but(cost=partial(logit_cost, own=4e-4, layers=LAYERS)),
)

# ---- Logits and curvature under a condition on two inputs and two gates ------------------------------------------


UNDER_CONDITION_PLAN = Plan(
    sizes=(32, 64, 128, 256),
    size_name="width",
    exponents=(1.0,),
    because="two of n units and two of d inputs move the logits by O(n^{-1/2}), a distance between laws by its square",
    cost=lambda size, alpha: float(
        2.5e-3 + (1e-8 * (size + 256) + 3e-11 * 256 * size) * float(size) ** (1 + alpha)
    ),
)
UNDER_CONDITION_GRID = Grid(
    (ALPHA, CLASSES, FIRST, SECOND),
    points=(
        {"alpha": 0.3, "classes": 4, "first": 1.0, "second": 1.0},
        {"alpha": 0.6, "classes": 2, "first": 0.0, "second": 0.5},
        {"alpha": 0.3, "classes": 3, "first": -1.0, "second": 1.0},
    ),
)


@claim(
    "wu.lemmaB.11",
    states=Limit(0.0, within=0.01),
    over=UNDER_CONDITION_GRID,
    plan=UNDER_CONDITION_PLAN,
    evidence=Simulated(revision=2),
)
def distance_of_conditioned_logits(
    size: int, rng: np.random.Generator, alpha: float, classes: int, first: float, second: float
) -> float:
    """Energy distance of the logits, averaged over W^(2): that of the activations times a constant."""
    from rmtsim._internal.energy_distance import energy_distance
    from rmtsim.papers.wu.simulation.energy_distances import logit_scale

    free, kept = conditioned(size, rng, alpha, first, second)
    return energy_distance(free, kept) * logit_scale(classes, free.shape[1])


@claim(
    "wu.corB.3",
    states=Limit(0.0, within=5e-5),
    over=UNDER_CONDITION_GRID,
    plan=UNDER_CONDITION_PLAN,
    evidence=Simulated(revision=2),
)
def change_of_conditioned_curvature(
    size: int, rng: np.random.Generator, alpha: float, classes: int, first: float, second: float
) -> float:
    """Mean over i, j and eight last layers of the squared change of E[A_ij], unbiased by halves of the inputs."""
    from rmtsim.papers.wu.simulation.last_layers import last_layers

    free, kept = conditioned(size, rng, alpha, first, second)
    logits = last_layers(np.vstack([free, kept]), classes, 8, rng)
    return sum(squared_change_of_curvature(z[: len(free)], z[len(free) :]) for z in logits) / 8


# ---- The gap of E[A] ---------------------------------------------------------------------------------------------


def curvature_has_the_gap(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Whether E[A] over 32 inputs has rank c-1 and λ_{c-1} ≥ η."""
    from rmtsim.papers.wu.simulation.output_hessian import mean_curvature_of
    from rmtsim.papers.wu.simulation.response_batches import draw_response_batches

    bound = curvature.printed_gap_bound(classes)
    found = [np.empty(0)]
    for batch in draw_response_batches(size, alpha, classes, 32, rng, replicates):
        values = np.linalg.eigvalsh(mean_curvature_of(batch.confidence[:, 0]))
        found.append(np.where((values[:, 1] >= bound) & (np.abs(values[:, 0]) < 1e-12), 1.0, 0.0))
    return np.concatenate(found)


claim(
    "wu.lemmaB.12",
    curvature_has_the_gap,
    states=Probability(1.0, within=0.04),
    over=DRAWN_NETWORKS.planned(
        sizes=(16, 32, 64),
        cost=lambda size, alpha: 0.5 * response_cost(size, alpha, 32, 1),
        memory=partial(network_memory, inputs=32),
    ),
)
