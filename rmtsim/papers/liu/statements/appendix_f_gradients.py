"""Appendix F, Lemmas F.4-F.6 and eqs. (82)-(87): gradients at the activations, at W₀ and in the ball around it."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Erratum, Place, Probability, Rate, Simulated, claim
from rmtsim.networks import Network
from rmtsim.papers.liu import theory
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
from rmtsim.papers.liu.simulation.layer_norms import batch_q_infinity, layer_norms
from rmtsim.papers.liu.statements.parameters import ACTIVATION, WITH_CONSTANTS, RADIUS, WIDTHS
from rmtsim.papers.liu.statements.wide_networks import (
    INPUT,
    ORDER_PLAN,
    ORDER_WITHIN,
    drawing_cost,
    of_many,
    wide,
)

Array = NDArray[np.float64]


@claim(
    "liu.lemmaF.5",
    at="Lemma F.5, eq. (80)",
    standing="lemma",
    printed="‖b_l‖ ≤ L^{L-l} (c₀ + R/√m)^{L-l+1} in the ball, b_l = ∂f/∂α_l; tested: quotient ≤ 1.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def gradient_quotient(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest ‖b_l‖ over its bound."""
    draw = Draw(size, rng, activation, length, radius)
    bounds = [draw.lipschitz ** (DEPTH - k) * draw.growth ** (DEPTH - k + 1) for k in range(1, DEPTH + 1)]
    layers = layer_norms(draw.point, draw.x)
    return float(max(layer.gradient / bound for layer, bound in zip(layers, bounds, strict=True)))


@claim(
    "liu.lemmaF.4",
    at="Lemma F.4, with the ln m + |σ(0)| of its proof",
    standing="lemma",
    printed="|α_i| ≤ ln m + |σ(0)| with probability at least 1 - 2e^{-c ln² m}, any layer, at W₀; tested: the "
    "probability tends to 1.",
    states=Probability(1.0, within=0.03),
    over=(ACTIVATION,),
    points=({"activation": "gelu"},),
    plan=WIDTHS.but(
        sizes=(16, 32, 64),
        exponents=(1.0,),
        because="the probability of the complement falls faster than every power of 1/m",
        cost=lambda size: 4e-4 + 2e-7 * size**2,
    ),
    evidence=WITH_CONSTANTS,
)
def activation_event(size: int, rng: Generator, activation: str) -> float:
    """Whether one neuron, of a random layer, keeps within the bound."""
    passed = wide(size, rng, activation, DEPTH).forward(INPUT)
    layer = int(rng.integers(DEPTH))
    value = float(theory.derivative(activation, passed.before[layer][0, 0]))
    return float(abs(value) <= np.log(size) + abs(float(theory.derivative(activation, 0.0))))


@claim(
    "liu.lemmaF.6",
    at="Lemma F.6",
    standing="lemma",
    printed="‖b_l‖_∞ = Õ(1/√m) at W₀; tested: the largest over the layers, over ln m, is O(m^-1/2).",
    states=Rate(0.5, "O", within=ORDER_WITHIN),
    over=(ACTIVATION,),
    points=({"activation": "tanh"},),
    plan=ORDER_PLAN.but(cost=lambda size: drawing_cost(size, DEPTH)),
)
def largest_entry(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """max_l ‖b_l‖_∞/ln m."""
    values = of_many([size] * DEPTH, rng, replicates, activation, batch_q_infinity)
    return values / math.log(size)


def sign_excess(size: int, rng: Generator, activation: str, *, corrected: bool = False) -> float:
    """(left - right)/(L_σ‖b‖), or of the variances."""
    column, z, b = rng.standard_normal((3, size))
    slopes = theory.derivative(activation, z, 1)
    limit = theory.lipschitz_constant(activation)
    if corrected:
        return float(((slopes * b) ** 2).sum() / (limit * np.linalg.norm(b)) ** 2 - 1)
    return float((abs(column @ (slopes * b)) - limit * abs(column @ b)) / (limit * np.linalg.norm(b)))


claim(
    "liu.lemmaF.6.step",
    sign_excess,
    at=Place(
        "appendix I.7, the bound of the first term by a Gaussian variable",
        qualifier="we use a Gaussian random variable to bound it",
    ),
    printed="Read draw by draw: |Σ_k W_ki σ'(z_k) b_k| ≤ L_σ|Σ_k W_ki b_k|, z_k without its i-th summand; tested: "
    "the excess of the left over the right, over L_σ‖b‖, is ≤ 0.",
    corrected=Corrected(
        "Given the other weights, Σ_k W_ki σ'(z_k) b_k is Gaussian of variance Σ σ'(z_k)² b_k² ≤ L_σ²‖b‖²; tested: "
        "the excess of the variance over the bound, relative to it, is ≤ 0.",
        measured=partial(sign_excess, corrected=True),
    ),
    states=Bound(0.0),
    over=(ACTIVATION,),
    points=({"activation": "tanh"},),
    plan=WIDTHS.but(sizes=(4, 16), cost=5e-5),
    evidence=WITH_CONSTANTS,
    erratum=Erratum(
        cause="a factor is pulled out of a sum of terms of both signs",
        note="|Σ c_k y_k| ≤ max|c_k| |Σ y_k| fails when the y_k change sign. Given the other weights the sum is "
        "Gaussian with a variance of at most L_σ²‖b‖², which is all that the tail bound after it needs.",
        credit="Read in law, as a bound of the tail, which is all that the next line uses, it is "
        "right; Lemma F.6 stands.",
    ),
)


# ---- F.4: how far b moves in the ball ----


@claim(
    "liu.eq82",
    at="eq. (82)",
    standing="lemma",
    printed="‖b_l(W) - b_l(W₀)‖ = Õ(1/√m) for all l; tested: the largest over the layers, over ln m, is O(m^-1/2) "
    "at distance R along the gradient of f.",
    states=Rate(0.5, "O", within=ORDER_WITHIN),
    over=(ACTIVATION, RADIUS),
    points=({"activation": "tanh", "radius": 1.0},),
    plan=ORDER_PLAN.but(cost=lambda size: 2 * drawing_cost(size, DEPTH)),
)
def gradient_shift(
    size: int, rng: Generator, replicates: int, activation: str, radius: float
) -> Array:
    """max_l ‖Δb_l‖/ln m."""

    def largest(batch: WideNetworks) -> Array:
        moved = batch.moved(batch.gradients(), radius)
        pairs = zip(batch.activation_gradients, moved.activation_gradients, strict=True)
        return np.asarray(np.max([np.linalg.norm(b - a, axis=1) for a, b in pairs], axis=0))

    return of_many([size] * DEPTH, rng, replicates, activation, largest) / math.log(size)


def _before(network: Network, x: Array) -> list[Array]:
    return [z[0] for z in network.forward(x).before[:-1]]


def first_shift(
    size: int, rng: Generator, length: float, radius: float, *, corrected: bool = False
) -> float:
    """‖Δα̃₁‖ over the bound, d = 3."""
    start = wide(size, rng, 0, 2)
    x = length * rng.choice((-1.0, 1.0), (1, 3))
    step = np.outer(rng.standard_normal(size), x[0])
    parameters = np.array(start.parameters)
    parameters[: 3 * size] += (radius * step / np.linalg.norm(step)).ravel()
    change = np.linalg.norm(_before(start.with_parameters(parameters), x)[0] - _before(start, x)[0])
    return float(change / (radius * length / (1.0 if corrected else np.sqrt(3))))


claim(
    "liu.eq85",
    first_shift,
    at="before eq. (85), the first layer",
    printed="‖α̃₁(W) - α̃₁(W₀)‖ ≤ (R/√d) C_x; tested with all of the step R in W₁ along x: quotient ≤ 1.",
    corrected=Corrected("‖α̃₁(W) - α̃₁(W₀)‖ ≤ R C_x.", measured=partial(first_shift, corrected=True)),
    states=Bound(1.0),
    over=(LENGTH, RADIUS),
    points=({"length": 1.0, "radius": 1.0},),
    plan=WIDTHS.but(sizes=(4, 8), cost=4e-4),
    erratum=Erratum(
        cause="‖x‖ ≤ √d C_x loses its √d",
        note="‖(W - W₀)x‖/√d ≤ R‖x‖/√d ≤ R C_x.",
        credit="Eq. (67) has ‖x‖ ≤ √d C_x; d is fixed, so (85) is O(1) all the same.",
    ),
)


@claim(
    "liu.eq86",
    at="eq. (86)",
    printed="‖(Σ'_l - Σ'_{0,l}) b_{0,l}‖ ≤ ‖b_{0,l}‖_∞ β ‖α̃_l(W) - α̃_l(W₀)‖; tested: quotient ≤ 1 for all layers.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def slope_shift(size: int, rng: Generator, activation: str, length: float, radius: float) -> float:
    """Largest quotient over the layers."""
    draw = Draw(size, rng, activation, length, radius)
    gradients = draw.start.activation_gradients(draw.x)
    found = []
    for k, (a, b) in enumerate(zip(_before(draw.start, draw.x), _before(draw.point, draw.x), strict=True)):
        sigma = draw.start.architecture.layers[k].activation
        left = np.linalg.norm((sigma.derivative(b, 1) - sigma.derivative(a, 1)) * gradients[k][0, 0])
        right = np.abs(gradients[k]).max() * draw.curvature * np.linalg.norm(b - a)
        found.append(left / right if right else 0.0)
    return float(max(found))


@claim(
    "liu.eq87",
    at="eq. (87), with the constants before its last equality",
    printed="‖Δb_{l-1}‖ ≤ m^{-1/2} R L^{L-l+1}(c₀ + R/√m)^{L-l+1} + c₀‖ΔΣ' b_{0,l}‖ + c₀L‖Δb_l‖; tested: "
    "quotient ≤ 1 for all layers.",
    states=Bound(1.0, within=BOUNDED_WITHIN),
    over=BOUNDED_OVER,
    points=BOUNDED_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def induction_step(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest quotient over the layers."""
    draw = Draw(size, rng, activation, length, radius)
    old, new = (each.activation_gradients(draw.x) for each in (draw.start, draw.point))
    before, after = _before(draw.start, draw.x), _before(draw.point, draw.x)
    found = []
    for k in range(2, DEPTH + 1):
        sigma = draw.start.architecture.layers[k - 1].activation
        change = sigma.derivative(after[k - 1], 1) - sigma.derivative(before[k - 1], 1)
        power = DEPTH - k + 1
        right = (
            radius * (draw.lipschitz * draw.growth) ** power / np.sqrt(size)
            + draw.constant * np.linalg.norm(change * old[k - 1][0, 0])
            + draw.constant * draw.lipschitz * np.linalg.norm(new[k - 1] - old[k - 1])
        )
        found.append(np.linalg.norm(new[k - 2] - old[k - 2]) / right if right else 0.0)
    return float(max(found))
