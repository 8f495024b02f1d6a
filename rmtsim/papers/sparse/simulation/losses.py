"""Recovery error (2.2), reconstruction loss (2.7) and masked loss (2.9), on given measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.papers.sparse.simulation.checks import (
    checked_dictionary,
    checked_mask,
    checked_measurements,
    checked_sparsity,
)
from rmtsim.papers.sparse.simulation.decoding import explained_energy, pursue


def recovery_error(truth: Any, learned: Any) -> float:
    """d_R(A, B) = (1/p) Σ_i min over columns j and signs c of ‖A_i - cB_j‖², equation (2.2).

    For unit columns it is the mean of 2 - 2 max_j |⟨A_i, B_j⟩|, twice the cosine distance of Figures 2.1-2.3.

    >>> recovery_error(np.eye(2), [[-1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    0.5
    """
    a, b = checked_dictionary("truth", truth), checked_dictionary("learned", learned)
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"learned of shape {b.shape}: expected {a.shape[0]} rows, as truth has")
    squares = (a**2).sum(axis=0)[:, None] + (b**2).sum(axis=0) - 2 * np.abs(a.T @ b)
    nearest = squares.argmin(axis=1)
    # the differences themselves, since a small distance of two long columns cancels in the expansion
    found = b[:, nearest]
    signs = np.where((a * found).sum(axis=0) < 0, -1.0, 1.0)
    return float(((a - signs * found) ** 2).sum(axis=0).mean())


def sparse_losses(measurements: Any, dictionary: Any, sparsity: int) -> Array:
    """min over k-sparse ẑ of ‖y - Bẑ‖² for every measurement, by exhaustion; their mean estimates L(B, k), (2.7).

    >>> sparse_losses([0.5, 3.0, -2.0], np.eye(3), 2).tolist()
    [0.25]
    """
    matrix = checked_dictionary("dictionary", dictionary)
    rows = checked_measurements(measurements, matrix.shape[0])
    energy, _ = explained_energy(rows, matrix, sparsity)
    return np.asarray(np.maximum((rows**2).sum(axis=1) - energy, 0.0))


def masked_losses(measurements: Any, dictionary: Any, sparsity: int, mask: Any) -> Array:
    """‖[y]_{M^c} - [Bẑ]_{M^c}‖² for every measurement, ẑ decoded by OMP from [y]_M alone; equations (2.9), (2.10).

    ``mask`` lists the coordinates M that codes are decoded from, counted from zero.

    >>> masked_losses([1.0, 1.0, 0.0], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 1, [0]).tolist()
    [0.0]
    """
    matrix = checked_dictionary("dictionary", dictionary)
    rows = checked_measurements(measurements, matrix.shape[0])
    k = checked_sparsity(sparsity, matrix.shape[1])
    seen = checked_mask(mask, matrix.shape[0])
    hidden = np.setdiff1d(np.arange(matrix.shape[0]), seen)
    found = pursue(np.ascontiguousarray(matrix[seen]), np.ascontiguousarray(rows[:, seen]), k)
    return np.asarray(((rows[:, hidden] - found.codes @ matrix[hidden].T) ** 2).sum(axis=1))


def masked_loss(measurements: Any, dictionary: Any, sparsity: int, mask: Any) -> float:
    """Mean of :func:`masked_losses`: the empirical L_mask(B, k, M).

    >>> masked_loss([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 1, [0])
    0.5
    """
    return float(masked_losses(measurements, dictionary, sparsity, mask).mean())
