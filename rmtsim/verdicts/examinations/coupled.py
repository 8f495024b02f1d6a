"""Examination of a coupled claim: every replicate gives one number per size from shared randomness.

All sizes are drawn together, so there is nothing to allocate: rounds only add replicates.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim.claims.model import Claim
from rmtsim.verdicts.evidence.joint import JointEvidence
from rmtsim.verdicts.evidence.sequences import FIRST_LOOK, stage_widths
from rmtsim.verdicts.examinations.analysis import Analysis
from rmtsim.verdicts.examinations.dispatch import GROWTH, SMALLEST_ROUND, analysed, concluded_with_evidence
from rmtsim.verdicts.examinations.outlook import outlook_of
from rmtsim.verdicts.examinations.plan import FEWEST, batch_length
from rmtsim.verdicts.examinations.requests import Examination, Request, Setting, keys_for
from rmtsim.verdicts.question import question
from rmtsim.verdicts.results import Verdict

__all__ = ["examine_coupled"]


def examine_coupled(claim: Claim, setting: Setting) -> Examination:
    """Limit or rate of a quantity whose sizes are measured on the same draw."""
    if claim.kind not in ("limit", "rate") or claim.accuracy is not None or claim.outer is not None:
        raise ValueError(
            f"{claim.id}: coupled=True belongs to a random limit or rate, and this is a {claim.kind}"
        )
    asked = question(claim, setting)
    sizes = claim.sizes
    price = float(claim.cost(setting.parameters, sizes[-1]))
    if not (math.isfinite(price) and price > 0):
        raise ValueError(f"{claim.id}: cost at size {sizes[-1]} is {price}; expected seconds > 0")
    rows = batch_length(price)
    fewest = max(FEWEST, 2 * len(sizes) + 2)
    wanted = math.ceil(max(fewest, min(FIRST_LOOK, setting.allowance / 10 / price)) / rows)
    widths = stage_widths(wanted * rows, max(wanted * rows, math.ceil(setting.allowance / price)))
    evidence = JointEvidence(sizes, tuple(asked.scale(size) for size in sizes), widths)
    analysis = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
    taken, spent, looks, outlook = 0, 0.0, 0, 0.0
    while True:
        cost = wanted * rows * price
        keys = keys_for(claim, setting, sizes[-1], taken, wanted, rows * len(sizes))
        values = yield Request(tuple(keys), cost, outlook)
        if values is None:
            break
        evidence.add(np.concatenate(values))
        taken += wanted
        spent += cost
        looks += 1
        analysis = analysed(claim, asked, evidence.mean_set(setting.level))
        if asked.verdict(analysis.interval) is not Verdict.INCONCLUSIVE:
            break
        outlook = outlook_of(asked.predicted, asked.tolerance, analysis, spent)
        more = min(GROWTH * spent, setting.left())
        if more < SMALLEST_ROUND * spent:
            break
        wanted = max(1, round(more / price / rows))
    moments = evidence.moments
    return concluded_with_evidence(
        claim,
        setting,
        asked,
        evidence.mean_set,
        analysis,
        looks=looks,
        spent=spent,
        sizes=sizes,
        replicates=(moments.count,) * len(sizes),
        values=tuple(moments.mean.tolist()) if looks else (),
        errors=tuple(moments.standard_errors.tolist()) if looks else (),
    )
