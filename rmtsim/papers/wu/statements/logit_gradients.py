"""Claims of `wu` appendix G.5 on clusters of logit gradients: eqs. (271) and (273), for the first of two layers.

Their halves on the layer Hessian are in `layer_gradients`.

With Q_x = diag(√p)(I - 1pᵀ), so that Q_xᵀQ_x = A (eq. (25)), the gradients of an input are the rows of Q_x W D_x;
Γ_{i,j} is the mean of row j over the inputs of class i. Labels are uniform and independent of the inputs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rmtsim.claims import Corrected, Identity, Limit, Plan, claim
from rmtsim.papers.wu.simulation.halves import Pair, product
from rmtsim.papers.wu.simulation.logit_gradients import (
    draw_gradients,
    gated_centres,
    gradients,
    plain_centres,
)
from rmtsim.papers.wu.statements.costs import INPUTS, output_cost
from rmtsim.papers.wu.statements.networks import DRAWN_NETWORKS, SERIES, over_networks
from rmtsim.papers.wu.statements.parameters import NETWORK_GRID

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance


def error_of_products_of_means(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """‖(1/c²)Σ_ij Γ_ijᵀΓ_ij - M‖_F/‖M‖_F over one set of inputs."""
    found, labels, output = draw_gradients(size, rng, alpha, classes, INPUTS)
    centres = np.concatenate([found[labels == label].mean(axis=0) for label in range(classes)])
    return float(np.linalg.norm(centres.T @ centres / classes**2 - output) / np.linalg.norm(output))


def error_of_means_of_products(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """‖(1/c)Σ_i E[Σ_j (Q_xWD_x)_jᵀ(Q_xWD_x)_j | y = i] - M‖_F/‖M‖_F over one set of inputs."""
    found, labels, output = draw_gradients(size, rng, alpha, classes, INPUTS)
    rows = found.reshape(-1, size)
    weights = np.repeat(1 / np.bincount(labels, minlength=classes)[labels], classes) / classes
    return float(np.linalg.norm((rows.T * weights) @ rows - output) / np.linalg.norm(output))


GRADIENTS_PLAN = Plan(
    sizes=(32, 64, 128, 256),
    size_name="width",
    exponents=(1.0,),
    because=SERIES,
    cost=partial(output_cost, networks=1),
)
claim(
    "wu.eq271",
    error_of_products_of_means,
    corrected=Corrected(
        measured=error_of_means_of_products,
        states=Identity(within=1e-12),
        plan=GRADIENTS_PLAN.but(sizes=(8, 16)),
    ),
    states=Limit(0.0, within=0.02),
    over=NETWORK_GRID,
    plan=GRADIENTS_PLAN,
)


def centre_error(instance: TwoLayerInstance, stated: Pair) -> float:
    """Σ_j‖Γ̂_j - s_j‖²/Σ_j‖Γ̂_j‖², unbiased by halves."""
    first, second = (gradients(instance.weights, half).mean(axis=0) for half in instance.halves)
    return product((first - stated[0], second - stated[1])) / product((first, second))


def error_of_centres(instance: TwoLayerInstance) -> float:
    """The error of (WᵀE[Q])_j."""
    return centre_error(instance, plain_centres(instance))


def error_of_gated_centres(instance: TwoLayerInstance) -> float:
    """The same with E[Q]WΠ in place of E[Q]ᵀW."""
    return centre_error(instance, gated_centres(instance))


claim(
    "wu.eq273",
    over_networks(error_of_centres),
    corrected=Corrected(measured=over_networks(error_of_gated_centres)),
    states=Limit(0.0, within=0.02),
    over=DRAWN_NETWORKS,
)
