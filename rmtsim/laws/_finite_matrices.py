"""Finite matrices whose spectra tend to a law: (1/N) X Λ Xᵀ from blocks of columns, and sums of permutations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate

__all__ = ["permutation_sum", "weighted_covariance"]

_BLOCK = 2048


def weighted_covariance(
    n: int,
    ratio: float,
    diagonal: Callable[[int], NDArray[np.float64]],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """(1/N) X Λ Xᵀ with X n×N standard Gaussian, N = n/ratio rounded, Λ = diag(``diagonal(N)``)."""
    n = validate.integer("n", n, meaning="size of the matrix")
    rng = validate.generator("rng", rng)
    columns = round(n / ratio)
    if not 1 <= columns <= validate.MAXIMUM_SIZE:
        raise ValueError(
            f"n={n}: expected a size for which N = n/ratio lies in [1, {validate.MAXIMUM_SIZE}] (ratio {ratio:g})"
        )
    validate.memory(8.0 * n * (2 * n + 2 * min(columns, _BLOCK)), f"a {n}×{n} matrix")
    values = diagonal(columns)
    total = np.zeros((n, n))
    for first in range(0, columns, _BLOCK):
        block = rng.standard_normal((n, min(_BLOCK, columns - first)))
        total += (block * (values[first : first + block.shape[1]] / columns)) @ block.T
    # BLAS may sum the two triangles in different orders; the matrix is symmetric to the last bit.
    return np.asarray(0.5 * (total + total.T))


def permutation_sum(n: int, degree: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """P + Pᵀ summed over degree/2 uniform permutations, plus a uniform perfect matching if the degree is odd."""
    n = validate.integer("n", n, meaning="size of the matrix")
    rng = validate.generator("rng", rng)
    if degree % 2 and n % 2:
        raise ValueError(f"n={n}: expected an even size (vertices of a graph of odd degree {degree})")
    if degree > n * n:
        raise ValueError(f"n={n}: expected at least {int(np.sqrt(degree)) + 1} vertices (degree {degree})")
    validate.memory(8.0 * n * n, f"a {n}×{n} matrix")
    total = np.zeros((n, n))
    rows = np.arange(n)
    for _ in range(degree // 2):
        columns = rng.permutation(n)
        np.add.at(total, (rows, columns), 1.0)
        np.add.at(total, (columns, rows), 1.0)
    if degree % 2:
        first, second = rng.permutation(n).reshape(2, n // 2)
        total[first, second] += 1.0
        total[second, first] += 1.0
    return total
