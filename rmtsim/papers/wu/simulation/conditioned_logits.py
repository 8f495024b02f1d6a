"""Logits and their curvature under a condition on two inputs and two gates."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array


def conditioned(
    size: int, rng: np.random.Generator, alpha: float, first: float, second: float
) -> tuple[Array, Array]:
    """Hidden activations of a random first layer, free and conditioned, with at least eight conditioned inputs.

    Fewer kept inputs leave no estimate; the first weights alone decide it, so nothing is selected on the outcome.
    """
    from rmtsim.papers.wu.simulation.last_layers import conditioned_hidden

    reach = size ** (0.45 * alpha)
    while True:
        free, kept = conditioned_hidden(size, alpha, 128, (first * reach, second * reach), rng)
        if len(kept) >= 8:
            return free, kept


def squared_change_of_curvature(free: Array, kept: Array) -> float:
    """Mean over i, j of the squared difference of E[A_ij] on two sets of logits, unbiased by halves."""
    from rmtsim.networks._softmax import softmax

    def mean_curvature(z: Array) -> Array:
        p = softmax(z)
        return np.asarray(np.diag(p.mean(axis=0)) - p.T @ p / len(p))

    first, second = (
        mean_curvature(kept[part]) - mean_curvature(free[part])
        for part in (slice(0, None, 2), slice(1, None, 2))
    )
    return float((first * second).mean())
