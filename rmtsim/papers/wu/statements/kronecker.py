"""Claims of `wu` on the Kronecker structure itself: the decoupling conjecture, sections 3.1, F.1, G.2 and G.4."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Limit, Plan, claim
from rmtsim.papers.wu.simulation.populations import random_population, ratio_after_normalisation
from rmtsim.papers.wu.statements.costs import energy_cost, layer_cost, network_memory, response_cost
from rmtsim.papers.wu.statements.layer_hessian import SMALL
from rmtsim.papers.wu.statements.networks import DRAWN_NETWORKS, NETWORKS_PLAN, over_networks
from rmtsim.papers.wu.statements.output_spaces import GAP_NETWORKS, GAP_SIZES, gap_inputs, gap_memory
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, NETWORK_GRID

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.layer_hessian import LayerEigenspace
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance

# ---- The decoupling conjecture -----------------------------------------------------------------------------------


@over_networks
def squared_decoupling_error(instance: TwoLayerInstance) -> float:
    """‖E[M] ⊗ E[xxᵀ] - H‖²_F/‖H‖²_F, unbiased by halves."""
    from rmtsim.papers.wu.simulation.layer_hessian import decoupling_energy

    return decoupling_energy(*instance.layers, *instance.output) / (
        instance.layer_energy * instance.response.inputs.dimension**2
    )


@over_networks
def bound_on_spectral_error(instance: TwoLayerInstance) -> float:
    """‖·‖²_F of the difference over λ₁(H)², with λ₁ from below: at least the squared ratio of spectral norms."""
    from rmtsim.papers.wu.simulation.layer_hessian import decoupling_energy, rayleigh_quotient

    spaces = [layer.top(1) for layer in instance.layers]
    largest = 0.5 * sum(
        rayleigh_quotient(space, layer) for space, layer in zip(spaces, instance.layers[::-1], strict=True)
    )
    return decoupling_energy(*instance.layers, *instance.output) / largest**2


DECOUPLING_PLAN = NETWORKS_PLAN.but(
    sizes=SMALL, because="1/d = n^{-(1+α)} decays faster than 1/n, the next term is O(1/n)"
)
claim(
    "wu.decoupling",
    squared_decoupling_error,
    states=Limit(0.0, within=0.005),
    over=NETWORK_GRID,
    plan=DECOUPLING_PLAN.but(cost=energy_cost),
)
claim(
    "wu.decoupling.spectral",
    bound_on_spectral_error,
    states=Limit(0.0, within=0.01),
    over=NETWORK_GRID,
    plan=DECOUPLING_PLAN.but(cost=layer_cost),
)

# ---- Matricised eigenvectors, autocorrelation of the activations -------------------------------------------------

MANY_INPUTS = 192
"""Inputs where matricised eigenvectors of H^(1) are compared: their sampling error is larger than that of M's."""


def leading_singular_share(instance: TwoLayerInstance) -> float:
    """Mean over the top c-1 eigenvectors of σ₁/‖·‖_F of Mat(h), extrapolated in the number of inputs."""
    from rmtsim.papers.wu.simulation.layer_hessian import LayerHessian

    count = instance.classes - 1

    def share(space: LayerEigenspace) -> float:
        return float(np.mean([space.singular_values(index)[0] for index in range(count)]))

    whole = LayerHessian(instance.weights, instance.response).top(count)
    return 2 * share(whole) - 0.5 * (share(instance.layer_spaces[0]) + share(instance.layer_spaces[1]))


claim(
    "wu.secG.2",
    over_networks(leading_singular_share, inputs=MANY_INPUTS),
    states=Limit(1.0, within=0.005),
    over=DRAWN_NETWORKS.planned(
        cost=lambda size, alpha, classes: 3 * layer_cost(size, alpha, classes, MANY_INPUTS) + 4e-9 * size**3,
        memory=partial(network_memory, inputs=MANY_INPUTS),
    ),
)


def second_over_first(instance: TwoLayerInstance) -> float:
    """λ₂/λ₁ of E[yyᵀ], extrapolated in the number of inputs."""
    from rmtsim.papers.wu.simulation.eigenspaces import top_eigenvalues

    def ratio(hidden: NDArray[np.float64]) -> float:
        values = top_eigenvalues(hidden.T @ hidden, 2)
        return float(values[1] / values[0])

    halves = [ratio(half.hidden[-1]) for half in instance.halves]
    return 2 * ratio(instance.response.hidden[-1]) - 0.5 * (halves[0] + halves[1])


def alignment_with_mean(instance: TwoLayerInstance) -> float:
    """cos² between the top eigenvector of one half and the mean of the other, over cos² of the two means' noise."""
    first, second = (half.hidden[-1] for half in instance.halves)
    mean = first.mean(axis=0)
    _, _, right = np.linalg.svd(second, full_matrices=False)
    other = second.mean(axis=0)
    raw = float((right[0] @ mean) ** 2 / (mean @ mean))
    return raw / float((mean @ other) ** 2 / ((mean @ mean) * (other @ other)))


claim(
    "wu.sec3.1.hidden",
    over_networks(second_over_first, inputs=gap_inputs, networks=1, inner=False),
    states=Limit(0.0, within=0.01),
    over=DRAWN_NETWORKS.planned(
        sizes=GAP_SIZES,
        cost=lambda size, alpha: (
            response_cost(size, alpha, gap_inputs(size), 1, inner=False)
            + (1.5e-3 + 1e-10 * gap_inputs(size) * size**2)
        ),
        memory=gap_memory,
    ),
)
claim(
    "wu.sec3.1.direction",
    over_networks(alignment_with_mean),
    states=Limit(1.0, within=0.003),
    over=DRAWN_NETWORKS.planned(sizes=SMALL),
)


def mean_ratio_after_normalisation(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """The mean of that ratio over several networks on the same inputs."""
    from rmtsim.papers.wu.simulation.relu_batches import draw_network_batches

    drawn = draw_network_batches(size, alpha, classes, gap_inputs(size), GAP_NETWORKS, rng)
    return float(np.mean([ratio_after_normalisation(hidden) for each in drawn for hidden in each.hidden]))


def normalised_cost(size: int, alpha: float) -> float:
    """Inputs and their inner products; then for each network a covariance and its two largest eigenvalues."""
    inputs, d = gap_inputs(size), float(size) ** (1 + alpha)
    each = 3e-4 + 9e-8 * size**2 + 6e-11 * size**3
    return float(3e-4 + (1.25e-8 + 2e-11 * inputs) * inputs * d + GAP_NETWORKS * each)


claim(
    "wu.secG.4",
    mean_ratio_after_normalisation,
    states=Limit(1.0, within=0.03),
    over=DRAWN_NETWORKS.planned(
        sizes=GAP_SIZES, exponents=(2 / 3, 1.0), cost=normalised_cost, memory=gap_memory
    ),
)

# ---- A lower bound on the spectral ratio --------------------------------------------------------------------------

POPULATIONS_PLAN = Plan(sizes=(2, 4, 8), size_name="dimension", cost=lambda size: 6e-5 + 1e-7 * size**2)


@claim("wu.eq264", states=Bound(1.0), over=(ALPHA, CLASSES), plan=POPULATIONS_PLAN)
def bound_over_ratio(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """(‖E[x]E[x]ᵀ‖/‖Σ_x‖ - 1)/(λ₁/λ₂)."""
    mean, ratio = random_population(size, rng)
    return (mean - 1) / ratio


@claim("wu.eq264.sharp", states=Bound(1.0), over=(ALPHA, CLASSES), plan=POPULATIONS_PLAN)
def sharp_bound_over_ratio(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """(‖E[x]E[x]ᵀ‖/‖Σ_x‖)/(λ₁/λ₂)."""
    mean, ratio = random_population(size, rng)
    return mean / ratio
