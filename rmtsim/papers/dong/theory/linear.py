"""Predictions of `dong` Theorem 1 for the linear softmax model: the limit d, N → ∞ at finite C, and as C grows.

With p the softmax of C independent standard Gaussians, h₁ = p₁(1 - p₁) and h₂ = p₁p₂ (section 7.1),

    g_ii = γ E[h₁²] + (E h₁)²,   g_ij = γ E[h₂²] + (E h₂)².

Writing 1 - p₁ as the sum of the other p_j gives sums of positive terms, so no digit is lost to cancellation:
E h₁ = (C-1) E[p₁p₂] and E[h₁²] = (C-1) E[p₁²p₂²] + (C-1)(C-2) E[p₁²p₂p₃].
"""

from __future__ import annotations

import math

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.dong.theory.softmax_moments import softmax_moment

__all__ = [
    "diagonal_energy",
    "diagonal_limit",
    "offdiagonal_energy",
    "offdiagonal_limit",
    "ratio",
    "ratio_limit",
]


def _gamma(gamma: float) -> float:
    number = validate.positive_number("gamma", gamma, meaning="gamma = d/N")
    if number > _LARGEST_GAMMA:
        raise ValueError(f"gamma={number}: expected a number in (0, {_LARGEST_GAMMA:g}] (gamma = d/N)")
    return number


_LARGEST_GAMMA = 1e300


def _check(gamma: float, classes: int) -> tuple[float, int]:
    return (
        _gamma(gamma),
        validate.integer("classes", classes, minimum=2, meaning="number of classes C"),
    )


@takes_arrays
def diagonal_energy(gamma: float, classes: int) -> float:
    """g_ii(γ, C) = γ E[h₁²] + (E h₁)², the limit of ‖H_ii‖²_F/d as d, N → ∞ with d/N → γ.

    Source: `dong` section 7.1. Relative error about 1e-14.

    >>> round(1000**2 * diagonal_energy(0.5, 1000), 6)      # its C → ∞ limit is γe + 1 = 2.359…
    2.324653
    """
    gamma, classes = _check(gamma, classes)
    others = classes - 1
    square = others * softmax_moment((2, 2), classes)
    if classes > 2:
        square += others * (classes - 2) * softmax_moment((2, 1, 1), classes)
    return gamma * square + (others * softmax_moment((1, 1), classes)) ** 2


@takes_arrays
def offdiagonal_energy(gamma: float, classes: int) -> float:
    """g_ij(γ, C) = γ E[h₂²] + (E h₂)², the limit of ‖H_ij‖²_F/d, i ≠ j, as d, N → ∞ with d/N → γ.

    Source: `dong` section 7.1. Relative error about 1e-14.

    >>> diagonal_energy(2.0, 2) == offdiagonal_energy(2.0, 2)   # two classes: H_12 = -H_11
    True
    """
    gamma, classes = _check(gamma, classes)
    return gamma * softmax_moment((2, 2), classes) + softmax_moment((1, 1), classes) ** 2


@takes_arrays
def ratio(gamma: float, classes: int) -> float:
    """g_ij/g_ii, the limit of ‖H_ij‖²/‖H_ii‖² as d, N → ∞. Source: `dong` eq. (26), first part.

    Like all functions here it takes arrays too.

    >>> ratio(1.0, 2)
    1.0
    >>> ratio(1.0, [2, 10]).round(4)
    array([1.    , 0.0183])
    """
    return offdiagonal_energy(gamma, classes) / diagonal_energy(gamma, classes)


@takes_arrays
def diagonal_limit(gamma: float) -> float:
    """lim C² g_ii(γ, C) = γe + 1. Source: `dong` eq. (24).

    >>> diagonal_limit(1.0) == math.e + 1
    True
    """
    return _gamma(gamma) * math.e + 1


@takes_arrays
def offdiagonal_limit(gamma: float) -> float:
    """lim C⁴ g_ij(γ, C) = γe² + 1. Source: `dong` eq. (25).

    >>> offdiagonal_limit(1.0) == math.exp(2) + 1
    True
    """
    return _gamma(gamma) * math.exp(2) + 1


@takes_arrays
def ratio_limit(gamma: float) -> float:
    """lim C² g_ij/g_ii = (γe² + 1)/(γe + 1). Source: `dong` eq. (26).

    >>> 1 < ratio_limit(1e-9) < 1 + 1e-8
    True
    """
    return offdiagonal_limit(gamma) / diagonal_limit(gamma)
