"""Claims of `wu` on the hidden activations given the first weights: Lemma B.9."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Limit, claim
from rmtsim.papers.wu.statements.costs import NETWORKS, network_memory, response_cost
from rmtsim.papers.wu.statements.networks import DRAWN_NETWORKS, over_networks
from rmtsim.papers.wu.theory import limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance

INPUTS = 48


over_few_inputs = partial(over_networks, inputs=INPUTS)
UNITS = DRAWN_NETWORKS.planned(
    cost=lambda size, alpha: 1e-3 + response_cost(size, alpha, INPUTS, NETWORKS),
    memory=partial(network_memory, inputs=INPUTS),
)


def distance_of_units(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> NDArray[np.float64]:
    """Mean energy distance over units, less its dependence on averages whose mean over first layers is exact."""
    from rmtsim.papers.wu.simulation.activation_pairs import hidden_deviations
    from rmtsim.papers.wu.simulation.energy_distances import rectified_energy_distance
    from rmtsim.papers.wu.simulation.response_batches import draw_response_batches

    slopes = limits.hidden_distance_slopes()
    found = [np.empty(0)]
    for batch in draw_response_batches(size, alpha, classes, INPUTS, rng, replicates, networks=NETWORKS):
        bias, square = hidden_deviations(batch)
        # The mean over the units of all networks with the same inputs: their columns side by side.
        layers = batch.hidden.swapaxes(1, 2).reshape(len(bias), INPUTS, -1)
        distances = [rectified_energy_distance(hidden, limits.FLUCTUATION) for hidden in layers]
        found.append(np.array(distances) - slopes[0] * bias.mean(axis=1) - slopes[1] * square.mean(axis=1))
    return np.concatenate(found)


def variance_of_rates(instance: TwoLayerInstance) -> float:
    """Mean over units of (P(y_i > 0) - 1/2)², unbiased by halves of the inputs."""
    first, second = (half.active[-1].mean(axis=0) - 0.5 for half in instance.halves)
    return float((first * second).mean())


def mean_square_of_units(instance: TwoLayerInstance) -> float:
    """Mean over units and inputs of y_i²."""
    return float((instance.response.hidden[-1] ** 2).mean())


claim(
    "wu.lemmaB.9",
    distance_of_units,
    states=Limit(0.0, within=0.003),
    corrected=limits.hidden_energy_distance,
    over=UNITS,
)
claim(
    "wu.lemmaB.9.activation",
    over_few_inputs(variance_of_rates),
    states=Limit(0.0, within=0.002),
    corrected=lambda: limits.activation_second_moment() - 0.25,
    over=UNITS,
)
claim(
    "wu.lemmaB.9.second",
    over_few_inputs(mean_square_of_units),
    states=Limit((math.pi - 1) / (4 * math.pi), within=0.005),
    corrected=0.25,
    over=UNITS,
)
