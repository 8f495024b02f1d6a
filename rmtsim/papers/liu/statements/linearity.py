"""Section 2.2, appendices C and D: a kernel is constant for linear models, and nearly so where the Hessian is small."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Corrected, Identity, Parameter, Plan, claim
from rmtsim.networks import Architecture, Network, dense, fully_connected
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, SMOOTH, WIDTHS

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_PLACES, _MASSES = (_NODES + 1) / 2, _WEIGHTS / 2
"""Gauss–Legendre on [0, 1], for means along a segment."""


# ---- Proposition 2.2 ----


@claim(
    "liu.prop2.2",
    states=Identity(within=1e-12),
    over=(ACTIVATION,),
    points=({"activation": "tanh"}, {"activation": "gelu"}),
    plan=WIDTHS.but(sizes=(3, 12), cost=4e-4),
)
def change_of_a_linear_kernel(size: int, rng: Generator, activation: str) -> float:
    """‖K(w) - K(w')‖/‖K(w)‖ of the features of a random network under a trained linear map."""
    drawn = fully_connected((2, size, size), activation).sample(rng)
    features = drawn.output(rng.standard_normal((4, 2)))
    model = Architecture((dense(size, 1),))
    first, second = model.sample(rng), model.sample(rng)
    return relative_gap(second.tangent_kernel(features), first.tangent_kernel(features))


@claim(
    "liu.prop2.2.converse",
    states=Bound(1e-6, ">=", within=1e-12),
    over=(ACTIVATION,),
    points=({"activation": "tanh"}, {"activation": "gelu"}),
    plan=WIDTHS.but(sizes=(1, 3, 9), cost=1.6e-3),
)
def change_of_a_nonlinear_kernel(size: int, rng: Generator, activation: str) -> float:
    """(max - min)/max of K(x, x) over random parameters."""
    architecture = fully_connected((2, size, 1), activation, parametrisation="ntk")
    x = rng.standard_normal((1, 2))
    values = [float(architecture.sample(rng).tangent_kernel(x)[0, 0]) for _ in range(16)]
    return (max(values) - min(values)) / max(values)


def _affine(size: int, rng: Generator) -> tuple[Array, Array, float]:
    """Gradient of a linear f, a step v - w₀ in its level set, and a time t."""
    gradient = rng.standard_normal(size) * np.exp(rng.standard_normal())
    step = rng.standard_normal(size)
    step -= gradient * (gradient @ step) / (gradient @ gradient)
    return gradient, step, float(3 * rng.standard_normal())


@claim(
    "liu.prop2.2.display",
    states=Bound(0.0),
    plan=Plan(sizes=(2, 5), size_name="number of parameters", cost=3e-5),
)
def display_excess(size: int, rng: Generator, form: str) -> float:
    """(left - right)/(left + right)."""
    gradient, step, t = _affine(size, rng)
    c = float(np.linalg.norm(gradient))
    length, inner = float(step @ step), float(step @ gradient)
    if form == "printed":
        left, right = c**4 * t**2, length + t**2 + 2 * t * inner
    else:
        left, right = c**2 * t**2, length + c**2 * t**2 - 2 * t * inner
    return (left - right) / (left + abs(right))


@claim("liu.sec1.linear", states=Identity(within=1e-12), plan=WIDTHS.but(sizes=(3, 12), cost=3e-4))
def homogeneity_error(size: int, rng: Generator, form: str) -> float:
    """Relative error of f(2w) = 2f(w), or of f(2w) - f(w) = f(w) - f(0), with an offset that is not trained."""
    model = Architecture((dense(size, 1),)).sample(rng)
    features, offset = rng.standard_normal((1, size)), float(rng.standard_normal())
    once, twice, never = (
        float(model.with_parameters(k * model.parameters).output(features)[0, 0]) + offset for k in (1, 2, 0)
    )
    error = twice - 2 * once if form == "printed" else (twice - once) - (once - never)
    return abs(error) / (abs(twice) + abs(once) + abs(offset))


# ---- Proposition 2.3 ----

SCALE = Parameter("radius", "distance of w from w₀", default=1.0, open_below=True, draw_range=(0.1, 3.0))


def _line(size: int, rng: Generator, activation: str, radius: float) -> tuple[Network, Array, Array]:
    """A random network, a step of length ``radius`` and two inputs."""
    widths = (2, *[size] * int(rng.integers(1, 3)), 1)
    skips = bool(rng.integers(2))
    network = fully_connected(widths, activation, parametrisation="ntk", skips=skips).sample(rng)
    step = rng.standard_normal(network.parameters.size)
    return network, step * (radius / np.linalg.norm(step)), rng.standard_normal((2, 2))


def _along(network: Network, step: Array) -> list[Network]:
    return [network.with_parameters(network.parameters + s * step) for s in _PLACES]


@claim(
    "liu.prop2.3",
    states=Bound(1.0),
    over=(ACTIVATION, SCALE),
    points=({"activation": "tanh", "radius": 1.0}, {"activation": "sin", "radius": 3.0}),
    plan=WIDTHS.but(sizes=(2, 4), cost=lambda size: 7e-3 + 5e-4 * size),
)
def kernel_quotient(size: int, rng: Generator, activation: str, radius: float) -> float:
    """|ΔK| over the bound."""
    network, step, x = _line(size, rng, activation, radius)
    moved = network.with_parameters(network.parameters + step)
    one, other = x[:1], x[1:]
    change = float(moved.tangent_kernel(one, other)[0, 0] - network.tangent_kernel(one, other)[0, 0])
    mean = [
        float(_MASSES @ [np.linalg.norm(each.hessian(point), 2) for each in _along(network, step)])
        for point in (one, other)
    ]
    bound = radius * (
        mean[0] * np.linalg.norm(moved.gradient(other)) + mean[1] * np.linalg.norm(network.gradient(one))
    )
    return abs(change) / float(bound)


def _lengths(network: Network, x: Array, step: Array) -> tuple[float, Array]:
    """‖Δ∇f‖ between the ends of a segment, and ‖H(ξ)δ‖ along it."""
    moved = network.with_parameters(network.parameters + step)
    change = float(np.linalg.norm(moved.gradient(x) - network.gradient(x)))
    lengths = [np.linalg.norm(each.hessian_product(x, None, step)) for each in _along(network, step)]
    return change, np.array(lengths)


def arc_quotient(size: int, rng: Generator, radius: float) -> float:
    """‖Δ∇f‖ over ∫‖H(s)δ‖ds of a random network."""
    network, step, x = _line(size, rng, SMOOTH[int(rng.integers(len(SMOOTH)))], radius)
    change, lengths = _lengths(network, x[:1], step)
    return change / float(_MASSES @ lengths)


@claim(
    "liu.eq57",
    corrected=Corrected(measured=arc_quotient, states=Bound(1.0)),
    states=Bound(1.0, ">="),
    over=(SCALE,),
    points=({"radius": 1.0}, {"radius": 3.0}),
    plan=Plan(sizes=(2, 3), size_name="neurons (more of them stand still)", cost=2e-3),
)
def chord_quotient(size: int, rng: Generator, radius: float) -> float:
    """‖Δ∇f‖ over the smallest ‖H(ξ)δ‖ along the segment."""
    layers = (dense(1, size, "sin", bias=True), dense(size, 1))
    network = Architecture(layers).sample(rng)
    hidden = np.zeros(3 * size)
    hidden[:2] = rng.standard_normal()
    hidden[size : size + 2] = 0.0, np.pi / 2
    step = np.zeros(3 * size)
    step[:2] = radius
    change, lengths = _lengths(network.with_parameters(hidden), np.array([[1.0]]), step)
    return change / float(min(lengths))
