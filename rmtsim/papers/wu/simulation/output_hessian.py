"""Output Hessians of ReLU networks under cross-entropy: M^(p) = E[GᵀAG], its independent twin M*, and E[A].

A = diag(p) - ppᵀ for the softmax p of one input. For the two-layer network G = W^(2) D, so
M^(1) = E[D WᵀA W D] (``wu`` eq. (4)) and M* = E[D'WᵀA W D'] with D' an independent copy of D.
Expectations are means over the inputs of a :class:`~rmtsim.papers.wu.simulation.relu_network.Response`; independent
halves of it give estimates whose errors are independent.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import curvature_rows
from rmtsim.papers.wu.simulation.relu_network import Response

_CHUNK_BYTES = 32 * 2**20
"""Curvature rows are made and folded in pieces of at most this size, whatever the number of inputs."""


def _chunk(columns: int, ranks: int) -> int:
    return max(1, _CHUNK_BYTES // (8 * columns * ranks))


def curvatures(confidence: Array) -> Array:
    """A = diag(p) - ppᵀ for every row p of ``confidence``: inputs × classes × classes."""
    result = -confidence[:, :, None] * confidence[:, None, :]
    diagonal = np.arange(confidence.shape[1])
    result[:, diagonal, diagonal] += confidence
    return np.asarray(result)


def mean_curvature(response: Response) -> Array:
    """E[A] = diag(E p) - E[ppᵀ] over the inputs: M^(2), the output Hessian of the last layer."""
    return mean_curvature_of(response.confidence)


def mean_curvature_of(confidence: Array) -> Array:
    """The same from softmax values p as rows, or a stack of them (… × inputs × classes).

    >>> mean_curvature_of(np.array([[0.5, 0.5], [1.0, 0.0]]))
    array([[ 0.125, -0.125],
           [-0.125,  0.125]])
    """
    count, classes = confidence.shape[-2:]
    result = confidence.mT @ confidence
    result /= -count
    # A row p sums to one, so that E p = E[ppᵀ]1.
    diagonal = np.arange(classes)
    result[..., diagonal, diagonal] -= result.sum(axis=-1)
    return np.asarray(result)


def output_hessian(weights: Array, response: Response) -> Array:
    """M^(L-1) = E[D WᵀA W D], units × units, with W the last weights and D the last activations.

    Memory: the result and 32 MiB, whatever the number of inputs.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond
    >>> rng = np.random.default_rng(0)
    >>> net = draw_network(30, 0.3, 3, rng)
    >>> m = output_hessian(net.weights[-1], respond(net, draw_inputs(200, net.weights[0].shape[1], rng)))
    >>> m.shape, bool(np.linalg.eigvalsh(m).min() > -1e-12)
    ((30, 30), True)
    """
    active = response.active[-1]
    count, units = active.shape
    ranks = weights.shape[0] - 1
    result = np.zeros((units, units))
    step = _chunk(units, ranks)
    rows = np.empty((min(step, count) * ranks, units))
    for start in range(0, count, step):
        stop = min(start + step, count)
        part = rows[: (stop - start) * ranks]
        curvature_rows(weights, response.confidence[start:stop], active[start:stop], part)
        result += part.T @ part
    result /= count
    return result


def deep_output_hessian(later: tuple[Array, ...], response: Response, layer: int) -> Array:
    """M^(layer) = E[GᵀAG] with G = W^(L) D^(L-1) ⋯ W^(layer+1) D^(layer), layers counted from one.

    ``later`` holds W^(2), …, W^(L). ``layer`` runs from 1 to L: for L the result is E[A], for L-1 it is
    :func:`output_hessian`.
    """
    depth = len(later) + 1
    layer = validate.integer("layer", layer, maximum=depth, meaning="layer of weights, 1 = first")
    if layer == depth:
        return mean_curvature(response)
    if layer == depth - 1:
        return output_hessian(later[-1], response)
    ranks = later[-1].shape[0] - 1
    units = response.active[layer - 1].shape[1]
    count = response.logits.shape[0]
    result = np.zeros((units, units))
    step = _chunk(max(layer.shape[1] for layer in response.active), ranks)
    for start in range(0, count, step):
        rows_of = slice(start, min(start + step, count))
        active = response.active[-1][rows_of]
        rows = np.empty((active.shape[0] * ranks, active.shape[1]))
        curvature_rows(later[-1], response.confidence[rows_of], active, rows)
        for index in range(depth - 2, layer - 1, -1):
            rows = rows @ later[index - 1]
            rows *= np.repeat(response.active[index - 1][rows_of], ranks, axis=0)
        result += rows.T @ rows
    result /= count
    return result


def independent_output_hessian(weights: Array, active: Array, curvature: Array) -> Array:
    """M* = E[D'WᵀA W D'], entries P(D_i = D_k = 1) · (WᵀE[A]W)_ik, from activations and E[A].

    For an unbiased estimate the two must come from different inputs.
    """
    joint = active.T @ active / active.shape[0]
    return np.asarray(joint * (weights.T @ curvature @ weights))


def independent_rows(weights: Array, active: Array, curvature: Array) -> Array:
    """R with RᵀR = M*, c-1 rows an input: D'_x times the rows of E[A]^{1/2}W, over √N.

    >>> w, d, a = np.eye(2), np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0.5, -0.5], [-0.5, 0.5]])
    >>> rows = independent_rows(w, d, a)
    >>> bool(np.allclose(rows.T @ rows, independent_output_hessian(w, d, a)))
    True
    """
    values, vectors = np.linalg.eigh(curvature)
    # The smallest eigenvalue is zero: E[A]1 = 0.
    root = (vectors[:, 1:] * np.sqrt(np.maximum(values[1:], 0.0) / active.shape[0])).T @ weights
    return np.asarray((active[:, None, :] * root).reshape(-1, weights.shape[1]))


def input_autocorrelation(dimension: int) -> tuple[float, float]:
    """Eigenvalues of E[xxᵀ] for rectified Gaussian x: along 1/√d, and on its complement.

    E[xxᵀ] = (1/2π) 11ᵀ + ((π-1)/2π) I exactly, so nothing is estimated.

    >>> top, bulk = input_autocorrelation(10)
    >>> round(top, 6), round(bulk, 6)
    (1.932394, 0.340845)
    """
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    bulk = (np.pi - 1) / (2 * np.pi)
    return float(dimension / (2 * np.pi) + bulk), float(bulk)
