"""The arcsine law."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Interval
from rmtsim.laws._fitting import data_array, positive_estimate


@frozen
class Arcsine(SpectralLaw):
    """Arcsine law: density 1/(π√(r² − x²)) on [−r, r].

    Notes
    -----
    It is the free sum of two fair coins ±r/2 and, for r = 2, the limit spectrum of P + Pᵀ with P a random
    permutation matrix. ``Arcsine(0.5).shifted(0.5)`` is the arcsine law on [0, 1].

    Examples
    --------
    >>> from rmtsim.laws import Arcsine
    >>> law = Arcsine()
    >>> law.moment(4), round(law.cdf(1.0), 12)
    (6.0, 0.666666666667)
    >>> law.density(2.0)
    inf
    """

    radius: float = 2.0
    """Half the length r of the support."""

    def __post_init__(self) -> None:
        radius = validate.positive_number("radius", self.radius, meaning="half the width of the support")
        object.__setattr__(self, "radius", radius)

    _sharp_tails = True
    _broadcast = ("radius",)

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        return cls(positive_estimate("radius", math.sqrt(2 * float((data_array(data) ** 2).mean()))))

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """[-radius, radius]."""
        return ((-self.radius, self.radius),)

    def _density_inside(self, x: FloatArray) -> FloatArray:
        # Quotients before roots: squares of a radius of 1e-200 or 1e200 leave the range of doubles.
        with np.errstate(divide="ignore", over="ignore"):
            product = np.sqrt((self.radius - x) / self.radius) * np.sqrt((self.radius + x) / self.radius)
            return np.asarray(1 / (np.pi * product) / self.radius)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        scaled = x / self.radius
        return np.asarray(2 / np.pi * np.arctan2(np.sqrt(1 + scaled), np.sqrt(1 - scaled)))

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        # No distance is zero here, since ∞ times zero is not a number.
        part = np.maximum(distance / self.radius, np.finfo(float).tiny)
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(1 / (np.pi * np.sqrt(part) * np.sqrt(np.maximum(2 - part, 0.0))) / self.radius)

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        scaled = z / self.radius
        return np.asarray(-1 / (np.sqrt(scaled - 1) * np.sqrt(scaled + 1)) / self.radius)

    def scaled(self, factor: float) -> SpectralLaw:
        """The law of ``factor·x``, an arcsine law again."""
        factor = validate.finite_number("factor", factor)
        return Arcsine(self.radius * abs(factor)) if factor else super().scaled(factor)

    def moment(self, order: int) -> float:
        """Moment ``(r/2)^(2j) (2j)!/j!²`` for k = 2j; odd moments are zero."""
        k = validate.integer("order", order, minimum=0, maximum=10_000, meaning="order of the moment")
        if k % 2:
            return 0.0
        with finite_moment(k):
            return float(math.comb(k, k // 2) * (Fraction(self.radius) / 2) ** k)
