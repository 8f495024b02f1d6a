"""Dilation and shift of a law: the limit spectrum of scale·A + shift·I."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Atom, Interval


@frozen
class AffineLaw(SpectralLaw):
    """The law of scale·x + shift when x follows ``law``.

    >>> from rmtsim.laws import MarchenkoPastur
    >>> law = MarchenkoPastur(0.25).scaled(-2.0).shifted(1.0)
    >>> law.support
    ((-3.5, 0.5),)
    >>> law.moment(1)
    -1.0
    """

    law: SpectralLaw
    scale: float = 1.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.law, SpectralLaw):
            raise TypeError(f"law={validate.shown(self.law)}: expected a spectral law")
        scale = validate.finite_number("scale", self.scale, meaning="factor of the law's values")
        if scale == 0:
            raise ValueError(f"scale={scale}: expected a finite number other than 0")
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "shift", validate.finite_number("shift", self.shift))

    def scaled(self, factor: float) -> SpectralLaw:
        """The law of factor·x."""
        factor = validate.finite_number("factor", factor)
        return AffineLaw(self.law, self.scale * factor, self.shift * factor)

    def shifted(self, offset: float) -> SpectralLaw:
        """The law of x + offset."""
        return AffineLaw(self.law, self.scale, self.shift + validate.finite_number("offset", offset))

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """Images of the intervals, in order."""
        images = (sorted(self.scale * end + self.shift for end in ends) for ends in self.law.support)
        return tuple(sorted((lower, upper) for lower, upper in images))

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Images of the atoms, in order."""
        return tuple(sorted((self.scale * location + self.shift, mass) for location, mass in self.law.atoms))

    @property
    def _masses(self) -> tuple[float, ...]:
        return self.law._masses if self.scale > 0 else self.law._masses[::-1]

    @property
    def _hard_points(self) -> tuple[float, ...]:
        return tuple(self.scale * point + self.shift for point in self.law._hard_points)

    def _original(self, x: FloatArray) -> FloatArray:
        """Points mapped back; rounding may not push a point of the support off it."""
        y = (x - self.shift) / self.scale
        lower, upper = np.array(self.law.support).T
        place = np.clip(np.searchsorted(lower, y, side="right") - 1, 0, len(lower) - 1)
        nearest = np.clip(y, lower[place], upper[place])
        if len(lower) > 1:
            following = np.minimum(place + 1, len(lower) - 1)
            after = np.clip(y, lower[following], upper[following])
            nearest = np.where(np.abs(after - y) < np.abs(nearest - y), after, nearest)
        return nearest

    def _density_inside(self, x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(self.law._density_inside(self._original(x)) / abs(self.scale))

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        y = self._original(x)
        below = self.law._cdf_inside(y)
        return below if self.scale > 0 else np.asarray(1.0 - below + self._at(y))

    def _below(self, x: FloatArray) -> FloatArray:
        y = self._original(x)
        return self.law._below(y) if self.scale > 0 else self.law._above(y) + self._at(y)

    def _above(self, x: FloatArray) -> FloatArray:
        y = self._original(x)
        return self.law._above(y) if self.scale > 0 else self.law._below(y) - self._at(y)

    def _at(self, y: FloatArray) -> FloatArray:
        """Mass of the original law's atoms at y."""
        masses = np.zeros(y.shape)
        for location, mass in self.law.atoms:
            masses[y == location] += mass
        return masses

    def _level_and_density(
        self, x: FloatArray, from_below: NDArray[np.bool_]
    ) -> tuple[FloatArray, FloatArray]:
        result = np.empty(x.shape)
        if from_below.any():
            result[from_below] = self._below(x[from_below])
        if not from_below.all():
            result[~from_below] = self._above(x[~from_below])
        return result, self._density_inside(x)

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        if self.scale < 0:
            place, upper = len(self.law._intervals) - 1 - place, ~upper
        factor = abs(self.scale)
        return np.asarray(self.law._density_beside(distance / factor, place, upper) / factor)

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        values: ComplexArray = np.asarray(
            self.law.stieltjes((z - self.shift) / self.scale), dtype=np.complex128
        )
        return np.asarray(values / self.scale, dtype=np.complex128)

    def _affine_moment(self, scale: float, shift: float, k: int) -> float:
        return self.law._affine_moment(scale * self.scale, scale * self.shift + shift, k)

    def moment(self, order: int) -> float:
        """∫ (scale·x + shift)ᵏ dμ, from free cumulants where they are known: a binomial sum would cancel.

        >>> from rmtsim.laws import MarchenkoPastur
        >>> MarchenkoPastur(0.5).shifted(-1.0).moment(3)
        0.25
        """
        k = validate.integer(
            "order", order, minimum=0, maximum=1000, meaning="order of the moment; a sum over cumulants"
        )
        with finite_moment(k):
            value = self.law._affine_moment(self.scale, self.shift, k) if k else 1.0
            if math.isinf(value):
                raise OverflowError
            return value
