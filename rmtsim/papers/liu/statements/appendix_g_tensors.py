"""Appendix G: the order 3 tensors of convolutional and residual layers; weights of residual networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Choice, Identity, Option, claim
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu.simulation.architectures import on_the_sphere
from rmtsim.papers.liu.simulation.convolution_layer import FILTER, PIXELS, DenseConvolution, convolved
from rmtsim.papers.liu.simulation.high_precision import along, sigma
from rmtsim.papers.liu.simulation.layer_norms import batch_tensor_norms
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks, of_many
from rmtsim.papers.liu.statements.appendix_g import ROOT, TESTED_WITH_TANH, residual
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, WIDTHS, WITH_CONSTANTS
from rmtsim.papers.liu.statements.wide_networks import BOUNDED, ORDER_PLAN, hessian_cost
from rmtsim.papers.liu.theory import curvature_bound

_ARGUMENTS = {
    "inputs": Option(("in_image", "filter_norms"), "α", words={"norm": "‖W^[k]‖"}),
    "weights": Option(("in_weights", "image_norms"), "w", words={"norm": "‖α^[k]‖_F"}),
}


@claim(
    "liu.sec-g1.{argument}",
    states=Bound(1.0),
    over=(Choice("argument", _ARGUMENTS), ACTIVATION),
    points=({"activation": "tanh"}, {"activation": "sigmoid"}),
    plan=WIDTHS.but(sizes=(2, 4), cost=1.5e-3),
    evidence=WITH_CONSTANTS,
)
def tensor_quotient(size: int, rng: Generator, argument: tuple[str, str], activation: str) -> float:
    """‖|S''|^½ D‖² over β times the squared sum of norms, D the first derivative of the pre-activations."""
    layer = DenseConvolution(size, rng, activation)
    derivative, norms = (getattr(layer, name) for name in argument)
    norm = np.linalg.norm(np.sqrt(np.abs(layer.curvature))[:, None] * derivative, 2) ** 2
    return float(norm / (curvature_bound(activation) * norms**2))


@claim(
    "liu.sec-g1.mixed",
    states=Identity(within=1e-10),
    plan=WIDTHS.but(sizes=(2, 3), cost=lambda size: 1e-3 + 1.2e-3 * size**2),
    over=TESTED_WITH_TANH,
)
def mixed_tensor_error(size: int, rng: Generator, form: str, activation: str) -> float:
    """Relative error of the stated tensor along random directions of filters and image."""
    weights, filters = rng.standard_normal((2, FILTER, size, size))
    image, pixels = rng.standard_normal((2, size, PIXELS))
    bend, function, root = sigma(activation), function_of(activation), np.sqrt(size)

    def layer(w: Any, a: Any) -> Sequence[Any]:
        import mpmath

        return [bend(z / mpmath.sqrt(size)) for z in convolved(w, a).ravel()]

    truth = along(layer, weights, image, (filters, 0 * image), (0 * weights, pixels))
    before = convolved(weights, image) / root
    stated = function.derivative(before, 2) * convolved(filters, image) * convolved(weights, pixels) / size
    if form == "corrected":
        stated = stated + function.derivative(before, 1) * convolved(filters, pixels) / root
    return relative_gap(stated.ravel(), truth)


# ---- Residual networks ----


@claim(
    "liu.lemmaG.4",
    states=ROOT,
    plan=ORDER_PLAN.but(sizes=(8, 16, 32, 64), cost=lambda size: 8e-4 + 4e-7 * size**2),
    over=TESTED_WITH_TANH,
)
def residual_weights(size: int, rng: Generator, activation: str) -> float:
    """max_l ‖W_l‖."""
    network = on_the_sphere(residual(size, rng, activation), rng, 1.0)
    return float(max(np.linalg.norm(weight, 2) for weight in network.weights))


@claim(
    "liu.eq102",
    states=BOUNDED,
    plan=ORDER_PLAN.but(cost=lambda size: 2 * hessian_cost(size, 3)),
    over=TESTED_WITH_TANH,
)
def residual_tensors(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """The largest of the three norms over the layers."""

    def largest(batch: WideNetworks) -> Array:
        tensors = batch_tensor_norms(batch.on_the_sphere(rng, 1.0), rng)
        return np.asarray(np.max([norm for layer in tensors for norm in layer], axis=0))

    return of_many([size] * 3, rng, replicates, activation, largest, skips=True)
