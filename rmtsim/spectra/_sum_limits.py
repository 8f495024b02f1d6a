"""Limit laws of the polynomial sums over a bulk of given population: means, covariance, and derivatives in the
population.

With m(z) the companion transform of a population H on d features and N samples,

    z = -1/m + (d/N) ∫ t dH(t)/(1 + t m),

and Σ T_k(u_i) over the bulk, T_k Chebyshev's polynomials on an interval that holds it, all is read off m on a contour:
the mean -(N/2πi) ∮ T_k m dz with the shift -(1/4πi) ∮ T_k d log(m'/m²) of real entries, the covariance
-(2/β)/(4π²) ∮∮ T_j T_k dm₁ dm₂/(m₁ - m₂)² (Bai and Silverstein 2004), and the change (1/2πi) ∮ T_k d log(1 + t m) that
one further population value t brings. Derivations: docs/deconvolution.md.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws import SpikedCovariance

_NODES = 512
_RADII = (1.5, 2.0)
"""Of the circles that Joukowski's map takes to the two contours; the first pass beyond the interval by 8 % of it."""


@frozen(eq=False)
class _Contour:
    """Points z(φ) about the bulk, the transform and its derivatives there, and dz/dφ."""

    w: ComplexArray
    z: ComplexArray
    m: ComplexArray
    first: ComplexArray
    second: ComplexArray
    speed: ComplexArray


@frozen(eq=False)
class SumLimits:
    """Σ T_k over the bulk of (1/N) Σ^½ZZᵀΣ^½, k = 1, …, ``order``, for ``dimension`` features and ``samples``.

    ``law`` is that of the bulk, without spikes; ``interval`` must hold its support, and every place ψ(t) at which a
    value t in question would put an eigenvalue.
    """

    law: SpikedCovariance
    dimension: int
    samples: int
    interval: tuple[float, float]
    order: int
    beta: int = 1

    @property
    def _centre(self) -> float:
        return 0.5 * (self.interval[0] + self.interval[1])

    @property
    def _half(self) -> float:
        return 0.5 * (self.interval[1] - self.interval[0])

    @cached_property
    def _degrees(self) -> NDArray[np.int64]:
        return np.arange(1, self.order + 1)

    def sums(self, values: FloatArray) -> FloatArray:
        """Σ T_k(u_i) of measured eigenvalues inside the interval."""
        angle = np.arccos(np.clip((values - self._centre) / self._half, -1.0, 1.0))
        return np.array([np.cos(k * angle).sum() for k in self._degrees])

    def _contour(self, radius: float) -> _Contour:
        angle = 2 * np.pi * (np.arange(_NODES) + 0.5) / _NODES
        w = np.asarray(radius * np.exp(1j * angle), dtype=np.complex128)
        z = self._centre + 0.5 * self._half * (w + 1 / w)
        ratio = self.law.ratio
        m = ratio * np.asarray(self.law.stieltjes(z)) - (1 - ratio) / z
        terms = self.law._places[:, None] / (1 + self.law._places[:, None] * m)
        # dz/dm and d²z/dm² of the equation above give dm/dz and d²m/dz².
        slope = 1 / m**2 - ratio * (self.law._shares @ terms**2)
        bend = -2 / m**3 + 2 * ratio * (self.law._shares @ terms**3)
        return _Contour(w, z, m, 1 / slope, -bend / slope**3, 0.5j * self._half * (w - 1 / w))

    @cached_property
    def _inner(self) -> _Contour:
        return self._contour(_RADII[0])

    def _polynomials(self, w: ComplexArray) -> ComplexArray:
        k = self._degrees[:, None]
        return np.asarray(0.5 * (w**k + 1 / w**k))

    def _integral(self, values: ComplexArray) -> FloatArray:
        """(1/2πi) ∮ T_k(z) f(z) dz over the inner contour, f given at its points (last axis)."""
        weighted = values * self._inner.speed
        return np.asarray((self._polynomials(self._inner.w) @ weighted.T / (1j * _NODES)).real)

    @cached_property
    def means(self) -> FloatArray:
        """Of the sums over the eigenvalues that need not vanish, without spikes."""
        c = self._inner
        # The companion's zeros, N - d of them, belong to no bulk.
        spread = self.samples * c.m + max(self.samples - self.dimension, 0) / c.z
        shift = 0.5 * (c.second / c.first - 2 * c.first / c.m) if self.beta == 1 else 0.0
        return -self._integral(spread + shift)

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the sums; the same with and without a few spikes."""
        one, two = self._inner, self._contour(_RADII[1])
        kernel = (one.first * one.speed)[:, None] * (two.first * two.speed)[None, :]
        kernel /= (one.m[:, None] - two.m[None, :]) ** 2
        both = self._polynomials(one.w) @ kernel @ self._polynomials(two.w).T
        values = (-(2 / self.beta) / _NODES**2 * both).real
        return np.asarray(0.5 * (values + values.T))

    def influence(self, places: FloatArray) -> FloatArray:
        """order × places: what the means change if the whole population moved to one place, to first order.

        Up to a constant in each row, the same for all places.
        """
        c, t = self._inner, places[:, None]
        return self.dimension * self._integral(c.first * t / (1 + t * c.m))

    def spiked(self, eigenvalue: float) -> tuple[FloatArray, float]:
        """What an outlier changes in the sums over the rest, and the spike behind it (at least the threshold)."""
        location = max(eigenvalue, self.law.location(self.law.threshold))
        spike = self.law.spike_of(location)
        c = self._inner
        change = self._integral(c.first * spike / (1 + spike * c.m))
        # 1 + ℓm vanishes at the outlier and has the companion's pole at zero: neither is in the bulk.
        change = change - self._inside(location)
        if self.samples > self.dimension:
            change = change + self._inside(0.0)
        return change, spike

    def _inside(self, point: float) -> FloatArray:
        """T_k at a real point if the inner contour holds it, otherwise zero."""
        u = (point - self._centre) / self._half
        root = abs(u) + np.sqrt(max(u * u - 1, 0.0))
        if root >= _RADII[0]:
            return np.zeros(self.order)
        if abs(u) <= 1:
            return np.asarray(np.cos(self._degrees * np.arccos(u)))
        signs = np.where(u < 0, (-1.0) ** self._degrees, 1.0)
        return np.asarray(signs * 0.5 * (root**self._degrees + root**-self._degrees))
