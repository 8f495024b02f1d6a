"""Energies of the first of two hidden layers, square loss."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

DIMENSION, FIRST = 16, 4
"""d = N and m₁."""


def first_layer_ratio(width: int, classes: int, rng: np.random.Generator) -> float:
    """Mean ‖H_ij‖² over mean ‖H_ii‖² of the first layer of one drawn network with two hidden layers.

    >>> 0 < first_layer_ratio(8, 5, np.random.default_rng(0)) < 1
    True
    """
    inputs = rng.standard_normal((DIMENSION, DIMENSION))
    first = rng.standard_normal((FIRST, DIMENSION)) / math.sqrt(DIMENSION)
    second = rng.standard_normal((width, FIRST)) / math.sqrt(FIRST)
    output = rng.standard_normal((classes, width)) / math.sqrt(width)
    before = inputs @ first.T
    gates = (np.maximum(before, 0.0) @ second.T > 0).astype(np.float64)
    jacobians = output @ (gates[:, :, None] * second)
    weights = (
        2 * (jacobians.transpose(0, 2, 1) @ jacobians) * (before > 0)[:, :, None] * (before > 0)[:, None, :]
    )
    flat = weights.reshape(DIMENSION, FIRST**2)
    energies = ((np.square(inputs @ inputs.T) @ flat) * flat).sum(axis=0).reshape(FIRST, FIRST)
    diagonal = np.trace(energies)
    return float((energies.sum() - diagonal) / (FIRST - 1) / diagonal) if diagonal else 0.0


_PAIRS = 24
"""Independent inputs per drawn W₁, each with its mirror image."""


_DRAWS = 4
"""Pairs (W₂, V) per drawn W₁."""


def first_layer_energies(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, width: int, classes: int
) -> NDArray[np.float64]:
    """Unbiased values of E‖H_ij‖²/d for all i, j: W₁, W₂, V drawn, inputs averaged
    (rmtsim.papers.dong.simulation.one_hidden_average).

    >>> first_layer_energies(30, np.random.default_rng(0), 1.0, 3, 4, 5).shape
    (3, 3)
    """
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
    from rmtsim.papers.dong.simulation.one_hidden_average import hidden_kernel
    from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations

    dimension, samples = proportional_shape(size, gamma)
    drawn = sample_pre_activations(dimension, hidden, _PAIRS, rng)
    kernel = hidden_kernel(drawn, samples)
    open_first = (drawn.values > 0).astype(np.float64)
    features = np.maximum(drawn.values, 0.0)
    energies = np.zeros((hidden, hidden))
    for _ in range(_DRAWS):
        second = rng.standard_normal((width, hidden)) / math.sqrt(hidden)
        output = rng.standard_normal((classes, width)) / math.sqrt(width)
        gates = (features @ second.T > 0).astype(np.float64)
        jacobians = output @ (gates[:, :, None] * second) * open_first[:, None, :]
        weights = 2 * (jacobians.transpose(0, 2, 1) @ jacobians).reshape(len(gates), hidden**2)
        energies += ((kernel @ weights) * weights).sum(axis=0).reshape(hidden, hidden)
    return np.asarray(energies / (_DRAWS * dimension))
