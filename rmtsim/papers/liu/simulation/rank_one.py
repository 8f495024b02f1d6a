"""The spectral norm of a diagonal matrix plus a multiple of a rank-one matrix, for whole batches at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array

_HALVINGS = 60
_LARGEST = 1e80
"""Products of three such numbers, and sums of them, stay finite."""


def rank_one_norms(diagonal: ArrayLike, vector: ArrayLike, weight: Any) -> Array:
    """‖D + ρ g gᵀ‖ for every row of ``diagonal`` (D) and ``vector`` (g), both (batch, m), and ``weight`` ρ (batch).

    For ρ > 0 the largest eigenvalue lies in [max d, max d + ρ|g|²] and the smallest between the two smallest entries
    of D; both are found by bisection of 1 + ρ Σ g_i²/(d_i - λ), to rounding.

    >>> d, g = np.array([[1.0, -2.0, 0.5]]), np.array([[0.3, 0.1, 0.7]])
    >>> exact = np.linalg.norm(np.diag(d[0]) + 2 * np.outer(g[0], g[0]), 2)
    >>> bool(np.isclose(rank_one_norms(d, g, [2.0])[0], exact, rtol=1e-12))
    True
    """
    entries = validate.real_array("diagonal", diagonal)
    g = validate.real_array("vector", vector)
    rho = validate.real_array("weight", weight)
    if entries.ndim != 2 or g.shape != entries.shape or rho.shape != entries.shape[:1] or not entries.size:
        raise ValueError(
            f"diagonal, vector and weight of shapes {entries.shape}, {g.shape}, {rho.shape}: "
            "expected (batch, m), (batch, m) and (batch,), m >= 1"
        )
    for name, array in (("diagonal", entries), ("vector", g), ("weight", rho)):
        if np.abs(array).max() > _LARGEST:
            raise ValueError(f"{name}: expected entries of modulus <= {_LARGEST:g}, and one is larger")
    sign = np.where(rho < 0, -1.0, 1.0)
    d = np.sort(entries * sign[:, None], axis=1)
    squares = (
        np.take_along_axis(g**2, np.argsort(entries * sign[:, None], axis=1), axis=1) * np.abs(rho)[:, None]
    )
    top = _root(d, squares, d[:, -1], d[:, -1] + squares.sum(axis=1))
    if d.shape[1] == 1:
        return np.abs(top)
    bottom = _root(d, squares, d[:, 0], np.minimum(d[:, 1], d[:, 0] + squares.sum(axis=1)))
    return np.maximum(np.abs(top), np.abs(bottom))


def _root(d: Array, squares: Array, low: Array, high: Array) -> Array:
    """The eigenvalue in (low, high): 1 + Σ s_i/(d_i - λ) rises from -∞ to a positive value there."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        gaps = d - middle[:, None]
        # If bisection hits an entry exactly, its term is infinite, and the eigenvalue lies above.
        gaps[gaps == 0] = -1e-300
        with np.errstate(over="ignore"):
            below = 1 + (squares / gaps).sum(axis=1) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2
