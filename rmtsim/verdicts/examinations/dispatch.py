"""One claim at one parameter point, as a generator: asks for batches, is sent their values, ends in a result.

It never measures time: what it asks next depends on values and on the declared cost alone, so the same seed
gives the same result with any runner. Sent ``None`` (allowance spent, or an interrupt), it ends with what it
has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Claim
from rmtsim.runs.work import BatchKey
from rmtsim.verdicts.evidence.evalues import evidence_values
from rmtsim.verdicts.evidence.measured import Evidence, MeanSet
from rmtsim.verdicts.examinations.allocation import next_batches
from rmtsim.verdicts.examinations.analysis import (
    Analysis,
    analyse_limit,
    analyse_rate,
    foreseen_limit_widths,
    foreseen_width,
)
from rmtsim.verdicts.examinations.conclude import concluded
from rmtsim.verdicts.examinations.outlook import outlook_of
from rmtsim.verdicts.examinations.plan import make_design
from rmtsim.verdicts.examinations.requests import Examination, Request, Setting, keys_for
from rmtsim.verdicts.models.band import Curve
from rmtsim.verdicts.question import Question, question
from rmtsim.verdicts.results import PointResult, Verdict

__all__ = [
    "Examination",
    "Request",
    "Setting",
    "analysed",
    "concluded_with_evidence",
    "examine",
    "foresee",
]

GROWTH = 0.5
"""Each round adds this share of what was spent: looking is free, so looks may be frequent."""


SMALLEST_ROUND = 0.05
"""A last round worth less than this share of what was spent would change nothing."""


def examine(claim: Claim, setting: Setting) -> Examination:
    """The examination of ``claim`` at a point, by its kind."""
    if claim.kind == "identity":
        from rmtsim.verdicts.examinations.pointwise import examine_identity

        return examine_identity(claim, setting)
    if claim.kind == "bound":
        from rmtsim.verdicts.examinations.pointwise import examine_bound

        return examine_bound(claim, setting)
    if claim.coupled:
        from rmtsim.verdicts.examinations.coupled import examine_coupled

        return examine_coupled(claim, setting)
    if claim.outer is not None:
        from rmtsim.verdicts.examinations.iterated import examine_iterated

        return examine_iterated(claim, setting)
    if claim.accuracy is not None:
        from rmtsim.verdicts.examinations.exact import examine_exact

        return examine_exact(claim, setting)
    return _examine_random(claim, setting)


def analysed(claim: Claim, asked: Question, means: MeanSet, *, refine: bool = True) -> Analysis:
    """The interval for what is asked, from the set of means."""
    if asked.rate:
        return analyse_rate(means, claim.exponents, refine=refine)
    return analyse_limit(means, claim.exponents, refine=refine).within(*asked.possible)


def foresee(
    analyse: Callable[[MeanSet], Analysis],
    exponents: tuple[float, ...] | None,
    level: float,
    evidence: Evidence,
    means: MeanSet,
    plans: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How wide the interval would be under each plan: all at once for a limit over an ellipsoid.

    ``exponents`` is None where the target is no limit; ``analyse`` serves that case, and every other.
    """
    if exponents is not None and means.axes is not None:
        widths = foreseen_limit_widths(means, evidence.foreseen_axes(level, plans), exponents)
        if np.isfinite(widths).any():
            return widths
    return np.array([foreseen_width(analyse(evidence.foreseen(level, plan, means))) for plan in plans])


def _examine_random(claim: Claim, setting: Setting) -> Examination:
    asked = question(claim, setting)
    design = make_design(claim, setting.parameters, setting.allowance)
    support = (0.0, 1.0) if claim.kind == "probability" else claim.support
    evidence = Evidence(
        design.sizes, tuple(asked.scale(size) for size in design.sizes), design.widths, support
    )
    taken = np.zeros(len(design.sizes), dtype=np.int_)
    wanted = np.array(design.first)
    analysis = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
    spent, looks, outlook = 0.0, 0, 0.0
    while True:
        keys: list[BatchKey] = []
        owners: list[int] = []
        # Large sizes first: they are the longest jobs, and workers should not wait for one at the end.
        for index in reversed(range(len(design.sizes))):
            batch = keys_for(
                claim,
                setting,
                design.sizes[index],
                int(taken[index]),
                int(wanted[index]),
                design.batches[index],
            )
            keys += batch
            owners += [index] * len(batch)
        cost = design.cost(wanted)
        values = yield Request(tuple(keys), cost, outlook)
        if values is None:
            break
        for index in np.flatnonzero(wanted).tolist():
            mine = [batch for owner, batch in zip(owners, values, strict=True) if owner == index]
            evidence.add(index, np.concatenate(mine))
        taken += wanted
        spent += cost
        looks += 1
        means = evidence.mean_set(setting.level)
        analysis = analysed(claim, asked, means)
        if asked.verdict(analysis.interval) is not Verdict.INCONCLUSIVE:
            break
        outlook = outlook_of(asked.predicted, asked.tolerance, analysis, spent)
        if not any(moments.second > 0 for moments in evidence.moments) and looks > 3:
            break  # no noise left to reduce
        more = min(GROWTH * spent, setting.left())
        if more < SMALLEST_ROUND * spent:
            break
        wanted = next_batches(
            design,
            np.array(evidence.counts),
            means,
            partial(
                foresee,
                # Coarse grids do for planning; they are only used to compare splits.
                partial(analysed, claim, asked, refine=False),
                None if asked.rate else claim.exponents,
                setting.level,
                evidence,
                means,
            ),
            more,
        )
    return concluded_with_evidence(
        claim,
        setting,
        asked,
        evidence.mean_set,
        analysis,
        looks=looks,
        spent=spent,
        dropped=design.dropped,
        sizes=design.sizes,
        replicates=evidence.counts,
        values=tuple(evidence.means.tolist()),
        errors=evidence.standard_errors,
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
        return asked.verdict(analysed(claim, asked, mean_set(level), refine=False).interval)

    curve: Curve = ()
    if looks and not asked.rate:
        curve = analyse_limit(mean_set(setting.level), claim.exponents, band=True).curve
    against, in_favour = evidence_values(verdict_at, setting.level) if looks else (1.0, 1.0)
    return concluded(
        setting, asked, analysis, looks=looks, curve=curve, e_value=against, e_value_for=in_favour, **measured
    )
