"""The laws of A + B and A^½BA^½ for free A and B, from any two laws."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._free.bands import Band, BandedLaw, chebyshev_grid, find_bands
from rmtsim.laws._free.parts import MASS_ERROR, free_cumulants, is_point, raw_stieltjes, reach
from rmtsim.laws._free.shifts import additive_shift, multiplicative_shift
from rmtsim.laws._free.subordination import STEPS, TOLERANCE, Pair, Shift, certified, newton
from rmtsim.laws._free_cumulants import moments_from_cumulants

_LOW = 1e-2
"""Height, over the width of the law, up to which solutions start from those beside the axis."""

_HARD = 12
"""Power by which a product's density is resolved at zero, where it may go like x^(-1/2), x^(-2/3), x^(-3/4), …"""


def free_sum(first: SpectralLaw, second: SpectralLaw) -> SpectralLaw:
    """Free additive convolution of two laws.

    Parameters
    ----------
    first, second : SpectralLaw
        Laws of the matrices A and B.

    Returns
    -------
    SpectralLaw
        Limit spectrum of A + UBUᵀ, with U Haar-distributed.

    Raises
    ------
    TypeError
        If an argument is not a spectral law.
    ConvergenceError
        If a density or transform cannot be solved to a residual of 1e-12.

    See Also
    --------
    free_product : Free multiplicative convolution.
    r_transform : Adds under the free sum.

    Examples
    --------
    >>> import math
    >>> from rmtsim.laws import Discrete, free_sum
    >>> law = free_sum(Discrete([-1.0, 1.0]), Discrete([-1.0, 1.0]))  # the arcsine law
    >>> round(law.density(0.0) * 2 * math.pi, 9), round(law.cdf(1.0), 9)
    (1.0, 0.666666667)
    """
    _check(first, second)
    for one, other in ((first, second), (second, first)):
        if is_point(one):
            return other.shifted(one.atoms[0][0]) if one.atoms[0][0] else other
    return FreeConvolution(first, second, "sum")


def free_product(first: SpectralLaw, second: SpectralLaw) -> SpectralLaw:
    """Free multiplicative convolution of two laws on [0, ∞).

    Parameters
    ----------
    first, second : SpectralLaw
        Laws of the positive semi-definite matrices A and B.

    Returns
    -------
    SpectralLaw
        Limit spectrum of A^½ U B Uᵀ A^½, with U Haar-distributed.

    Raises
    ------
    ValueError
        If a law has negative values or is a point mass at zero.
    ConvergenceError
        If a density or transform cannot be solved to a residual of 1e-12.

    See Also
    --------
    free_sum : Free additive convolution.
    s_transform : Multiplies under the free product.

    Examples
    --------
    >>> from rmtsim.laws import MarchenkoPastur, free_product
    >>> law = free_product(MarchenkoPastur(0.5), MarchenkoPastur(0.5))
    >>> round(law.moment(2), 12), abs(law.stieltjes(-1.0)) < 1
    (2.0, True)
    """
    _check(first, second)
    for name, law in (("first", first), ("second", second)):
        if reach(law)[0] < 0:
            raise ValueError(
                f"{name}={law!r}: expected a law on [0, ∞), and its support begins at {reach(law)[0]:g}"
            )
    for one, other in ((first, second), (second, first)):
        if is_point(one):
            place = one.atoms[0][0]
            if place == 0:
                raise ValueError("a factor that is zero makes the product zero; expected a law other than δ₀")
            return other.scaled(place) if place != 1 else other
    return FreeConvolution(first, second, "product")


def _check(*laws: SpectralLaw) -> None:
    for name, law in zip(("first", "second"), laws, strict=True):
        if not isinstance(law, SpectralLaw):
            raise TypeError(f"{name}={validate.shown(law)}: expected a spectral law")


@frozen
class FreeConvolution(BandedLaw):
    """μ ⊞ ν or μ ⊠ ν; made by :func:`free_sum` and :func:`free_product`.

    Every density and transform is solved with a residual of at most 1e-12; the cdf is that density's integral, and a
    law whose bands hold less than all of the mass (by more than 1e-9) is refused.
    """

    first: SpectralLaw
    second: SpectralLaw
    kind: Literal["sum", "product"]

    def __reduce__(self) -> tuple[Any, ...]:
        return FreeConvolution, (self.first, self.second, self.kind)

    @cached_property
    def _range(self) -> Interval:
        (a, b), (c, d) = reach(self.first), reach(self.second)
        return (a + c, b + d) if self.kind == "sum" else (a * c, b * d)

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """Where atoms of both laws meet with masses that exceed one (Bercovici and Voiculescu 1998)."""
        found: dict[float, float] = {}
        for place, mass in self.first.atoms:
            for other, share in self.second.atoms:
                rest = mass + share - 1
                at = place + other if self.kind == "sum" else place * other
                if rest > 1e-14 and not (self.kind == "product" and at == 0):
                    found[at] = rest
        if self.kind == "product":
            zero = max(dict(law.atoms).get(0.0, 0.0) for law in (self.first, self.second))
            if zero > 0:
                found[0.0] = zero
        return tuple(sorted(found.items()))

    @cached_property
    def _bands(self) -> tuple[Band, ...]:
        expected = 1 - math.fsum(mass for _, mass in self.atoms)
        if expected < 1e-14:
            return ()
        power = _HARD if self.kind == "product" and not self._tied else 0
        bands = find_bands(self._boundary, self._range, self.atoms, expected, power)
        missing = expected - math.fsum(band.mass for band in bands)
        if abs(missing) > MASS_ERROR:
            raise ConvergenceError(
                f"the bands found hold all but {missing:.2g} of the mass of the continuous part",
                residual=abs(missing),
                iterations=len(bands),
            )
        return bands

    @property
    def _tied(self) -> bool:
        """Whether both factors of a product have the same mass at zero.

        Above the atom the density then goes like x^(-1/2), which the angle of a band resolves; points much closer to
        zero are out of reach, because 1 + ζs differs from the mass at zero by less than its rounding there.
        """
        one, two = (dict(law.atoms).get(0.0, 0.0) for law in (self.first, self.second))
        return one > 0 and abs(one - two) <= 1e-12

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """Bands found along the axis, their ends to about 1e-12 of the whole range."""
        return tuple((band.lower, band.upper) for band in self._bands)

    def _solve(self, z: ComplexArray, *, certify: bool = True) -> tuple[ComplexArray, Pair]:
        """s(z) for Im z ≥ 0: from a table of solutions near the axis, or by continuation from far above.

        Only one root lies inside the half plane, or attracts, so that it does not matter from where it was found. The
        continuation takes smaller steps for the points that need them.
        """
        pair = self._from_table(z)
        # Use the second point as the unknown where the first is at or near infinity.
        for factor, exchanged in ((0.1, False), (0.1, True), (0.4, False), (0.4, True), (0.8, False)):
            missed = np.flatnonzero(~pair.solved)
            if not missed.size:
                break
            again = self._descend(z[missed], factor=factor, exchanged=exchanged)
            again = again.exchanged() if exchanged else again
            better = again.solved | ~(pair.residual[missed] <= TOLERANCE)
            pair.put(missed[better], again.at(better))
        return self._transform(z, certified(pair, z) if certify else pair), pair

    def _from_table(self, z: ComplexArray) -> Pair:
        """Newton's method from neighbours in the table; points at which it fails have an infinite residual."""
        low, high = self._range
        pair = Pair.unsolved(z.shape)
        near = np.flatnonzero((z.real > low) & (z.real < high) & (z.imag < _LOW * (high - low)))
        if near.size:
            places, points = self._table
            start = np.interp(z[near].real, places, points)
            found = self._newton(z[near], start + 1j * z[near].imag, exchanged=False, steps=40)
            # On the axis a small margin may hide a whole curve of solutions.
            sure = found.solved & ((z[near].imag > 0) | (found.margin > 1e-3))
            pair.put(near[sure], found.at(sure))
        return pair

    @cached_property
    def _table(self) -> tuple[FloatArray, ComplexArray]:
        """Places along the axis, and the first point just above them."""
        low, high = self._range
        x = chebyshev_grid(low, high)
        heights = np.full(x.shape, 1e-13 * (high - low))
        return x, self._descend(np.asarray(x + 1j * heights, dtype=np.complex128), factor=0.1).first

    def _descend(self, z: ComplexArray, factor: float, *, exchanged: bool = False) -> Pair:
        """Newton's method at lower and lower heights above z, each ``factor`` times the one before."""
        low, high = self._range
        scale = max(high - low, abs(low), abs(high))
        height = np.maximum(8 * scale, 2 * np.abs(z))
        # In the coordinate log z of a product the distance to the axis counts in units of |z|.
        near = 1e-13 * scale if self.kind == "sum" else 1e-13 * np.minimum(scale, np.abs(z))
        start: ComplexArray = z + 1j * height if self.kind == "sum" else np.log(z + 1j * height)
        while np.any(height > 0):
            start = self._newton(z + 1j * height, start, goal=1e-8, exchanged=exchanged, steps=20).first
            height = np.where(height < 1e-3 * np.maximum(z.imag, near), 0.0, factor * height)
        return self._newton(z, start, exchanged=exchanged)

    @cached_property
    def _shifts(self) -> tuple[Shift, Shift]:
        made = additive_shift if self.kind == "sum" else multiplicative_shift
        return made(self.first), made(self.second)

    def _newton(
        self,
        z: ComplexArray,
        start: ComplexArray,
        *,
        exchanged: bool,
        goal: float = 1e-15,
        steps: int = STEPS,
    ) -> Pair:
        low, high = self._range
        one, two = self._shifts[::-1] if exchanged else self._shifts
        if self.kind == "sum":
            return newton(one, two, z, start, top=np.inf, scale=high - low, goal=goal, steps=steps)
        return newton(one, two, np.log(z), start, top=np.pi, scale=1.0, goal=goal, steps=steps)

    def _transform(self, z: ComplexArray, pair: Pair) -> ComplexArray:
        if self.kind == "sum":
            return raw_stieltjes(self.first, pair.first)
        zeta = np.exp(pair.first)
        return np.asarray(zeta * raw_stieltjes(self.first, zeta) / z)

    def _boundary(self, x: FloatArray, heights: FloatArray | None = None) -> ComplexArray:
        """s(x + i0), or at small heights above the axis: there, where edges are looked for, without a certificate."""
        z = x.astype(np.complex128) + (0.0 if heights is None else 1j * heights)
        return self._solve(z, certify=heights is None)[0]

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        return self._solve(z)[0]

    def _density_inside(self, x: FloatArray) -> FloatArray:
        if (
            self.kind == "product" and not x.all()
        ):  # a product whose support begins at zero has a hard edge there
            values = np.full(x.shape, np.inf)
            values[x != 0] = self._density_inside(x[x != 0])
            return values
        s, pair = self._solve(x.astype(np.complex128))
        values = np.maximum(s.imag, 0.0) / np.pi
        # At exceptional points inside a band a small residual says nothing (two coins at zero: every point of a circle
        # solves the system); the density is smooth there, and the band's series has it.
        for number, band in enumerate(self._bands):
            reach = 1e-3 * (band.upper - band.lower)
            unsure = (self._interval_of(x) == number) & (pair.margin < 1e-3)
            unsure &= (x > band.lower + reach) & (x < band.upper - reach)
            if unsure.any():
                values[unsure] = band.density(x[unsure])
        return np.asarray(values)

    def moment(self, order: int) -> float:
        """From free cumulants, which add under sums; for products from those of the two laws together."""
        k = validate.integer("order", order, minimum=0, maximum=30, meaning="order of the moment")
        if k == 0:
            return 1.0
        one, two = ([law.moment(j) for j in range(k + 1)] for law in (self.first, self.second))
        if self.kind == "sum":
            added = np.add(free_cumulants(one), free_cumulants(two))
            return moments_from_cumulants(added.tolist())[k]
        return _product_moments(one, two)[k]


def _product_moments(one: list[float], two: list[float]) -> list[float]:
    """Moments of μ ⊠ ν: S-transforms multiply, S = χ(z)(1 + z)/z with χ the inverse series of ψ = Σ m_k zᵏ."""
    order = len(one) - 1
    s_one, s_two = (_over_z(_inverse_series(_psi(moments)), order) for moments in (one, two))
    # χ₁χ₂(1+z)/z: the product of the two S-transforms times z/(1+z).
    chi = np.zeros(order + 1)
    product = np.convolve(s_one, s_two)[:order]
    chi[1:] = np.convolve(product, [1.0, 1.0])[:order]
    return [1.0, *_inverse_series(chi)[1:].tolist()]


def _psi(moments: list[float]) -> NDArray[np.float64]:
    return np.array([0.0, *moments[1:]])


def _over_z(series: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    return series[1 : order + 1]


def _inverse_series(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of the inverse of Σ_{k≥1} a_k zᵏ, by Lagrange's formula [zⁿ] = (1/n)[wⁿ⁻¹] (w/f(w))ⁿ."""
    order = len(series) - 1
    if series[1] == 0:
        raise ValueError("a law of mean zero has no S-transform; expected a law on [0, ∞) other than δ₀")
    reciprocal = np.zeros(order)
    reciprocal[0] = 1 / series[1]
    for k in range(1, order):
        reciprocal[k] = -math.fsum(series[j + 1] * reciprocal[k - j] for j in range(1, k + 1)) / series[1]
    inverse = np.zeros(order + 1)
    power = np.zeros(order)
    power[0] = 1.0
    for n in range(1, order + 1):
        power = np.convolve(power, reciprocal)[:order]
        inverse[n] = power[n - 1] / n
    return inverse
