"""Many two-layer ReLU networks (the setting of ``wu``) at once: replicates along the first axis of every array.

One compiled call draws a piece of a batch, replicate by replicate in the order of
:func:`~rmtsim.papers.wu.simulation.relu_network.draw_responses`, and a few stacked products pass it forward:
at widths of a few dozen the overhead of calls would dominate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import state_words
from rmtsim.networks._softmax import softmax_in_place
from rmtsim.papers.wu.simulation.relu_network import (
    InputBatch,
    draw_responses,
    input_dimension,
    slice_of_inputs,
)

_PIECE_BYTES = 2**20
"""A piece of a batch stays in the cache of a core."""


@frozen
class ResponseBatch:
    """Replicates of random inputs, and networks that receive them."""

    dimension: int
    gram: Array
    """x·x', replicates × inputs × inputs."""
    hidden: Array
    """Hidden activations, replicates × networks × inputs × units."""
    weights: Array
    """Last weights, replicates × networks × classes × units."""

    @cached_property
    def confidence(self) -> Array:
        """softmax of the logits, replicates × networks × inputs × classes."""
        return softmax_in_place(self.hidden @ self.weights.mT)


def draw_response_batches(
    width: int,
    alpha: float,
    classes: int,
    count: int,
    rng: np.random.Generator,
    replicates: int,
    *,
    networks: int = 1,
) -> Iterator[ResponseBatch]:
    """``replicates`` times what :func:`~rmtsim.papers.wu.simulation.relu_network.draw_responses` draws, in pieces.

    >>> parts = list(draw_response_batches(8, 0.3, 3, 10, np.random.default_rng(0), 5, networks=2))
    >>> sum(len(part.gram) for part in parts), parts[0].hidden.shape[1:], parts[0].confidence.shape[1:]
    (5, (2, 10, 8), (2, 10, 3))
    """
    dimension = input_dimension(width, alpha)
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes c")
    count = validate.integer("count", count, minimum=2, meaning="number of inputs")
    replicates = validate.integer("replicates", replicates, minimum=0)
    networks = validate.integer("networks", networks, meaning="independent networks")
    rng = validate.generator("rng", rng)
    return _pieces(width, alpha, dimension, classes, count, rng, replicates, networks)


def _pieces(
    width: int,
    alpha: float,
    dimension: int,
    classes: int,
    count: int,
    rng: np.random.Generator,
    replicates: int,
    networks: int,
) -> Iterator[ResponseBatch]:
    if dimension > slice_of_inputs(count, width):
        # Inputs of which not even one replicate is drawn whole.
        for _ in range(replicates):
            drawn = draw_responses(width, alpha, classes, count, rng, networks=networks)
            hidden, weights = (
                np.array([[response.hidden[0] for _, response in drawn]]),
                np.array([[later[0] for later, _ in drawn]]),
            )
            yield ResponseBatch(dimension, _gram(drawn[0][1].inputs)[None], hidden, weights)
        return
    direct = dimension <= 2 * count
    rows = dimension if direct else count
    each = (
        4 * count * dimension + (4 if direct else 8) * networks * rows * width + 16 * networks * count * width
    )
    step = max(1, _PIECE_BYTES // each)
    for start in range(0, replicates, step):
        size = min(step, replicates - start)
        inputs = np.empty((size, count, dimension), dtype=np.float32)
        first = np.empty((size, networks, rows, width), dtype=np.float32 if direct else np.float64)
        weights = np.empty((size, networks, classes, width))
        _draw(rng, inputs, first, weights)
        np.maximum(inputs, 0, out=inputs)
        weights /= math.sqrt(width)
        gram = np.asarray(inputs @ inputs.mT, dtype=np.float64)
        if direct:
            before = np.asarray(inputs[:, None] @ first, dtype=np.float64)
            before /= math.sqrt(dimension)
        else:
            before = np.asarray(np.linalg.cholesky(gram / dimension)[:, None] @ first, dtype=np.float64)
        yield ResponseBatch(dimension, gram, np.maximum(before, 0.0, out=before), weights)


def _gram(inputs: InputBatch) -> Array:
    assert inputs.gram is not None
    return inputs.gram


def _draw(
    rng: np.random.Generator, inputs: NDArray[np.float32], first: NDArray[np.floating], weights: Array
) -> None:
    """Fill a replicate after the other: inputs, what the first layers need, last weights."""
    with state_words(rng) as words:
        if words is not None:
            from rmtsim.papers.wu.simulation.kernels.two_layer import fill_from_products, fill_from_weights

            fill = fill_from_weights if first.dtype == np.float32 else fill_from_products
            fill(words, inputs, first, weights)
            return
    for x, layers, last in zip(inputs, first, weights, strict=True):
        rng.standard_normal(dtype=np.float32, out=x)
        for layer in layers:
            rng.standard_normal(dtype=layer.dtype.type, out=layer)
        rng.standard_normal(out=last)
