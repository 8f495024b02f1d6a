"""Moments from free cumulants."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rmtsim import validate

__all__ = ["moments_from_cumulants"]


def moments_from_cumulants(cumulants: Sequence[float]) -> list[float]:
    """m₀ = 1, m₁, …, m_k from free cumulants κ₁, …, κ_k.

    m_n = Σ_s κ_s Σ m_{i₁}⋯m_{i_s} over i₁ + … + i_s = n - s: the block of the first element has s members,
    and the partition restricted to each space between them is free to choose (Speicher 1994).

    >>> moments_from_cumulants([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    [1.0, 0.0, 1.0, 0.0, 2.0, 0.0, 5.0]
    """
    checked = validate.real_array("cumulants", cumulants, meaning="κ₁, …, κ_k")
    if checked.ndim != 1:
        raise ValueError(f"cumulants of shape {checked.shape}: expected a sequence of numbers κ₁, …, κ_k")
    cumulants = checked.tolist()
    order = len(cumulants)
    moments = [1.0]
    # powers[s][d] is the coefficient of degree d in (Σ m_i xⁱ)^s, filled as the moments become known.
    powers = [[1.0] + [0.0] * order] + [[1.0] for _ in range(order)]
    for n in range(1, order + 1):
        moments.append(math.fsum(cumulants[s - 1] * powers[s][n - s] for s in range(1, n + 1)))
        for s in range(1, order - n + 1):
            powers[s].append(math.fsum(moments[i] * powers[s - 1][n - i] for i in range(n + 1)))
    return moments
