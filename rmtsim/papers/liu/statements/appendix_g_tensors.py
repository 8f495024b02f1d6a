"""Appendix G: the order 3 tensors of convolutional and residual layers; weights of residual networks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Erratum, Identity, Rate, Simulated, claim
from rmtsim.networks import activation as engine_activation
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks
from rmtsim.papers.liu.statements.appendix_f import PRODUCT, PRODUCT_CREDIT
from rmtsim.papers.liu.statements.appendix_g import DenseConvolution
from rmtsim.papers.liu.simulation.high_precision import along, sigma
from rmtsim.papers.liu.simulation.layer_norms import batch_tensor_norms
from rmtsim.papers.liu.statements.parameters import ACTIVATION, WITH_CONSTANTS, WIDTHS
from rmtsim.papers.liu.statements.wide_networks import (
    ORDER_PLAN,
    ORDER_WITHIN,
    hessian_cost,
    of_many,
    on_the_sphere,
    wide,
)
from rmtsim.papers.liu.theory import curvature_bound

Array = NDArray[np.float64]
_KINDS = (ACTIVATION,)
_TANH = ({"activation": "tanh"},)
TENSOR_BOUND_PLAN = WIDTHS.but(sizes=(2, 4), cost=1.5e-3)


@claim(
    "liu.sec-g1.inputs",
    at="appendix G.1, the bound of ‖∂²φ/∂α²‖_{2,2,1}",
    printed="‖∂²φ/∂α²‖_{2,2,1} ≤ (β/m)(Σ_k ‖W^[k]‖)² for a convolutional layer; tested: quotient ≤ 1, the norm "
    "exact.",
    states=Bound(1.0),
    over=_KINDS,
    points=({"activation": "tanh"}, {"activation": "sigmoid"}),
    plan=TENSOR_BOUND_PLAN,
    evidence=WITH_CONSTANTS,
)
def image_tensor(size: int, rng: Generator, activation: str) -> float:
    """‖|S''|^½ 𝒲‖²/m, 𝒲 the convolution as a matrix, over the bound."""
    layer = DenseConvolution(size, rng, activation)
    norm = np.linalg.norm(np.sqrt(np.abs(layer.curvature))[:, None] * layer.in_image, 2) ** 2
    return float(norm / (curvature_bound(activation) * layer.filter_norms**2))


@claim(
    "liu.sec-g1.weights",
    at="appendix G.1, the bound of ‖∂²φ/∂w²‖_{2,2,1}",
    printed="‖∂²φ/∂w²‖_{2,2,1} ≤ (β/m)(Σ_k ‖α^[k]‖_F)² for a convolutional layer; tested: quotient ≤ 1, the norm "
    "exact.",
    states=Bound(1.0),
    over=_KINDS,
    points=({"activation": "tanh"}, {"activation": "sigmoid"}),
    plan=TENSOR_BOUND_PLAN,
    evidence=WITH_CONSTANTS,
)
def filter_tensor(size: int, rng: Generator, activation: str) -> float:
    """‖|S''|^½ 𝒜‖²/m, 𝒜 the map from filters to pixels, over the bound."""
    layer = DenseConvolution(size, rng, activation)
    norm = np.linalg.norm(np.sqrt(np.abs(layer.curvature))[:, None] * layer.in_weights, 2) ** 2
    return float(norm / (curvature_bound(activation) * layer.image_norms**2))


_FILTER, _PIXELS = 3, 4


def convolved(weights: Any, image: Any) -> Any:
    """Eq. (91), K = 3, zeros beyond the ends, on arrays of any numbers: (K, m, m) and (m, Q)."""
    total = 0 * image
    for k in range(_FILTER):
        for q in range(_PIXELS):
            if 0 <= q + k - 1 < _PIXELS:
                total[:, q] = total[:, q] + weights[k].dot(image[:, q + k - 1])
    return total


def mixed_tensor_error(
    size: int, rng: Generator, activation: str, *, corrected: bool = False
) -> float:
    """Relative error of the stated tensor along random directions of filters and image."""
    weights, filters = rng.standard_normal((2, _FILTER, size, size))
    image, pixels = rng.standard_normal((2, size, _PIXELS))
    bend, function, root = sigma(activation), engine_activation(activation), np.sqrt(size)

    def layer(w: Any, a: Any) -> Sequence[Any]:
        import mpmath

        return [bend(z / mpmath.sqrt(size)) for z in convolved(w, a).ravel()]

    still = (0 * weights, 0 * image)
    truth = along(layer, weights, image, (filters, still[1]), (still[0], pixels))
    before = convolved(weights, image) / root
    stated = function.derivative(before, 2) * convolved(filters, image) * convolved(weights, pixels) / size
    if corrected:
        stated = stated + function.derivative(before, 1) * convolved(filters, pixels) / root
    return float(np.abs(stated.ravel() - truth).max() / np.abs(truth).max())


claim(
    "liu.sec-g1.mixed",
    mixed_tensor_error,
    at="appendix G.1, the expression of ∂²φ/∂α∂w",
    printed="∂²φ_{iq}/∂α∂w is (1/m) σ''(α̃_{iq}) (Σ_k V₁^[k]α^[k])_{iq} (Σ_k W^[k]V₂^[k])_{iq} along V₁ (filters) "
    "and V₂ (image); tested against differences in 40 digits: relative error.",
    corrected=Corrected(
        "The same plus m^{-1/2} σ'(α̃_{iq}) (Σ_k V₁^[k]V₂^[k])_{iq}.",
        measured=partial(mixed_tensor_error, corrected=True),
    ),
    states=Identity(within=1e-10),
    over=_KINDS,
    points=_TANH,
    plan=WIDTHS.but(sizes=(2, 3), cost=lambda size: 1e-3 + 1.2e-3 * size**2),
    erratum=Erratum(
        cause=PRODUCT,
        note="∂φ/∂w has the factor α^[k], whose own derivative gives m^{-1/2} σ'(α̃_{iq}) (Σ_k V₁^[k]V₂^[k])_{iq}: "
        "the term that eq. (74) lacks for a fully connected layer.",
        credit=PRODUCT_CREDIT,
    ),
)


# ---- Residual networks ----


@claim(
    "liu.lemmaG.4",
    at="Lemma G.4, eq. (98)",
    standing="lemma",
    printed="‖W_l‖ = O(√m) for all l of a residual network in the ball; tested at distance 1 from W₀, the largest "
    "over l, three layers.",
    states=Rate(-0.5, "O", within=ORDER_WITHIN),
    over=_KINDS,
    points=_TANH,
    plan=ORDER_PLAN.but(sizes=(8, 16, 32, 64), cost=lambda size: 8e-4 + 4e-7 * size**2),
)
def residual_weights(size: int, rng: Generator, activation: str) -> float:
    """max_l ‖W_l‖."""
    network = on_the_sphere(wide(size, rng, activation, 3, skips=True), rng, 1.0)
    return float(max(np.linalg.norm(weight, 2) for weight in network.weights))


@claim(
    "liu.eq102",
    at="eq. (102)",
    standing="lemma",
    printed="The tensors ∂²φ_l/∂α², ∂²φ_l/∂α∂W and ∂²φ_l/∂W² of a residual network are O(1) in the (2,2,1)-norm; "
    "tested: the largest over the layers has an exponent ≥ 0 at distance 1 from W₀, three layers, norms exact.",
    states=Rate(0.0, "O", within=ORDER_WITHIN),
    over=_KINDS,
    points=_TANH,
    plan=ORDER_PLAN.but(cost=lambda size: 2 * hessian_cost(size, 3)),
)
def residual_tensors(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """The largest of the three norms over the layers."""

    def largest(batch: WideNetworks) -> Array:
        tensors = batch_tensor_norms(batch.on_the_sphere(rng, 1.0), rng)
        return np.asarray(np.max([norm for layer in tensors for norm in layer], axis=0))

    return of_many([size] * 3, rng, replicates, activation, largest, skips=True)
