"""Wachter's law of the Jacobi (MANOVA) ensemble."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._edges import Edge, exact
from rmtsim.laws._fitting import data_array, positive_estimate

_RANGE = 1e8


@frozen
class Wachter(SpectralLaw):
    """Wachter's law: limit spectrum of the Jacobi (MANOVA) ensemble A(A + B)⁻¹.

    A = XXᵀ and B = YYᵀ with independent standard Gaussian X and Y of shapes (p, n₁) and (p, n₂).

    Raises
    ------
    ValueError
        If a parameter is not accepted.

    See Also
    --------
    rmtsim.ensembles.jacobi : Draws such matrices.

    Notes
    -----
    The density is (α+β)√((x−a)(b−x))/(2πx(1−x)) on [a, b], with √a and √b = |√(α(α+β−1)) ∓ √β|/(α+β), and atoms of
    mass 1 − α at 0 and 1 − β at 1 where these are positive [1]_. Squared canonical correlations follow this law.

    References
    ----------
    .. [1] K. W. Wachter, "The limiting empirical measure of multiple discriminant ratios", Ann. Statist. 8 (1980).

    Examples
    --------
    >>> from rmtsim.laws import Wachter
    >>> law = Wachter(2.0, 2.0)
    >>> law.moment(1), round(law.support[0][0], 9), round(law.cdf(0.5), 12)
    (0.5, 0.066987298, 0.5)
    >>> Wachter(0.5, 2.0).atoms
    ((0.0, 0.5),)
    """

    first: float
    second: float
    """Limits α of n₁/p and β of n₂/p, in [1e-8, 1e8]; α + β must exceed one."""

    def __post_init__(self) -> None:
        for name, rows in (("first", "n₁"), ("second", "n₂")):
            meaning = f"samples over dimension, {rows}/p"
            value = validate.positive_number(name, getattr(self, name), meaning=meaning)
            if not 1 / _RANGE <= value <= _RANGE:
                raise ValueError(
                    f"{name}={value}: expected a number in [{1 / _RANGE:g}, {_RANGE:g}] ({meaning})"
                )
            object.__setattr__(self, name, value)
        if not self.first + self.second > 1:
            raise ValueError(
                f"first={self.first}, second={self.second}: expected a sum > 1 (A + B must be invertible)"
            )

    _sharp_tails = True
    _broadcast = ("first", "second")

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        x = data_array(data, minimum=0.0)
        # The mean is α/(α + β), the variance mean·(1 - mean)/(α + β).
        mean, variance = float(x.mean()), positive_estimate("variance", float(x.var()))
        total = positive_estimate("first + second", mean * (1 - mean) / variance)
        return cls(mean * total, (1 - mean) * total)

    @cached_property
    def _edges(self) -> tuple[Edge, Edge, Edge, Edge]:
        """a, b, 1 - a and 1 - b, in many digits before they are rounded."""
        context: Context = exact()
        alpha, beta = Decimal(self.first), Decimal(self.second)
        total = context.add(alpha, beta)
        large = context.sqrt(context.multiply(alpha, context.subtract(total, Decimal(1))))
        small = context.sqrt(beta)
        ends = []
        for root in (context.subtract(large, small), context.add(large, small)):
            quotient = context.divide(root, total)
            ends.append(context.multiply(quotient, quotient))
        # α = 1 (β = 1) puts an end at 0 (1) exactly; the roots' last digits must not move it.
        if self.first == 1:
            ends[0] = Decimal(0)
        if self.second == 1:
            ends[1] = Decimal(1)
        others = [context.subtract(Decimal(1), end) for end in ends]
        a, b, past_a, past_b = (Edge.of(each) for each in (*ends, *others))
        return a, b, past_a, past_b

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """One interval in [0, 1]."""
        a, b, _, _ = self._edges
        return ((a.value, b.value),)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """At 0 where n₁ < p, at 1 where n₂ < p."""
        found = ((0.0, 1 - self.first), (1.0, 1 - self.second))
        return tuple((place, mass) for place, mass in found if mass > 0)

    @property
    def _masses(self) -> tuple[float, ...]:
        return (1.0 - math.fsum(mass for _, mass in self.atoms),)

    def _distances(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """x - a and b - x."""
        a, b, _, _ = self._edges
        return np.maximum(a.below(x), 0.0), np.maximum(b.above(x), 0.0)

    def _density_inside(self, x: FloatArray) -> FloatArray:
        return self._at_distances(*self._distances(x))

    def _at_distances(self, left: FloatArray, right: FloatArray) -> FloatArray:
        a, _, _, past_b = self._edges
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lower, upper = np.sqrt(left) / (a.value + left), np.sqrt(right) / (past_b.value + right)
        # A hard end, at 0 or 1 itself, is 0/0 here.
        lower, upper = (np.where(np.isnan(each), np.inf, each) for each in (lower, upper))
        return np.asarray((self.first + self.second) / (2 * np.pi) * lower * upper)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        a, b, past_a, past_b = self._edges
        left, right = (np.sqrt(each) for each in self._distances(x))
        whole = 2 * np.arctan2(left, right)
        at_zero = 2 * np.arctan2(math.sqrt(b.value) * left, math.sqrt(a.value) * right)
        at_one = 2 * np.arctan2(math.sqrt(past_b.value) * left, math.sqrt(past_a.value) * right)
        angles = (self.first + self.second) * whole
        angles -= abs(self.first - 1) * at_zero + abs(self.second - 1) * at_one
        return np.asarray(max(0.0, 1 - self.first) + angles / (2 * np.pi))

    def _edge_distance(self, x: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        left, right = self._distances(x)
        return np.where(upper, right, left)

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        a, b, _, _ = self._edges
        distance = np.maximum(distance, np.finfo(float).tiny)  # ∞ times zero is not a number
        other = np.maximum(b.value - a.value - distance, 0.0)
        return self._at_distances(np.where(upper, other, distance), np.where(upper, distance, other))

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        a, b, _, _ = self._edges
        total = self.first + self.second
        root = total * np.sqrt(a.below(z)) * np.sqrt(b.below(z))
        line = (2 - total) * z + (self.first - 1)
        plus, minus = line + root, line - root
        # (line + root)(line - root) = 4(α+β-1)z(1-z): the form that adds rather than cancels.
        with np.errstate(divide="ignore", invalid="ignore"):
            direct = plus / (2 * z * (1 - z))
            other = 2 * (total - 1) / minus
        return np.asarray(np.where(np.abs(plus) > np.abs(minus), direct, other))

    def moment(self, order: int) -> float:
        """Moment from the quadratic equation of the Stieltjes transform, in forty digits."""
        k = validate.integer("order", order, minimum=0, maximum=2000, meaning="order of the moment")
        from mpmath import fdot, mpf, workdps

        with workdps(40), finite_moment(k):
            alpha, total = mpf(self.first), mpf(self.first) + mpf(self.second)
            moments, square = [mpf(1)], [mpf(1)]
            for j in range(1, k + 1):
                inner = fdot(moments[1:j], moments[j - 1 : 0 : -1])
                moments.append((square[-1] + (alpha - 1) * moments[-1] - inner) / total)
                square.append(2 * moments[-1] + inner)
            return float(moments[k])
