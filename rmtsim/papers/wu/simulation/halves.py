"""Squared norms without bias: a population quantity estimated twice, on independent halves of the inputs.

The squared norm of one estimate Q + noise is too large by that of the noise. The inner product of two estimates with
independent noise has the expectation ‖Q‖²_F.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Estimates of one matrix from the two halves."""


def product(pair: Pair) -> float:
    """⟨first, second⟩_F: unbiased for the squared Frobenius norm of what both estimate.

    >>> product((np.array([[3.0, 0.0]]), np.array([[3.0, 1.0]])))
    9.0
    """
    return float(np.vdot(*pair))


def products(pair: Pair) -> NDArray[np.float64]:
    """⟨first, second⟩_F of every network: unbiased for the squared Frobenius norm of what both estimate.

    >>> products((np.full((2, 1, 1), 3.0), np.array([[[1.0]], [[2.0]]])))
    array([3., 6.])
    """
    return np.asarray(np.einsum("bij,bij->b", *pair))
