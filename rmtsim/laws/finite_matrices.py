"""Finite matrices (1/N) X Λ Xᵀ, built from blocks of columns so that X is never held whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate

__all__ = ["weighted_covariance"]

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
