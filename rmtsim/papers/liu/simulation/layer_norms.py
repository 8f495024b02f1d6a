"""Layer-wise quantities of a drawn fully connected network, all exact at any width (one-line proofs:
docs/papers/liu/index.md).

For a layer a = σ(z), z = sW r (s the scale; skip connections change nothing but ∂a/∂r), S' = diag σ'(z), S'' = diag
σ''(z):

- ‖∂a/∂r‖ = ‖s S'W (+ I)‖,  ‖∂a/∂W‖ = s max|σ'| |r|
- ‖∂²a/∂r²‖ = s² ‖|S''|^½ W‖²,  ‖∂²a/∂W²‖ = s² max|σ''| |r|²
- ‖∂²a/∂r∂W‖² = λ_max of Σ_i u_i, u_i the Gram form of v ↦ s²σ''_i (Wv)_i r + sσ'_i v

in (2,2,1)-norms for the three tensors.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.matrix_free._batched_lanczos import spectral_norms
from rmtsim.networks import Network
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks


@frozen
class LayerNorms:
    """Norms of one hidden layer's derivatives at one input."""

    activation: float
    """|a|."""
    slope: float
    """‖∂a/∂r‖."""
    in_weights: float
    """‖∂a/∂W‖."""
    weights_weights: float
    mixed: float
    inputs_inputs: float
    gradient: float
    """|∂f/∂a|."""
    largest_gradient: float
    """‖∂f/∂a‖_∞."""
    weight: float
    """‖W‖."""


def layer_norms(network: Network, x: Array) -> list[LayerNorms]:
    """For every hidden layer, in order."""
    passed = network.forward(x)
    gradients = network.activation_gradients(x)
    found = []
    for index, layer in enumerate(network.architecture.layers[:-1]):
        weight, scale = network.weights[index], layer.scale
        read, z = passed.reads[index][0] / scale, passed.before[index][0]
        first, second = layer.activation.derivative(z, 1), layer.activation.derivative(z, 2)
        after = layer.activation(z) + (read if layer.skip else 0.0)
        slope = scale * first[:, None] * weight
        if layer.skip:
            slope = slope + np.eye(len(z))
        bent = second[:, None] * weight
        length = float(np.linalg.norm(read))
        cross = (second * first) @ weight
        gram = scale**4 * length**2 * bent.T @ bent
        gram += scale**3 * (np.outer(cross, read) + np.outer(read, cross))
        gram[np.diag_indices_from(gram)] += scale**2 * float(first @ first)
        gradient = gradients[index][0, 0]
        found.append(
            LayerNorms(
                activation=float(np.linalg.norm(after)),
                slope=_norm(slope),
                in_weights=scale * float(np.abs(first).max()) * length,
                weights_weights=scale**2 * float(np.abs(second).max()) * length**2,
                mixed=float(np.sqrt(max(np.linalg.eigvalsh(gram)[-1], 0.0))),
                inputs_inputs=scale**2 * _norm(np.sqrt(np.abs(second))[:, None] * weight) ** 2,
                gradient=float(np.linalg.norm(gradient)),
                largest_gradient=float(np.abs(gradient).max()),
                weight=_norm(weight),
            )
        )
    return found


def _norm(matrix: Array) -> float:
    return float(np.linalg.norm(matrix, 2))


def q_infinity(layers: list[LayerNorms]) -> float:
    """Q_∞ of eq. (20)."""
    return max(layer.largest_gradient for layer in layers)


def q_lipschitz(layers: list[LayerNorms]) -> float:
    """Q_L of eq. (20)."""
    return max(layer.in_weights for layer in layers)


def q_tensor(layers: list[LayerNorms], *, strict: bool = False) -> float:
    """Q_{2,2,1} of eq. (20); ``strict`` takes l₁ < l₂ < l₃ as printed, else l₁ ≤ l₂ < l₃, as the proof needs."""
    values = [layer.weights_weights for layer in layers]
    for last, layer in enumerate(layers):
        before = [each.in_weights for each in layers[:last]]
        if before:
            values.append(max(before) * layer.mixed)
            pairs = [
                one * other
                for i, one in enumerate(before)
                for j, other in enumerate(before)
                if i < j or (i == j and not strict)
            ]
            values.extend(pair * layer.inputs_inputs for pair in pairs)
    return max(values)


# ---- The same of many networks at once ----

_CLOSE = 1e-3
"""Residual of Lanczos over the norm; exponents of m are tested to a tenth, and the values are much more accurate."""


def batch_q_infinity(batch: WideNetworks) -> Array:
    """Q_∞ of every network."""
    return np.asarray(np.max([np.abs(each).max(axis=1) for each in batch.activation_gradients], axis=0))


def batch_in_weights(batch: WideNetworks) -> list[Array]:
    """‖∂a/∂W‖ of every hidden layer."""
    return [
        np.abs(batch.sigma.derivative(z, 1)).max(axis=1) * np.linalg.norm(read, axis=1)
        for z, read in zip(batch.before[:-1], batch.reads[:-1], strict=True)
    ]


def batch_q_tensor(batch: WideNetworks, rng: Generator) -> Array:
    """Q_{2,2,1}, l₁ ≤ l₂ < l₃, of every network."""
    in_weights = batch_in_weights(batch)
    found: list[Array] = []
    for index, (own, *further) in enumerate(batch_tensor_norms(batch, rng)):
        found.append(own)
        if further:
            inputs, mixed = further
            largest = np.max(in_weights[:index], axis=0)
            found += [largest * mixed, largest**2 * inputs]
    return np.asarray(np.max(found, axis=0))


def batch_tensor_norms(batch: WideNetworks, rng: Generator) -> list[list[Array]]:
    """‖∂²a/∂W²‖ and, behind the first layer, ‖∂²a/∂r²‖ and ‖∂²a/∂r∂W‖ of every hidden layer, in (2,2,1)-norms.

    Gram forms by Lanczos in place of singular values. Skip connections are linear in r and change none of them.
    """
    found: list[list[Array]] = []
    for index, (z, read) in enumerate(zip(batch.before[:-1], batch.reads[:-1], strict=True)):
        first, second = (batch.sigma.derivative(z, order) for order in (1, 2))
        squares = (read**2).sum(axis=1)
        found.append([np.abs(second).max(axis=1) * squares])
        if not index:
            continue
        weight, scale = batch.weights[index], batch.scale(index)
        cross = (second * first)[:, None, :] @ weight
        own = (first**2).sum(axis=1)[:, None]
        moduli, curved_squares = np.abs(second), second**2 * squares[:, None]

        def bent(v: Array, weight: Array = weight, factors: Array = moduli) -> Array:
            """Wᵀ|S''|W v."""
            return np.asarray((((weight @ v[:, :, None])[:, :, 0] * factors)[:, None, :] @ weight)[:, 0])

        def mixed(
            v: Array,
            weight: Array = weight,
            factors: Array = curved_squares,
            cross: Array = cross[:, 0],
            read: Array = read,
            own: Array = own,
        ) -> Array:
            """The Gram form of v ↦ s²σ''_i (Wv)_i a + sσ'_i v, over s²."""
            curved = (((weight @ v[:, :, None])[:, :, 0] * factors)[:, None, :] @ weight)[:, 0]
            along, across = (read * v).sum(axis=1), (cross * v).sum(axis=1)
            return np.asarray(curved + along[:, None] * cross + across[:, None] * read + own * v)

        count, size = read.shape
        inputs = scale**2 * spectral_norms(bent, count, size, rng, tolerance=_CLOSE).norms
        both = scale * np.sqrt(spectral_norms(mixed, count, size, rng, tolerance=_CLOSE).norms)
        found[-1] += [inputs, both]
    return found
