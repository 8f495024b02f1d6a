"""Layer Hessians of layers that read hidden activations: the last hidden layer, and the output layer.

Both have the form of :class:`~rmtsim.papers.wu.simulation.layer_hessian.LayerHessian`, mean of M_x ⊗ yyᵀ, with
the activations y in place of the inputs: M_x = D WᵀA W D before the last weights W, and M_x = A at the output.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.simulation.layer_hessian import LayerHessian
from rmtsim.papers.wu.simulation.relu_network import InputBatch, Response


def _batch(activations: Array) -> InputBatch:
    return InputBatch(
        activations.shape[1], activations, None, activations.sum(axis=1), slice(0, len(activations))
    )


def hidden_layer_hessian(weights: Array, response: Response) -> LayerHessian:
    """Hessian of the last hidden layer's weights, E[D WᵀA W D ⊗ yyᵀ] with y the activations of the layer before it.

    ``weights`` are the network's last, classes × units; it has at least two hidden layers.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_response
    >>> later, response = draw_response(8, 0.3, 3, 20, np.random.default_rng(0), depth=3)
    >>> hidden_layer_hessian(later[-1], response).top(2).coefficients.shape
    (2, 20, 8)
    """
    if len(response.hidden) < 2:
        raise ValueError("response: of a network with one hidden layer; expected at least two hidden layers")
    weights = validate.matrix("weights", weights, meaning="last weights, classes × units")
    return LayerHessian(weights, replace(response, inputs=_batch(response.hidden[-2])))


def output_layer_hessian(response: Response) -> LayerHessian:
    """Hessian of the last weights, E[A ⊗ yyᵀ] with y the last hidden activations.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_response
    >>> _, response = draw_response(8, 0.3, 3, 20, np.random.default_rng(0))
    >>> output_layer_hessian(response).top(2).coefficients.shape
    (2, 20, 3)
    """
    gates = np.ones_like(response.confidence)
    seen = replace(response, inputs=_batch(response.hidden[-1]), active=(*response.active, gates))
    return LayerHessian(np.eye(response.confidence.shape[1]), seen)


def leading_direction(activations: Array) -> Array:
    """t₁: top eigenvector of the mean of yyᵀ over ``activations`` (rows), with non-negative sum.

    >>> leading_direction(np.array([[3.0, 4.0], [6.0, 8.0]])).round(6)
    array([0.6, 0.8])
    """
    activations = validate.matrix("activations", activations, meaning="activations as rows")
    vector = np.linalg.svd(activations, full_matrices=False)[2][0]
    return np.asarray(vector if vector.sum() >= 0 else -vector)
