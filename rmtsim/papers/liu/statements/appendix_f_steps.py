"""Appendix F, the displays between its lemmas: (67), F.2, (72), (79), (81), (83), (84), (85), (88)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Bound, Identity, Rate, Simulated, claim
from rmtsim.networks import Network
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks
from rmtsim.papers.liu.statements.appendix_f import (
    BOUNDED_OVER,
    BOUNDED_PLAN,
    BOUNDED_POINTS,
    BOUNDED_THEORY,
    BOUNDED_WITHIN,
    DEPTH,
    LENGTH,
    Draw,
)
from rmtsim.papers.liu.simulation.layer_norms import layer_norms
from rmtsim.papers.liu.statements.parameters import ACTIVATION, RADIUS, WIDTHS
from rmtsim.papers.liu.statements.wide_networks import (
    INPUT,
    ORDER_PLAN,
    ORDER_WITHIN,
    drawing_cost,
    of_many,
    wide,
)

Array = NDArray[np.float64]


class Uneven(Draw):
    """A draw whose step of length R is spread unevenly over the layers, so that single ones often take nearly all."""

    def __init__(self, size: int, rng: Generator, activation: str, length: float, radius: float):
        super().__init__(size, rng, activation, length, radius)
        step = np.concatenate(
            [
                np.exp(3 * rng.standard_normal()) * rng.standard_normal(weight.size)
                for weight in self.start.weights
            ]
        )
        self.point = self.start.with_parameters(self.start.parameters + radius * step / np.linalg.norm(step))

    def both(self) -> tuple[list[Array], list[Array], list[Array], list[Array]]:
        """(b at W₀, b at W, pre-activations at W₀, at W), one array a hidden layer."""
        gradients = [
            [each[0, 0] for each in network.activation_gradients(self.x)[:DEPTH]]
            for network in (self.start, self.point)
        ]
        before = [
            [z[0] for z in network.forward(self.x).before[:DEPTH]] for network in (self.start, self.point)
        ]
        return gradients[0], gradients[1], before[0], before[1]

    def slopes(self, network: Network, before: Array, index: int) -> Array:
        """σ'(α̃_l), the diagonal of Σ'_l."""
        return network.architecture.layers[index].activation.derivative(before, 1)


@claim(
    "liu.eq67",
    at="eq. (67)",
    printed="‖x‖ ≤ √d C_x where |x_i| ≤ C_x; tested on uniform x: quotient ≤ 1.",
    states=Bound(1.0),
    over=(LENGTH,),
    points=({"length": 1.0},),
    plan=WIDTHS.but(sizes=(1, 3, 30), size_name="d", cost=2e-5),
)
def input_quotient(size: int, rng: Generator, length: float) -> float:
    """‖x‖ over the bound."""
    return float(np.linalg.norm(rng.uniform(-length, length, size)) / (np.sqrt(size) * length))


@claim(
    "liu.sec-f2.slope",
    at="appendix F.2, the bound of ‖∂α_l/∂α_{l-1}‖",
    printed="‖∂α_l/∂α_{l-1}‖ ≤ L_σ (c₀ + R/√m) for l ≥ 2; tested: quotient ≤ 1.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def slope_quotient(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest slope over the bound."""
    draw = Uneven(size, rng, activation, length, radius)
    largest = max(layer.slope for layer in layer_norms(draw.point, draw.x)[1:])
    return float(largest / (draw.lipschitz * draw.growth))


@claim(
    "liu.eq72",
    at="display after eq. (72), the first layer",
    printed="‖∂α₁/∂W₁‖ ≤ L_σ C_x; tested: quotient ≤ 1.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def first_layer_quotient(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """The norm over the bound."""
    draw = Uneven(size, rng, activation, length, radius)
    return layer_norms(draw.point, draw.x)[0].in_weights / (draw.lipschitz * length)


@claim(
    "liu.eq79",
    at="eqs. (79) and (116)",
    printed="∂f/∂α_l = ∏_{l'>l} (m^{-1/2} W_l'ᵀ Σ'_l') v/√m; tested against the engine: the largest relative error "
    "over the layers.",
    states=Identity(within=1e-12),
    over=(ACTIVATION,),
    points=({"activation": "tanh"},),
    plan=WIDTHS.but(sizes=(3, 9), cost=6e-4),
)
def product_error(size: int, rng: Generator, activation: str) -> float:
    """Error of eq. (79)."""
    network = wide(size, rng, activation, DEPTH)
    passed, gradients = network.forward(INPUT), network.activation_gradients(INPUT)
    stated, worst = network.weights[-1][0] / np.sqrt(size), 0.0
    for index in reversed(range(DEPTH)):
        truth = gradients[index][0, 0]
        worst = max(worst, float(np.abs(stated - truth).max() / np.abs(truth).max()))
        slopes = network.architecture.layers[index].activation.derivative(passed.before[index][0], 1)
        stated = network.weights[index].T @ (slopes * stated) / np.sqrt(size)
    return worst


@claim(
    "liu.eq81",
    at="Lemma F.5, eq. (81)",
    standing="lemma",
    printed="‖b_l‖ ≤ L^{L-l} c₀^{L-l+1} at W₀; tested: quotient ≤ 1.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def starting_gradient(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest ‖b_l‖ at W₀ over its bound."""
    draw = Draw(size, rng, activation, length, radius)
    layers = layer_norms(draw.start, draw.x)
    return float(
        max(
            layer.gradient / (draw.lipschitz ** (DEPTH - k) * draw.constant ** (DEPTH - k + 1))
            for k, layer in enumerate(layers, start=1)
        )
    )


@claim(
    "liu.eq83",
    at="eq. (83)",
    printed="‖b_L - b_{0,L}‖ ≤ R/√m; tested with steps spread unevenly over the layers: quotient ≤ 1.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def last_shift(size: int, rng: Generator, activation: str, length: float, radius: float) -> float:
    """The change of b_L over the bound."""
    old, new, _, _ = Uneven(size, rng, activation, length, radius).both()
    return float(np.linalg.norm(new[-1] - old[-1]) * np.sqrt(size) / radius) if radius else 0.0


@claim(
    "liu.eq84",
    at="eq. (84)",
    printed="√m(b_{l-1} - b_{0,l-1}) = (W_l - W_{0,l})ᵀΣ'_l b_l + W_{0,l}ᵀ(Σ'_l - Σ'_{0,l})b_{0,l} + W_{0,l}ᵀΣ'_l"
    "(b_l - b_{0,l}), and ‖·‖ is at most the sum of the products of the norms; tested: the largest quotient plus the "
    "relative error of the equation is ≤ 1.",
    states=Bound(1.0, within=1e-8),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def decomposition(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest quotient over the layers, with the error of the equation added."""
    draw = Uneven(size, rng, activation, length, radius)
    old, new, before, after = draw.both()
    found = []
    for k in range(1, DEPTH):
        slopes, start = (draw.slopes(draw.start, z[k], k) for z in (after, before))
        first, last = draw.start.weights[k], draw.point.weights[k]
        terms = (
            (last - first).T @ (slopes * new[k]),
            first.T @ ((slopes - start) * old[k]),
            first.T @ (slopes * (new[k] - old[k])),
        )
        left = np.sqrt(size) * (new[k - 1] - old[k - 1])
        norm, top = partial(np.linalg.norm, ord=2), np.abs(slopes).max()
        right = (
            norm(last - first) * top * np.linalg.norm(new[k])
            + norm(first) * np.linalg.norm((slopes - start) * old[k])
            + norm(first) * top * np.linalg.norm(new[k] - old[k])
        )
        if right:
            found.append((np.linalg.norm(left) + np.linalg.norm(sum(terms) - left)) / right)
    return float(max(found, default=0.0))


@claim(
    "liu.sec-f4.preactivations",
    at="appendix F.4, the inequality before eq. (85)",
    printed="‖Δα̃_l‖ ≤ c₀L_σ‖Δα̃_{l-1}‖ + m^{-1/2}‖W_l - W_{0,l}‖‖α_{l-1}(W)‖, Δ the change from W₀ to W; tested: "
    "quotient ≤ 1 for all layers.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def preactivation_step(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest quotient over the layers."""
    draw = Uneven(size, rng, activation, length, radius)
    _, _, before, after = draw.both()
    layers = layer_norms(draw.point, draw.x)
    found = []
    for k in range(1, DEPTH):
        moved = np.linalg.norm(draw.point.weights[k] - draw.start.weights[k], 2)
        right = draw.constant * draw.lipschitz * np.linalg.norm(
            after[k - 1] - before[k - 1]
        ) + moved * layers[k - 1].activation / np.sqrt(size)
        if right:
            found.append(np.linalg.norm(after[k] - before[k]) / right)
    return float(max(found, default=0.0))


@claim(
    "liu.eq85.order",
    at="eq. (85)",
    standing="lemma",
    printed="‖α̃_l(W) - α̃_l(W₀)‖ = O(1) for all l; tested: the largest over the layers has an exponent ≥ 0 at "
    "distance R along the gradient of f.",
    states=Rate(0.0, "O", within=ORDER_WITHIN),
    over=(ACTIVATION, RADIUS),
    points=({"activation": "tanh", "radius": 1.0},),
    plan=ORDER_PLAN.but(cost=lambda size: 2 * drawing_cost(size, DEPTH)),
)
def preactivation_shift(
    size: int, rng: Generator, replicates: int, activation: str, radius: float
) -> Array:
    """max_l ‖Δα̃_l‖."""

    def largest(batch: WideNetworks) -> Array:
        moved = batch.moved(batch.gradients(), radius)
        pairs = zip(batch.before[:-1], moved.before[:-1], strict=True)
        return np.asarray(np.max([np.linalg.norm(b - a, axis=1) for a, b in pairs], axis=0))

    return of_many([size] * DEPTH, rng, replicates, activation, largest)


@claim(
    "liu.eq88",
    at="eq. (88)",
    printed="‖b_l‖_∞ ≤ ‖b_{0,l}‖_∞ + ‖b_l - b_{0,l}‖ in the ball; tested: quotient ≤ 1 for all layers.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def infinity_step(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest quotient over the layers."""
    old, new, _, _ = Uneven(size, rng, activation, length, radius).both()
    return float(
        max(
            np.abs(b).max() / (np.abs(a).max() + np.linalg.norm(b - a)) for a, b in zip(old, new, strict=True)
        )
    )
