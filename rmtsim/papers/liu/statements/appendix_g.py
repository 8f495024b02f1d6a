"""Appendix G: convolutional and residual layers."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Grid, Identity, Rate, claim
from rmtsim.networks import Network
from rmtsim.papers.liu.simulation.architectures import (
    IMAGE,
    INPUT,
    convolutional,
    derivatives_at_activations,
    on_the_sphere,
    wide,
)
from rmtsim.papers.liu.simulation.convolution_layer import CENTRE, FILTER, DenseConvolution, shifted
from rmtsim.papers.liu.simulation.layer_norms import layer_norms
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, TANH, WIDTHS, WITH_CONSTANTS
from rmtsim.papers.liu.statements.wide_networks import INVERSE_ROOT, ORDER_PLAN, root_log
from rmtsim.papers.liu.theory import lipschitz_constant

TESTED_WITH_TANH = Grid((ACTIVATION,), points=TANH)
ROOT = Rate(-0.5, "O", within=0.05)
"""O(√m)."""


def residual(size: int, rng: Generator, activation: str) -> Network:
    """Eq. (97) with three hidden layers, two of them with skip connections."""
    return wide(size, rng, activation, 3, skips=True)


@claim(
    "liu.eq92", states=Identity(within=1e-12), plan=WIDTHS.but(sizes=(2, 5), cost=8e-4), over=TESTED_WITH_TANH
)
def reformulation_error(size: int, rng: Generator, activation: str) -> float:
    """Relative error of the pre-activations of the second layer."""
    network = convolutional(size, rng, activation)
    passed = network.forward(rng.standard_normal(IMAGE.shape))
    layer = network.architecture.layers[1]
    image = network.architecture.layers[0].activation(passed.before[0]).T  # channels × pixels
    weight = network.weights[1]
    stated = layer.scale * sum(weight[:, :, k] @ shifted(image, k) for k in range(FILTER))
    return relative_gap(stated, passed.before[1].T)


@claim(
    "liu.sec-g1.backward",
    states=Identity(within=1e-9),
    plan=WIDTHS.but(sizes=(2, 5), cost=8e-4),
    over=TESTED_WITH_TANH,
)
def backward_error(size: int, rng: Generator, form: str, activation: str) -> float:
    """Relative error of ∂f/∂α of the first layer."""
    network = convolutional(size, rng, activation)
    x = rng.standard_normal(IMAGE.shape)
    passed, gradients = network.forward(x), network.activation_gradients(x)
    layer = network.architecture.layers[1]
    above = (gradients[1][0] * layer.activation.derivative(passed.before[1], 1)).T
    weight = network.weights[1]
    stated = layer.scale * sum(
        weight[:, :, k].T @ shifted(above, k if form == "printed" else 2 * CENTRE - k) for k in range(FILTER)
    )
    return relative_gap(stated, derivatives_at_activations(network, x, 0).T)


@claim(
    "liu.sec-g1.slope",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(2, 4), cost=1.2e-3),
    evidence=WITH_CONSTANTS,
    over=TESTED_WITH_TANH,
)
def convolution_quotient(size: int, rng: Generator, activation: str) -> float:
    """Larger of the two quotients for the second layer."""
    layer = DenseConvolution(size, rng, activation)
    first = np.linalg.norm(layer.slopes[:, None] * layer.in_image, 2) / layer.filter_norms
    second = np.linalg.norm(layer.slopes[:, None] * layer.in_weights, 2) / layer.image_norms
    return float(max(first, second) / lipschitz_constant(activation))


@claim(
    "liu.lemmaG.2",
    states=ROOT,
    plan=ORDER_PLAN.but(sizes=(8, 16, 32, 64), cost=lambda size: 5e-4 + 1e-7 * size**2),
    over=TESTED_WITH_TANH,
)
def filter_norm(size: int, rng: Generator, activation: str) -> float:
    """max_k ‖W^[k]‖."""
    weight = on_the_sphere(convolutional(size, rng, activation), rng, 1.0).weights[1]
    return float(max(np.linalg.norm(weight[:, :, k], 2) for k in range(FILTER)))


@claim(
    "liu.lemmaG.3",
    states=ROOT,
    plan=ORDER_PLAN.but(sizes=(8, 16, 32, 64), cost=lambda size: 5e-4 + 1e-7 * size**2),
    over=TESTED_WITH_TANH,
)
def image_norm(size: int, rng: Generator, activation: str) -> float:
    """Larger ‖α‖_F of the two layers."""
    network = on_the_sphere(convolutional(size, rng, activation), rng, 1.0)
    passed = network.forward(IMAGE)
    return float(
        max(np.linalg.norm(network.architecture.layers[k].activation(passed.before[k])) for k in (0, 1))
    )


@claim(
    "liu.lemmaG.5",
    states=ROOT,
    plan=ORDER_PLAN.but(sizes=(8, 16, 32, 64), cost=lambda size: 8e-4 + 4e-7 * size**2),
    over=TESTED_WITH_TANH,
)
def residual_activation(size: int, rng: Generator, activation: str) -> float:
    """Largest ‖α_l‖."""
    network = on_the_sphere(residual(size, rng, activation), rng, 1.0)
    return max(layer.activation for layer in layer_norms(network, INPUT))


@claim(
    "liu.sec-g2.slope",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(4, 8), cost=1.2e-3),
    evidence=WITH_CONSTANTS,
    over=TESTED_WITH_TANH,
)
def residual_quotient(size: int, rng: Generator, activation: str) -> float:
    """Largest quotient over the layers with a skip."""
    network = residual(size, rng, activation)
    limit = lipschitz_constant(activation) / np.sqrt(size)
    return float(max(layer.slope / (limit * layer.weight + 1) for layer in layer_norms(network, INPUT)[1:]))


@claim(
    "liu.eq104",
    states=Identity(within=1e-12),
    plan=WIDTHS.but(sizes=(3, 6), cost=8e-4),
    over=TESTED_WITH_TANH,
)
def residual_backward(size: int, rng: Generator, activation: str) -> float:
    """Largest relative error over the layers."""
    network = residual(size, rng, activation)
    passed, gradients = network.forward(INPUT), network.activation_gradients(INPUT)
    worst = 0.0
    for k in (0, 1):
        above = gradients[k + 1][0, 0]
        slopes = network.architecture.layers[k + 1].activation.derivative(passed.before[k + 1][0], 1)
        stated = network.weights[k + 1].T @ (slopes * above) / np.sqrt(size) + above
        worst = max(worst, relative_gap(stated, gradients[k][0, 0]))
    return worst


def _largest_gradient(network: Network, x: Array) -> float:
    """max |∂f/∂α| over the hidden layers."""
    return float(max(np.abs(each).max() for each in network.activation_gradients(x)[:-1]))


@claim(
    "liu.sec-g2.infinity",
    states=INVERSE_ROOT,
    plan=ORDER_PLAN.but(cost=lambda size: 5e-4 + 3e-8 * size**2),
    over=TESTED_WITH_TANH,
)
def residual_infinity(size: int, rng: Generator, activation: str) -> float:
    """max_l ‖b_l‖_∞/√(ln m)."""
    return float(_largest_gradient(residual(size, rng, activation), INPUT) / root_log(size))


@claim(
    "liu.sec-g1.infinity",
    states=INVERSE_ROOT,
    plan=ORDER_PLAN.but(sizes=(16, 32, 64, 128), cost=lambda size: 6e-4 + 1e-7 * size**2),
    over=TESTED_WITH_TANH,
)
def convolution_infinity(size: int, rng: Generator, activation: str) -> float:
    """max |∂f/∂α|/√(ln m)."""
    return float(_largest_gradient(convolutional(size, rng, activation), IMAGE) / root_log(size))
