"""Gradients of the logits in the hidden activations, and their centres."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.simulation.halves import Pair

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.relu_network import Response
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance


def roots(confidence: Array) -> Array:
    """Q_x for every row of ``confidence``: inputs × classes × classes."""
    identity = np.eye(confidence.shape[1])
    return np.asarray(np.sqrt(confidence)[:, :, None] * (identity - confidence[:, None, :]))


def gradients(weights: Array, response: Response) -> Array:
    """Q_x W D_x for every input: inputs × classes × units."""
    return np.asarray((roots(response.confidence) @ weights) * response.active[-1][:, None, :])


def draw_gradients(
    size: int, rng: np.random.Generator, alpha: float, classes: int, inputs: int
) -> tuple[Array, NDArray[np.int_], Array]:
    """Gradients of a random network, labels with equally many inputs a class, and M over the same inputs."""
    from rmtsim.papers.wu.simulation.output_hessian import output_hessian
    from rmtsim.papers.wu.simulation.relu_network import draw_response

    later, response = draw_response(size, alpha, classes, inputs - inputs % classes, rng)
    labels = rng.permutation(np.arange(len(response.logits)) % classes)
    return gradients(later[-1], response), labels, output_hessian(later[-1], response)


def plain_centres(instance: TwoLayerInstance) -> Pair:
    """E[Q]ᵀW of both halves."""
    first, second = (roots(half.confidence).mean(axis=0).T @ instance.weights for half in instance.halves)
    return first, second


def gated_centres(instance: TwoLayerInstance) -> Pair:
    """E[Q]WΠ of both halves."""
    first, second = (
        roots(half.confidence).mean(axis=0) @ (instance.weights * half.active[-1].mean(axis=0))
        for half in instance.halves
    )
    return first, second
