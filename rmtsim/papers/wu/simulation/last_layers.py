"""Logits of many last layers on one hidden layer: averages over W^(2) without drawing the hidden layer again."""

from __future__ import annotations

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.simulation.relu_network import draw_inputs, input_dimension


def last_layers(hidden: Array, classes: int, count: int, rng: np.random.Generator) -> Array:
    """Logits z = W^(2)y for ``count`` independent W^(2): layers × inputs × classes."""
    hidden = validate.matrix("hidden", hidden, meaning="inputs × units")
    classes = validate.integer("classes", classes, meaning="number of classes c")
    count = validate.integer("count", count, meaning="independent last layers")
    rng = validate.generator("rng", rng)
    units = hidden.shape[1]
    validate.memory(
        8.0 * count * classes * (units + 2 * len(hidden)), f"count={count} last layers of {classes} classes"
    )
    weights = rng.standard_normal((units, count * classes)) / np.sqrt(units)
    return np.ascontiguousarray((hidden @ weights).reshape(-1, count, classes).transpose(1, 0, 2))


def conditioned_hidden(
    width: int, alpha: float, count: int, values: tuple[float, float], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Hidden activations of one random first layer, free, and given two inputs and two active units.

    The condition fixes x_1 and x_2 at ``values`` and keeps the responses where two hidden units are active: the first
    two that are active on more than a fifth of the free inputs (``wu`` Lemma B.11).
    """
    dimension = input_dimension(width, alpha)
    count = validate.integer("count", count, meaning="number of inputs")
    if width < 2:
        raise ValueError(f"width={width}: expected an integer >= 2 (the condition is on two hidden units)")
    rng = validate.generator("rng", rng)
    fixed = validate.real_array("values", values, meaning="x_1 and x_2")
    if fixed.shape != (2,):
        raise ValueError(f"values of shape {fixed.shape}: expected two numbers (x_1 and x_2)")
    validate.memory(
        4.0 * dimension * (width + count), f"a first layer of width={width} on {dimension} inputs"
    )
    # W^(1) in single precision: it is the large one, and its units are all that is wanted of the network.
    first = rng.standard_normal((width, dimension), dtype=np.float32)
    first *= np.float32(1 / np.sqrt(dimension))
    # the last layer, which is not used here; drawn so that the random stream is the same
    rng.standard_normal((2, width))
    inputs = draw_inputs(2 * count, dimension, rng, single=True)
    inputs[count:, :2] = fixed
    before = np.asarray(inputs @ first.T, dtype=np.float64)
    active, hidden = before >= 0, np.maximum(before, 0.0)
    found = np.flatnonzero(active[:count].mean(axis=0) > 0.2)
    if len(found) < 2:
        raise ValueError(
            f"width={width}, count={count}: fewer than two units are active on a fifth of inputs; expected more"
        )
    p, q = found[:2]
    keep = np.flatnonzero(active[count:, p] & active[count:, q]) + count
    return hidden[:count], hidden[keep]
