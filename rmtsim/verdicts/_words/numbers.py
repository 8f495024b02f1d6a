"""Numbers, counts and standings for people: the same words on every surface."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

from rmtsim.claims._model import value_words
from rmtsim.verdicts._results import PointResult

PRACTICAL = 86_400.0
"""A budget beyond a day of one core is not proposed: other remedies are cheaper."""


def duration(seconds: float) -> str:
    """Rounded for people.

    >>> [duration(s) for s in (0.2, 40, 900, 90000, 9e6, 1e12)]
    ['1 s', '40 s', '15 min', '25 h', '104 days', '31688 years']
    """
    if seconds < 90:
        return f"{max(1, float(f'{seconds:.1g}')):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 72 * 3600:
        return f"{seconds / 3600:.0f} h"
    days = seconds / 86400
    return f"{days:.0f} days" if days < 1000 else f"{days / 365.25:.0f} years"


def within(estimate: float | None, interval: tuple[float, float]) -> str:
    """An estimate and its interval, to the second digit of the interval's half-width.

    >>> within(1.99421, (1.98712, 2.00135))
    '1.9942 in [1.9871, 2.0013]'
    >>> within(None, (-math.inf, math.inf)), within(2.0, (2.0, 2.0))
    ('unknown', '2')
    >>> within(3.0, (2.0, math.inf))
    '3 in [2, inf]'
    """
    low, high = interval
    if estimate is None or not math.isfinite(estimate):
        if math.isinf(low) and math.isinf(high):
            return "unknown"
        return f"in {_ends(low, high)}"
    half = (high - low) / 2
    if half == 0:
        return f"{estimate:.6g}"
    return f"{_digits(estimate, half)} in {_ends(low, high)}"


def _ends(low: float, high: float) -> str:
    half = (high - low) / 2
    return f"[{_digits(low, half)}, {_digits(high, half)}]"


def ends_words(interval: tuple[float, float]) -> str:
    """An interval to six digits, and to more where its ends would look alike.

    >>> ends_words((1.98712345, 2.00135)), ends_words((1.27182818, 1.27182819))
    ('[1.98712, 2.00135]', '[1.27182818, 1.27182819]')
    """
    low, high = (f"{end:.6g}" for end in interval)
    return _ends(*interval) if low == high and interval[0] < interval[1] else f"[{low}, {high}]"


def _digits(value: float, half: float) -> str:
    """``value`` to the second digit of ``half``."""
    if not (math.isfinite(value) and math.isfinite(half)) or half == 0:
        return f"{value:.4g}"
    digits = 1 - math.floor(math.log10(half))
    if 0 <= digits <= 6 and abs(value) < 1e6:
        return f"{value:.{digits}f}"
    leading = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{min(15, max(2, digits + leading + 1))}g}"


def estimate_words(point: PointResult) -> str:
    """The estimate of a point with its interval; for identities and bounds, which have none, the extreme value met."""
    if point.quantity not in ("relative error", "extreme value"):
        return within(point.estimate, point.interval)
    if point.estimate is None:
        return "unknown"
    if point.quantity == "relative error":
        return f"≤ {point.estimate:.2g}"
    return f"{point.estimate:.5g}"


def predicted_words(point: PointResult) -> str:
    """The value that the interval of a point is compared with; empty if there is none."""
    return "" if point.predicted is None else f"{point.predicted:.5g} ± {point.tolerance:.2g}"


def parameter_words(parameters: Mapping[str, Any]) -> str:
    """A parameter point.

    >>> parameter_words({"gamma": 0.5, "classes": 10})
    'gamma=0.5, classes=10'
    """
    return ", ".join(f"{name}={value_words(value)}" for name, value in parameters.items())


def time_words(seconds: float) -> str:
    """Clock time.

    >>> [time_words(s) for s in (0.04, 12.3, 75, 7300)]
    ['0.0 s', '12.3 s', '1 min 15 s', '2 h 1 min']
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    return f"{int(seconds) // 3600} h {int(seconds) % 3600 // 60} min"


def counted(number: int, noun: str) -> str:
    """``number`` with its noun.

    >>> counted(1, "claim"), counted(3, "batch")
    ('1 claim', '3 batches')
    """
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


PLURALS = {
    "theorem": "theorems",
    "lemma": "lemmas",
    "equation": "equations",
    "remark": "remarks",
    "figure": "figures",
    "heuristic": "heuristics",
}
"""Standings in the order of every count; heuristics last, because they are counted apart."""


OWN_CLAIM = "own claim"
"""Standing of a claim that belongs to no paper."""


class Described(Protocol):
    """A claim or its result."""

    @property
    def standing(self) -> str:
        """Theorem, lemma, equation, remark, figure or heuristic."""
        ...

    @property
    def evidence(self) -> str:
        """Simulated or computed."""
        ...

    @property
    def form(self) -> str:
        """Printed, corrected or ours."""
        ...

    @property
    def citation(self) -> str:
        """The paper in full; empty for a claim of one's own."""
        ...

    @property
    def same_as(self) -> str:
        """The claim that tests the same statement at another place, if there is one."""
        ...

    @property
    def qualifier(self) -> str:
        """The paper's own word for how far it means the statement."""
        ...


def quoted(words: str) -> str:
    """The paper's own words in quotation marks, once.

    >>> quoted("≈"), quoted("“intuitively”")
    ('“≈”', '“intuitively”')
    """
    return f"“{words.strip('“”')}”" if words else ""


def standing_and_evidence(described: Described) -> str:
    """For instance "theorem (printed), simulated", "lemma (corrected), computed", "heuristic “≈” (printed), simulated".

    A claim that belongs to no paper is an "own claim", or "own claim (corrected)".

    >>> from rmtsim.claims import find
    >>> standing_and_evidence(find("dong.thm1.diagonal/corrected"))
    'theorem (corrected), simulated'
    >>> standing_and_evidence(find("dong.thm1.diagonal-limit"))
    'theorem (printed), computed'
    """
    words = described.standing if described.citation else OWN_CLAIM
    if described.qualifier:
        words += f" {quoted(described.qualifier)}"
    if described.form != "printed" or described.citation:
        words += f" ({described.form})"
    return f"{words}, {described.evidence}"
