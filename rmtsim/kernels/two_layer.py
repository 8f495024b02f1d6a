"""Random two-layer ReLU networks on one batch of inputs, drawn and passed forward in one call."""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel
from rmtsim.kernels.normals import fill_double, fill_single
from rmtsim.kernels.softmax import softmax_columns

__all__ = ["fill_from_products", "fill_from_weights", "last_layers", "networks_on_inputs"]


@kernel
def networks_on_inputs(words, covariance, before):  # type: ignore[no-untyped-def]
    """``before[k]`` = L Z_k, LLᵀ = ``covariance`` (inputs × inputs), Z_k standard normal (inputs × units)."""
    root = np.linalg.cholesky(covariance)
    noise = np.empty(before.shape[1:])
    for k in range(before.shape[0]):
        fill_double(words, noise.reshape(-1))
        np.dot(root, noise, before[k])


@kernel
def last_layers(words, before, weights, active, hidden, logits, confidence):  # type: ignore[no-untyped-def]
    """Draw W_k (classes × units, N(0, 1/units), row-major) and pass ``before[k]`` (inputs × units) through network k.

    ``active`` is one where a pre-activation is >= 0, ``hidden`` the rectified ones, ``logits`` hidden times W_kᵀ and
    ``confidence`` their softmax.
    """
    networks, inputs, units = before.shape
    classes = weights.shape[1]
    columns = np.empty((classes, inputs))
    for k in range(networks):
        fill_double(words, weights[k].reshape(-1))
        scale = np.sqrt(units)
        for c in range(classes):
            for i in range(units):
                weights[k, c, i] /= scale
        for x in range(inputs):
            for i in range(units):
                z = before[k, x, i]
                active[k, x, i] = 1.0 if z >= 0.0 else 0.0
                hidden[k, x, i] = 0.0 if z < 0.0 else z
        np.dot(weights[k], hidden[k].T, columns)
        for x in range(inputs):
            for c in range(classes):
                logits[k, x, c] = columns[c, x]
        softmax_columns(columns)
        for x in range(inputs):
            for c in range(classes):
                confidence[k, x, c] = columns[c, x]


@kernel
def fill_from_products(words, inputs, noise, weights):  # type: ignore[no-untyped-def]
    """Standard normal numbers of many replicates, of each inputs (single precision), then noise, then last weights."""
    for k in range(inputs.shape[0]):
        fill_single(words, inputs[k].reshape(-1))
        fill_double(words, noise[k].reshape(-1))
        fill_double(words, weights[k].reshape(-1))


@kernel
def fill_from_weights(words, inputs, first, weights):  # type: ignore[no-untyped-def]
    """The same with first weights in single precision instead of noise."""
    for k in range(inputs.shape[0]):
        fill_single(words, inputs[k].reshape(-1))
        fill_single(words, first[k].reshape(-1))
        fill_double(words, weights[k].reshape(-1))
