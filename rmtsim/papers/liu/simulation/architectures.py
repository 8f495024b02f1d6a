"""The network models of the paper, drawn one at a time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.networks import Architecture, Network, activation, convolution, dense, fully_connected

INPUT: Array = np.ones((1, 3))
"""One fixed input with |x|²/d = 1."""
IMAGE: Array = np.ones((1, 8))
"""Two channels at four pixels."""


def shallow(size: int, rng: Generator, activation: str, *, signs: bool = True) -> Network:
    """Eq. (8): m^{-1/2} Σ v_i σ(w_i x), w_i ~ N(0, 1), v_i = ±1 (Gaussian without ``signs``)."""
    architecture = fully_connected((1, size, 1), activation, parametrisation="ntk")
    hidden, last = architecture.layers
    drawn = replace(architecture, layers=(replace(hidden, scale=1.0), last)).sample(rng)
    if not signs:
        return drawn
    weights = np.array(drawn.parameters)
    weights[size:] = rng.choice((-1.0, 1.0), size=size)
    return drawn.with_parameters(weights)


def two_layers(size: int, rng: Generator, activation: str) -> Network:
    """Eq. (16) at Gaussian weights: no factor in front of W₁."""
    architecture = fully_connected((INPUT.size, size, size, 1), activation, parametrisation="ntk")
    first, *rest = architecture.layers
    return replace(architecture, layers=(replace(first, scale=1.0), *rest)).sample(rng)


def wide(size: int, rng: Generator, activation: str, depth: int, *, skips: bool = False) -> Network:
    """Eq. (63) with all widths m, or eq. (97) with skip connections."""
    widths = (INPUT.size, *[size] * depth, 1)
    return fully_connected(widths, activation, parametrisation="ntk", skips=skips).sample(rng)


def deep(
    size: int, rng: Generator, activation: str, depth: int, output: float = 1.0
) -> tuple[Network, Array]:
    """Eq. (63) with output weights of deviation ``output``, and a Gaussian input."""
    network = wide(size, rng, activation, depth)
    weights = np.array(network.parameters)
    weights[-size:] *= output
    return network.with_parameters(weights), rng.standard_normal(INPUT.shape)


def parallel_chains(size: int, rng: Generator) -> tuple[Network, Array]:
    """Two softplus layers in which neuron i reads neuron i alone, with a weight w below one, and a long input.

    With W₂ = √m w I and equal rows of W₁ all neurons of a layer have the same z. The block H^(1,1) is the sum of
    σ''(z₁)σ'(z₂)w and σ'(z₁)²σ''(z₂)w², times |x|²/d and the output weight; the second is the term of Q_{2,2,1} with
    the slopes, the first is σ'(z₂)w times the one without. The two terms of Q_{2,2,1} are equal where
    e^{-z₁} = σ''(z₂)w², z₂ = wσ(z₁): there the block exceeds either by the factor 1 + σ'(z₂)w.
    """
    gain = rng.uniform(0.1, 0.25)
    softplus = activation("softplus")
    z = 0.0
    for _ in range(100):  # a contraction: z₁ enters z₂ with the factor w
        z = float(-np.log(softplus.derivative(np.array([gain * softplus(np.array([z]))[0]]), 2)[0] * gain**2))
    x = 1e4 * rng.standard_normal(INPUT.shape)
    architecture = fully_connected((x.size, size, size, 1), "softplus", parametrisation="ntk")
    first, second, _ = architecture.layers
    row = z / first.scale * x[0] / (x[0] @ x[0])
    weights = np.concatenate(
        (np.tile(row, size), (gain / second.scale * np.eye(size)).ravel(), np.ones(size))
    )
    return architecture.sample(rng).with_parameters(weights), x


def convolutional(size: int, rng: Generator, activation: str, positions: int = 4) -> Network:
    """Two layers (90) of m channels with filters of three pixels, and f = vᵀα/√m."""
    layers = (
        replace(convolution(2, size, 3, activation), scale=2**-0.5, deviation=1.0),
        replace(convolution(size, size, 3, activation), scale=size**-0.5, deviation=1.0),
        replace(dense(positions * size, 1), scale=size**-0.5, deviation=1.0),
    )
    return Architecture(layers, positions=positions).sample(rng)


def mixed(size: int, rng: Generator, activation: str, positions: int = 4) -> Network:
    """A convolution to m channels, a dense layer of m neurons that reads all of them, one with a skip, f = vᵀα/√m."""
    root = size**-0.5
    layers = (
        replace(convolution(2, size, 3, activation), scale=2**-0.5, deviation=1.0),
        dense(positions * size, size, activation, scale=root),
        dense(size, size, activation, scale=root, skip=True),
        dense(size, 1, scale=root),
    )
    return Architecture(layers, positions=positions).sample(rng)


def bottleneck(size: int, rng: Generator) -> Network:
    """Eq. (31): quadratic activations around one linear unit, parameters N(0, 1) in the order w¹, w², w³, w⁴."""
    root = 1 / math.sqrt(size)
    half = (dense(1, size, "quadratic"), dense(size, 1, scale=root))
    return Architecture((*half, *half)).sample(rng)


def on_the_sphere(network: Network, rng: Generator, radius: float) -> Network:
    """A uniform point at distance R from W₀; almost all of the ball's volume is near its surface."""
    radius = validate.finite_number("radius", radius, meaning="radius R of the ball")
    if radius < 0:
        raise ValueError(f"radius={radius}: expected a number >= 0 (radius R of the ball)")
    step = rng.standard_normal(network.parameters.size)
    return network.with_parameters(network.parameters + radius * step / np.linalg.norm(step))


def rescaled(network: Network, deviation: float) -> Network:
    """The same function of W̄ = σ_m W, whose layers have the factor 1/σ_m (appendix A)."""
    layers = tuple(replace(layer, scale=layer.scale / deviation) for layer in network.architecture.layers)
    return Network(replace(network.architecture, layers=layers), network.parameters * deviation)


def with_output(network: Network, name: str) -> Network:
    """The same parameters with the function φ of this name applied to the output."""
    *hidden, last = network.architecture.layers
    layers = (*hidden, replace(last, activation=activation(name)))
    return replace(network, architecture=replace(network.architecture, layers=layers))


STEP = 1e-3
"""Of differences of order four: their error is STEP⁴/30 of a fifth derivative."""


def derivatives_at_activations(network: Network, inputs: Array, index: int) -> Array:
    """∂f/∂α of one layer by differences of the layers behind it, in the shape of its pre-activations.

    >>> network = wide(2, np.random.default_rng(0), "tanh", 1)
    >>> bool(np.allclose(derivatives_at_activations(network, INPUT, 0), network.weights[1] / math.sqrt(2)))
    True
    """
    layers, before = network.architecture.layers, network.forward(inputs).before[index]
    behind = replace(network.architecture, layers=layers[index + 1 :]).sample(np.random.default_rng(0))
    behind = behind.with_parameters(network.parameters[-behind.parameters.size :])
    # Images are given channel by channel, as the inputs of a network are; rows of ``before`` are positions.
    images = len(before) > 1
    point = layers[index].activation(before).T.ravel() if images else layers[index].activation(before).ravel()
    steps = STEP * np.eye(point.size)
    near, far = (
        behind.forward(point + width * steps).output[:, 0]
        - behind.forward(point - width * steps).output[:, 0]
        for width in (1, 2)
    )
    found = (8 * near - far) / (12 * STEP)
    return np.asarray(found.reshape(before.shape[::-1]).T if images else found.reshape(before.shape))
