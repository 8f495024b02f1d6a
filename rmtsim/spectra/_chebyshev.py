"""Chebyshev statistics of a bulk: means and covariances of Σ T_k(u_i).

Let u map the bulk onto [-1, 1] and u = (ξ + 1/ξ)/2. For a Wishart matrix of shape m × n (m ≤ n, y = m/n) and for a
Wigner matrix the sums Σ T_k(u_i), k = 1, 2, …, tend to independent normal variables of variance k/(2β), with means
m ∫T_k dμ + (2/β - 1)/2 for even k (without the last term for odd k). Each outlier at ξ = a lowers the sum over the
remaining eigenvalues by a^{-k}/2. Derivation: docs/your-own-spectrum.md.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc

from rmtsim._internal.arrays import FloatArray

_ORDERS = ((100, 8), (30, 6), (8, 4))
"""Sizes of a bulk, and the highest degree whose sum is near its normal limit there (tests/spectra)."""


def bulk_order(count: int) -> int:
    """The highest degree used for a bulk of ``count`` eigenvalues."""
    return next((order for size, order in _ORDERS if count >= size), 0)


def chebyshev_sums(points: FloatArray, order: int) -> FloatArray:
    """Σ T_k(u_i) for k = 1, …, order, with u clipped to [-1, 1].

    Clipping does not change the normal limit, and removes the weight cosh(k arccosh u) of a few eigenvalues beyond
    the edge, which would dominate the sum for small matrices.

    >>> chebyshev_sums(np.array([1.0, 0.5]), 2)
    array([1.5, 0.5])
    """
    angle = np.arccos(np.clip(points, -1.0, 1.0))
    return np.array([np.cos(k * angle).sum() for k in range(1, order + 1)])


def expected_sums(count: int, ratio: float | None, roots: FloatArray, beta: int, order: int) -> FloatArray:
    """Mean of the sums over a bulk of ``count`` eigenvalues with outliers at ``roots`` (their a, of either sign).

    ``ratio`` is y = m/n ≤ 1 of the bulk's own shape, or None for a Wigner matrix.

    >>> expected_sums(4, 1.0, np.array([2.0]), 1, 2)
    array([-2.25 ,  0.375])
    """
    k = np.arange(1, order + 1)
    if ratio is None:
        means = np.where(k == 2, -0.5, 0.0)
    else:
        r = -np.sqrt(ratio)
        means = np.where(k == 1, 0.5 * r, -0.5 * r ** np.maximum(k - 2, 0) * (1 - ratio))
    shift = 0.5 * (2 / beta - 1) * (k % 2 == 0)
    lost = 0.5 * (roots[:, None] ** (-k)).sum(axis=0) if roots.size else 0.0
    return np.asarray(count * means + shift - lost)


def outer_root(points: FloatArray) -> FloatArray:
    """The ξ of modulus ≥ 1 with u = (ξ + 1/ξ)/2, for |u| ≥ 1; ±1 for points inside the bulk.

    >>> outer_root(np.array([1.25, -1.25, 0.3]))
    array([ 2., -2.,  1.])
    """
    size = np.maximum(np.abs(points), 1.0)
    return np.asarray(np.where(points < 0, -1.0, 1.0) * (size + np.sqrt((size - 1) * (size + 1))))


def chi_square_tail(statistic: float, freedom: int) -> float:
    """P(χ²_freedom > statistic)."""
    return float(gammaincc(0.5 * freedom, 0.5 * statistic))
