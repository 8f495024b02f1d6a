"""Outliers that one eigenvalue of the population outside its limit law produces."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.docstrings import frozen
from rmtsim.laws._population import Population

_FAR = 2.0**500
"""For a spike this many times the population, the population is negligible in double precision."""


@frozen
class Outlier:
    """The eigenvalue outside the bulk that a spike of the population produces (see ``outlier``)."""

    location: float
    squared_cosine: float
    """Between the spike's own direction and |Λ|^½ Xᵀu, u the outlier's eigenvector: for Λ of one sign this
    vector is the eigenvector of Λ^½ Xᵀ X Λ^½, the classical setting."""
    column_squared_cosine: float
    """Between u and the column of X that Λ multiplies by the spike."""


def spiked(ratio: float, nu: Population, spike: float) -> Outlier | None:
    """The outlier of a spike of Λ in (1/N) X Λ Xᵀ, or None if the bulk absorbs it.

    With z the inverse map of the law and u the outlier's unit eigenvector, z(t) is its location while
    z'(t) > 0. Columns of X of population value τ have (x·u)² → t²/(t - τ)² and the spike's column
    (x·u)² → N z'(t) (docs/laws.md), which gives both cosines.
    """
    v = math.ldexp(spike, -nu.exponent) if abs(spike) < math.ldexp(_FAR, min(nu.exponent, 500)) else math.inf
    if math.isinf(v):
        return Outlier(ratio * spike, 1.0, 1.0)
    gap = v - nu.poles
    if v == 0 or (gap == 0).any():
        return None
    quotient = nu.poles / gap
    slope = ratio - math.fsum(nu.weights * quotient**2)
    if slope <= 0:
        return None
    location = v * (ratio + math.fsum(nu.weights * quotient))
    others = abs(v) * math.fsum(nu.weights * np.abs(quotient / gap))
    return Outlier(
        location=math.ldexp(location, nu.exponent),
        squared_cosine=slope / (slope + others),
        column_squared_cosine=slope / ratio,
    )
