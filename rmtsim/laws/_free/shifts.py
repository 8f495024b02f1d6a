"""The shifts h = Φ - w by which free addition and multiplication move a point, for any law and at any point.

Far from the law two large numbers cancel in h; there it is computed from moments.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import ComplexArray
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._free.parts import raw_stieltjes, reach

_FAR = 16.0
"""Distance over the law's radius beyond which moments are used."""
_ORDER = 14
"""Moments used: the first left out is 16⁻¹³ of the leading term."""
_TINY = 1e-200
"""Replaces a transform that is exactly zero; its reciprocal is huge but finite."""


class _Shift:
    def __init__(self, law: SpectralLaw, centre: float) -> None:
        low, high = reach(law)
        self.law, self.centre = law, centre
        self.radius = max(high - centre, centre - low)

    @cached_property
    def moments(self) -> NDArray[np.float64]:
        """About the centre, in units of the radius, highest order first."""
        law = self.law.shifted(-self.centre) if self.centre else self.law
        law = law.scaled(1 / self.radius)
        return np.array([law.moment(k) for k in range(_ORDER, -1, -1)])

    def split(self, points: ComplexArray) -> tuple[NDArray[np.bool_], ComplexArray, ComplexArray]:
        """Which points are far, radius/(point - centre) of those, and s at the others."""
        far = np.abs(points - self.centre) > _FAR * self.radius
        if not far.any():
            return far, points[:0], self.transform(points)
        return far, self.radius / (points[far] - self.centre), self.transform(points[~far])

    def transform(self, points: ComplexArray) -> ComplexArray:
        values = raw_stieltjes(self.law, points) if points.size else points
        return np.where(values == 0, _TINY, values)


def additive_shift(law: SpectralLaw):  # type: ignore[no-untyped-def]
    """h(w) = -1/s(w) - w; minus the mean and terms that fall like the variance over w, far away."""
    parts = _Shift(law, law.moment(1))

    def shift(w: ComplexArray) -> ComplexArray:
        far, u, s = parts.split(w)
        if not u.size:
            return np.asarray(-1 / s - w)
        values = np.empty(w.shape, dtype=np.complex128)
        values[~far] = -1 / s - w[~far]
        # s = -u(1 + u·rest) with the first moment zero, so that -1/s = 1/u - rest/(1 + u·rest).
        rest = u * np.polyval(parts.moments[:-2], u)
        values[far] = -parts.centre - parts.radius * rest / (1 + u * rest)
        return values

    return shift


def multiplicative_shift(law: SpectralLaw):  # type: ignore[no-untyped-def]
    """h(w) = log(s(ζ)/(1 + ζs(ζ))), ζ = eʷ, with imaginary part in [0, π]."""
    parts = _Shift(law, 0.0)

    def shift(w: ComplexArray) -> ComplexArray:
        # Beyond e⁶⁰⁰ use the limit at infinity.
        zeta = np.exp(np.clip(w.real, -600.0, 600.0) + 1j * w.imag)
        far, u, s = parts.split(zeta)
        quotient = np.empty(w.shape, dtype=np.complex128)
        below = 1 + zeta[~far] * s
        quotient[~far] = s / np.where(below == 0, _TINY, below)
        if u.size:
            # ζs = -Σ m_k ζ⁻ᵏ: its one cancels against the one.
            quotient[far] = np.polyval(parts.moments, u) / np.polyval(parts.moments[:-1], u) / parts.radius
        value = np.log(quotient)
        # On the axis the sign of a zero decides between π and -π.
        return np.asarray(np.where(value.imag < -0.5 * np.pi, value + 2j * np.pi, value))

    return shift
