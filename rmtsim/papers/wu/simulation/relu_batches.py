"""Many random two-layer ReLU networks on one set of inputs, as arrays over networks (the setting of ``wu`` section 4).

The law is that of :func:`rmtsim.papers.wu.simulation.relu_network.draw_responses`. Arrays with an entry per
unit are of single precision: their rounding, 1e-7, is negligible compared with the noise of a mean over networks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks._softmax import softmax
from rmtsim.papers.wu.simulation.relu_network import InputBatch, draw_inputs, input_dimension

Single = NDArray[np.float32]
_ENTRIES = 2**19
"""Gates of one batch, networks × inputs × units: about the size of a processor's cache."""


@frozen
class NetworkResponses:
    """Last weights and responses of several networks to the same inputs."""

    inputs: InputBatch
    weights: Single
    """W = W^(2), networks × classes × units."""
    active: Single
    """Gates, networks × inputs × units: 1 where a pre-activation is ≥ 0."""
    hidden: Single
    """Hidden activations y, networks × inputs × units."""
    logits: Array
    """z, networks × inputs × classes."""
    confidence: Array
    """softmax of the logits."""


def draw_network_batches(
    width: int, alpha: float, classes: int, count: int, networks: int, rng: np.random.Generator
) -> Iterator[NetworkResponses]:
    """``networks`` independent networks on the same ``count`` random inputs, in batches that fit into the cache.

    >>> batches = list(draw_network_batches(500, 0.3, 3, 64, 20, np.random.default_rng(0)))
    >>> [batch.active.shape for batch in batches]
    [(16, 64, 500), (4, 64, 500)]
    """
    dimension = input_dimension(width, alpha)
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes c")
    count = validate.integer("count", count, minimum=2, meaning="number of inputs")
    networks = validate.integer("networks", networks, meaning="independent networks")
    rng = validate.generator("rng", rng)
    drawn = min(2**24, count * dimension)
    validate.memory(8.0 * (2 * count**2 + drawn) + 32.0 * count * width, f"{count} inputs, width={width}")
    inputs = _draw_inner_products(count, dimension, rng)
    # Given the inputs X, pre-activations have independent columns N(0, XXᵀ/d); X itself serves where it is not longer.
    root = inputs.values if inputs.values is not None else np.linalg.cholesky(inputs.inner(inputs))
    root = np.asarray(root / math.sqrt(dimension), dtype=np.float32)
    step = max(1, _ENTRIES // (count * width))
    for start in range(0, networks, step):
        size = min(step, networks - start)
        normals = rng.standard_normal((size, root.shape[1], width), dtype=np.float32)
        hidden = np.asarray(root @ normals, dtype=np.float32)
        weights = rng.standard_normal((size, classes, width), dtype=np.float32) / np.float32(math.sqrt(width))
        active = (hidden >= 0).astype(np.float32)
        hidden *= active
        logits = np.asarray(hidden @ weights.transpose(0, 2, 1), dtype=np.float64)
        confidence = softmax(logits.reshape(-1, classes)).reshape(logits.shape)
        yield NetworkResponses(inputs, weights, active, hidden, logits, confidence)


def _draw_inner_products(count: int, dimension: int, rng: np.random.Generator) -> InputBatch:
    """Inputs by their inner products and sums; by value too where there are few dimensions."""
    gram = np.zeros((count, count))
    sums = np.zeros(count)
    step = max(1, 2**22 // count)
    values: NDArray[np.floating] | None = None
    for start in range(0, dimension, step):
        values = draw_inputs(count, min(step, dimension - start), rng, single=True)
        sums += values.sum(axis=1, dtype=np.float64)
        gram += values @ values.T
    kept = values if dimension <= min(step, 2 * count) else None
    return InputBatch(dimension, kept, gram, sums, slice(0, count))
