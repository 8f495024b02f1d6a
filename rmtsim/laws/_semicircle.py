"""Wigner's semicircle law."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.deprecation import renamed_parameter
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Interval
from rmtsim.laws._edges import Edge, exact

_EXACT = 500
"""Half the order up to which Catalan numbers are doubles."""


@renamed_parameter("variance", "entry_variance", removed="0.2")
@frozen
class Semicircle(SpectralLaw):
    """Wigner's semicircle law: limit spectrum of symmetric matrices with independent entries.

    See Also
    --------
    rmtsim.ensembles.gaussian : Draws such matrices.

    Notes
    -----
    The density is √(4v − x²)/(2πv) on [−2√v, 2√v] [1]_.

    References
    ----------
    .. [1] E. P. Wigner, "Characteristic vectors of bordered matrices with infinite dimensions", Ann. of Math. 62
       (1955).

    Examples
    --------
    >>> from rmtsim.laws import Semicircle
    >>> law = Semicircle(entry_variance=4.0)
    >>> law.support, law.moment(4)
    (((-4.0, 4.0),), 32.0)
    >>> round(law.cdf(law.ppf(0.3)), 12)
    0.3
    """

    entry_variance: float = 1.0
    """n times the variance v/n of an entry off the diagonal, positive."""

    def __post_init__(self) -> None:
        variance = validate.positive_number(
            "entry_variance", self.entry_variance, meaning="n times an entry's variance"
        )
        object.__setattr__(self, "entry_variance", variance)

    _sharp_tails = True
    _broadcast = ("entry_variance",)

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        from rmtsim.laws._fitting import data_array, positive_estimate

        return cls(positive_estimate("entry_variance", float((data_array(data) ** 2).mean())))

    @cached_property
    def _edge(self) -> Edge:
        context = exact()
        return Edge.of(context.multiply(Decimal(2), context.sqrt(Decimal(self.entry_variance))))

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """One interval, symmetric about zero."""
        return ((-self._edge.value, self._edge.value),)

    def _halves(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """√((2σ - x)/σ) and √((2σ + x)/σ): product form keeps the digits near both edges."""
        sigma = math.sqrt(self.entry_variance)
        right = np.sqrt(np.maximum(self._edge.above(x) / sigma, 0.0))
        left = np.sqrt(np.maximum(self._edge.above(-x) / sigma, 0.0))
        return right, left

    def _density_inside(self, x: FloatArray) -> FloatArray:
        right, left = self._halves(x)
        with np.errstate(over="ignore"):
            return right * left / (2 * np.pi) / math.sqrt(self.entry_variance)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        right, left = self._halves(x)
        y = x / math.sqrt(self.entry_variance)
        return np.asarray(1.0 + y * right * left / (4 * np.pi) - 2 * np.arctan2(right, left) / np.pi)

    def _edge_distance(self, x: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        return np.asarray(np.maximum(self._edge.above(np.where(upper, x, -x)), 0.0))

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        sigma = math.sqrt(self.entry_variance)
        other = np.maximum(4.0 - distance / sigma, 0.0)
        with np.errstate(over="ignore"):
            return np.asarray(np.sqrt(distance / sigma) * np.sqrt(other) / (2 * np.pi) / sigma)

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        sigma = math.sqrt(self.entry_variance)
        # -z without flipping the sign of a zero imaginary part, which picks the branch of the root.
        root = np.sqrt((z - self._edge.value - self._edge.rest) / sigma)
        root *= np.sqrt((z + self._edge.value + self._edge.rest) / sigma)
        return np.asarray(-2.0 / (z / sigma + root) / sigma)

    def scaled(self, factor: float) -> SpectralLaw:
        """The law of ``factor·x``, a semicircle again."""
        factor = validate.finite_number("factor", factor)
        return Semicircle(self.entry_variance * factor * factor) if factor else super().scaled(factor)

    def moment(self, order: int) -> float:
        """Moment ``v^j (2j)!/(j! (j+1)!)`` for k = 2j (Catalan numbers); odd moments are zero."""
        k = validate.integer("order", order, minimum=0, meaning="order of the moment")
        if k % 2:
            return 0.0
        j = k // 2
        if j > _EXACT:
            from mpmath import exp, log, loggamma, workdps

            with workdps(40), finite_moment(k):
                logarithm = (
                    loggamma(2 * j + 1) - loggamma(j + 1) - loggamma(j + 2) + j * log(self.entry_variance)
                )
                if logarithm > 710:
                    raise OverflowError
                return float(exp(logarithm))
        with finite_moment(k):
            return float(math.comb(k, j) // (j + 1)) * self.entry_variance**j

    def _affine_moment(self, scale: float, shift: float, k: int) -> float:
        def cumulants() -> list[Any]:
            from mpmath import mpf

            known = [mpf(shift), mpf(scale) ** 2 * mpf(self.entry_variance)]
            return [*known, *([mpf(0)] * k)][:k]

        from rmtsim.laws._free_cumulants import exact_moment

        return exact_moment(k, cumulants)
