"""The law of a corner: a free element compressed by a projection.

With F = -1/s and t the projection's rank share, the compressed law has s_t(z) = s(ω)/t at the one point ω of the upper
half plane with H(ω) = ω - (1 - t)F(ω) = z (Nica and Speicher 1996; Belinschi and Bercovici 2004). F(ω) - ω is the
transform of a positive measure, so Im F/Im ω falls as ω rises: over every real a the curve on which H is real has one
point a + iv(a), v(a) > 0 where the compressed law has a density, and there H increases with a. Edges are the real a at
which F' = 1/(1 - t). No search along the axis is needed.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._free.bands import Band, BandedLaw, integrated_band
from rmtsim.laws._free.parts import MASS_ERROR, free_cumulants, is_point, raw_stieltjes, reach
from rmtsim.laws._free.subordination import TOLERANCE
from rmtsim.laws._free_cumulants import moments_from_cumulants
from rmtsim.laws._roots import increasing_root

_LEAST_SHARE = 1e-6
_STEPS = 60
_TABLE = 33
"""Points of the curve a + iv(a) of a band, from which Newton's method starts."""
_ABOVE = 1e-290j
"""Height just above the axis, at which boundary values are evaluated without hitting an atom."""


def free_compression(law: SpectralLaw, share: float) -> SpectralLaw:
    """Law of a corner of a randomly rotated matrix (free compression).

    Parameters
    ----------
    law : SpectralLaw
        Law of the matrix A.
    share : float
        Size t of the corner relative to the matrix, in [1e-6, 1].

    Returns
    -------
    SpectralLaw
        Limit spectrum of the (tn, tn) corner of UAUᵀ, with U Haar-distributed.

    Raises
    ------
    ValueError
        If ``share`` is not accepted.
    ConvergenceError
        If a density or transform cannot be solved to a residual of 1e-12.

    Notes
    -----
    The R-transform becomes R(tg), and the free cumulants κ_k become t^(k−1) κ_k. An atom of mass m > 1 − t stays,
    with mass (m − (1 − t))/t.

    Examples
    --------
    >>> import math
    >>> from rmtsim.laws import Discrete, MarchenkoPastur, free_compression
    >>> half = free_compression(Discrete([-1.0, 1.0]), 0.5)  # the arcsine law on [-1, 1]
    >>> round(half.density(0.0) * math.pi, 12), half.support
    (1.0, ((-1.0, 1.0),))
    >>> corner = free_compression(MarchenkoPastur(2.0), 0.25)  # a quarter of the features: ratio 1/2
    >>> [round(end, 9) for end in corner.support[0]] == [round(end, 9) for end in MarchenkoPastur(0.5).support[0]]
    True
    """
    if not isinstance(law, SpectralLaw):
        raise TypeError(f"law={validate.shown(law)}: expected a spectral law")
    share = validate.positive_number("share", share, meaning="size of the corner over that of the matrix")
    if not _LEAST_SHARE <= share <= 1:
        raise ValueError(
            f"share={share}: expected a number in [{_LEAST_SHARE:g}, 1] (size of the corner over that of the matrix)"
        )
    if share == 1 or is_point(law):
        return law
    # A corner of a corner is a corner.
    if isinstance(law, Compression) and law.share * share >= _LEAST_SHARE:
        return Compression(law.law, law.share * share)
    return Compression(law, share)


@frozen
class Compression(BandedLaw):
    """A law compressed by a free projection; made by :func:`free_compression`.

    Every density and transform is solved with a residual of at most 1e-12; the cdf is that density's integral, and a
    law whose bands hold less than all of the mass (by more than 1e-9) is refused.
    """

    law: SpectralLaw
    share: float

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """Atoms that the projection cannot avoid."""
        kept = ((place, (mass - (1 - self.share)) / self.share) for place, mass in self.law.atoms)
        return tuple((place, mass) for place, mass in kept if mass > 1e-14)

    @cached_property
    def _scale(self) -> float:
        low, high = reach(self.law)
        return high - low

    @cached_property
    def _spread(self) -> tuple[float, float]:
        """Mean and variance of the law, the latter from its centred form."""
        mean = self.law.moment(1)
        return mean, self.law.shifted(-mean).moment(2)

    def _reciprocal(self, w: ComplexArray) -> ComplexArray:
        """F = -1/s."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(-1 / raw_stieltjes(self.law, w))

    def _map(self, w: ComplexArray) -> ComplexArray:
        """H(ω)."""
        return np.asarray(w - (1 - self.share) * self._reciprocal(w))

    def _real_map(self, a: FloatArray) -> FloatArray:
        return self._map(np.asarray(a + _ABOVE, dtype=np.complex128)).real

    def _steepness(self, a: FloatArray, room: FloatArray) -> FloatArray:
        """F'(a) of real points, ``room`` away from all walls, by a small step upwards (error room²·1e-10)."""
        height = 1e-5 * room
        return np.asarray(self._reciprocal(a + 1j * height).imag / height)

    @cached_property
    def _walls(self) -> list[Interval]:
        """Singularities of F: intervals of the support, and zeros of s between pieces of the law."""
        pieces = sorted([*self.law.support, *((place, place) for place, _ in self.law.atoms)])
        walls = [*self.law.support]
        for (_, left), (right, _) in itertools.pairwise(pieces):
            if right > left:
                zero = self._zero(left, right)
                walls += [] if zero is None else [(zero, zero)]
        return sorted(walls)

    def _zero(self, left: float, right: float) -> float | None:
        """Approximate zero of s, which increases, between two pieces of the law; F is very steep there."""
        inset = 1e-13 * max(right - left, 0.01 * abs(left), 0.01 * abs(right))
        low, high = left + inset, right - inset
        if not self._transform_at(low) < 0 < self._transform_at(high):
            return None
        while high - low > 1e-9 * (right - left):
            middle = 0.5 * (low + high)
            try:
                below = self._transform_at(middle) < 0
            except ConvergenceError:
                # Laws that are solved numerically have their largest residuals near the pole of F.
                return middle
            low, high = (middle, high) if below else (low, middle)
        return 0.5 * (low + high)

    def _transform_at(self, a: float) -> float:
        return float(raw_stieltjes(self.law, np.array([a + _ABOVE])).real[0])

    @cached_property
    def _flat(self) -> list[Interval]:
        """Intervals of real a with F'(a) ≤ 1/(1 - t), where H is real and the compressed law has no density.

        F' is convex between two walls, so that each region has one of them at most; the first and the last reach to
        infinity.
        """
        walls, bound = self._walls, 1 / (1 - self.share)
        far = math.sqrt(self._spread[1] * (1 - self.share) / self.share)
        flats = [(-math.inf, self._crossing(walls[0][0], walls[0][0] - 2 * far - self._scale, bound))]
        for (_, left), (right, _) in itertools.pairwise(walls):
            lowest = self._lowest(left, right, bound)
            if lowest is not None:
                flats.append((self._crossing(left, lowest, bound), self._crossing(right, lowest, bound)))
        flats.append((self._crossing(walls[-1][1], walls[-1][1] + 2 * far + self._scale, bound), math.inf))
        return flats

    def _lowest(self, left: float, right: float, bound: float) -> float | None:
        """A point between two walls at which F' is below the bound, by trisection of a convex function."""
        low, high = left, right
        for _ in range(200):
            points = low + (high - low) * np.array([1 / 3, 2 / 3])
            if not left < points[0] < points[1] < right:
                return None
            values = self._steepness(points, np.minimum(points - left, right - points))
            best = int(values.argmin())
            if values[best] < bound:
                return float(points[best])
            low, high = (low, float(points[1])) if best == 0 else (float(points[0]), high)
        return None

    def _crossing(self, wall: float, inside: float, bound: float) -> float:
        """Where F' falls to the bound on the way from a wall to a point at which it is below it."""
        side = math.copysign(1.0, inside - wall)

        def excess(distance: FloatArray, _: object) -> tuple[FloatArray, FloatArray]:
            return bound - self._steepness(wall + side * distance, distance), np.full(distance.shape, np.nan)

        far = abs(inside - wall)
        near = 4 * np.finfo(np.float64).eps * max(abs(wall), 1e-3 * far)
        found = increasing_root(
            excess, np.array([min(near, 0.5 * far)]), np.array([far]), None, 1e-13 * bound
        )
        return wall + side * float(found[0])

    @cached_property
    def _curves(self) -> tuple[tuple[FloatArray, ComplexArray], ...]:
        """Of each band: points x, increasing, and ω(x) on the curve."""
        curves = []
        for (_, low), (high, _) in itertools.pairwise(self._flat):
            angle = np.linspace(0.0, np.pi, _TABLE)
            a = np.clip(low + (high - low) * np.sin(0.5 * angle) ** 2, low, high)
            w = a + 1j * self._heights(a)
            # At the ends ω is real.
            w[[0, -1]] = low, high
            x = self._map(w + _ABOVE).real
            curves.append((np.maximum.accumulate(x), w))
        return tuple(curves)

    def _heights(self, a: FloatArray) -> FloatArray:
        """v(a): Im F(a + iv)/v = 1/(1 - t), zero where it is less for every v; six digits suffice to start."""
        bound = 1 / (1 - self.share)
        top = 1.01 * math.sqrt(self._spread[1] * (1 - self.share) / self.share)

        def excess(v: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            return bound - self._reciprocal(a[k] + 1j * v).imag / v, np.full(v.shape, np.nan)

        low = np.full(a.shape, 1e-14 * top)
        found = np.zeros(a.shape)
        above = np.flatnonzero(self._reciprocal(a + 1j * low).imag / low > bound)
        if above.size:
            found[above] = increasing_root(
                lambda v, k: excess(v, above[k]), low[above], np.full(above.shape, top), None, 1e-6 * bound
            )
        return found

    @cached_property
    def _bands(self) -> tuple[Band, ...]:
        expected = 1 - math.fsum(mass for _, mass in self.atoms)
        bands = tuple(
            integrated_band(self._boundary, float(x[0]), float(x[-1]))
            for x, _ in self._curves
            if x[-1] > x[0]
        )
        missing = expected - math.fsum(band.mass for band in bands)
        if abs(missing) > MASS_ERROR:
            raise ConvergenceError(
                f"the bands found hold all but {missing:.2g} of the mass of the continuous part",
                residual=abs(missing),
                iterations=len(bands),
            )
        return bands

    @cached_property
    def _intervals(self) -> tuple[Interval, ...]:
        """Images under H of the real points at which F' = 1/(1 - t)."""
        return tuple((float(x[0]), float(x[-1])) for x, _ in self._curves if x[-1] > x[0])

    def _boundary(self, x: FloatArray) -> ComplexArray:
        """s_t(x + i0) at points of the support."""
        return raw_stieltjes(self.law, self._solved(x.astype(np.complex128), self._start(x))) / self.share

    def _start(self, x: FloatArray) -> ComplexArray:
        """ω of points of the support, from the table."""
        w = np.empty(x.shape, dtype=np.complex128)
        place = self._interval_of(x)
        curves = [curve for curve in self._curves if curve[0][-1] > curve[0][0]]
        for number, (points, curve) in enumerate(curves):
            here = place == number
            middle, half = 0.5 * (points[0] + points[-1]), 0.5 * (points[-1] - points[0])
            # In the angle the curve is smooth up to the edges.
            nodes = np.arcsin(np.clip((points - middle) / half, -1, 1))
            w[here] = np.interp(np.arcsin(np.clip((x[here] - middle) / half, -1, 1)), nodes, curve)
        return w

    def _solved(self, z: ComplexArray, start: ComplexArray, *, certify: bool = True) -> ComplexArray:
        """ω with H(ω) = z by Newton's method; any solution in the upper half plane is the solution."""
        w, best, kept = start.copy(), np.full(z.shape, np.inf), start.copy()
        floor = np.maximum(z.imag, 1e-290)
        active, stalled = np.arange(z.size), np.zeros(z.shape, dtype=np.intp)
        for _ in range(_STEPS):
            here = w[active].real + 1j * np.maximum(w[active].imag, floor[active])
            step = 1e-5 * np.maximum(here.imag, 1e-3 * self._scale)
            value = self._map(here)
            # Sideways, so that the half plane is not left.
            slope = (self._map(here + step) - self._map(here - step)) / (2 * step)
            gap = value - z[active]
            residual = np.abs(gap) / (np.abs(z[active]) + self._scale)
            improved = residual < 0.5 * best[active]
            stalled[active] = np.where(improved, 0, stalled[active] + 1)
            better = residual < best[active]
            kept[active[better]], best[active[better]] = here[better], residual[better]
            with np.errstate(divide="ignore", invalid="ignore"):
                proposal = here - gap / slope
            # A step of the contraction ω ← z + (1 - t)F(ω) where Newton's method gets nowhere.
            lost = ~np.isfinite(proposal) | (stalled[active] % 6 == 5)
            w[active] = np.where(lost, z[active] + here - value, proposal)
            active = active[~((residual <= 4e-16) | ((stalled[active] >= 4) & (best[active] < TOLERANCE)))]
            if not active.size:
                break
        if certify and best.size and not float(best.max()) <= TOLERANCE:
            worst = int(np.argmax(best))
            raise ConvergenceError(
                f"compression at z={z[worst]}: residual {best[worst]:.2g} after {_STEPS} steps",
                residual=float(best[worst]),
                iterations=_STEPS,
            )
        return kept

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        w = np.empty(z.shape, dtype=np.complex128)
        low = z.imag <= 1e-13 * self._scale
        inside = low & (self._interval_of(z.real) >= 0)
        if inside.any():
            w[inside] = self._solved(z[inside], self._start(z[inside].real))
        outside = low & ~inside
        if outside.any():
            w[outside] = self._solved(z[outside], self._between(z[outside].real).astype(np.complex128))
        if not low.all():
            w[~low] = self._descended(z[~low])
        values = raw_stieltjes(self.law, w) / self.share
        return np.asarray(np.where(z.imag == 0, values.real, values))

    def _between(self, x: FloatArray) -> FloatArray:
        """The real ω of points outside the support: H increases between two bands."""
        mean, _ = self._spread
        free = (x - (1 - self.share) * mean) / self.share
        low, high = np.empty(x.shape), np.empty(x.shape)
        for number, (left, right) in enumerate(self._flat):
            begin = -math.inf if number == 0 else float(self._curves[number - 1][0][-1])
            end = math.inf if number == len(self._flat) - 1 else float(self._curves[number][0][0])
            here = (x >= begin) & (x <= end)
            # Left of the law H(a) ≤ ta + (1 - t)·mean, right of it the other way round.
            low[here] = free[here] - self._scale if math.isinf(left) else left
            high[here] = free[here] + self._scale if math.isinf(right) else right
        return increasing_root(lambda a, k: (self._real_map(a) - x[k], np.full(a.shape, np.nan)), low, high)

    def _descended(self, z: ComplexArray) -> ComplexArray:
        """By continuation from far above, in smaller steps for the points that need them."""
        w = np.empty(z.shape, dtype=np.complex128)
        waiting = np.arange(z.size)
        for factor in (0.1, 0.4, 0.8):
            here = z[waiting]
            height = np.maximum(8 * self._scale, 2 * np.abs(here))
            found = (here + 1j * height) / self.share
            while np.any(height > 0):
                found = self._solved(here + 1j * height, found, certify=False)
                height = np.where(height < 1e-3 * here.imag, 0.0, factor * height)
            w[waiting] = found = self._solved(here, found, certify=factor == 0.8)
            residual = np.abs(self._map(found) - here) / (np.abs(here) + self._scale)
            waiting = waiting[~(residual <= TOLERANCE)]
            if not waiting.size:
                break
        return w

    def _density_inside(self, x: FloatArray) -> FloatArray:
        return np.maximum(self._boundary(x).imag, 0.0) / np.pi

    def moment(self, order: int) -> float:
        """From free cumulants, t^(j-1) κ_j."""
        k = validate.integer("order", order, minimum=0, maximum=30, meaning="order of the moment")
        if k == 0:
            return 1.0
        cumulants = free_cumulants([self.law.moment(j) for j in range(k + 1)])
        return moments_from_cumulants((cumulants * self.share ** np.arange(k)).tolist())[k]
