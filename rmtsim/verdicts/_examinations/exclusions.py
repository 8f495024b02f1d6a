"""At which levels the set of means excludes a statement, or everything but the statement: what e-values ask.

Both questions are asked at the same levels, and most answers are no. A no needs one admissible model out of place,
which a coarse grid usually has; so grids are refined only as far as the answer needs, and a no to one question often
comes from what the other has looked at.
"""

from __future__ import annotations

from collections.abc import Callable

from rmtsim.verdicts._evidence.mean_set import MeanSet
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._question import Question
from rmtsim.verdicts._results import Verdict

__all__ = ["Exclusions"]


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
