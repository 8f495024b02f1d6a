"""Appendix F.1-F.3: weights, activations and their derivatives in the ball, with constants (c₀ = 3, by Lemma F.1)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Erratum, Identity, Parameter, Probability, Simulated, claim
from rmtsim.networks import fully_connected
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.layer_norms import layer_norms
from rmtsim.papers.liu.statements.parameters import ACTIVATION, WITH_CONSTANTS, RADIUS, WIDTHS
from rmtsim.papers.liu.statements.wide_networks import on_the_sphere, wide

Array = NDArray[np.float64]
LENGTH = Parameter(
    "length", "C_x: the size of the entries of x", default=1.0, open_below=True, draw_range=(0.05, 2.0)
)
DEPTH = 3
"""Hidden layers of the networks here."""
_POINTS = (
    {"activation": "tanh", "length": 1.0, "radius": 1.0},
    {"activation": "sigmoid", "length": 0.1, "radius": 1.0},
)
_ALL = (ACTIVATION, LENGTH, RADIUS)
BOUNDED_PLAN = WIDTHS.but(sizes=(4, 8), cost=1.5e-3)
BOUNDED_THEORY = CONSTANTS
BOUNDED_WITHIN = SLACK
BOUNDED_OVER = _ALL
BOUNDED_POINTS = _POINTS


class Draw:
    """A network at W₀ and at W in the ball, its c₀ (the smallest that Assumption F.1 allows), its input."""

    def __init__(self, size: int, rng: Generator, activation: str, length: float, radius: float):
        self.size, self.radius, self.length = size, radius, length
        self.start = wide(size, rng, activation, DEPTH)
        self.point = on_the_sphere(self.start, rng, radius)
        self.x = length * rng.choice((-1.0, 1.0), (1, 3))
        self.constant = max(np.linalg.norm(w, 2) for w in self.start.weights) / np.sqrt(size)
        self.growth = self.constant + radius / np.sqrt(size)
        self.lipschitz = theory.lipschitz_constant(activation)
        self.curvature = theory.curvature_bound(activation)
        self.offset = abs(float(theory.derivative(activation, [0.0])[0]))

    def activation_bound(self, layer: int, *, corrected: bool) -> float:
        """Right side of eq. (66); corrected, σ(0) stands in every one of the m entries."""
        product = self.lipschitz * self.growth
        offset = self.offset * (np.sqrt(self.size) if corrected else 1.0)
        sums = sum(product**i for i in range(layer))
        return float(product**layer * np.sqrt(self.size) * self.length + offset * sums)


@claim(
    "liu.lemmaF.1",
    at="Lemma F.1, eq. (64)",
    standing="lemma",
    printed="‖W₀‖ ≤ 3√m with probability at least 1 - 2e^{-m/2}, W₀ m × m Gaussian; tested: the probability "
    "tends to 1.",
    states=Probability(1.0, within=0.03),
    plan=WIDTHS.but(
        sizes=(4, 8, 16),
        exponents=(1.0,),
        because="the probability is 1 - e^{-cm}: no power of 1/m at all",
        cost=lambda size: 2e-5 + 3e-7 * size**2,
    ),
)
def norm_event(size: int, rng: Generator, replicates: int) -> Array:
    """Whether ‖W₀‖ ≤ 3√m."""
    norms = np.linalg.norm(rng.standard_normal((replicates, size, size)), 2, axis=(1, 2))
    return np.asarray(norms <= 3 * np.sqrt(size), dtype=np.float64)


@claim(
    "liu.lemmaF.2",
    at="Lemma F.2, eq. (65)",
    standing="lemma",
    printed="‖W_l‖ ≤ c₀√m + R for all l in the ball; tested: quotient ≤ 1.",
    states=Bound(1.0),
    over=_ALL,
    points=_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def weight_quotient(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest ‖W_l‖ over the bound."""
    draw = Draw(size, rng, activation, length, radius)
    return float(max(np.linalg.norm(w, 2) for w in draw.point.weights) / (draw.growth * np.sqrt(size)))


_OFFSET = "σ(0) is counted once, not in each of the m neurons"
_OFFSET_NOTE = (
    "‖σ(z)‖ ≤ L_σ‖z‖ + ‖σ(0)·1‖ = L_σ‖z‖ + √m|σ(0)|: eq. (66) lacks the √m, and (71), (77) and the bound of the "
    "mixed tensor drop σ(0) altogether. Sigmoid, the paper's own example, has σ(0) = 1/2."
)
_OFFSET_CREDIT = "All orders in m stand; for σ(0) = 0 (tanh) the displays hold as printed."


def activation_quotient(
    size: int,
    rng: Generator,
    activation: str,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest ‖α_l‖ over its bound."""
    draw = Draw(size, rng, activation, length, radius)
    return max(
        layer.activation / draw.activation_bound(k, corrected=corrected)
        for k, layer in enumerate(layer_norms(draw.point, draw.x), start=1)
    )


claim(
    "liu.lemmaF.3",
    activation_quotient,
    at="Lemma F.3, eq. (66)",
    standing="lemma",
    printed="‖α_l‖ ≤ L^l (c₀ + R/√m)^l √m C_x + Σ_{i≤l} L^{i-1}(c₀ + R/√m)^{i-1} σ(0) for all hidden layers; "
    "tested: quotient ≤ 1.",
    corrected=Corrected(
        "‖α_l‖ ≤ L^l (c₀ + R/√m)^l √m C_x + √m|σ(0)| Σ_{i≤l} L^{i-1}(c₀ + R/√m)^{i-1}.",
        measured=partial(activation_quotient, corrected=True),
    ),
    states=Bound(1.0),
    over=_ALL,
    points=_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
    erratum=Erratum(cause=_OFFSET, note=_OFFSET_NOTE, credit=_OFFSET_CREDIT),
)


def weight_derivative(
    size: int,
    rng: Generator,
    activation: str,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest ‖∂α_l/∂W_l‖ over its bound, l ≥ 2."""
    draw = Draw(size, rng, activation, length, radius)
    found = []
    for k, layer in enumerate(layer_norms(draw.point, draw.x)[1:], start=2):
        stated = draw.lipschitz**k * (draw.constant + radius) ** (k - 1) * length
        right = draw.lipschitz * draw.activation_bound(k - 1, corrected=True) / np.sqrt(size)
        found.append(layer.in_weights / (right if corrected else stated))
    return float(max(found))


claim(
    "liu.eq71",
    weight_derivative,
    at="eq. (71)",
    printed="‖∂α_l/∂W_l‖ ≤ L^l (c₀ + R)^{l-1} C_x for l ≥ 2; tested: quotient ≤ 1.",
    corrected=Corrected(
        "‖∂α_l/∂W_l‖ ≤ L B_{l-1}/√m, B_l the corrected bound of ‖α_l‖.",
        measured=partial(weight_derivative, corrected=True),
    ),
    states=Bound(1.0),
    over=_ALL,
    points=_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
    erratum=Erratum(cause=_OFFSET, note=_OFFSET_NOTE, credit=_OFFSET_CREDIT),
)


@claim(
    "liu.eq76",
    at="eq. (76)",
    printed="‖∂²α_l/∂α²‖_{2,2,1} ≤ β (c₀ + R/√m)² for l ≥ 2; tested: quotient ≤ 1.",
    states=Bound(1.0),
    over=_ALL,
    points=_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def curvature_in_inputs(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """Largest norm over the bound."""
    draw = Draw(size, rng, activation, length, radius)
    largest = max(layer.inputs_inputs for layer in layer_norms(draw.point, draw.x)[1:])
    return float(largest / (draw.curvature * draw.growth**2))


def curvature_in_weights(
    size: int,
    rng: Generator,
    activation: str,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest norm over the bound, l ≥ 2."""
    draw = Draw(size, rng, activation, length, radius)
    found = []
    for k, layer in enumerate(layer_norms(draw.point, draw.x)[1:], start=2):
        stated = (draw.lipschitz * draw.growth) ** (2 * k - 2) * length**2
        right = draw.activation_bound(k - 1, corrected=True) ** 2 / size
        found.append(layer.weights_weights / (draw.curvature * (right if corrected else stated)))
    return float(max(found))


claim(
    "liu.eq77",
    curvature_in_weights,
    at="eq. (77)",
    printed="‖∂²α_l/∂W_l²‖_{2,2,1} ≤ β L^{2l-2} (c₀ + R/√m)^{2l-2} C_x² for l ≥ 2; tested: quotient ≤ 1.",
    corrected=Corrected(
        "‖∂²α_l/∂W_l²‖_{2,2,1} ≤ β B_{l-1}²/m, B_l the corrected bound of ‖α_l‖.",
        measured=partial(curvature_in_weights, corrected=True),
    ),
    states=Bound(1.0),
    over=_ALL,
    points=_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
    erratum=Erratum(cause=_OFFSET, note=_OFFSET_NOTE, credit=_OFFSET_CREDIT),
)


@claim(
    "liu.eq78",
    at="eq. (78)",
    printed="‖∂²α₁/∂W₁²‖_{2,2,1} ≤ β C_x²; tested: quotient ≤ 1.",
    states=Bound(1.0),
    over=_ALL,
    points=_POINTS,
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
)
def curvature_of_first_layer(
    size: int, rng: Generator, activation: str, length: float, radius: float
) -> float:
    """The norm over the bound."""
    draw = Draw(size, rng, activation, length, radius)
    return layer_norms(draw.point, draw.x)[0].weights_weights / (draw.curvature * length**2)


PRODUCT = "a term of the product rule is lost"
_PRODUCT_NOTE = (
    "∂α_i/∂W_kk' = m^{-1/2} σ'(α̃_i) α_k' 1_{i=k} depends on α_k' itself: its derivative has the second term "
    "m^{-1/2} σ'(α̃_i) 1_{i=k} 1_{j=k'}. A deep linear network has only that term."
)
PRODUCT_CREDIT = (
    "The lost term has (2,2,1)-norm at most L_σ, so the tensor is still O(1) and Lemma 3.1 stands."
)


def mixed_error(size: int, rng: Generator, activation: str, *, corrected: bool = False) -> float:
    """Largest error over the largest entry; the truth by central differences of the engine's Jacobian in α."""
    layer = fully_connected((size, size), (), output=activation, parametrisation="ntk").sample(rng)
    weight, alpha, h = layer.weights[0], rng.standard_normal(size), 1e-5
    steps = h * np.eye(size)
    truth = np.stack(
        [(layer.jacobian([alpha + e])[0] - layer.jacobian([alpha - e])[0]) / (2 * h) for e in steps],
        axis=1,
    )
    z = weight @ alpha / np.sqrt(size)
    sigma = layer.architecture.layers[0].activation
    eye = np.eye(size)
    stated = np.einsum("i,ij,l,ik->ijkl", sigma.derivative(z, 2), weight, alpha, eye) / size
    if corrected:
        stated = stated + np.einsum("i,ik,jl->ijkl", sigma.derivative(z, 1), eye, eye) / np.sqrt(size)
    stated = stated.reshape(size, size, -1)
    return float(np.abs(stated - truth).max() / np.abs(truth).max())


claim(
    "liu.eq74",
    mixed_error,
    at="eq. (74)",
    printed="∂²α_i/∂α_j∂W_kk' = (1/m) σ''(α̃_i) W_ij α_k' 1_{i=k}; tested against differences of the first "
    "derivatives: relative error.",
    corrected=Corrected(
        "∂²α_i/∂α_j∂W_kk' = (1/m) σ''(α̃_i) W_ij α_k' 1_{i=k} + m^{-1/2} σ'(α̃_i) 1_{i=k} 1_{j=k'}.",
        measured=partial(mixed_error, corrected=True),
    ),
    states=Identity(within=1e-7),
    over=(ACTIVATION,),
    points=({"activation": "tanh"},),
    plan=WIDTHS.but(sizes=(2, 4), cost=4e-4),
    erratum=Erratum(cause=PRODUCT, note=_PRODUCT_NOTE, credit=PRODUCT_CREDIT),
)


def mixed_quotient(
    size: int,
    rng: Generator,
    activation: str,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest norm of the whole mixed tensor over the bound, l ≥ 2."""
    draw = Draw(size, rng, activation, length, radius)
    found = []
    for k, layer in enumerate(layer_norms(draw.point, draw.x)[1:], start=2):
        inner = (draw.lipschitz * draw.growth) ** (2 * k - 2) * length**2
        extra = 0.0
        if corrected:
            inner, extra = draw.activation_bound(k - 1, corrected=True) ** 2 / size, draw.lipschitz
        found.append(layer.mixed / (extra + draw.curvature / 2 * (draw.growth**2 + inner)))
    return float(max(found))


claim(
    "liu.sec-f3.mixed",
    mixed_quotient,
    at="appendix F.3, the bound of the mixed tensor",
    printed="‖∂²α_l/∂α∂W‖_{2,2,1} ≤ (β/2)(c₀ + R/√m)² + (β/2) L^{2l-2}(c₀ + R/√m)^{2l-2} C_x² for l ≥ 2; "
    "tested: quotient ≤ 1.",
    corrected=Corrected(
        "‖∂²α_l/∂α∂W‖_{2,2,1} ≤ L + (β/2)(c₀ + R/√m)² + (β/2) B_{l-1}²/m, B_l the corrected bound of ‖α_l‖.",
        measured=partial(mixed_quotient, corrected=True),
    ),
    states=Bound(1.0),
    over=_ALL,
    points=({"activation": "sigmoid", "length": 0.1, "radius": 0.0},),
    plan=BOUNDED_PLAN,
    evidence=WITH_CONSTANTS,
    erratum=Erratum(cause=PRODUCT, note=_PRODUCT_NOTE, credit=PRODUCT_CREDIT),
)
