"""Verdicts in words: why, and what would decide an open one."""

from __future__ import annotations

import math

from rmtsim.verdicts.examinations.outlook import outlook_of
from rmtsim.verdicts.models.analysis import Analysis
from rmtsim.verdicts.results import Verdict

__all__ = ["duration", "explain_limit", "what_would_decide"]


def duration(seconds: float) -> str:
    """Rounded for people.

    >>> [duration(s) for s in (0.2, 40, 900, 90000)]
    ['1 s', '40 s', '15 min', '25 h']
    """
    if seconds < 90:
        return f"{max(1, float(f'{seconds:.1g}')):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


def _ends(interval: tuple[float, float]) -> str:
    return f"[{interval[0]:.6g}, {interval[1]:.6g}]"


def explain_limit(
    quantity: str, verdict: Verdict, analysis: Analysis, predicted: float, tolerance: float
) -> str:
    """One sentence on the verdict."""
    zone = f"{predicted:.6g} ± {tolerance:.3g}"
    ends = _ends(analysis.interval)
    if verdict is Verdict.CONFIRMED:
        return f"The interval {ends} for the {quantity} lies inside {zone} under every admissible finite-size model."
    if verdict is Verdict.REFUTED:
        return f"Every admissible finite-size model excludes {zone}: the {quantity} lies in {ends}."
    if not math.isfinite(analysis.interval[0]) and not math.isfinite(analysis.interval[1]):
        return f"Too little was measured to bound the {quantity}."
    return f"The interval {ends} for the {quantity} straddles the edge of {zone}."


def what_would_decide(
    verdict: Verdict,
    predicted: float,
    tolerance: float,
    analysis: Analysis,
    spent: float,
    dropped: tuple[int, ...],
) -> str:
    """What an INCONCLUSIVE verdict lacks."""
    if verdict is not Verdict.INCONCLUSIVE:
        return ""
    if not math.isfinite(spent):
        return "larger sizes: the spread between admissible finite-size models exceeds the tolerance"
    more = outlook_of(predicted, tolerance, analysis, spent)
    if spent == 0:
        return "a larger budget: no batch fitted into this one"
    if math.isfinite(more):
        return f"about {duration(more)} more of one core"
    if dropped:
        return f"a budget that reaches the declared sizes {', '.join(map(str, dropped))}"
    return "larger sizes, or much more time: the spread between admissible finite-size models exceeds the tolerance"
