"""Moments from free cumulants."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rmtsim._internal import validate

_DIGITS = (40, 90, 200, 450, 1000)


def moments_from_cumulants(cumulants: Sequence[float]) -> list[float]:
    """m₀ = 1, m₁, …, m_k from free cumulants κ₁, …, κ_k.

    m_n = Σ_s κ_s Σ m_{i₁}⋯m_{i_s} over i₁ + … + i_s = n - s: the block of the first element has s members,
    and the partitions of the spaces between them are independent (Speicher 1994).

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


def exact_moment(order: int, cumulants: Callable[[], Sequence[Any]]) -> float:
    """The moment of this order from free cumulants of either sign, all its digits right whatever cancels.

    ``cumulants()`` returns κ₁ … κ_k in the mpmath precision of the moment it is called. Precision grows until two
    of them agree; a moment that stays zero to a thousand digits is zero.

    >>> import mpmath
    >>> exact_moment(3, lambda: [mpmath.mpf(1) / 3, mpmath.mpf(0), -mpmath.mpf(1) / 27])
    0.0
    """
    # mpmath is slow to load, and few callers shift a law and ask for its moments.
    import mpmath

    previous = None
    for digits in _DIGITS:
        with mpmath.workdps(digits):
            value = _exact_moments(list(cumulants()), mpmath)[order]
            if previous is not None and abs(value - previous) <= mpmath.mpf(10) ** -20 * abs(value):
                return float(value)
            previous = value
    return 0.0


def _exact_moments(cumulants: list[Any], mpmath: Any) -> list[Any]:
    order = len(cumulants)
    moments = [mpmath.mpf(1)]
    powers = [[mpmath.mpf(1)] + [mpmath.mpf(0)] * order] + [[mpmath.mpf(1)] for _ in range(order)]
    for n in range(1, order + 1):
        moments.append(mpmath.fdot((cumulants[s - 1], powers[s][n - s]) for s in range(1, n + 1)))
        for s in range(1, order - n + 1):
            powers[s].append(mpmath.fdot((moments[i], powers[s - 1][n - i]) for i in range(n + 1)))
    return moments
