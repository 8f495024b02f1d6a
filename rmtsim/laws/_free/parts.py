"""Common parts of sums, products and compressions: range of a law, transform just above the axis, free cumulants."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Interval
from rmtsim.laws._free_cumulants import moments_from_cumulants

MASS_ERROR = 1e-9
"""Largest mass that may be unaccounted for; more is refused."""
_USUAL = 1e50
"""Moduli up to which points need no care for overflow."""


def is_point(law: SpectralLaw) -> bool:
    """Whether the law is one atom."""
    return not law.support and len(law.atoms) == 1


def reach(law: SpectralLaw) -> Interval:
    """First and last point of the law."""
    ends = [end for ends in law.support for end in ends] + [place for place, _ in law.atoms]
    return min(ends), max(ends)


def raw_stieltjes(law: SpectralLaw, z: ComplexArray) -> ComplexArray:
    """s at points of the closed upper half plane; on the real axis just above it, where the law would refuse."""
    above = np.where(z.imag <= 0, z.real + 1e-300j, z)
    if z.ndim == 1 and z.size and float(np.abs(z).max()) < _USUAL:
        # Without the checks of a public method, which cost more than the values of simple laws.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            values = law._stieltjes_upper(above)
        if np.isfinite(values).all():
            return values
    return np.asarray(law.stieltjes(above), dtype=np.complex128)


def free_cumulants(moments: list[float]) -> FloatArray:
    """κ₁, …, κ_k from m₀ = 1, …, m_k, by the moment–cumulant recursion."""
    cumulants: list[float] = []
    for k in range(1, len(moments)):
        cumulants.append(moments[k] - moments_from_cumulants([*cumulants, 0.0])[k])
    return np.array(cumulants)
