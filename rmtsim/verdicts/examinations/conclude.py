"""From the last analysis of an examination to its result."""

from __future__ import annotations

import math
from typing import Any

from rmtsim.verdicts.examinations.analysis import Analysis
from rmtsim.verdicts.examinations.requests import Setting
from rmtsim.verdicts.question import Question
from rmtsim.verdicts.results import PointResult
from rmtsim.verdicts.words.reasons import explain_limit, what_would_decide

__all__ = ["concluded"]


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
