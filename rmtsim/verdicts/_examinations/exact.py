"""Claims whose quantity is computed without chance: one evaluation per size, then Richardson's extrapolation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._examinations.conclude import concluded
from rmtsim.verdicts._examinations.design import Setting, keys_for
from rmtsim.verdicts._models.analysis import UNKNOWN, Analysis
from rmtsim.verdicts._question import Question, entailed_limit, question
from rmtsim.verdicts._results import PointResult, Verdict

FEWEST_SIZES = 3
"""Number of sizes that are computed at any cost, because fewer cannot decide."""


def _affordable(claim: Claim, setting: Setting) -> tuple[tuple[int, ...], float]:
    """The smallest sizes whose values fit into the allowance together, and what they cost."""
    total = 0.0
    for number, size in enumerate(claim.sizes):
        cost = float(claim.cost(setting.parameters, size))
        if number >= FEWEST_SIZES and total + cost > setting.allowance:
            return claim.sizes[:number], total
        total += cost
    return claim.sizes, total


class Exact:
    """Limit, rate or distance from exact values: one round decides."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        assert claim.accuracy is not None
        self._claim = claim
        self._setting = setting
        self._asked = question(claim, setting)
        self._rounding = max(claim.accuracy, 4 * float(np.finfo(float).eps))
        self._values: list[float] = []
        self._sizes, self._cost = _affordable(claim, setting)

    def ask(self) -> tuple[Sequence[BatchKey], float]:
        """One value at each size."""
        keys = [keys_for(self._claim, self._setting, size, 0, 1, 1)[0] for size in self._sizes]
        return keys, self._cost

    def take(self, values: list[NDArray[np.float64]]) -> None:
        """Store the values, scaled as the question requires."""
        pairs = zip(values, self._sizes, strict=True)
        self._values = [float(value[0]) * self._asked.scale(size) for value, size in pairs]

    def analyse(self, spent: float, looks: int) -> None:
        """Analyse the values; no further round is needed."""
        return

    @property
    def _errors(self) -> list[float]:
        return [self._rounding * abs(number) for number in self._values]

    def _interval(self) -> Analysis:
        sizes = self._sizes
        if not self._values:
            return UNKNOWN
        if self._asked.rate:
            return self._exponent(self._asked)
        return self._asked.computed(sizes, self._values, self._errors)

    def _exponent(self, asked: Question) -> Analysis:
        """From the slopes between neighbouring sizes."""
        sizes = self._sizes
        if not all(self._values):  # zero has no slope
            return replace(UNKNOWN, described=False)
        logs = np.log(np.abs(self._values))
        steps = np.diff(np.log(sizes))
        # Values that were scaled by size^p for an amplitude have lost p of their exponent.
        lost = 0.0 if self._asked.rate else self._claim.exponent or 0.0
        slopes = (lost - np.diff(logs) / steps).tolist()
        middles = np.sqrt(np.array(sizes[1:]) * np.array(sizes[:-1])).tolist()
        slope_errors = (2 * self._rounding / steps).tolist()
        return asked.computed(middles, slopes, slope_errors)

    def _entailed(self) -> Question | None:
        """Analysis of the exponent p that an amplitude A ≠ 0 of size^-p implies; None if there is none."""
        asked, exponent = self._asked, self._claim.exponent
        if asked.quantity != "amplitude" or exponent is None or asked.predicted == 0:
            return None
        if len(self._values) < 3 or not all(self._values):
            return None
        return replace(asked, quantity="exponent", predicted=exponent, tolerance=0.0, rate=True)

    def conclude(self, spent: float, looks: int) -> PointResult:
        """Result from the extrapolated values; an undecided amplitude is refuted if its exponent is."""
        sizes, asked, analysis = self._sizes, self._asked, self._interval()
        entailed = self._entailed()
        if entailed is not None and asked.verdict(analysis) is Verdict.INCONCLUSIVE:
            found = self._exponent(entailed)
            if entailed.verdict(found) is Verdict.REFUTED:
                asked, analysis = entailed, found
        limit = entailed_limit(self._claim, asked)
        if limit is not None and self._values and asked.verdict(analysis) is Verdict.INCONCLUSIVE:
            scales = [self._asked.scale(size) for size in sizes]
            values, errors = (
                [number / scale for number, scale in zip(each, scales, strict=True)]
                for each in (self._values, self._errors)
            )
            found = limit.computed(sizes, values, errors)
            if limit.verdict(found) is Verdict.REFUTED:
                asked, analysis = limit, found
        return concluded(
            self._setting,
            asked,
            analysis,
            spent=spent,
            dropped=self._claim.sizes[len(sizes) :],
            sizes=sizes,
            replicates=(looks,) * len(sizes),
            values=tuple(self._values),
            errors=tuple(self._errors),
            looks=looks,
        )
