"""From the last analysis of an examination to its result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rmtsim.claims.model import Claim
from rmtsim.verdicts.evidence.evalues import evidence_values
from rmtsim.verdicts.evidence.mean_set import MeanSet
from rmtsim.verdicts.examinations.requests import Setting
from rmtsim.verdicts.models.analysis import Analysis, analyse_limit
from rmtsim.verdicts.models.band import Curve
from rmtsim.verdicts.question import Question
from rmtsim.verdicts.results import PointResult, Verdict
from rmtsim.verdicts.words.reasons import explain_limit, what_would_decide

__all__ = ["concluded", "concluded_with_evidence"]


def concluded(
    setting: Setting,
    asked: Question,
    analysis: Analysis,
    *,
    spent: float,
    noiseless: bool = False,
    dropped: tuple[int, ...] = (),
    **measured: Any,
) -> PointResult:
    """The result of an examination that ended with ``analysis``; ``measured`` are its further fields."""
    verdict = asked.verdict(analysis.interval)
    half = (analysis.interval[1] - analysis.interval[0]) / 2
    quantity = measured.pop("quantity", asked.quantity)
    reason = explain_limit(quantity, verdict, analysis, asked.predicted, asked.tolerance)
    needs = what_would_decide(
        verdict, asked.predicted, asked.tolerance, analysis, math.inf if noiseless else spent, dropped
    )
    pointless = asked.pointless(analysis.interval)
    if pointless:
        ends = f"[{analysis.interval[0]:.6g}, {analysis.interval[1]:.6g}]"
        reason, needs = f"{pointless} The interval for the {quantity} is {ends}.", "another shift"
    # The interval at the end of the whole allowance would be narrower by the square root of the time.
    shrinking = 1.0 if noiseless else math.sqrt(min(1.0, spent / setting.allowance))
    return PointResult(
        parameters=setting.parameters,
        verdict=verdict,
        predicted=asked.predicted,
        estimate=analysis.estimate if math.isfinite(analysis.estimate) else None,
        interval=analysis.interval,
        level=setting.level,
        tolerance=asked.tolerance,
        quantity=quantity,
        statistical=analysis.statistical,
        model=analysis.model,
        models=analysis.rows,
        best_model=analysis.best,
        # Slopes of an exact rate are extrapolated between sizes: their weights are not those of the sizes.
        weights=() if asked.rate else analysis.weights,
        reason=reason,
        needs=needs,
        detectable=asked.tolerance + half * shrinking if math.isfinite(half) else None,
        nominal=spent,
        drawn=setting.drawn,
        **measured,
    )


def concluded_with_evidence(
    claim: Claim,
    setting: Setting,
    asked: Question,
    mean_set: Callable[[float], MeanSet],
    analysis: Analysis,
    *,
    looks: int,
    **measured: Any,
) -> PointResult:
    """The result of a random examination: with e-values and the figure's band, from its sets of means by level."""

    def verdict_at(level: float) -> Verdict:
        return asked.verdict(asked.analysed(mean_set(level), claim.exponents, refine=False).interval)

    curve: Curve = ()
    if looks and not asked.rate:
        curve = analyse_limit(mean_set(setting.level), claim.exponents, band=True).curve
    against, in_favour = evidence_values(verdict_at, setting.level) if looks else (1.0, 1.0)
    return concluded(
        setting, asked, analysis, looks=looks, curve=curve, e_value=against, e_value_for=in_favour, **measured
    )
