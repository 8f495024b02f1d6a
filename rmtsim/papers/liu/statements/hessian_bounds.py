"""Proposition 3.1, eq. (18), Theorem 3.1 and the definitions (20): the Hessian's norm bounded by layer-wise norms."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Corrected, Identity, Parameter, Rate, claim
from rmtsim.networks import Network, fully_connected
from rmtsim.papers.liu.simulation.architectures import INPUT, deep, two_layers
from rmtsim.papers.liu.simulation.layer_norms import (
    LayerNorms,
    layer_norms,
    q_infinity,
    q_lipschitz,
    q_tensor,
)
from rmtsim.papers.liu.statements.parameters import ACTIVATION, DEPTH, TANH, WIDTHS, WITH_CONSTANTS
from rmtsim.papers.liu.theory import lipschitz_constant


def _hidden_norm(network: Network, x: Array, rng: Generator) -> float:
    """‖H‖ in W₁ and W₂, the output weights fixed as in eq. (16)."""
    hidden = network.parameters.size - network.architecture.layers[-1].parameters
    if hidden <= 400:
        return float(np.linalg.norm(network.hessian(x)[:hidden, :hidden], 2))
    from rmtsim.matrix_free._lanczos import extreme_eigenvalues

    whole = network.hessian_operator(x)

    def product(v: Array) -> Array:
        padded = np.zeros(network.parameters.size)
        padded[:hidden] = v
        return np.asarray((whole @ padded)[:hidden])

    return extreme_eigenvalues(product, hidden, rng, tolerance=1e-4).spectral_norm


@claim(
    "liu.prop3.1",
    states=Bound(1.0),
    over=(ACTIVATION,),
    points=({"activation": "tanh"}, {"activation": "softplus"}),
    plan=WIDTHS.but(sizes=(2, 4), cost=1.5e-3),
)
def two_layer_quotient(size: int, rng: Generator, activation: str) -> float:
    """‖H‖ over the right side of eq. (17)."""
    network, x = two_layers(size, rng, activation), rng.standard_normal(INPUT.shape)
    first, second = layer_norms(network, x)
    bound = (
        first.in_weights**2 * second.inputs_inputs
        + 2 * first.in_weights * second.mixed
        + second.weights_weights
    ) * second.largest_gradient + first.weights_weights * first.largest_gradient
    return _hidden_norm(network, x, rng) / bound


@claim(
    "liu.eq18",
    states=Rate(0.0, "O", within=0.1),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(sizes=(16, 32, 64, 128), cost=lambda size: 5e-3 + 6e-7 * size**2),
)
def infinity_quotient(size: int, rng: Generator, activation: str) -> float:
    """‖H‖ over the sum of the two infinity norms."""
    network = two_layers(size, rng, activation)
    first, second, _ = (np.abs(each).max() for each in network.activation_gradients(INPUT))
    return _hidden_norm(network, INPUT, rng) / float(first + second)


# ---- Theorem 3.1 ----

OUTPUT = Parameter(
    "output",
    "standard deviation of the output weights v (any W is admitted)",
    default=1.0,
    draw_range=(1e-3, 3.0),
)


def lipschitz_of_layers(
    network: Network, layers: list[LayerNorms], activation: str, form: str = "printed"
) -> float:
    """A Lipschitz constant of all layer functions after the first, in their input: L_σ‖W‖/√m; 1 if there is none.

    The corrected form takes one that is at least 1.
    """
    scales = [layer.scale for layer in network.architecture.layers]
    constant = lipschitz_constant(activation)
    found = [constant * scales[k] * layer.weight for k, layer in enumerate(layers) if k > 0]
    return max(found if form == "printed" else [*found, 1.0], default=1.0)


def hidden_constant(depth: int, lipschitz: float) -> float:
    """L²𝔏^{2L} + L𝔏^L + 1, the constant of the blocks of hidden layers."""
    power = lipschitz**depth
    return depth**2 * power**2 + depth * power + 1


def _bound(layers: list[LayerNorms], lipschitz: float, width: int, *, strict: bool = False) -> float:
    """C₁Q_{2,2,1}Q_∞ + C₂Q_L/√m with C₁ = L(L²𝔏^{2L} + L𝔏^L + 1), C₂ = L𝔏^L."""
    depth = len(layers)
    blocks = depth * hidden_constant(depth, lipschitz) * q_tensor(layers, strict=strict) * q_infinity(layers)
    return float(blocks + depth * lipschitz**depth * q_lipschitz(layers) / np.sqrt(width))


@claim(
    "liu.thm3.1",
    # Small output weights leave the blocks of the output layer, in which the bound is attained as m grows.
    corrected=Corrected(
        points=(
            {"activation": "tanh", "depth": 1, "output": 0.01},
            {"activation": "sigmoid", "depth": 3, "output": 0.01},
        )
    ),
    states=Bound(1.0),
    over=(ACTIVATION, DEPTH, OUTPUT),
    points=(
        {"activation": "tanh", "depth": 3, "output": 1.0},
        {"activation": "sigmoid", "depth": 3, "output": 0.01},
    ),
    plan=WIDTHS.but(sizes=(3, 5), cost=lambda size, depth: 1e-3 + 2e-5 * depth * size**2),
    evidence=WITH_CONSTANTS,
)
def theorem_quotient(
    size: int, rng: Generator, form: str, activation: str, depth: int, output: float
) -> float:
    """‖H‖ over the bound."""
    network, x = deep(size, rng, activation, depth, output)
    layers = layer_norms(network, x)
    lipschitz = lipschitz_of_layers(network, layers, activation, form)
    return float(np.linalg.norm(network.hessian(x), 2)) / _bound(layers, lipschitz, size)


@claim(
    "liu.eq20",
    states=Bound(1.0),
    over=(
        Parameter(
            "length",
            "typical entry of the input x",
            default=1000.0,
            open_below=True,
            draw_range=(500.0, 5000.0),
        ),
    ),
    points=({"length": 1000.0},),
    plan=WIDTHS.but(sizes=(3, 5), cost=2e-3),
    evidence=WITH_CONSTANTS,
)
def index_quotient(size: int, rng: Generator, form: str, length: float) -> float:
    """‖H‖ over the bound of Theorem 3.1."""
    widths = (INPUT.size, size, size, 1)
    network = fully_connected(widths, ("identity", "gelu"), parametrisation="ntk").sample(rng)
    weights = np.array(network.parameters)
    weights[: INPUT.size * size] = 0.0
    network, x = network.with_parameters(weights), length * rng.standard_normal(INPUT.shape)
    layers = layer_norms(network, x)
    lipschitz = max(1.0, lipschitz_constant("gelu") * layers[1].weight / np.sqrt(size))
    bound = _bound(layers, lipschitz, size, strict=form == "printed")
    return float(np.linalg.norm(network.hessian(x), 2)) / bound


# ---- The kernel as a sum over layers ----


@claim(
    "liu.sec3.3.kernel",
    states=Identity(within=1e-12),
    over=(ACTIVATION, DEPTH),
    points=({"activation": "tanh", "depth": 2},),
    plan=WIDTHS.but(sizes=(3, 9), cost=6e-4),
)
def kernel_sum_error(size: int, rng: Generator, form: str, activation: str, depth: int) -> float:
    """Relative error of the sum over layers, each ‖(∂α_l/∂w_l)ᵀ ∂f/∂α_l‖² = s²|r|²|S'∂f/∂α_l|²."""
    network, x = deep(size, rng, activation, depth)
    passed, gradients = network.forward(x), network.activation_gradients(x)
    total = 0.0
    for k, layer in enumerate(network.architecture.layers[: depth + (form == "corrected")]):
        slope = layer.activation.derivative(passed.before[k][0], 1)
        total += float((passed.reads[k][0] @ passed.reads[k][0]) * np.sum((slope * gradients[k][0, 0]) ** 2))
    kernel = float(network.tangent_kernel(x)[0, 0])
    return abs(total - kernel) / kernel
