"""Section 3.1: one hidden layer with fixed signs at the output, its Hessian and its tangent kernel."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Grid, Identity, Limit, Parameter, Probability, Relative, claim
from rmtsim.networks import Network
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import shallow
from rmtsim.papers.liu.simulation.high_precision import second_derivatives
from rmtsim.papers.liu.simulation.shallow_networks import largest_curvatures, trained_norms
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, WIDTHS, WITH_CONSTANTS

_ON_THE_LINE = Grid(
    (ACTIVATION, INPUT), points=({"activation": "tanh", "x": 1.0}, {"activation": "gelu", "x": 2.0})
)


def _hessian_norm(network: Network, x: float) -> float:
    """‖H‖ in the hidden weights, by the network's own second derivatives (the diagonal form is not used)."""
    return float(np.linalg.norm(network.hessian_block([[x]], None, 0, 0), 2))


# ---- The Hessian ----


@claim(
    "liu.eq9",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(2, 6, 18), cost=lambda size: 3e-4 + 3e-5 * size),
    evidence=WITH_CONSTANTS,
    over=_ON_THE_LINE,
)
def scaled_norm(size: int, rng: Generator, activation: str, x: float) -> float:
    """√m‖H‖ over the bound, plus the relative error of its formula."""
    network = shallow(size, rng, activation)
    norm = float(np.sqrt(size) * _hessian_norm(network, x))
    formula = float(x**2 * np.abs(function_of(activation).derivative(network.weights[0] * x, 2)).max())
    return norm / (theory.curvature_bound(activation) * x**2) + abs(norm - formula) / formula


@claim(
    "liu.eq9.constant",
    states=Limit(theory.hessian_constant, within=Relative(0.002)),
    plan=WIDTHS.but(sizes=(16, 32, 64, 128), exponents=(2.0,), cost=lambda size: 3e-4 + 1e-6 * size**2),
    over=_ON_THE_LINE,
)
def norm_of_a_network(size: int, rng: Generator, activation: str, x: float) -> float:
    """√m‖H‖ of a drawn network, by its own second derivatives."""
    return float(np.sqrt(size)) * _hessian_norm(shallow(size, rng, activation), x)


@claim(
    "liu.eq9.law",
    states=Limit(1.0, within=0.05),
    plan=WIDTHS.but(sizes=(40, 80, 160, 320), exponents=(1.0,), cost=lambda size: 1e-5 + 6e-8 * size),
    over=_ON_THE_LINE,
)
def deficit(size: int, rng: Generator, replicates: int, activation: str, x: float) -> Array:
    """Λ m √(relative deficit)."""
    largest = largest_curvatures(size, rng, replicates, activation, x)
    short = 1 - largest / theory.hessian_constant(activation, x)
    return np.asarray(size * np.sqrt(np.maximum(short, 0.0)) * theory.hessian_deficit_rate(activation, x))


@claim(
    "liu.eq9.trained",
    states=Probability(0.5, within=0.03),
    plan=WIDTHS.but(sizes=(8, 32, 128), exponents=(1.0,), cost=lambda size: 2e-6 + 2e-7 * size),
    over=_ON_THE_LINE,
)
def below_median(size: int, rng: Generator, replicates: int, activation: str, x: float) -> Array:
    """Whether √m‖H‖, all parameters, lies below the predicted median."""
    weights, outputs = rng.standard_normal((2, replicates, size))
    norms = trained_norms(weights, outputs, activation, x)
    return np.asarray(norms <= _median(activation, x, size), dtype=np.float64)


@cache
def _median(activation: str, x: float, size: int) -> float:
    return theory.trained_hessian_median(activation, x, float(np.log(size)))


# ---- The tangent kernel ----


@claim(
    "liu.eq10",
    states=Limit(theory.kernel_limit, within=Relative(0.005)),
    plan=WIDTHS.but(sizes=(1000, 2000, 4000), exponents=(1.0,), cost=lambda size: 3e-4 + 1e-7 * size),
    over=_ON_THE_LINE,
)
def hidden_kernel(size: int, rng: Generator, activation: str, x: float) -> float:
    """Squared norm of the gradient in the hidden weights."""
    gradient = shallow(size, rng, activation).gradient([[x]])[:size]
    return float(gradient @ gradient)


# ---- The Hessian through the tensor ∂²α/∂w² ----


@claim(
    "liu.eq12",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(2, 4), cost=lambda size: 4e-4 + 6e-4 * size),
    over=_ON_THE_LINE,
)
def quotient_of_eq12(size: int, rng: Generator, activation: str, x: float) -> float:
    """‖H‖ over the product of the norms."""
    network = shallow(size, rng, activation)
    largest = np.abs(network.activation_gradients([[x]])[0]).max()
    tensor = np.abs(second_derivatives(network.weights[0][:, 0], activation, x)).max()
    return float(_hessian_norm(network, x) / (tensor * largest))


@claim(
    "liu.eq13",
    states=Identity(within=1e-12),
    plan=WIDTHS.but(sizes=(3, 6), cost=lambda size: 1e-4 + 6e-4 * size),
    over=_ON_THE_LINE,
)
def tensor_error(size: int, rng: Generator, form: str, activation: str, x: float) -> float:
    """Largest error of σ'(w_k x) x, or σ''(w_k x) x², as second derivative, relative to the largest entry."""
    order = 1 if form == "printed" else 2
    weights = shallow(size, rng, activation).weights[0][:, 0]
    truth = second_derivatives(weights, activation, x)
    stated = function_of(activation).derivative(weights * x, order) * x**order
    return relative_gap(stated, truth)


@claim(
    "liu.eq13.norm",
    states=Bound(1.0),
    over=(ACTIVATION, Parameter("x", "the input x", default=2.0, open_below=True, draw_range=(0.3, 4.0))),
    points=({"activation": "tanh", "x": 2.0}, {"activation": "sigmoid", "x": 4.0}),
    plan=WIDTHS.but(sizes=(20, 40), cost=3e-4),
    evidence=WITH_CONSTANTS,
)
def tensor_quotient(size: int, rng: Generator, form: str, activation: str, x: float) -> float:
    """Largest second derivative over the bound."""
    weights = shallow(size, rng, activation).weights[0]
    truth = float((np.abs(function_of(activation).derivative(weights * x, 2)) * x**2).max())
    if form == "printed":
        return float(truth / (theory.lipschitz_constant(activation) * abs(x)))
    return float(truth / (theory.curvature_bound(activation) * x**2))


@claim(
    "liu.eq15",
    states=Identity(within=1e-13),
    plan=WIDTHS.but(sizes=(3, 30, 300), cost=3e-4),
    over=_ON_THE_LINE,
)
def gradient_norms(size: int, rng: Generator, activation: str, x: float) -> float:
    """Larger of the two relative errors."""
    gradient = shallow(size, rng, activation).activation_gradients([[x]])[0]
    return float(max(abs(np.abs(gradient).max() * np.sqrt(size) - 1), abs(np.linalg.norm(gradient) - 1)))
