"""The Marchenko–Pastur law in closed form."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.deprecation import renamed_parameter
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._edges import Edge, exact, square_of, two_product, two_sum

_PLAIN = 1e-60
"""Between this and its inverse, parameters neither over- nor underflow in double-double arithmetic."""

_COMPILED = 256
"""From this many points on the density runs in a compiled loop."""

_SMALL = 0.1
"""Below this √ratio the cdf's two large terms cancel, and a power series replaces them."""


@renamed_parameter("variance", "entry_variance", removed="0.2")
@frozen
class MarchenkoPastur(SpectralLaw):
    """Marchenko–Pastur law: limit spectrum of (1/N) X Xᵀ.

    X has shape (d, N) and independent centred entries, d/N → ratio.

    Raises
    ------
    ValueError
        If ``ratio`` or ``entry_variance`` is not positive.

    See Also
    --------
    GeneralizedMarchenkoPastur : Samples with different weights.
    SpikedCovariance : Features with different variances, and outliers.
    rmtsim.ensembles.wishart : Draws such matrices.

    Notes
    -----
    The density is √((x − λ₋)(λ₊ − x))/(2πσ²yx) between λ± = σ²(1 ± √y)², with an atom of mass 1 − 1/y at zero if y
    > 1 [1]_. The edges are computed in double-double precision, so that density and tails are accurate up to the
    last double before an edge.

    References
    ----------
    .. [1] V. A. Marchenko and L. A. Pastur, "Distribution of eigenvalues for some sets of random matrices", Math.
       USSR Sb. 1 (1967).

    Examples
    --------
    >>> from rmtsim.laws import MarchenkoPastur
    >>> law = MarchenkoPastur(ratio=0.25)
    >>> law.support
    ((0.25, 2.25),)
    >>> law.moment(2)
    1.25
    >>> MarchenkoPastur(4.0).atoms
    ((0.0, 0.75),)
    """

    ratio: float
    """Limit y of d/N, positive."""
    entry_variance: float = 1.0
    """Variance σ² of an entry of X."""

    def __post_init__(self) -> None:
        for name, meaning in (("ratio", "ratio = d/N"), ("entry_variance", "variance of an entry of X")):
            object.__setattr__(
                self, name, validate.positive_number(name, getattr(self, name), meaning=meaning)
            )

    _sharp_tails = True
    _broadcast = _fit_names = ("ratio", "entry_variance")

    @classmethod
    def _fitted(cls, data: ArrayLike, fixed: dict[str, float]) -> Self:
        from rmtsim.laws._fitting import data_array, positive_estimate

        x = data_array(data, minimum=0.0)
        scale = fixed.get("entry_variance", positive_estimate("entry_variance", float(x.mean())))
        # m₂ = σ⁴(1 + y); with both free, m₂ - σ⁴ is the variance of the data.
        excess = float(x.var()) if "entry_variance" not in fixed else float((x**2).mean()) - scale**2
        ratio = fixed["ratio"] if "ratio" in fixed else positive_estimate("ratio", excess / scale**2)
        return cls(ratio, scale)

    @cached_property
    def _edges(self) -> tuple[Edge, Edge]:
        """σ²(1 - √y)² and σ²(1 + √y)²."""
        return _edges(self.ratio, self.entry_variance)

    @property
    def _intervals(self) -> tuple[Interval, ...]:
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
        sigma = math.sqrt(self.entry_variance)
        left = np.sqrt(np.maximum(lower.below(x), 0.0)) / sigma
        right = np.sqrt(np.maximum(upper.above(x), 0.0)) / sigma
        return left, right

    def _pdf(self, x: FloatArray) -> FloatArray:
        if x.size >= _COMPILED and self._plain:
            # Imported here, because numba takes half a second to load and few points do not need it.
            from rmtsim.laws._kernels import marchenko_pastur_density

            lower, upper = self._edges
            values = np.empty(x.shape)
            trouble = marchenko_pastur_density(
                x, lower.value, lower.rest, upper.value, upper.rest, self._coefficient, values
            )
            if not trouble:
                return values
        return super()._pdf(x)

    @property
    def _plain(self) -> bool:
        return _plain(self.ratio, self.entry_variance)

    @property
    def _coefficient(self) -> float:
        return 1 / (2 * math.pi * self.ratio) / self.entry_variance

    def _edge_distance(self, x: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        bottom, top = self._edges
        return np.asarray(np.maximum(np.where(upper, top.above(x), bottom.below(x)), 0.0))

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        bottom, top = self._edges
        width = (top.value - bottom.value) + (top.rest - bottom.rest)
        other = np.maximum(width - distance, 0.0)
        x = np.where(upper, top.value - distance, bottom.value + distance)
        # Roots before the division: a quotient of denormal numbers would have no digits left.
        scale = np.sqrt(x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = (np.sqrt(distance) / scale) * (np.sqrt(other) / scale)
            return np.asarray(
                np.where(distance > 0, values, 0.0) / (2 * np.pi * self.ratio) / self.entry_variance
            )

    def _edge_mass(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        mass = super()._edge_mass(distance, place, upper)
        # Beyond the distance λ₋ from the lower edge the pole of the density at zero is too close for the quadrature,
        # and the terms of the integral in closed form do not cancel.
        lower, high = (edge.value / self.entry_variance for edge in self._edges)
        far = ~upper & (distance / self.entry_variance > lower)
        if far.any():
            width = 4 * math.sqrt(self.ratio)
            share = np.minimum(distance[far] / self.entry_variance / width, 1.0)
            sine, cosine = np.sqrt(share), np.sqrt(1 - share)
            angle = np.arctan2(sine, cosine)
            inner = np.arctan2(sine * math.sqrt(high), cosine * math.sqrt(lower))
            total = width * (angle + sine * cosine) + 2 * lower * angle - 2 * math.sqrt(lower * high) * inner
            mass[far] = total / (2 * math.pi * self.ratio)
        return mass

    def _density_inside(self, x: FloatArray) -> FloatArray:
        if self._plain:
            lower, upper = self._edges
            left, right = np.sqrt(np.maximum(lower.below(x), 0.0)), np.sqrt(np.maximum(upper.above(x), 0.0))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                values = left / x * right * self._coefficient
            return np.where(x == 0, np.inf, values)
        left, right = self._distances(x)
        unit = np.sqrt(x) / math.sqrt(self.entry_variance)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = (left / unit) * (right / unit) / (2 * np.pi * self.ratio) / self.entry_variance
        return np.where(x == 0, np.inf, values)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        # With x = σ²(1 + y + 2√y cos θ), both the angle and its sine and cosine come from distances to the
        # edges, and the integral of the density is elementary (docs/laws-methods.md).
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
        unit = z / self.entry_variance
        root = np.sqrt(lower.below(z) / self.entry_variance) * np.sqrt(upper.below(z) / self.entry_variance)
        middle = unit - (1 - self.ratio)
        # The two roots of the quadratic equation multiply to 1/(y z); each form is used where it adds
        # numbers of one direction.
        outer = np.abs(middle + root) >= np.abs(middle - root)
        with np.errstate(divide="ignore", invalid="ignore"):
            far = -2.0 / (middle + root)
            near = (root - middle) / (2 * self.ratio) / unit
        return np.asarray(np.where(outer, far, near) / self.entry_variance, dtype=np.complex128)

    def scaled(self, factor: float) -> SpectralLaw:
        """The law of ``factor·x``; a positive factor multiplies the variance."""
        factor = validate.finite_number("factor", factor)
        return (
            MarchenkoPastur(self.ratio, self.entry_variance * factor)
            if factor > 0
            else super().scaled(factor)
        )

    def moment(self, order: int) -> float:
        """Moment ``σ^(2k) Σ_j N(k, j) y^(j−1)`` with the Narayana numbers N(k, j)."""
        k = validate.integer("order", order, minimum=0, meaning="order of the moment")
        if k == 0:
            return 1.0
        narayana = (math.comb(k, j) * math.comb(k, j - 1) // k for j in range(1, k + 1))
        with finite_moment(k):
            return self.entry_variance**k * math.fsum(
                number * self.ratio**power for power, number in enumerate(narayana)
            )

    def _affine_moment(self, scale: float, shift: float, k: int) -> float:
        def cumulants() -> list[Any]:
            from mpmath import mpf

            y, v, a = mpf(self.ratio), mpf(self.entry_variance), mpf(scale)
            return [(a * v) ** j * y ** (j - 1) + (mpf(shift) if j == 1 else 0) for j in range(1, k + 1)]

        from rmtsim.laws._free_cumulants import exact_moment

        return exact_moment(k, cumulants)


def _plain(y: float, variance: float) -> bool:
    return _PLAIN < y < 1 / _PLAIN and _PLAIN < variance < 1 / _PLAIN


@lru_cache(maxsize=1024)
def _edges(y: float, variance: float) -> tuple[Edge, Edge]:
    """σ²(1 - √y)² and σ²(1 + √y)²; cached, because laws are often built again for the same parameters."""
    if not _plain(y, variance):
        context = exact()
        root_of_y, sigma_2 = context.sqrt(Decimal(y)), Decimal(variance)
        sides = (context.subtract(Decimal(1), root_of_y), context.add(Decimal(1), root_of_y))
        lower, upper = (context.multiply(sigma_2, context.multiply(side, side)) for side in sides)
        return Edge.of(lower), Edge.of(upper)
    # Double-double arithmetic, a twentieth of the time of decimal numbers.
    root = math.sqrt(y)
    square, rest = two_product(root, root)
    low = ((y - square) - rest) / (2 * root)
    plus, plus_low = two_sum(1.0, root)
    plus_low += low
    # 1 - √y = (1 - y)/(1 + √y) keeps the digits of a ratio near one.
    gap, gap_low = two_sum(1.0, -y)
    minus = gap / plus
    product, error = two_product(minus, plus)
    minus_low = ((gap - product) - error + gap_low - minus * plus_low) / plus
    ends = []
    for side in ((minus, minus_low), (plus, plus_low)):
        high, tail = square_of(*side)
        product, error = two_product(high, variance)
        ends.append(Edge(*two_sum(product, error + tail * variance)))
    return ends[0], ends[1]
