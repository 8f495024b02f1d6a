"""Appendix E: gradient and Hessian blocks of a deep network layer by layer, eqs. (59) to (62)."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Choice, Grid, Identity, claim
from rmtsim.networks import Network
from rmtsim.papers.liu.simulation.architectures import deep, parallel_chains
from rmtsim.papers.liu.simulation.layer_norms import layer_norms, q_infinity, q_lipschitz, q_tensor
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.hessian_bounds import (
    hidden_constant,
    lipschitz_of_layers,
)
from rmtsim.papers.liu.statements.parameters import ACTIVATION, DEPTH, WIDTHS, WITH_CONSTANTS

_LAYER_BY_LAYER = Grid(
    (ACTIVATION, DEPTH),
    points=({"activation": "tanh", "depth": 3}, {"activation": "sigmoid", "depth": 3}),
    plan=WIDTHS.but(sizes=(2, 3), cost=lambda size, depth: 1.5e-3 + 2e-5 * depth * size**2),
)
"""Parts that the statements here share."""


class Chain:
    """First and second derivatives of the hidden layers of a network at one input, in the appendix' orientation."""

    def __init__(self, network: Network, x: Array):
        passed, gradients = network.forward(x), network.activation_gradients(x)
        self.layers = []
        for index, layer in enumerate(network.architecture.layers[:-1]):
            z = passed.before[index][0]
            self.layers.append(
                (
                    layer.scale,
                    network.weights[index],
                    passed.reads[index][0] / layer.scale,
                    layer.activation.derivative(z, 1),
                    layer.activation.derivative(z, 2),
                    gradients[index][0, 0],
                )
            )

    def in_weights(self, index: int) -> Array:
        """∂α_l/∂w_l, parameters × neurons."""
        scale, _, read, slope, _, _ = self.layers[index]
        return np.kron(np.diag(scale * slope), read[:, None])

    def in_inputs(self, index: int) -> Array:
        """∂α_l/∂α_{l-1}, inputs × neurons."""
        scale, weights, _, slope, _, _ = self.layers[index]
        return np.asarray((scale * slope[:, None] * weights).T)

    def reach(self, first: int, last: int) -> Array:
        """(∂α_first/∂w_first) times the slopes of layers first + 1 … last."""
        found = self.in_weights(first)
        for index in range(first + 1, last + 1):
            found = found @ self.in_inputs(index)
        return found

    def second(self, index: int, kind: str) -> Array:
        """Second derivatives of layer l times ∂f/∂α_l: in inputs ("rr"), inputs and weights ("rw"), weights ("ww")."""
        scale, weights, read, slope, bend, b = self.layers[index]
        if kind == "rr":
            return np.asarray(scale**2 * (weights.T * (b * bend)) @ weights)
        if kind == "ww":
            return np.asarray(np.kron(np.diag(scale**2 * b * bend), np.outer(read, read)), dtype=np.float64)
        curved = scale**2 * np.einsum("k,kj,l->jkl", b * bend, weights, read)
        plain = scale * np.einsum("k,jl->jkl", b * slope, np.eye(len(read)))
        return np.asarray((curved + plain).reshape(len(read), -1))

    def block(self, first: int, second: int, *, too_far: bool) -> Array:
        """H^(l₁,l₂), l₁ ≤ l₂ (counted from zero); ``too_far`` takes the last product to l as printed, not to l - 1."""
        found: Array = (
            self.second(first, "ww")
            if first == second
            else self.reach(first, second - 1) @ self.second(second, "rw")
        )
        for index in range(second + 1, len(self.layers)):
            right = self.reach(second, index if too_far else index - 1)
            found = found + self.reach(first, index - 1) @ self.second(index, "rr") @ right.T
        return found


def blocks(network: Network, x: Array) -> list[list[Array]]:
    """H^(l₁,l₂) of all layers, the output layer last, cut from the engine's Hessian."""
    ends = np.cumsum([layer.parameters for layer in network.architecture.layers])[:-1]
    return [np.split(rows, ends, axis=1) for rows in np.split(network.hessian(x), ends, axis=0)]


@claim("liu.eq59", states=Identity(within=1e-11), over=_LAYER_BY_LAYER)
def gradient_error(size: int, rng: Generator, activation: str, depth: int) -> float:
    """Error of eq. (59)."""
    network, x = deep(size, rng, activation, depth)
    chain, gradient = Chain(network, x), network.gradient(x)
    last = network.weights[-1][0] / np.sqrt(size)
    ends = np.cumsum([layer.parameters for layer in network.architecture.layers])
    parts = np.split(gradient, ends[:-1])
    return max(relative_gap(chain.reach(k, depth - 1) @ last, parts[k]) for k in range(depth))


SEVERAL_LAYERS = dataclasses.replace(DEPTH, lowest=2, draw_range=(2, 4))
"""Blocks with l₁ < l₂ exist."""


@claim(
    "liu.sec-e.block",
    states=Identity(within=1e-11),
    over=_LAYER_BY_LAYER.but(parameters=(ACTIVATION, SEVERAL_LAYERS)),
)
def block_error(size: int, rng: Generator, form: str, activation: str, depth: int) -> float:
    """Largest relative error over the blocks; as printed only over l₁ < l₂, where the second term belongs."""
    network, x = deep(size, rng, activation, depth)
    chain, truth, printed = Chain(network, x), blocks(network, x), form == "printed"
    return max(
        relative_gap(chain.block(i, j, too_far=printed), truth[i][j])
        for i in range(depth)
        for j in range(i + printed, depth)
    )


WEIGHTS = Choice(
    "weights",
    ("gaussian", "chains"),
    "Gaussian weights of all layers, or parallel chains of single neurons with two softplus layers",
    "gaussian",
)


@claim(
    "liu.eq60",
    states=Bound(1.0),
    evidence=WITH_CONSTANTS,
    over=_LAYER_BY_LAYER.but(
        parameters=(ACTIVATION, DEPTH, WEIGHTS),
        points=(
            {"activation": "tanh", "depth": 3, "weights": "gaussian"},
            {"activation": "sigmoid", "depth": 3, "weights": "gaussian"},
            {"activation": "softplus", "depth": 2, "weights": "chains"},
        ),
    ),
)
def hidden_block_quotient(
    size: int, rng: Generator, form: str, activation: str, depth: int, weights: str
) -> float:
    """Largest norm of a block of hidden layers over the bound."""
    if weights == "gaussian":
        network, x = deep(size, rng, activation, depth)
    else:
        activation, depth = "softplus", 2
        network, x = parallel_chains(size, rng)
    layers = layer_norms(network, x)
    constant = hidden_constant(depth, lipschitz_of_layers(network, layers, activation, form))
    bound = constant * q_tensor(layers) * q_infinity(layers)
    truth = blocks(network, x)
    return float(max(np.linalg.norm(truth[i][j], 2) for i in range(depth) for j in range(i, depth)) / bound)


@claim("liu.eq61", states=Identity(within=1e-11), over=_LAYER_BY_LAYER)
def output_block_error(size: int, rng: Generator, activation: str, depth: int) -> float:
    """Error of eq. (61)."""
    network, x = deep(size, rng, activation, depth)
    chain, truth = Chain(network, x), blocks(network, x)
    return max(relative_gap(chain.reach(k, depth - 1) / np.sqrt(size), truth[k][depth]) for k in range(depth))


@claim("liu.eq62", states=Bound(1.0), evidence=WITH_CONSTANTS, over=_LAYER_BY_LAYER)
def output_block_quotient(size: int, rng: Generator, form: str, activation: str, depth: int) -> float:
    """Largest ‖H^(l,L+1)‖ over 𝔏^L Q_L/√m."""
    network, x = deep(size, rng, activation, depth)
    layers = layer_norms(network, x)
    lipschitz = lipschitz_of_layers(network, layers, activation, form)
    bound = lipschitz**depth * q_lipschitz(layers) / np.sqrt(size)
    return float(max(np.linalg.norm(rows[depth], 2) for rows in blocks(network, x)[:depth]) / bound)
