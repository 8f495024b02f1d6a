"""Appendix F.1-F.3: weights, activations and their derivatives in the ball, with constants (c₀ = 3, by Lemma F.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.claims import Bound, Grid, Identity, Parameter, Probability, claim
from rmtsim.networks import fully_connected
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import INPUT, on_the_sphere, wide
from rmtsim.papers.liu.simulation.layer_norms import LayerNorms, layer_norms
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, RADIUS, TANH, WIDTHS, WITH_CONSTANTS

LENGTH = Parameter(
    "length", "C_x: the size of the entries of x", default=1.0, open_below=True, draw_range=(0.05, 2.0)
)
LAYERS = 3
"""Hidden layers of the networks here."""
IN_THE_BALL = Grid(
    (ACTIVATION, LENGTH, RADIUS),
    points=(
        {"activation": "tanh", "length": 1.0, "radius": 1.0},
        {"activation": "sigmoid", "length": 0.1, "radius": 1.0},
    ),
    plan=WIDTHS.but(sizes=(4, 8), cost=1.5e-3),
    evidence=WITH_CONSTANTS,
)
"""Parts of the statements that compare a norm with its stated bound at a point of the ball."""


@frozen
class Change:
    """One hidden layer at W₀ and at W: b_l = ∂f/∂α_l, pre-activations α̃_l and the diagonal of Σ'_l."""

    old: Array
    new: Array
    before: Array
    after: Array
    old_slopes: Array
    new_slopes: Array


class Draw:
    """A network at W₀ and at W in the ball, its c₀ (the smallest that Assumption F.1 allows), its input."""

    def __init__(self, size: int, rng: Generator, activation: str, length: float, radius: float):
        self.size, self.radius, self.length = size, radius, length
        self.start = wide(size, rng, activation, LAYERS)
        self.point = on_the_sphere(self.start, rng, radius)
        self.x = length * rng.choice((-1.0, 1.0), INPUT.shape)
        self.constant = max(np.linalg.norm(w, 2) for w in self.start.weights) / np.sqrt(size)
        self.growth = self.constant + radius / np.sqrt(size)
        self.lipschitz = theory.lipschitz_constant(activation)
        self.curvature = theory.curvature_bound(activation)
        self.offset = abs(float(theory.derivative(activation, [0.0])[0]))

    def largest(self, quotient: Callable[[LayerNorms, int], float], first: int = 1) -> float:
        """The largest quotient at W over the hidden layers l = first, …, L."""
        layers = enumerate(layer_norms(self.point, self.x), start=1)
        return float(max(quotient(layer, k) for k, layer in layers if k >= first))

    def changes(self) -> list[Change]:
        """The hidden layers at W₀ and at W."""
        networks = (self.start, self.point)
        gradients = [network.activation_gradients(self.x) for network in networks]
        values = [network.forward(self.x).before for network in networks]
        found = []
        for k, layer in enumerate(self.start.architecture.layers[:LAYERS]):
            before, after = (each[k][0] for each in values)
            old, new = (each[k][0, 0] for each in gradients)
            slopes = (layer.activation.derivative(z, 1) for z in (before, after))
            found.append(Change(old, new, before, after, *slopes))
        return found

    def activation_bound(self, layer: int, form: str = "corrected") -> float:
        """Right side of eq. (66); corrected, σ(0) is in every one of the m entries."""
        product = self.lipschitz * self.growth
        offset = self.offset * (1.0 if form == "printed" else np.sqrt(self.size))
        sums = sum(product**i for i in range(layer))
        return float(product**layer * np.sqrt(self.size) * self.length + offset * sums)


@claim(
    "liu.lemmaF.1",
    states=Probability(1.0, within=0.03),
    plan=WIDTHS.but(sizes=(4, 8, 16), exponents=(1.0,), cost=lambda size: 2e-5 + 3e-7 * size**2),
)
def norm_event(size: int, rng: Generator, replicates: int) -> Array:
    """Whether ‖W₀‖ ≤ 3√m."""
    norms = np.linalg.norm(rng.standard_normal((replicates, size, size)), 2, axis=(1, 2))
    return np.asarray(norms <= 3 * np.sqrt(size), dtype=np.float64)


@claim("liu.lemmaF.2", states=Bound(1.0), over=IN_THE_BALL)
def weight_quotient(size: int, rng: Generator, **point: Any) -> float:
    """Largest ‖W_l‖ over the bound."""
    draw = Draw(size, rng, **point)
    return float(max(np.linalg.norm(w, 2) for w in draw.point.weights) / (draw.growth * np.sqrt(size)))


@claim("liu.lemmaF.3", states=Bound(1.0), over=IN_THE_BALL)
def activation_quotient(size: int, rng: Generator, form: str, **point: Any) -> float:
    """Largest ‖α_l‖ over its bound."""
    draw = Draw(size, rng, **point)
    return draw.largest(lambda layer, k: layer.activation / draw.activation_bound(k, form))


@claim("liu.eq71", states=Bound(1.0), over=IN_THE_BALL)
def weight_derivative(size: int, rng: Generator, form: str, **point: Any) -> float:
    """Largest ‖∂α_l/∂W_l‖ over its bound, l ≥ 2."""
    draw = Draw(size, rng, **point)

    def bound(k: int) -> float:
        if form == "printed":
            return float(draw.lipschitz**k * (draw.constant + draw.radius) ** (k - 1) * draw.length)
        return float(draw.lipschitz * draw.activation_bound(k - 1) / np.sqrt(size))

    return draw.largest(lambda layer, k: layer.in_weights / bound(k), first=2)


@claim("liu.eq76", states=Bound(1.0), over=IN_THE_BALL)
def curvature_in_inputs(size: int, rng: Generator, **point: Any) -> float:
    """Largest norm over the bound."""
    draw = Draw(size, rng, **point)
    norm = draw.largest(lambda layer, k: layer.inputs_inputs, first=2)
    return norm / float(draw.curvature * draw.growth**2)


def _read_bound(draw: Draw, layer: int, form: str) -> float:
    """The bound of ‖α_{l-1}‖²/m that the printed or the corrected form takes."""
    if form == "printed":
        return float((draw.lipschitz * draw.growth) ** (2 * layer - 2) * draw.length**2)
    return float(draw.activation_bound(layer - 1) ** 2 / draw.size)


@claim("liu.eq77", states=Bound(1.0), over=IN_THE_BALL)
def curvature_in_weights(size: int, rng: Generator, form: str, **point: Any) -> float:
    """Largest norm over the bound, l ≥ 2."""
    draw = Draw(size, rng, **point)
    return draw.largest(
        lambda layer, k: layer.weights_weights / (draw.curvature * _read_bound(draw, k, form)), first=2
    )


@claim("liu.eq78", states=Bound(1.0), over=IN_THE_BALL)
def curvature_of_first_layer(size: int, rng: Generator, **point: Any) -> float:
    """The norm over the bound."""
    draw = Draw(size, rng, **point)
    first, *_ = layer_norms(draw.point, draw.x)
    return first.weights_weights / (draw.curvature * draw.length**2)


@claim(
    "liu.eq74",
    states=Identity(within=1e-7),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(sizes=(2, 4), cost=4e-4),
)
def mixed_error(size: int, rng: Generator, form: str, activation: str) -> float:
    """Largest error over the largest entry; the truth by central differences of the network's Jacobian in α."""
    layer = fully_connected((size, size), (), output=activation, parametrisation="ntk").sample(rng)
    weight, alpha, h = layer.weights[0], rng.standard_normal(size), 1e-5
    eye = np.eye(size)
    truth = np.stack(
        [(layer.jacobian([alpha + e])[0] - layer.jacobian([alpha - e])[0]) / (2 * h) for e in h * eye], axis=1
    )
    z = weight @ alpha / np.sqrt(size)
    sigma = layer.architecture.layers[0].activation
    stated = np.einsum("i,ij,l,ik->ijkl", sigma.derivative(z, 2), weight, alpha, eye) / size
    if form == "corrected":
        stated = stated + np.einsum("i,ik,jl->ijkl", sigma.derivative(z, 1), eye, eye) / np.sqrt(size)
    return relative_gap(stated.reshape(size, size, -1), truth)


@claim(
    "liu.sec-f3.mixed",
    states=Bound(1.0),
    over=IN_THE_BALL,
    points=({"activation": "sigmoid", "length": 0.1, "radius": 0.0},),
)
def mixed_quotient(size: int, rng: Generator, form: str, **point: Any) -> float:
    """Largest norm of the whole mixed tensor over the bound, l ≥ 2."""
    draw = Draw(size, rng, **point)
    lost = 0.0 if form == "printed" else draw.lipschitz

    def bound(k: int) -> float:
        return float(lost + draw.curvature / 2 * (draw.growth**2 + _read_bound(draw, k, form)))

    return draw.largest(lambda layer, k: layer.mixed / bound(k), first=2)
