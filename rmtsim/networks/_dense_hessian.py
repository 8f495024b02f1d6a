"""The Hessian as a matrix, and any block of it, assembled unit by unit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.networks._passes import Linearisation
from rmtsim.networks._unit_motions import UnitMotion, unit_chunks, unit_motion

ANSWERS = 2**24
"""Numbers in the answers of one unit, samples × weights of a layer, held at once: 128 MiB."""


def _outer(left: Array, right: Array, samples: int) -> Array:
    """Σ over a sample's rows of left ⊗ right, (samples, left columns · right columns)."""
    a, b = left.shape[1], right.shape[1]
    if len(left) == samples:
        return (left[:, :, None] * right[:, None, :]).reshape(samples, a * b)
    return (left.reshape(samples, -1, a).mT @ right.reshape(samples, -1, b)).reshape(samples, a * b)


def _bands(samples: int, weights: int) -> Iterator[slice]:
    """Samples in bands whose answers stay near ANSWERS numbers: a Hessian is a sum over samples."""
    height = max(1, ANSWERS // weights)
    for start in range(0, samples, height):
        yield slice(start, min(start + height, samples))


def _answers(
    point: Linearisation, motion: UnitMotion, unit: int, layer: int, band: slice, first: int = 0
) -> tuple[Array, Array | None]:
    """(δ̇_k r_k + δ_k ṙ_k)_n of one unit, samples × weights of layer k, and δ̇_k for its biases; neurons >= ``first``."""
    samples = band.stop - band.start
    positions = len(point.deltas[layer]) // point.passed.samples
    rows = slice(band.start * positions, band.stop * positions)
    delta = motion.deltas[layer][unit][rows, first:]
    weights = _outer(delta, point.passed.reads[layer][rows], samples)
    if layer in motion.reads:
        weights += _outer(point.deltas[layer][rows], motion.reads[layer][unit][rows], samples)
    if not point.architecture.layers[layer].bias:
        return weights, None
    return weights, delta.reshape(samples, -1, delta.shape[1]).sum(axis=1)


def hessian_rows(
    point: Linearisation, layer: int, units: NDArray[np.intp], columns: int
) -> Iterator[tuple[int, Array]]:
    """(unit, rows of H of that unit's weights and bias against the parameters of layer ``columns`` >= ``layer``).

    A convolution yields one summand per position.
    """
    passed = point.passed
    spread = passed.reads[layer].reshape(passed.samples, -1, passed.reads[layer].shape[1])
    motion = unit_motion(point, layer, units, own=columns == layer)
    bias = point.architecture.layers[layer].bias
    size = point.architecture.layers[columns].parameters
    for number, (position, unit) in enumerate(units):
        block = np.zeros((spread.shape[2] + bias, size))
        for band in _bands(passed.samples, size):
            parts = _answers(point, motion, number, columns, band)
            answers = parts[0] if parts[1] is None else np.concatenate([parts[0], parts[1]], axis=1)
            block[: spread.shape[2]] += spread[band, position].T @ answers
            if bias:
                block[-1] += answers.sum(axis=0)
        yield int(unit), block


def neuron_rows(point: Linearisation, layer: int, neuron: int, columns: int) -> Array:
    """Rows of H of one neuron (weights, then bias) against all parameters of layer ``columns`` >= ``layer``."""
    positions = len(point.passed.before[layer]) // point.passed.samples
    units = np.stack([np.arange(positions), np.full(positions, neuron)], axis=1)
    total: Array | None = None
    for position in range(positions):
        for _, block in hessian_rows(point, layer, units[position : position + 1], columns):
            total = block if total is None else total + block
    assert total is not None
    return total


def dense_hessian(point: Linearisation) -> Array:
    """H, P × P, symmetric to the last bit: the blocks below the diagonal are copies of those above."""
    layout = point.architecture.layout
    size = layout.size
    validate.memory(8.0 * size**2, f"the Hessian of {size} parameters")
    hessian = np.zeros((size, size))
    count = len(layout.layers)
    for layer in range(count):
        for units in unit_chunks(point, layer):
            motion = unit_motion(point, layer, units)
            _add_rows(point, motion, hessian)
    for layer in range(count):
        rows = layout.layer(layer)
        own = hessian[rows, rows]
        own += own.T.copy()
        for neuron in range(layout.layers[layer].outputs):
            # Pairs of a neuron with itself were added twice, other pairs of neurons once.
            indices = layout.neuron(layer, neuron) - rows.start
            own[np.ix_(indices, indices)] *= 0.5
        hessian[rows.stop :, rows] = hessian[rows, rows.stop :].T
    return hessian


def _add_rows(point: Linearisation, motion: UnitMotion, hessian: Array) -> None:
    passed, layout = point.passed, point.architecture.layout
    reads = passed.reads[motion.layer]
    spread = reads.reshape(passed.samples, -1, reads.shape[1])
    bias = point.architecture.layers[motion.layer].bias
    for number, (position, unit) in enumerate(motion.units):
        indices = layout.neuron(motion.layer, int(unit))
        rows = slice(indices[0], indices[0] + reads.shape[1])
        for layer in motion.deltas:
            # Within the layer itself only neurons from this one on: the rest is symmetric.
            first = int(unit) if layer == motion.layer else 0
            weights, biases = layout.weights(layer), layout.biases(layer)
            start = weights.start + first * layout.layers[layer].fan_in
            for band in _bands(passed.samples, max(weights.stop - start, 1)):
                answers = _answers(point, motion, number, layer, band, first)
                parts = (
                    (slice(start, weights.stop), answers[0]),
                    (slice(biases.start + first, biases.stop), answers[1]),
                )
                for columns, answer in parts:
                    if answer is None:
                        continue
                    hessian[rows, columns] += spread[band, position].T @ answer
                    if bias:
                        hessian[indices[-1], columns] += answer.sum(axis=0)
