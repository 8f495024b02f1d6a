"""Adjacency matrices of random regular multigraphs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.randomness import RandomSource


def regular_graph(size: int, degree: int, rng: RandomSource) -> NDArray[np.float64]:
    """Adjacency matrix of a random regular multigraph.

    Parameters
    ----------
    size : int
        Number of vertices n; even if ``degree`` is odd, and at least the square root of ``degree``.
    degree : int
        Degree d of every vertex.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness.

    Returns
    -------
    ndarray of shape (size, size)
        Sum of P + Pᵀ over d/2 uniform permutations P, plus a uniform perfect matching if d is odd. Rows sum to d.

    Raises
    ------
    ValueError
        If no such graph exists, or the matrix does not fit in memory.

    Examples
    --------
    >>> adjacency = regular_graph(6, 3, np.random.default_rng(0))
    >>> adjacency.sum(axis=0).tolist()
    [3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    """
    size = validate.integer("size", size, meaning="vertices of the graph")
    degree = validate.integer("degree", degree, meaning="degree of every vertex")
    rng = validate.generator("rng", rng)
    if degree % 2 and size % 2:
        raise ValueError(f"size={size}: expected an even number of vertices (odd degree {degree})")
    if degree > size * size:
        raise ValueError(
            f"size={size}: expected at least {int(np.sqrt(degree)) + 1} vertices (degree {degree})"
        )
    validate.memory(8.0 * size * size, f"a {size}×{size} matrix (size={size})")
    total = np.zeros((size, size))
    rows = np.arange(size)
    for _ in range(degree // 2):
        columns = rng.permutation(size)
        np.add.at(total, (rows, columns), 1.0)
        np.add.at(total, (columns, rows), 1.0)
    if degree % 2:
        first, second = rng.permutation(size).reshape(2, size // 2)
        total[first, second] += 1.0
        total[second, first] += 1.0
    return total
