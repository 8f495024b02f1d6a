"""How strong the evidence is, as e-values.

The set of means at level α is where an e-process E stays below 1/α. A statement whose every point lies outside that set
has E ≥ 1/α everywhere, so one over the smallest such level bounds from below what a bet against the whole statement has
earned: an e-value, with expectation at most one wherever the statement is true. It may well be less than one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["e_value"]

LARGEST = 1e12
LEAST = 1e-6
_STEPS = 24


def e_value(excluded_at: Callable[[float], bool]) -> float:
    """Evidence against a hypothesis that the set of means at level α excludes where ``excluded_at(α)``.

    >>> round(math.log10(e_value(lambda level: level > 1e-3)), 1)
    3.0
    >>> round(math.log10(e_value(lambda level: level > 30.0)), 1)
    -1.5
    """
    # Levels by their logarithm: a smaller level excludes less. Beyond one they only measure how weak the evidence is.
    easy, hard = math.log(1 / LEAST), math.log(1 / LARGEST)
    if not excluded_at(math.exp(easy)):
        return 0.0
    if excluded_at(math.exp(hard)):
        return LARGEST
    for _ in range(_STEPS):
        middle = (easy + hard) / 2
        if excluded_at(math.exp(middle)):
            easy = middle
        else:
            hard = middle
        if easy - hard < 0.01:
            break
    return math.exp(-easy)
