"""Examination of a claim whose sampler is without chance: one evaluation per size, then Richardson tables."""

from __future__ import annotations

import math

import numpy as np

from rmtsim.claims.model import Claim
from rmtsim.verdicts.examinations.analysis import Analysis, analyse_sequence
from rmtsim.verdicts.examinations.conclude import concluded
from rmtsim.verdicts.examinations.requests import Examination, Request, Setting, keys_for
from rmtsim.verdicts.question import question

__all__ = ["examine_exact"]


def examine_exact(claim: Claim, setting: Setting) -> Examination:
    """Limit, rate or distance from exact values."""
    asked = question(claim, setting)
    assert claim.accuracy is not None
    sizes = claim.sizes
    keys = [keys_for(claim, setting, size, 0, 1, 1)[0] for size in sizes]
    cost = sum(float(claim.cost(setting.parameters, size)) for size in sizes)
    values = yield Request(tuple(keys), cost)
    analysis = Analysis((-math.inf, math.inf), math.nan, math.inf, 0.0)
    numbers: list[float] = []
    errors: list[float] = []
    if values is not None:
        numbers = [float(value[0]) * asked.scale(size) for value, size in zip(values, sizes, strict=True)]
        rounding = max(claim.accuracy, 4 * float(np.finfo(float).eps))
        errors = [rounding * abs(number) for number in numbers]
        if asked.rate:
            logs = np.log(np.abs(numbers))
            steps = np.diff(np.log(sizes))
            slopes = (-np.diff(logs) / steps).tolist()
            middles = np.sqrt(np.array(sizes[1:]) * np.array(sizes[:-1])).tolist()
            slope_errors = (2 * rounding / steps).tolist()
            analysis = analyse_sequence(middles, slopes, slope_errors, claim.exponents)
        else:
            analysis = analyse_sequence(sizes, numbers, errors, claim.exponents).within(*asked.possible)
    return concluded(
        setting,
        asked,
        analysis,
        spent=cost if numbers else 0.0,
        noiseless=True,
        sizes=sizes,
        replicates=(1,) * len(sizes) if numbers else (0,) * len(sizes),
        values=tuple(numbers),
        errors=tuple(errors),
        looks=1 if numbers else 0,
        curve=analysis.curve,
    )
