"""What is wrong with values whose mean cannot be bounded, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rmtsim.verdicts._evidence.moments import TINIEST, Moments
from rmtsim.verdicts._evidence.sequences import ROOMY, SKEWED

__all__ = ["DOMINATED", "tails", "unvaried"]

DOMINATED = 0.2
"""Share of the whole variance in one value beyond which the values are called heavy-tailed."""


def _sizes(sizes: Sequence[int]) -> str:
    return f"size{'s' if len(sizes) > 1 else ''} {', '.join(map(str, sizes))}"


def unvaried(pairs: Sequence[tuple[int, Moments]]) -> list[str]:
    """For sizes at which all values are equal, or too small to tell."""
    vanishing = [size for size, moments in pairs if moments.vanishing]
    if vanishing:
        return [
            f"larger numbers: those at {_sizes(vanishing)} are too small to be squared (differences below "
            f"{TINIEST:g}); multiply them, or return logarithms"
        ]
    found = [size for size, moments in pairs if not moments.varies]
    if not found:
        return []
    return [
        f"all values at {_sizes(found)} are equal, which says nothing about a mean: declare support=(low, high) if the "
        "quantity is bounded, or accuracy= (and no rng) if it is computed without chance"
    ]


def tails(pairs: Sequence[tuple[int, Moments]], jumping: bool = False) -> list[str]:
    """For heavy tails, and for values that are too few and skewed, or ``jumping`` at some size."""
    found = []
    roomy = [(size, moments) for size, moments in pairs if moments.count >= ROOMY and moments.varies]
    heavy = [size for size, moments in roomy if moments.reach**2 > DOMINATED * moments.count]
    if heavy:
        size, worst = max(roomy, key=lambda pair: pair[1].reach ** 2 / pair[1].count)
        share = min(1.0, worst.reach**2 / worst.count)
        found.append(
            f"values with lighter tails: one of {worst.count} values at size {size} carries {share:.0%} of their "
            "variance, as Cauchy-like noise does, whose mean does not exist; measure a median, a bounded function "
            "or a logarithm instead"
        )
    few = [
        (size, moments.count)
        for size, moments in pairs
        if moments.varies and moments.count < ROOMY and (jumping or math.fabs(moments.skewness) > SKEWED)
    ]
    if few and not heavy:
        found.append(
            f"at least {ROOMY} replicates at {_sizes([size for size, _ in few])}, "
            f"{'since rare values stand out' if jumping else 'where values are skewed'} "
            f"({', '.join(str(count) for _, count in few)} so far)"
        )
    return found
