"""Errors over many claims: the level of each, and the share of false discoveries.

Every claim has exactly one true hypothesis (it holds, or it does not), and both can be rejected. A verdict is wrong if
the true one is. With m claims and e-values e_i, the closed procedure under arbitrary dependence rejects hypothesis i if
every selection of one hypothesis per claim that contains i has a mean e-value of at least 1/level. The least
selection takes the smaller e-value of every other claim, which is negligible once a claim is decided. So a step-down
procedure (Holm) gains nothing over level/m here: however many claims are decided, m true hypotheses are left. There
are two gains: computed claims spend no level, and the share of errors can be controlled instead: rejecting those with
e_i ≥ m/(level·k), k the number of rejections (e-BH), keeps the expected share of wrong verdicts among the decided
ones at ``level``, under arbitrary dependence, since the e-values of the m true hypotheses have expectation at most
one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rmtsim.verdicts._needs import Lack, Need
from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict

HEADROOM = 2.0
"""Examinations that share a false discovery rate stop at this fraction of it: enough if half of them are decided."""


def spends(result: ClaimResult) -> bool:
    """Whether a wrong verdict is possible by chance."""
    return result.evidence == "simulated" and not result.failed


def decided_evidence(result: ClaimResult) -> float:
    """The e-value against what the verdict rejects; zero for an open one, infinite where no chance is involved.

    Against a true statement the mean over the points is an e-value. A false statement is false at some point, which
    must be confirmed as well, so the smallest e-value of the points counts.
    """
    if result.verdict is Verdict.INCONCLUSIVE:
        return 0.0
    if not spends(result):
        return math.inf
    if result.verdict is Verdict.REFUTED:
        refuted = [_at_least(point) for point in result.points if point.verdict is Verdict.REFUTED]
        return max(refuted) / len(result.points)
    return min(_at_least(point) for point in result.points)


def _at_least(point: PointResult) -> float:
    """The e-value of a decided point; at least the reciprocal of its level."""
    known = point.e_value if point.verdict is Verdict.REFUTED else point.e_value_for
    return max(1 / point.level, known or 0.0)


def thresholds(evidence: Sequence[float], level: float) -> float:
    """The least e-value that is a discovery among so many (e-BH); infinite if there is none.

    >>> round(thresholds([1000.0, 40.0, 30.0, 0.0], 0.05), 6)
    26.666667
    >>> thresholds([30.0, 0.0, 0.0], 0.05)
    inf
    """
    total = len(evidence)
    for count, found in reversed(list(enumerate(sorted(evidence, reverse=True), start=1))):
        if found > 0 and found >= total / (level * count):
            return total / (level * count)
    return math.inf


def discoveries(results: Sequence[ClaimResult], level: float) -> list[ClaimResult]:
    """Results under a false discovery rate: verdicts with too little evidence become INCONCLUSIVE."""
    family = [decided_evidence(result) for result in results if spends(result)]
    least = thresholds(family, level)
    return [_kept(result, least) for result in results]


def _kept(result: ClaimResult, least: float) -> ClaimResult:
    result = replace(result, fdr=True)
    if not spends(result) or decided_evidence(result) >= least:
        return result
    need = Need(lack=Lack.FAMILY, number=least if math.isfinite(least) else None)
    points = tuple(
        point
        if point.verdict is Verdict.INCONCLUSIVE
        else replace(point, verdict=Verdict.INCONCLUSIVE, lacks=(need,))
        for point in result.points
    )
    return replace(result, points=points)
