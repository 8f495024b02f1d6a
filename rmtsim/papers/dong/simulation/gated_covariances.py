"""Gated sample covariances at finite d and N, and the same with independent coins for gates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def gated_matrices(count: int, rng: np.random.Generator, dimension: int, samples: int) -> NDArray[np.float64]:
    """(1/N) Σ 1(w·x_n > 0) x_n x_nᵀ for ``count`` independent draws of w and x_1 … x_N, flattened to rows."""
    inputs = rng.standard_normal((count, samples, dimension))
    kept = inputs * (inputs @ rng.standard_normal((count, dimension, 1)) > 0)
    return np.asarray(kept.transpose(0, 2, 1) @ inputs / samples).reshape(count, -1)


def coin_matrices(count: int, rng: np.random.Generator, dimension: int, samples: int) -> NDArray[np.float64]:
    """(1/N) Σ c_n x_n x_nᵀ with independent fair coins c_n, ``count`` draws, flattened to rows."""
    inputs = rng.standard_normal((count, samples, dimension))
    kept = inputs * rng.integers(0, 2, (count, samples, 1))
    return np.asarray(kept.transpose(0, 2, 1) @ inputs / samples).reshape(count, -1)
