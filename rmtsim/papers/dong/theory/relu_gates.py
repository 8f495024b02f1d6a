"""Gated sample covariances L_ij = (1/N) Σ g_ni g_nj x_n x_nᵀ at finite dimension: what holds exactly of `dong` Lemma 3.

With θ the angle between w_i and w_j, both gates are open with probability p = (π-θ)/(2π) and, given W,

    E[g_i g_j x xᵀ] has squared norm d p² + sin²θ/(2π²),

so for two samples E[g g' (x·x')²]/d = E[p²] + E[sin²θ]/(2π²d). For i = j the gates are fair coins independent of
x xᵀ and the value is 1/4 in every dimension.
"""

from __future__ import annotations

import math

from scipy.special import polygamma

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays

__all__ = ["gated_pair_moment"]


def _angle_variance(dimension: int) -> float:
    """Variance of the angle between two independent directions, density ∝ sin^{d-2} on (0, π): ψ'(d/2)/2.

    Two integrations by parts give v(d) = v(d-2) - 2/(d-2)², which this tail sum solves.
    """
    return float(polygamma(1, dimension / 2)) / 2


@takes_arrays
def gated_pair_moment(dimension: int, *, diagonal: bool) -> float:
    """E[λ_1 λ_2 (x_1·x_2)²]/d for two samples, λ_n = g_ni g_nj: exact in every dimension.

    `dong` Lemma 3 would make it 1/4 on the diagonal, which holds, and 1/16 off it, which is only its limit.

    >>> gated_pair_moment(7, diagonal=True), round(gated_pair_moment(2, diagonal=False), 4)
    (0.25, 0.096)
    """
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    if diagonal:
        return 0.25
    probability = (0.25 + _angle_variance(dimension) / math.pi**2) / 4
    return probability + (dimension - 1) / dimension / (2 * math.pi**2 * dimension)
