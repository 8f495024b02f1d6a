"""How strong the evidence is, as e-values.

The set of means at level α is where an e-process E stays below 1/α. A statement whose every point lies outside that set
has E ≥ 1/α everywhere, so one over the smallest such level bounds from below what a bet against the whole statement has
earned: an e-value, with expectation at most one wherever the statement is true. It may well be less than one.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable

__all__ = ["e_value"]

_LADDER = (*(float(f"{digit}e{power}") for power in range(-4, 12) for digit in (1, 2, 5)), 1e12)
"""Values that are told apart: rounded down, an e-value stays one."""


def e_value(excluded_at: Callable[[float], bool]) -> float:
    """Evidence against a hypothesis that the set of means at level α excludes where ``excluded_at(α)``; rounded down.

    >>> e_value(lambda level: level > 0.9e-3), e_value(lambda level: True), e_value(lambda level: False)
    (1000.0, 1000000000000.0, 0.0)
    """
    # A smaller level excludes less, so what is excluded at one value is excluded at every smaller one.
    found = bisect.bisect_left(_LADDER, True, key=lambda value: not excluded_at(1 / value))
    return _LADDER[found - 1] if found else 0.0
