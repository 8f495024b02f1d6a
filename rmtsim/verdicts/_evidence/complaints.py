"""What is wrong with values whose mean cannot be bounded."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rmtsim.verdicts._evidence.moments import Moments
from rmtsim.verdicts._evidence.sequences import ROOMY, SKEWED
from rmtsim.verdicts._needs import Lack, Need

DOMINATED = 0.2
"""Share of the whole variance in one value beyond which the values are called heavy-tailed."""


def unvaried(pairs: Sequence[tuple[int, Moments]]) -> list[Need]:
    """For sizes at which all values are equal, or differ by less than can be squared."""
    vanishing = tuple(size for size, moments in pairs if moments.vanishing)
    if vanishing:
        return [Need(lack=Lack.SCALE, sizes=vanishing)]
    found = tuple(size for size, moments in pairs if not moments.varies)
    return [Need(lack=Lack.VARIATION, sizes=found)] if found else []


def tails(pairs: Sequence[tuple[int, Moments]], jumping: bool = False) -> list[Need]:
    """For heavy tails, and for values that are too few and skewed, or ``jumping`` at some size."""
    roomy = [(size, moments) for size, moments in pairs if moments.count >= ROOMY and moments.varies]
    if any(moments.reach**2 > DOMINATED * moments.count for _, moments in roomy):
        size, worst = max(roomy, key=lambda pair: pair[1].reach ** 2 / pair[1].count)
        share = min(1.0, worst.reach**2 / worst.count)
        return [Need(lack=Lack.LIGHT_TAILS, sizes=(size,), counts=(worst.count,), number=share)]
    few = [
        (size, moments.count)
        for size, moments in pairs
        if moments.varies and moments.count < ROOMY and (jumping or math.fabs(moments.skewness) > SKEWED)
    ]
    if not few:
        return []
    sizes, counts = zip(*few, strict=True)
    lack = Lack.REPLICATES_RARE if jumping else Lack.REPLICATES
    return [Need(lack=lack, sizes=sizes, counts=counts, number=ROOMY)]
