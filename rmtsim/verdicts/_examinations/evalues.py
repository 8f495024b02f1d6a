"""How strong the evidence for or against a statement is, as e-values.

The set of means at level α is where an e-process E stays below 1/α. A statement whose every point lies outside that set
has E ≥ 1/α everywhere, so one over the smallest such level bounds from below what a bet against the whole statement has
earned: an e-value, with expectation at most one wherever the statement is true. It may well be less than one.

For and against are evaluated at the same levels, and at most levels nothing is excluded. One admissible model that is
not excluded shows that, and a coarse grid usually contains one; grids are therefore refined only as far as the answer
needs, and what was computed for one question often answers the other.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable

from rmtsim.verdicts._evidence.mean_set import MeanSet
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import Verdict

_LADDER = (*(float(f"{digit}e{power}") for power in range(-4, 12) for digit in (1, 2, 5)), 1e12)
"""Values of an e-value; rounded down to one of them, an e-value is still an e-value."""


def e_value(excluded_at: Callable[[float], bool]) -> float:
    """Evidence against a hypothesis that the set of means at level α excludes where ``excluded_at(α)``; rounded down.

    >>> e_value(lambda level: level > 0.9e-3), e_value(lambda level: True), e_value(lambda level: False)
    (1000.0, 1000000000000.0, 0.0)
    """
    # A smaller level excludes less, so what is excluded at one value is excluded at every smaller one.
    found = bisect.bisect_left(_LADDER, True, key=lambda value: not excluded_at(1 / value))
    return _LADDER[found - 1] if found else 0.0


class Exclusions:
    """Answers by level, from the sets of means of one examination."""

    def __init__(self, asked: Question, mean_set: Callable[[float], MeanSet], needed: int) -> None:
        self._asked = asked
        self._mean_set = mean_set
        self._needed = needed
        self._sets: dict[float, MeanSet] = {}
        self._known: dict[float, dict[Verdict, Analysis]] = {}

    def at(self, wanted: Verdict, level: float) -> bool:
        """Whether every admissible model at this level excludes whatever would keep the verdict from ``wanted``."""
        known = self._known.setdefault(level, {})
        if any(not found.described for found in known.values()):
            return True  # no model at all describes these means, whatever is wanted
        # A hull looked at for another verdict may be too narrow to say yes, but where it decides otherwise, so do wider
        # ones.
        if any(found.described and self._asked.decided(found) is not wanted for found in known.values()):
            return False
        if wanted not in known:
            if level not in self._sets:
                self._sets[level] = self._mean_set(level)
            known[wanted] = self._asked.judged_for(wanted, self._sets[level], self._needed)
        return self._asked.excludes(known[wanted], wanted)
