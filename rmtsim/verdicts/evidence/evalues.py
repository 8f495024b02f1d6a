"""How strong the evidence is, on the scale of e-values.

The set of means at level α is where the e-process stays below 1/α, so 1/(the smallest level at which a
verdict would still be reached) is the e-process at the worst point of the other side: a bet against the
statement (or against its being false) that would have multiplied a stake by that much.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rmtsim.verdicts.results import Verdict

__all__ = ["evidence_values"]

_LARGEST = 1e12
_STEPS = 24


def evidence_values(verdict_at: Callable[[float], Verdict], level: float) -> tuple[float, float]:
    """(against the statement, for it); each has expectation at most one where it should not grow.

    >>> against, for_it = evidence_values(lambda a: Verdict.REFUTED if a > 1e-3 else Verdict.INCONCLUSIVE, 0.05)
    >>> round(math.log10(against), 1), for_it
    (3.0, 1.0)
    """
    return _value(verdict_at, Verdict.REFUTED), _value(verdict_at, Verdict.CONFIRMED)


def _value(verdict_at: Callable[[float], Verdict], wanted: Verdict) -> float:
    # Levels by their logarithm: a smaller level is harder to meet.
    easy, hard = math.log(0.999), math.log(1 / _LARGEST)
    if verdict_at(math.exp(easy)) is not wanted:
        return 1.0
    if verdict_at(math.exp(hard)) is wanted:
        return _LARGEST
    for _ in range(_STEPS):
        middle = (easy + hard) / 2
        if verdict_at(math.exp(middle)) is wanted:
            easy = middle
        else:
            hard = middle
        if easy - hard < 0.01:
            break
    return math.exp(-easy)
