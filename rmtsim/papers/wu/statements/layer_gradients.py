"""Claims of `wu` appendix G.5 on logit gradients in the weights: the halves of eqs. (271), (273) on the layer Hessian.

The gradients of an input are the rows of Q_x W D_x ⊗ x (`logit_gradients` without x); Δ_{i,j} is the mean of row j over
the inputs of class i. Nothing of the weights' size is formed: inner products of such rows are products of those of
their factors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Corrected, Identity, Limit, claim
from rmtsim.papers.wu.simulation.logit_gradients import gated_centres, gradients, plain_centres
from rmtsim.papers.wu.statements.costs import INPUTS, output_cost
from rmtsim.papers.wu.statements.networks import DRAWN_NETWORKS, NETWORKS_PLAN, over_networks
from rmtsim.papers.wu.statements.parameters import NETWORK_GRID
from rmtsim.papers.wu.theory import limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.relu_network import Response
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance


# ---- Eq. (271) ------------------------------------------------------------------------------------------------------


def error_of_products_of_means(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """‖(1/c²)Σ_ij Δ_ijᵀΔ_ij - H‖_F/‖H‖_F over one set of inputs, from the Gram matrix of all gradients."""
    from rmtsim.papers.wu.simulation.relu_network import draw_response

    count = INPUTS - INPUTS % classes
    later, response = draw_response(size, alpha, classes, count, rng)
    labels = rng.permutation(np.arange(count) % classes)
    rows = gradients(later[-1], response).reshape(count * classes, size)
    inner = response.inputs.inner(response.inputs)
    gram = (rows @ rows.T) * np.repeat(np.repeat(inner, classes, axis=0), classes, axis=1)
    # Row (i, j) of `means` averages the gradients of entry j over the inputs of class i.
    chosen = (labels == np.arange(classes)[:, None]) * (classes / count)
    means = np.kron(chosen, np.eye(classes))
    cross = means @ gram
    own = cross @ means.T
    energy = float(np.sum(gram**2)) / count**2
    difference = (
        float(np.sum(own**2)) / classes**4 - 2 * float(np.sum(cross**2)) / (classes**2 * count) + energy
    )
    return math.sqrt(max(0.0, difference) / energy)


def error_of_means_of_products(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """‖(1/c)Σ_i E[Σ_j (Q_xWD_x ⊗ x)_jᵀ(Q_xWD_x ⊗ x)_j | y = i] - H‖_F/‖H‖_F, both formed."""
    from rmtsim.papers.wu.simulation.layer_hessian import dense_layer_hessian
    from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond

    network = draw_network(size, alpha, classes, rng)
    count = 8 * classes
    response = respond(network, draw_inputs(count, network.weights[0].shape[1], rng))
    labels = rng.permutation(np.arange(count) % classes)
    values = response.inputs.values
    assert values is not None
    rows = gradients(network.weights[-1], response)[:, :, :, None] * values[:, None, None, :]
    total = np.zeros((rows[0, 0].size,) * 2)
    for label in range(classes):
        own = rows[labels == label]
        flat = own.reshape(-1, rows[0, 0].size)
        total += flat.T @ flat / (len(own) * classes)
    hessian = dense_layer_hessian(network.weights[-1], response)
    return float(np.linalg.norm(total - hessian) / np.linalg.norm(hessian))


GRADIENTS_PLAN = NETWORKS_PLAN.but(
    sizes=(32, 64, 128, 256),
    cost=lambda size, alpha, classes: (
        output_cost(size, alpha, classes, networks=1) + 4e-10 * (INPUTS * classes) ** 2 * (size + 40)
    ),
)
claim(
    "wu.eq271.layer",
    error_of_products_of_means,
    corrected=Corrected(
        measured=error_of_means_of_products,
        states=Identity(within=1e-12),
        plan=GRADIENTS_PLAN.but(sizes=(6, 9)),
    ),
    states=Limit(0.0, within=0.02),
    over=NETWORK_GRID,
    plan=GRADIENTS_PLAN,
)

# ---- Eq. (273) ------------------------------------------------------------------------------------------------------


def centre_error(instance: TwoLayerInstance, stated: tuple[Array, Array]) -> float:
    """Σ_j‖Δ̂_j - s_j ⊗ μ1‖²/Σ_j‖Δ̂_j‖², unbiased by halves: s from one half, Δ̂ from the other; μ1 = E x is known."""

    def along(rows: Array, half: Response, against: Array) -> float:
        return float(np.einsum("xjn,jn,x->", rows, against, half.inputs.sums)) * limits.INPUT_MEAN / len(rows)

    first, second = instance.halves
    left, right = (gradients(instance.weights, half) for half in instance.halves)
    flat = left.reshape(len(left), -1) @ right.reshape(len(right), -1).T
    energy = float(np.sum(flat * first.inputs.inner(second.inputs))) / flat.size
    length = limits.INPUT_MEAN**2 * first.inputs.dimension
    crossed = along(left, first, stated[1]) + along(right, second, stated[0])
    return (energy - crossed + length * float(np.sum(stated[0] * stated[1]))) / energy


def error_of_centres(instance: TwoLayerInstance) -> float:
    """The squared relative error of E[x] ⊗ SᵀE[Q], S = W."""
    return centre_error(instance, plain_centres(instance))


def error_of_gated_centres(instance: TwoLayerInstance) -> float:
    """The squared relative error of E[x] ⊗ the rows of E[Q]WΠ."""
    return centre_error(instance, gated_centres(instance))


claim(
    "wu.eq273.layer",
    over_networks(error_of_centres),
    corrected=Corrected(measured=over_networks(error_of_gated_centres)),
    states=Limit(0.0, within=0.02),
    over=DRAWN_NETWORKS,
)
