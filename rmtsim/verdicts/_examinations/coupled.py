"""Coupled claims: every replicate gives one number per size from shared randomness.

All sizes are drawn together, so there is nothing to allocate: rounds only add replicates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._evidence.joint import JointEvidence
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._evidence.sequences import FIRST_LOOK, ROOMY, stage_widths
from rmtsim.verdicts._examinations.conclude import concluded_with_evidence
from rmtsim.verdicts._examinations.design import FEWEST, Setting, batch_length, keys_for, price
from rmtsim.verdicts._examinations.random import spread_counts
from rmtsim.verdicts._examinations.rounds import InRounds
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._results import PointResult


class Coupled(InRounds):
    """Limit or rate of a quantity whose sizes are measured on the same draw."""

    def __init__(self, claim: Claim, setting: Setting) -> None:
        if claim.kind not in ("limit", "rate") or claim.accuracy is not None or claim.outer is not None:
            raise ValueError(
                f"{claim.id}: coupled=True belongs to a random limit or rate, and this is a {claim.kind}"
            )
        super().__init__(claim, setting)
        sizes = claim.sizes
        self._price = price(claim, setting.parameters, sizes[-1])
        self._rows = batch_length(self._price, measured=setting.measured)
        fewest = max(FEWEST, 2 * len(sizes) + 2)
        first = max(fewest, min(FIRST_LOOK, setting.allowance / 10 / self._price))
        self._wanted = max(2, math.ceil(first / self._rows))  # two, so that dependence can be detected
        begin = self._wanted * self._rows
        widths = stage_widths(begin, max(begin, math.ceil(setting.allowance / self._price)))
        scales = tuple(self.asked.scale(size) for size in sizes)
        self._evidence = JointEvidence(sizes, scales, widths, self.asked.origin, self.asked.running)
        self._taken = 0

    def ask(self) -> tuple[Sequence[BatchKey], float]:
        """Rows at the largest size; the others come with them."""
        sizes = self.claim.sizes
        keys = keys_for(
            self.claim, self.setting, sizes[-1], self._taken, self._wanted, self._rows * len(sizes)
        )
        return keys, self._wanted * self._rows * self._price

    def take(self, values: list[NDArray[np.float64]]) -> None:
        """Fold the rows into the joint statistics."""
        self._evidence.add(np.concatenate(values), self._rows)
        self._taken += self._wanted

    def interval(self) -> Analysis:
        """Over all admissible finite-size models, with the sizes' covariance."""
        return self._examined(self._evidence.mean_set(self.setting.level))

    def _examined(self, means: MeanSet, factor: float = 1.0) -> Analysis:
        """The same for this set of means, from so many times the rows."""
        moments = self._evidence.moments
        counts = np.full(len(self.claim.sizes), int(factor * moments.count))
        return self.asked.examined(means, moments.standard_errors / math.sqrt(factor), counts)

    def means(self, level: float) -> MeanSet:
        """From all rows so far."""
        return self._evidence.mean_set(level)

    def plan(self, more: float) -> None:
        """As many rows as this cost allows."""
        self._wanted = max(1, round(more / self._price / self._rows))

    def _later(self, factor: float) -> MeanSet:
        """The set of means with so many times the replicates, around the same values."""
        now = self._evidence.mean_set(self.setting.level)
        return now.sharpened(np.full(len(now.sizes), factor**-0.5))

    def conclude(self, spent: float, looks: int) -> PointResult:
        """With e-values and the figure's band."""
        sizes, moments = self.claim.sizes, self._evidence.moments
        return concluded_with_evidence(
            self.claim,
            self.setting,
            self.asked,
            self._evidence.mean_set,
            self.analysis,
            looks=looks,
            spent=spent,
            complaints=self._evidence.complaints,
            later=self._later,
            examine=self._examined,
            first=self._price * max(0, ROOMY - moments.count),
            sizes=sizes,
            replicates=(moments.count,) * len(sizes),
            values=tuple(moments.mean.tolist()) if looks else (),
            errors=tuple(moments.standard_errors.tolist()) if looks else (),
            deviations=tuple((moments.standard_errors * moments.count**0.5).tolist()) if looks else (),
            mean_only=spread_counts(self.claim),
        )
