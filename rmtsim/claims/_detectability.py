"""The smallest shift of its prediction that each registered claim detects in the default budget, known before a run.

The figures are measured, not promised: ``benchmarks/detectable.py`` writes them to ``detectable.json`` in
each paper's folder, from runs with the default allowance. A claim's own run computes its figure anew (``detectable``
in the result).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rmtsim.claims._model import Claim, value_words
from rmtsim.claims._papers import PAPERS

FILE = "detectable.json"


@dataclass(frozen=True, kw_only=True)
class DetectableShift:
    """What one claim can detect, at the parameter point that detects the smallest share of its prediction."""

    parameters: dict[str, Any]
    quantity: str
    """What is predicted there: limit, amplitude, exponent, distance, probability, relative error, extreme value."""
    predicted: float
    tolerance: float
    shift: float | None
    """Moved by more than this, the prediction would be refuted; None if the budget bounds nothing."""
    relative: float | None
    """The same as a share of the prediction; None where that is zero."""
    level: float | None
    """None for a computed quantity, which spends none (records from before this was so have one)."""
    budget: float
    """Nominal seconds the claim had."""

    def in_words(self, evidence: str = "simulated") -> str:
        """One line for people; what is computed spends neither replicates nor an error level."""
        where = ", ".join(f"{name} = {value_words(value)}" for name, value in self.parameters.items())
        place = f" at {where}" if where else ""
        if self.shift is None:
            return f"none within {self.budget:g} nominal seconds{place}: no interval is bounded so early"
        share = "" if self.relative is None else f" ({100 * self.relative:.2g} % of {self.predicted:.5g})"
        level = "" if self.level is None else f" at level {self.level:.2g}"
        spent = "" if evidence == "computed" else f", in {self.budget:g} nominal seconds{level}"
        return (
            f"{self.shift:.3g}{share} in the {self.quantity}{place}{spent} (tolerance {self.tolerance:.2g})"
        )

    def belongs_to(self, claim: Claim) -> bool:
        """Whether the claim still declares the tolerance and accepts the point of this figure."""
        try:
            claim.point(self.parameters)
        except (TypeError, ValueError):
            return False
        return math.isclose(claim.tolerance.width(self.predicted), self.tolerance, rel_tol=1e-9)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return dict(vars(self))


def recorded_shifts(key: str) -> dict[str, DetectableShift]:
    """The recorded figures of a paper, by claim; a paper that was never measured has none."""
    return {
        name: DetectableShift(**entry)
        for name, entry in PAPERS.records(key, FILE).items()
        if entry.keys() == _FIELDS
    }


_FIELDS = DetectableShift.__dataclass_fields__.keys()


def detectable_shift(claim: Claim) -> DetectableShift | None:
    """The recorded figure of a registered claim; None for a claim of a user's, whose run computes its own.

    >>> from rmtsim.claims import find
    >>> found = detectable_shift(find("dong.thm1.ratio-rate"))
    >>> found.shift > found.tolerance > 0
    True
    """
    entry = {} if claim.origin is not None else PAPERS.records(claim.paper, FILE).get(claim.id, {})
    return DetectableShift(**entry) if entry.keys() == _FIELDS else None
