"""Section 4, first half: a non-linear function φ of the output, eqs. (27)-(29), and the limits of both sides."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.claims import (
    Bound,
    Corrected,
    Identity,
    Limit,
    Parameter,
    Probability,
    Rate,
    Relative,
    claim,
)
from rmtsim.curvature import hessian_by_differences
from rmtsim.networks import Network
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu.simulation.architectures import shallow, with_output
from rmtsim.papers.liu.simulation.shallow_networks import draw_shallow, trained_kernels
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, SMOOTH, WIDTHS, smooth_function
from rmtsim.papers.liu.theory import kernel_limit
from rmtsim.papers.liu.theory.nonlinear_output import (
    output_hessian_limit,
    output_kernel_change,
    output_kernel_limit,
    output_variance,
)

OUTPUT = smooth_function(
    "output", "function φ of the output", "softplus", "φ is twice differentiable and not linear"
)
LABEL = Parameter(
    "label",
    "target y of the softplus output",
    default=2.0,
    open_below=True,
    draw_range=(0.5, 3.0),
    assumption="a softplus takes positive values",
)
_GRID = (
    {"activation": "tanh", "output": "softplus", "x": 1.0},
    {"activation": "gelu", "output": "tanh", "x": 1.5},
)
_NORM_PLAN = WIDTHS.but(
    sizes=(32, 64, 128, 256, 512),
    exponents=(2 / 3, 1.0),
    because="f is a symmetric sum of m terms (Edgeworth: 1/m); where φ''(f) vanishes ‖H‖ takes over, which adds log "
    "m/m, less than m^(-2/3) (docs/papers/liu/index.md)",
    cost=lambda size: 1e-5 + 5e-7 * size,
)


def _hidden_gradient(network: Network, x: float) -> Any:
    """∂f/∂w, the hidden weights alone: v is fixed in Section 3.1."""
    return network.gradient([[x]])[: network.architecture.layers[0].outputs]


def _value_cost(size: int) -> float:
    return 2e-6 + 1.5e-7 * size


# ---- (27), (28): identities ----

_MP = {"tanh": mpmath.tanh, "sin": mpmath.sin, "softplus": lambda z: mpmath.log(1 + mpmath.exp(z))}


def _by_differences(network: Network, x: float, output: str) -> Any:
    """Hessian of φ(m^{-1/2} Σ v tanh(w x)) in w, from values in 60 digits."""
    w, v = (part.ravel() for part in network.weights)

    def value(weights: Any) -> Any:
        total = sum(float(sign) * mpmath.tanh(weight * x) for sign, weight in zip(v, weights, strict=True))
        return _MP[output](total / mpmath.sqrt(len(w)))

    return hessian_by_differences(value, w)


@claim("liu.eq27", states=Identity(within=1e-12), over=(INPUT,), plan=WIDTHS.but(sizes=(3, 8), cost=1e-3))
def kernel_of_output(size: int, rng: Generator, x: float) -> float:
    """|K̃ - φ'²K|/K̃, φ = sin."""
    network = shallow(size, rng, "tanh")
    w, v = (part.ravel() for part in network.weights)
    steps = w + 1e-30j * np.eye(size)  # one weight moves in each row
    slopes = np.sin(np.tanh(steps * x) @ v / np.sqrt(size)).imag / 1e-30
    moved = float(slopes @ slopes)
    slope = float(function_of("sin").derivative(network.output([[x]]), 1)[0, 0])
    gradient = _hidden_gradient(network, x)
    return abs(moved - slope**2 * float(gradient @ gradient)) / moved


@claim("liu.eq28", states=Identity(within=1e-10), over=(INPUT,), plan=WIDTHS.but(sizes=(2, 4), cost=0.02))
def hessian_of_output(size: int, rng: Generator, x: float) -> float:
    """max |H̃ - printed|/max |H̃| over the three φ."""
    network = shallow(size, rng, "tanh")
    gradient = _hidden_gradient(network, x)
    hessian = network.hessian([[x]])[:size, :size]
    value = network.output([[x]])[0, 0]
    gaps = []
    for output in _MP:
        phi = function_of(output)
        printed = phi.derivative(value, 2) * np.outer(gradient, gradient) + phi.derivative(value, 1) * hessian
        exact = _by_differences(network, x, output)
        gaps.append(relative_gap(printed, exact))
    return max(gaps)


# ---- (29): the bound, and the limits of both sides ----


@claim("liu.eq29", states=Bound(1.0, ">="), over=(INPUT,), plan=WIDTHS.but(sizes=(4, 40), cost=2e-3))
def output_hessian_margin(size: int, rng: Generator, x: float) -> float:
    """Left side over right side, all activations and φ at random; φ'' bounded away from zero in the quotient."""
    network = shallow(size, rng, SMOOTH[int(rng.integers(len(SMOOTH)))])
    name = SMOOTH[int(rng.integers(len(SMOOTH)))]
    gradient = _hidden_gradient(network, x)
    value = network.output([[x]])[0, 0]
    phi = function_of(name)
    first = abs(float(phi.derivative(value, 2))) * float(gradient @ gradient)
    norms = [
        np.linalg.norm(each.hessian([[x]])[:size, :size], 2) for each in (with_output(network, name), network)
    ]
    left = float(norms[0] + abs(float(phi.derivative(value, 1))) * norms[1])
    return left / max(first, 1e-12 * left)


@claim(
    "liu.sec4.hessian",
    states=Limit(output_hessian_limit, within=Relative(0.03)),
    over=(ACTIVATION, OUTPUT, INPUT),
    points=_GRID,
    plan=_NORM_PLAN,
)
def output_hessian_norm(
    size: int, rng: Generator, replicates: int, activation: str, output: str, x: float
) -> Array:
    """‖H̃‖ in the hidden weights."""
    _, _, at = draw_shallow(size, rng, replicates, activation, x)
    phi = function_of(output)
    return at.hessian_norms(phi.derivative(at.value, 1), phi.derivative(at.value, 2))


# A φ that is linear on one side: C² and not linear, but without curvature for half of all networks.


def _half_cubic(value: Array) -> tuple[Array, Array]:
    """φ' and φ'' of φ(z) = z + max(z, 0)³."""
    positive = np.maximum(value, 0.0)
    return 1 + 3 * positive**2, 6 * positive


def _half_cubic_norm(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """Mean of ‖H̃‖·1{φ''(f) ≠ 0}, φ(z) = z + max(z, 0)³, over a network and the one with all signs turned.

    One of the two has f > 0. Turned signs make -f of f and -H of H and leave ∇f∇fᵀ.
    """
    _, _, at = draw_shallow(size, rng, replicates, "tanh", x)
    slope, bend = _half_cubic(np.abs(at.value))
    return at.hessian_norms(np.copysign(slope, at.value), bend) / 2


def _half_cubic_limit(x: float) -> float:
    deviation = output_variance("tanh", x) ** 0.5
    return float(kernel_limit("tanh", x) * 6 * deviation / np.sqrt(2 * np.pi))


@claim(
    "liu.sec4.always",
    corrected=Corrected(
        measured=_half_cubic_norm,
        states=Limit(_half_cubic_limit, within=Relative(0.03)),
        plan=_NORM_PLAN.but(sizes=(32, 128, 512)),
    ),
    states=Probability(1.0, within=0.05),
    over=(INPUT,),
    plan=WIDTHS.but(sizes=(50, 100, 200, 400), exponents=(1.0,), cost=_value_cost),
)
def first_term_is_there(size: int, rng: Generator, replicates: int, x: float) -> NDArray[np.bool_]:
    """Whether |φ''(f)|·‖∇f‖² > 0."""
    _, _, at = draw_shallow(size, rng, replicates, "tanh", x)
    return np.asarray(_half_cubic(at.value)[1] * at.kernel > 0)


# ---- The kernel, and its change by training ----


@claim(
    "liu.sec4.kernel",
    states=Limit(output_kernel_limit, within=Relative(0.02)),
    over=(ACTIVATION, OUTPUT, INPUT),
    points=_GRID,
    plan=WIDTHS.but(sizes=(16, 64, 256), exponents=(1.0,), cost=_value_cost),
)
def output_kernel(
    size: int, rng: Generator, replicates: int, activation: str, output: str, x: float
) -> Array:
    """‖∂f̃/∂w‖² = φ'(f)²K, the mean of the network and of that with all signs v turned: -f in place of f."""
    _, _, at = draw_shallow(size, rng, replicates, activation, x)
    slopes = [function_of(output).derivative(sign * at.value, 1) for sign in (1.0, -1.0)]
    return np.asarray(0.5 * (slopes[0] ** 2 + slopes[1] ** 2) * at.kernel)


@claim(
    "liu.sec4.change",
    states=Limit(lambda x, label: output_kernel_change("tanh", x, label), within=Relative(0.03)),
    over=(INPUT, LABEL),
    points=({"x": 1.0, "label": 2.0}, {"x": 2.0, "label": 0.7}),
    plan=WIDTHS.but(sizes=(128, 256, 512, 1024), exponents=(1.0,), cost=lambda size: 4e-5 + 9e-7 * size),
)
def output_kernel_moves(size: int, rng: Generator, replicates: int, x: float, label: float) -> Array:
    """|K̃ after - K̃ before|, the mean of the network and of that with all signs turned."""
    _, _, start, end = trained_kernels(size, rng, replicates, x, label, both=True)
    return np.asarray(np.abs(end - start).reshape(2, -1).mean(axis=0))


@claim(
    "liu.sec4.vanishing",
    states=Rate(0.5, "O", within=0.1),
    over=(INPUT, LABEL),
    plan=WIDTHS.but(
        sizes=(64, 128, 256, 512, 1024), exponents=(0.5, 1.0), cost=lambda size: 1e-4 + 2e-6 * size
    ),
)
def plain_kernel_moves(size: int, rng: Generator, replicates: int, x: float, label: float) -> Array:
    """|K after - K before|."""
    before, after, _, _ = trained_kernels(size, rng, replicates, x, label)
    return np.abs(after - before)
