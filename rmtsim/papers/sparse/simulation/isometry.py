"""Incoherence and the restricted isometry property (Definitions 2.2.1, 2.2.2)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rmtsim.papers.sparse.simulation.checks import checked_dictionary, checked_sparsity
from rmtsim.papers.sparse.simulation.decoding import check_supports
from rmtsim.papers.sparse.simulation.draws import normalised
from rmtsim.papers.sparse.simulation.kernels.pursuit import extreme_eigenvalues


def incoherence(dictionary: Any) -> float:
    """μ: the largest |⟨A_i, A_j⟩|, i ≠ j, of the normalised columns; zero for a single one.

    >>> round(incoherence([[1.0, 1.0], [0.0, 1.0]]), 12)
    0.707106781187
    """
    columns = normalised(dictionary)
    gram = np.abs(columns.T @ columns)
    np.fill_diagonal(gram, 0.0)
    return float(gram.max())


def isometry_constant(dictionary: Any, sparsity: int) -> float:
    """δ_s: the least δ with (1 - δ)‖x‖² ≤ ‖Ax‖² ≤ (1 + δ)‖x‖² for all s-sparse x, by all supports of size s.

    >>> round(isometry_constant([[1.0, 0.6], [0.0, 0.8]], 2), 12)
    0.6
    """
    matrix = checked_dictionary("dictionary", dictionary)
    s = checked_sparsity(sparsity, matrix.shape[1])
    check_supports(matrix.shape[1], s)
    low, high = extreme_eigenvalues(matrix.T @ matrix, s)
    return float(max(1.0 - low, high - 1.0, 0.0))


def isometry_bounds(dictionary: Any, sparsity: int) -> tuple[float, float]:
    """Certified bounds on δ_s at any size, of a dictionary with unit columns.

    From above Gershgorin's circles, each with the s - 1 largest correlations of its own column (never more than
    (s - 1)μ), and the extreme singular values of the whole; from below a support grown greedily from the worst pair
    (δ₂ = μ).

    >>> low, high = isometry_bounds(np.eye(3), 2)
    >>> low, high
    (0.0, 0.0)
    """
    matrix = checked_dictionary("dictionary", dictionary)
    if not np.allclose(np.linalg.norm(matrix, axis=0), 1.0, rtol=0, atol=1e-9):
        raise ValueError("dictionary: expected columns of unit norm (normalised makes them so)")
    s = checked_sparsity(sparsity, matrix.shape[1])
    gram = matrix.T @ matrix
    off = np.abs(gram)
    np.fill_diagonal(off, 0.0)
    circles = np.sort(off, axis=1)[:, ::-1][:, : s - 1].sum(axis=1)
    whole = np.linalg.norm(matrix, 2) ** 2 - 1
    high = min(float(circles.max()), max(1.0, float(whole)))
    worst = int((off - 2.0 * np.eye(off.shape[0])).argmax())
    support = [worst // off.shape[0], worst % off.shape[0]] if s > 1 else [0]
    while len(support) < s:
        gain = off[:, support].sum(axis=1)
        gain[support] = -math.inf
        support.append(int(gain.argmax()))
    values = np.linalg.eigvalsh(gram[np.ix_(support, support)])
    low = max(1.0 - float(values[0]), float(values[-1]) - 1.0, float(off.max()) if s > 1 else 0.0)
    low = 0.0 if low < 1e-12 else low
    return low, max(high, low)
