"""Jacobian of the outputs, and the tangent kernel J Jᵀ without the Jacobian.

With δ^k_l the cotangents of output k at layer l, ∂f_k(x)/∂W_l = δ^k_l(x) ⊗ r_l(x), so that

    K_{(x,k),(x',k')} = Σ_l (δ^k_l(x)·δ^k'_l(x')) (r_l(x)·r_l(x') + [bias]),

summed over pairs of positions in a convolution. Work grows with width, not with the number of parameters.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.networks._dense_hessian import _outer
from rmtsim.networks._passes import ForwardPass


def output_deltas(passed: ForwardPass) -> list[Array]:
    """δ^k_l, (outputs, rows of layer l, units of layer l) for every layer: one backward pass an output."""
    return [
        local.push(e) for local, e in zip(passed.nonlinearities, activation_gradients(passed), strict=True)
    ]


def activation_gradients(passed: ForwardPass) -> list[Array]:
    """∂f_k/∂a_l, (outputs, rows of layer l, units of layer l) for every layer, the output itself last.

    Their largest entries are the quantity Q_∞ of `liu`, up to the last layer's.
    """
    layers = passed.architecture.layers
    outputs = passed.output.shape[1]
    e = np.zeros((outputs, *passed.output.shape))
    e[np.arange(outputs), :, np.arange(outputs)] = 1.0
    found: list[Array] = [e] * len(layers)
    for index in reversed(range(len(layers))):
        found[index] = e
        if index:
            delta = passed.nonlinearities[index].push(e)
            back = passed.hand_back(index, delta @ passed.weights[index])
            e = back + e if layers[index].skip else back
    return found


def jacobian(passed: ForwardPass) -> Array:
    """∂f_k(x_n)/∂θ, samples × outputs × parameters."""
    samples, outputs = passed.output.shape
    layout = passed.architecture.layout
    validate.memory(
        8.0 * samples * outputs * layout.size, f"a Jacobian of {samples}·{outputs} × {layout.size} numbers"
    )
    result = np.empty((samples, outputs, layout.size))
    for index, deltas in enumerate(output_deltas(passed)):
        for k in range(outputs):
            result[:, k, layout.weights(index)] = _outer(deltas[k], passed.reads[index], samples)
            if layout.layers[index].bias:
                biases = deltas[k].reshape(samples, -1, deltas.shape[2]).sum(axis=1)
                result[:, k, layout.biases(index)] = biases
    return result


def tangent_kernel(first: ForwardPass, second: ForwardPass | None = None) -> Array:
    """J(x) J(x')ᵀ, (samples·outputs) × (samples'·outputs), rows ordered sample by sample."""
    other = first if second is None else second
    left = output_deltas(first)
    right = left if second is None else output_deltas(second)
    outputs = first.output.shape[1]
    shape = (first.samples, outputs, other.samples, outputs)
    validate.memory(24.0 * math.prod(shape), f"a tangent kernel of shape {shape}")
    kernel = np.zeros(shape)
    for index, layer in enumerate(first.architecture.layers):
        reads = first.reads[index] @ other.reads[index].T
        if layer.bias:
            reads += 1.0
        for k in range(outputs):
            # One output against all: the temporary stays samples × samples' × outputs.
            for j in range(outputs):
                product = left[index][k] @ right[index][j].T
                product *= reads
                spread = product.reshape(first.samples, -1, other.samples, len(reads[0]) // other.samples)
                kernel[:, k, :, j] += spread.sum(axis=(1, 3))
    return kernel.reshape(first.samples * outputs, other.samples * outputs)
