"""What a verdict must survive besides its interval: every size's vote, and the loss of the smallest size."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rmtsim.verdicts._evidence.mean_set import MeanSet
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._models.band import band_at
from rmtsim.verdicts._needs import Lack, Need

__all__ = ["VOTE", "contradicting", "fragile", "voteless"]

VOTE = 2.5
"""A size has a vote if its own half-width is at most this many times the deviation that would matter. Half-widths are
those of the joint set, four to five standard errors; so a deviation that matters is two standard errors or more."""

CONTRADICTION = 0.01
"""Level, over all sizes, of the ordinary intervals that are compared with the models."""

_DECIDING = 2
"""The largest sizes that must have a vote."""


def voteless(means: MeanSet, resolution: float) -> tuple[int, ...]:
    """Sizes among the two largest that would not show a deviation of ``resolution``."""
    low, high = means.ends
    with np.errstate(invalid="ignore"):
        sharp = (high - low) / 2 <= VOTE * resolution
    pairs = zip(means.sizes[-_DECIDING:], sharp[-_DECIDING:].tolist(), strict=True)
    return tuple(size for size, votes in pairs if not votes)


def contradicting(
    analysis: Analysis, errors: NDArray[np.float64], counts: NDArray[np.int_]
) -> tuple[int, ...]:
    """Sizes whose ordinary interval, mean ± t·standard error, lies outside the band of all admissible models."""
    fit = analysis.fit
    if fit is None or fit.parts[0][0].form == "rate" or fit.hull is None:
        return ()
    means = fit.means
    low, high = band_at(fit, np.asarray(means.sizes, dtype=float))
    quantile = -special.stdtrit(np.maximum(counts - 1, 1), CONTRADICTION / 2 / len(means.sizes))
    reach = np.where((counts > 1) & np.isfinite(errors), quantile * errors, math.inf)
    # Models pass within rounding of exact values.
    slack = 1e-9 * (np.abs(means.values) + high - low)
    outside = (means.values + reach < low - slack) | (means.values - reach > high + slack)
    return tuple(size for size, away in zip(means.sizes, outside.tolist(), strict=True) if away)


def fragile(
    means: MeanSet,
    analysed: Callable[[MeanSet], Analysis],
    stands: Callable[[tuple[float, float]], bool],
    *,
    whole: bool,
) -> tuple[Need, ...]:
    """What a verdict lacks that does not survive the loss of the smallest size.

    Without that size the best estimate must still decide, or the ``whole`` interval: data that need more than one power
    may need more powers than were tried, and the smallest size shows them most.
    """
    if len(means.sizes) < 3:
        return (Need(lack=Lack.MORE_SIZES, number=3.0),)
    found = analysed(means.since(1))
    if found.described and stands(found.interval if whole else (found.estimate, found.estimate)):
        return ()
    return (Need(lack=Lack.SMALLEST_SIZE, sizes=means.sizes[:1]),)
