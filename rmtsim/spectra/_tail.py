"""A power law for the tail of a spectrum, by maximum likelihood above a cut chosen by Kolmogorov distance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate

__all__ = ["PowerTail", "power_tail"]

_LEAST = 10
"""Eigenvalues that a tail needs."""
_CUTS = 200
"""Cuts that are tried at most."""


@dataclass(frozen=True)
class PowerTail:
    """Density ∝ λ^{-exponent} above ``cut``."""

    exponent: float
    error: float
    """(exponent - 1)/√count: for independent values; eigenvalues repel, so it is a guide and not a law."""
    cut: float
    count: int
    distance: float
    """Kolmogorov distance of the ``count`` largest from the fitted law."""


def power_tail(eigenvalues: ArrayLike) -> PowerTail | None:
    """1 + k/Σ log(λ_i/cut) over the k eigenvalues above the cut (Hill 1975), the cut that fits best (Clauset 2009).

    At most half of the eigenvalues are called a tail; None where fewer than ten would be left.

    >>> values = (1 - (np.arange(400) + 0.5) / 400) ** -0.5     # P(λ > x) = x^-2: density exponent 3
    >>> tail = power_tail(values)
    >>> round(tail.exponent, 1), tail.count >= 10
    (3.0, True)
    """
    values = np.sort(validate.real_array("eigenvalues", eigenvalues, meaning="a spectrum").ravel())[::-1]
    values = values[values > 0]
    best: PowerTail | None = None
    most = values.size // 2
    if most < _LEAST:
        return None
    logs = np.log(values)
    sums = np.cumsum(logs)
    for count in np.unique(np.linspace(_LEAST, most, min(_CUTS, most - _LEAST + 1)).astype(int)):
        cut = logs[count]
        mean = float(sums[count - 1] / count - cut)
        if not mean > 0:
            continue
        distance = _distance(logs[:count] - cut, mean)
        if best is None or distance < best.distance:
            rate = 1 / mean
            best = PowerTail(1 + rate, rate / math.sqrt(count), math.exp(cut), int(count), distance)
    return best


def _distance(excess: NDArray[np.float64], mean: float) -> float:
    """Kolmogorov distance of log(λ/cut), decreasing, from an exponential law."""
    survival = np.exp(-excess / mean)
    ranks = np.arange(excess.size + 1) / excess.size
    return float(max(np.abs(survival - ranks[1:]).max(), np.abs(survival - ranks[:-1]).max()))
