"""The Marchenko–Pastur law in closed form, to the last digits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from rmtsim import validate
from rmtsim.laws.base import Atom, ComplexArray, FloatArray, Interval, SpectralLaw, finite_moment
from rmtsim.laws.edges import Edge, exact
from rmtsim.laws.finite_matrices import weighted_covariance

__all__ = ["MarchenkoPastur"]

_SMALL = 0.1
"""Below this √ratio the cdf's two large terms cancel, and a power series replaces them."""


@dataclass(frozen=True)
class MarchenkoPastur(SpectralLaw):
    """Limit spectrum of (1/N) X Xᵀ, X d×N with independent centred entries of the given variance, d/N → ratio.

    Written MP(y, σ²) with y = ``ratio``, σ² = ``variance``: density √((x - λ₋)(λ₊ - x))/(2πσ²yx) between
    λ± = σ²(1 ± √y)², and an atom 1 - 1/y at zero if y > 1 (Marchenko and Pastur 1967).

    >>> law = MarchenkoPastur(ratio=0.25)
    >>> law.support
    ((0.25, 2.25),)
    >>> law.moment(2)
    1.25
    >>> MarchenkoPastur(4.0).atoms
    ((0.0, 0.75),)
    """

    ratio: float
    variance: float = 1.0

    def __post_init__(self) -> None:
        for name, meaning in (("ratio", "ratio = d/N"), ("variance", "variance of an entry of X")):
            object.__setattr__(
                self, name, validate.positive_number(name, getattr(self, name), meaning=meaning)
            )

    @cached_property
    def _edges(self) -> tuple[Edge, Edge]:
        """σ²(1 - √y)² and σ²(1 + √y)²."""
        context = exact()
        root, variance = context.sqrt(Decimal(self.ratio)), Decimal(self.variance)
        sides = (context.subtract(Decimal(1), root), context.add(Decimal(1), root))
        lower, upper = (context.multiply(variance, context.multiply(side, side)) for side in sides)
        return Edge.of(lower), Edge.of(upper)

    @property
    def support(self) -> tuple[Interval, ...]:
        """One interval; its lower end is zero, a hard edge, for ratio = 1."""
        lower, upper = self._edges
        return ((lower.value, upper.value),)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The null space of X Xᵀ when d > N."""
        # (y - 1)/y keeps the digits of a ratio just above one.
        return ((0.0, (self.ratio - 1) / self.ratio),) if self.ratio > 1 else ()

    @property
    def _masses(self) -> tuple[float, ...]:
        return (min(1.0, 1 / self.ratio),)

    def _distances(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """√((x - λ₋)/σ²) and √((λ₊ - x)/σ²)."""
        lower, upper = self._edges
        # Roots before the division: a quotient of denormal numbers would have no digits left.
        sigma = math.sqrt(self.variance)
        left = np.sqrt(np.maximum(lower.below(x), 0.0)) / sigma
        right = np.sqrt(np.maximum(upper.above(x), 0.0)) / sigma
        return left, right

    def _density_inside(self, x: FloatArray) -> FloatArray:
        left, right = self._distances(x)
        unit = np.sqrt(x) / math.sqrt(self.variance)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = (left / unit) * (right / unit) / (2 * np.pi * self.ratio) / self.variance
        return np.where(x == 0, np.inf, values)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        # With x = σ²(1 + y + 2√y cos θ), both the angle and its sine and cosine come from distances to the
        # edges, and the integral of the density is elementary (docs/laws.md).
        left, right = self._distances(x)
        root = math.sqrt(self.ratio)
        theta = 2 * np.arctan2(right, left)
        sine = left * right / (2 * root)
        # √y + cos θ and 1 + √y cos θ as sums in which nothing cancels near the lower edge for y near one.
        above = (self.ratio - 1) / (1 + root)
        chi = np.arctan2(sine, above + left * left / (2 * root))
        if root >= 1:
            return np.asarray(1 - (chi + (theta - chi - root * sine) / self.ratio) / np.pi)
        if root >= _SMALL:
            phi = np.arctan2(root * sine, -above + 0.5 * left * left)
            return np.asarray(1 - (chi + (phi - root * sine) / self.ratio) / np.pi)
        # (arg(1 + ζ) - Im ζ)/y for ζ = √y exp(iθ), by the series of the logarithm.
        turn = np.exp(1j * theta)
        zeta = root * turn
        series = np.zeros(x.shape, dtype=np.complex128)
        for k in range(19, 1, -1):
            series = series * zeta + (-1) ** (k + 1) / k
        return np.asarray(1 - (chi + (turn * turn * series).imag) / np.pi)

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        lower, upper = self._edges
        unit = z / self.variance
        root = np.sqrt(lower.below(z) / self.variance) * np.sqrt(upper.below(z) / self.variance)
        middle = unit - (1 - self.ratio)
        # The two roots of the quadratic equation multiply to 1/(y z); each form is used where it adds
        # numbers of one direction.
        outer = np.abs(middle + root) >= np.abs(middle - root)
        with np.errstate(divide="ignore", invalid="ignore"):
            far = -2.0 / (middle + root)
            near = (root - middle) / (2 * self.ratio) / unit
        return np.asarray(np.where(outer, far, near) / self.variance, dtype=np.complex128)

    def scaled(self, factor: float) -> SpectralLaw:
        """The law of factor·x: a positive factor multiplies the variance."""
        factor = validate.finite_number("factor", factor)
        return MarchenkoPastur(self.ratio, self.variance * factor) if factor > 0 else super().scaled(factor)

    def moment(self, k: int) -> float:
        """σ²ᵏ Σⱼ N(k, j) yʲ⁻¹ with Narayana numbers N(k, j) = C(k, j) C(k, j-1)/k: no cancellation."""
        k = validate.integer("k", k, minimum=0, meaning="order of the moment")
        if k == 0:
            return 1.0
        narayana = (math.comb(k, j) * math.comb(k, j - 1) // k for j in range(1, k + 1))
        with finite_moment(k):
            return self.variance**k * math.fsum(
                number * self.ratio**power for power, number in enumerate(narayana)
            )

    def matrix(self, n: int, rng: np.random.Generator) -> FloatArray:
        """(1/N) X Xᵀ, X n×N Gaussian, N = n/ratio rounded."""
        return weighted_covariance(n, self.ratio, lambda columns: np.full(columns, self.variance), rng)
