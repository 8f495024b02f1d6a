"""Moments of rectified Gaussian inputs along the vector of ones."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import Array

INPUTS = 64
"""Inputs of a batch; two batches a replicate."""


def draw_pair(size: int, rng: np.random.Generator, alpha: float) -> tuple[Array, Array]:
    """Two independent batches of inputs, as rows of length d = size^(1+α)."""
    from rmtsim.papers.wu.simulation.relu_network import draw_inputs, input_dimension

    d = input_dimension(size, alpha)
    first, second = (np.asarray(draw_inputs(INPUTS, d, rng), dtype=np.float64) for _ in range(2))
    return first, second


def mean_square_along_ones(size: int, rng: np.random.Generator, replicates: int, alpha: float) -> Array:
    """Mean of (1·x)²/d² over the inputs of a replicate, with the known mean of 1·x as a companion."""
    from rmtsim.papers.wu.simulation.relu_network import draw_inputs, input_dimension

    d = input_dimension(size, alpha)
    step = max(1, 2**17 // (2 * INPUTS * d))
    shares = [np.empty((0, 2 * INPUTS))]
    for start in range(0, replicates, step):
        count = min(step, replicates - start)
        means: Array = np.asarray(draw_inputs(count * 2 * INPUTS, d, rng).mean(axis=1), dtype=np.float64)
        shares.append(means.reshape(count, -1))
    share = np.concatenate(shares)
    mean = 1 / math.sqrt(2 * math.pi)
    return np.asarray((share**2 - 2 * mean * (share - mean)).mean(axis=1))
