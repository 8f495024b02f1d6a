"""Eigenvalues of single blocks of drawn models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.papers.dong.simulation.fixed_outputs import fixed_output


def gated_eigenvalues(size: int, rng: np.random.Generator, gamma: float, gates: int) -> NDArray[np.float64]:
    """Eigenvalues of (1/N) Σ x_n x_nᵀ over the samples for which ``gates`` independent gates are open."""
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((samples, dimension))
    open_gates = inputs @ rng.standard_normal((dimension, gates)) > 0
    kept = inputs[open_gates.all(axis=1)]
    if len(kept) >= dimension:
        return np.asarray(np.linalg.eigvalsh(kept.T @ kept / samples))
    # Few open gates: the same eigenvalues from the smaller side, and zeros.
    return np.concatenate([np.linalg.eigvalsh(kept @ kept.T / samples), np.zeros(dimension - len(kept))])


def linear_eigenvalues(
    size: int, rng: np.random.Generator, gamma: float, classes: int, block: tuple[int, int]
) -> NDArray[np.float64]:
    """Eigenvalues of one block of a drawn linear model."""
    from rmtsim.curvature import block_eigenvalues, sample_linear
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    return block_eigenvalues(sample_linear(dimension, samples, classes, rng), *block)


def hidden_eigenvalues(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, block: tuple[int, int]
) -> NDArray[np.float64]:
    """Eigenvalues of one hidden-layer block of a network with the fixed V and a drawn W."""
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
    from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((samples, dimension))
    first = rng.standard_normal((hidden, dimension)) / np.sqrt(dimension)
    network = OneHiddenNetwork(inputs, first, fixed_output(classes, hidden), np.zeros((samples, classes)))
    return np.asarray(np.linalg.eigvalsh(hidden_block(forward(network, "ce"), *block)))
