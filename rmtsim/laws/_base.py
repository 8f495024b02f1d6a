"""Base class of spectral laws: methods that follow from a density, a cdf and a Stieltjes transform."""

from __future__ import annotations

import abc
import contextlib
import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.laws._distribution import Distribution, like
from rmtsim.laws._roots import increasing_root

_NOISE = 4 * np.finfo(np.float64).eps
"""Rounding error of a cdf, which is a number of order one."""

_FAR = 2.0**200

_TABLE = 65
"""Points of the cdf table that starts a batch of quantiles."""

_TAIL = 1e-3
"""Tail masses below this are integrated from the edge, because a cdf of order one cannot resolve them."""


@contextlib.contextmanager
def finite_moment(k: int) -> Iterator[None]:
    """Turns Python's overflow errors (powers, fsum, ldexp) into one that names the moment."""
    try:
        yield
    except (OverflowError, ValueError):
        raise OverflowError(f"order={k}: the moment exceeds the largest double; rescale the law") from None


class SpectralLaw(Distribution):
    """A probability measure on the real line: a density on finitely many intervals, plus atoms.

    Base class of the laws of real eigenvalues, with the methods of a frozen distribution of ``scipy.stats``. Methods
    take arrays of any shape and return a number for a number.

    Attributes
    ----------
    support : tuple of (float, float)
        Closed intervals (lower, upper), in increasing order, on which the density is positive. ``support()`` returns
        the two ends of the law, atoms included.
    atoms : tuple of (float, float)
        Pairs (location, mass), in increasing order of location.
    continuous_mass : float
        Mass of the part that has a density.

    Notes
    -----
    A subclass defines ``moment``, the tuple of intervals ``_intervals``, and the hooks ``_density_inside``,
    ``_cdf_inside`` and ``_stieltjes_upper``, which receive flat arrays of valid points; ``atoms`` and ``_masses`` if
    it has atoms or several intervals.

    ``pdf`` is the density of the continuous part: it is zero at an atom outside the support, and its integral is
    ``continuous_mass``. The other methods include the atoms. At points that are NaN the value is NaN.

    Examples
    --------
    >>> from rmtsim.laws import Semicircle
    >>> law = Semicircle()
    >>> law.support
    ((-2.0, 2.0),)
    >>> law.pdf(0.0), law.pdf([[-3.0, 0.0]])
    (0.31830988618379075, array([[0.        , 0.31830989]]))
    >>> law.support(), law.mean(), law.var()
    ((-2.0, 2.0), 0.0, 1.0)
    """

    @property
    def _masses(self) -> tuple[float, ...]:
        """Mass of the continuous part on each interval of ``support``; by default one interval without atoms."""
        return (1.0,)

    @abc.abstractmethod
    def _density_inside(self, x: FloatArray) -> FloatArray:
        """Density at points of the support."""

    @abc.abstractmethod
    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        """μ((-∞, x]) at points of the support."""

    @abc.abstractmethod
    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        """∫ dμ/(x - z) for Im z ≥ 0, off the support."""

    @property
    def _hard_points(self) -> tuple[float, ...]:
        """Where the density may be infinite."""
        return tuple(end for ends in self._intervals for end in ends)

    def _pdf(self, x: FloatArray) -> FloatArray:
        values = np.zeros(x.shape)
        inside = self._interval_of(x) >= 0
        if inside.any():
            values[inside] = self._density_inside(x[inside])
        too_large = np.isinf(values) & ~np.isin(x, self._hard_points)
        if too_large.any():
            raise OverflowError(
                f"x={x[too_large][0]}: the density exceeds the largest double; rescale the law"
            )
        return values

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._stepped(x, self._steps[1], self._below)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self._stepped(x, self._steps[2], self._above)

    def _stepped(
        self, x: FloatArray, levels: FloatArray, inside: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """A step function, known without solving anything outside the support, and ``inside`` on it."""
        values = levels[np.searchsorted(self._steps[0], x, side="right")]
        solve = self._interval_of(x) >= 0
        if solve.any():
            values[solve] = inside(x[solve])
        return values

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._quantiles(q, 1 - q, q <= 0.5)

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._quantiles(1 - q, q, q > 0.5)

    def _quantiles(self, below: FloatArray, above: FloatArray, from_below: NDArray[np.bool_]) -> FloatArray:
        """Quantiles of levels given from both sides; ``from_below`` marks those whose level from below is exact."""
        ends, levels, tails = self._steps
        # First piece at whose end the cdf reaches the level, or the tail falls to it.
        rising = np.searchsorted(levels[1:], below, side="left")
        falling = np.searchsorted(-tails[1:], -above, side="left")
        piece = np.minimum(np.where(from_below, rising, falling), len(ends) - 1)
        values = ends[piece].copy()
        place = self._piece_intervals[piece]
        solve = place >= 0
        if solve.any():
            here, side = place[solve], from_below[solve]
            low, high = self._interval_levels
            low_tail, high_tail = self._interval_tails
            lower, upper = np.array(self._intervals).T
            at_top = np.where(side, below[solve] >= high[here], above[solve] <= high_tail[here])
            at_bottom = np.where(side, below[solve] <= low[here], above[solve] >= low_tail[here])
            # If the two ends of an interval round to one double, that double is the quantile.
            solved = np.where(at_top, upper[here], lower[here])
            open_ = ~at_top & ~at_bottom & (lower[here] < upper[here])
            if open_.any():
                level = np.where(side, below[solve], above[solve])[open_]
                solved[open_] = self._solve_inside(level, side[open_], lower[here][open_], upper[here][open_])
            values[solve] = solved
        return values

    def _solve_inside(
        self, level: FloatArray, from_below: NDArray[np.bool_], lower: FloatArray, upper: FloatArray
    ) -> FloatArray:
        """Solve cdf(x) = level, or sf(x) = level, in [lower, upper], each level strictly between the ends'."""
        width = upper - lower
        # The angle counts from the end at which the level is zero, so that tails keep its digits.
        near, far = np.where(from_below, lower, upper), np.where(from_below, upper, lower)
        signed = far - near

        def point(angle: FloatArray, k: NDArray[np.intp]) -> FloatArray:
            first = near[k] + signed[k] * np.sin(0.5 * angle) ** 2
            second = far[k] - signed[k] * np.cos(0.5 * angle) ** 2
            return np.asarray(np.where(angle < 0.5 * np.pi, first, second), dtype=np.float64)

        # In the angle the square-root edges are smooth, so Newton's step is good up to both ends.
        def excess(angle: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            x = np.clip(point(angle, k), lower[k], upper[k])
            value, density = self._level_and_density(x, from_below[k])
            with np.errstate(invalid="ignore"):
                return value - level[k], density * (0.5 * width[k] * np.sin(angle))

        low, high = np.zeros(level.shape), np.full(level.shape, np.pi)
        start = np.full(level.shape, 0.5 * np.pi)
        for end, side in {(float(e), bool(b)) for e, b in zip(lower, from_below, strict=True)}:
            group = np.flatnonzero((lower == end) & (from_below == side))
            if group.size <= _TABLE:
                continue
            # Many quantiles of one interval: a table of its cdf brackets each of them closely.
            angles = np.linspace(0.0, np.pi, _TABLE)
            table, _ = excess(angles, np.full(_TABLE, group[0]))
            table = np.maximum.accumulate(table + level[group[0]])
            place = np.clip(np.searchsorted(table, level[group], side="right"), 1, _TABLE - 1)
            # One cell of slack on each side: rounding may misplace a level within its cell.
            low[group] = angles[np.maximum(place - 2, 0)]
            high[group] = angles[np.minimum(place + 1, _TABLE - 1)]
            start[group] = np.interp(level[group], table, angles)
        noise = _NOISE * np.where(level < 0.5 * _TAIL, level, 1.0)
        angle = increasing_root(excess, low, high, start, noise)
        return np.clip(point(angle, np.arange(level.size)), lower, upper)

    def _cdf_and_density_inside(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both at once, for laws whose two values share the work."""
        return self._cdf_inside(x), self._density_inside(x)

    def _level_and_density(
        self, x: FloatArray, from_below: NDArray[np.bool_]
    ) -> tuple[FloatArray, FloatArray]:
        """The cdf (or the sf, where not ``from_below``) and the density at points of the support."""
        values, density = self._cdf_and_density_inside(x)
        result = np.empty(x.shape)
        if from_below.any():
            result[from_below] = self._with_tail(x[from_below], values[from_below], upper=False)
        if not from_below.all():
            result[~from_below] = self._with_tail(x[~from_below], values[~from_below], upper=True)
        return result, density

    def _below(self, x: FloatArray) -> FloatArray:
        """The cdf at points of the support, with the digits of the lower tail."""
        return self._with_tail(x, self._cdf_inside(x), upper=False)

    def _above(self, x: FloatArray) -> FloatArray:
        """The sf at points of the support, with the digits of the upper tail."""
        return self._with_tail(x, self._cdf_inside(x), upper=True)

    def _with_tail(self, x: FloatArray, cdf: FloatArray, upper: bool) -> FloatArray:
        """The cdf, or the sf, from a cdf good to rounding, small masses redone by integration from the edge."""
        place = self._interval_of(x)
        low, high = self._interval_tails[::-1] if upper else self._interval_levels
        values = np.clip(1 - cdf if upper else cdf, low[place], high[place])
        if not self._sharp_tails:
            return np.asarray(values)
        ends = np.array(self._intervals)
        small = np.flatnonzero((values < _TAIL) & (ends[place, 0] < ends[place, 1]))
        if small.size:
            here = place[small]
            middle = 0.5 * (ends[here, 0] + ends[here, 1])
            # From the edge at which the tail begins, or, past the middle of a light interval, from its other end.
            near = (x[small] >= middle) if upper else (x[small] <= middle)
            side = near if upper else ~near
            distance = self._edge_distance(x[small], here, side)
            # Beyond a pinch the density is not smooth, and the mass is not small.
            smooth = distance <= self._smooth_reach(here, side)
            mass = self._edge_mass(distance[smooth], here[smooth], side[smooth])
            here, near = here[smooth], near[smooth]
            values[small[smooth]] = np.where(near, low[here] + mass, high[here] - mass)
        return np.asarray(np.clip(values, low[place], high[place]))

    def _edge_mass(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        """Mass within this distance of the lower (or upper) end of an interval, with relative accuracy.

        Gauss–Legendre in τ, distance = d τ², on panels that shrink towards the edge: smooth for square-root and
        hard edges, and graded for a second edge that may lie just across a gap.
        """
        span = np.multiply.outer(distance, _PANEL_NODES**2)
        shape = span.shape
        density = self._density_beside(
            span.ravel(),
            np.broadcast_to(place[:, None], shape).ravel(),
            np.broadcast_to(upper[:, None], shape).ravel(),
        ).reshape(shape)
        return np.asarray((density * (_PANEL_WEIGHTS * 2 * _PANEL_NODES)).sum(axis=1) * distance)

    _sharp_tails = False
    """Whether the density beside an edge is known well enough for small tail masses to be integrated."""

    def _edge_distance(self, x: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        """Distance of x from an end of its interval; exact for laws that know their edges in two doubles."""
        ends = np.array(self._intervals)
        return np.asarray(np.where(upper, ends[place, 1] - x, x - ends[place, 0]))

    def _smooth_reach(self, place: NDArray[np.intp], upper: NDArray[np.bool_]) -> FloatArray:
        """Distance from an end within which the density is its power times a smooth function."""
        return np.full(place.shape, np.inf)

    def _density_beside(
        self, distance: FloatArray, place: NDArray[np.intp], upper: NDArray[np.bool_]
    ) -> FloatArray:
        """Density inside an interval, at a distance > 0 from one of its ends."""
        ends = np.array(self._intervals)
        x = np.where(upper, ends[place, 1] - distance, ends[place, 0] + distance)
        return self._density_inside(np.clip(x, ends[place, 0], ends[place, 1]))

    @overload
    def stieltjes(self, z: float) -> float: ...
    @overload
    def stieltjes(self, z: complex) -> complex: ...
    @overload
    def stieltjes(self, z: ArrayLike) -> Any: ...
    def stieltjes(self, z: ArrayLike) -> Any:
        """Stieltjes transform outside the support.

        Parameters
        ----------
        z : complex or array_like
            Points in either half plane, or real points outside the support.

        Returns
        -------
        float, complex or ndarray
            ``s(z) = ∫ dμ(x)/(x − z)``; real for real z.

        Raises
        ------
        ValueError
            If a point lies on the support.
        OverflowError
            If the transform exceeds the largest double.
        """
        points = validate.complex_array("z", z, meaning="a point off the support")
        flat = points.ravel()
        real = flat.imag == 0
        on_support = real & (self._interval_of(flat.real) >= 0)
        on_support |= real & np.isin(flat.real, [location for location, _ in self.atoms])
        if on_support.any():
            raise ValueError(
                f"z={flat[on_support][0].real}: on the support of the law; expected a point off it "
                f"(support {_spoken(self)})"
            )
        upper = np.where(flat.imag < 0, flat.conj(), flat)
        # So far out that s = -1/z to all digits: quotients of z and the law's scale could overflow.
        reach = max(
            abs(float(end)) for end in (*np.ravel(self._intervals), *(location for location, _ in self.atoms))
        )
        far = np.maximum(np.abs(upper.real), np.abs(upper.imag)) >= max(reach * _FAR, np.finfo(float).tiny)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            values = np.empty(upper.shape, dtype=np.complex128)
            values[far] = -1 / upper[far]
            if not far.all():
                values[~far] = self._stieltjes_upper(upper[~far])
        if not np.isfinite(values).all():
            raise OverflowError(
                f"z={flat[~np.isfinite(values)][0]}: the Stieltjes transform exceeds the largest double; "
                "rescale the law"
            )
        values = np.where(flat.imag < 0, values.conj(), values)
        if np.asarray(z).dtype.kind != "c":
            return like(values.real, points)
        return like(values, points)

    def _affine_moment(self, scale: float, shift: float, k: int) -> float:
        """∫ (scale·x + shift)ᵏ dμ, with an error of rounding size beside ∫ |scale·x + shift|ᵏ dμ.

        Here by the binomial theorem, or where that cancels by adaptive quadrature of the density; laws with known free
        cumulants do better.
        """
        powers = [math.comb(k, j) * scale**j * shift ** (k - j) * self.moment(j) for j in range(k + 1)]
        value = math.fsum(powers)
        if math.fsum(map(abs, powers)) <= 100 * abs(value):
            return value
        from rmtsim.laws._expectation import integral

        terms = [mass * (scale * location + shift) ** k for location, mass in self.atoms]
        return math.fsum([*terms, integral(self, lambda x, density: (scale * x + shift) ** k * density)])

    def _density_near(self, distance: FloatArray, number: int, upper: NDArray[np.bool_]) -> FloatArray:
        return self._density_beside(distance, np.full(distance.shape, number), upper)

    def _central_moment(self, order: int) -> float:
        # Not a difference of moments: that would cancel for a narrow law far from zero.
        return self._affine_moment(1.0, -self.mean(), order)

    def scaled(self, factor: float) -> SpectralLaw:
        """Law of a multiple of the matrix.

        Parameters
        ----------
        factor : float
            Any number other than zero.

        Returns
        -------
        SpectralLaw
            The law of ``factor·x``.
        """
        from rmtsim.laws._affine import AffineLaw

        return AffineLaw(self, scale=factor)

    def shifted(self, offset: float) -> SpectralLaw:
        """Law of the matrix plus a multiple of the identity.

        Parameters
        ----------
        offset : float
            Number that is added to every eigenvalue.

        Returns
        -------
        SpectralLaw
            The law of ``x + offset``.
        """
        from rmtsim.laws._affine import AffineLaw

        return AffineLaw(self, shift=offset)

    @property
    def continuous_mass(self) -> float:
        """Mass of the part that has a density; the atoms hold the rest."""
        return float(sum(self._masses))

    def _interval_of(self, x: FloatArray) -> NDArray[np.intp]:
        """Number of the interval that holds each point, -1 outside the support."""
        if not self._intervals:
            return np.full(x.shape, -1, dtype=np.intp)
        lower, upper = np.array(self._intervals).T
        place = np.searchsorted(lower, x, side="right") - 1
        return np.where((place >= 0) & (x <= upper[place]), place, -1).astype(np.intp)

    @cached_property
    def _ordered_pieces(self) -> list[tuple[float, int, float]]:
        """Atoms and intervals from left to right: (end, number of the interval or -1, mass)."""
        pieces = [(location, -1, mass) for location, mass in self.atoms]
        pieces += [
            (upper, number, mass)
            for number, ((_, upper), mass) in enumerate(zip(self._intervals, self._masses, strict=True))
        ]
        return sorted(pieces)

    @cached_property
    def _steps(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Ends of the pieces; the cdf, and the sf, before the first, between them and after the last."""
        ends = np.array([end for end, _, _ in self._ordered_pieces])
        masses = [mass for _, _, mass in self._ordered_pieces]
        levels = np.cumsum([0.0, *masses])
        above = np.cumsum([0.0, *masses[::-1]])[::-1].copy()
        # All the mass has been passed at the end, whatever the rounding of the sum.
        levels[-1] = above[0] = 1.0
        return ends, levels, above

    @cached_property
    def _piece_intervals(self) -> NDArray[np.intp]:
        """Interval numbers of the pieces, -1 for an atom."""
        return np.array([number for _, number, _ in self._ordered_pieces], dtype=np.intp)

    @cached_property
    def _interval_levels(self) -> tuple[FloatArray, FloatArray]:
        """The cdf at the two ends of each interval."""
        return self._at_ends(self._steps[1])

    @cached_property
    def _interval_tails(self) -> tuple[FloatArray, FloatArray]:
        """The sf at the two ends of each interval."""
        return self._at_ends(self._steps[2])

    def _at_ends(self, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
        low, high = np.empty(len(self._intervals)), np.empty(len(self._intervals))
        for position, (_, number, _) in enumerate(self._ordered_pieces):
            if number >= 0:
                low[number], high[number] = levels[position], levels[position + 1]
        return low, high


def _graded_rule(panels: int, order: int) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre on [0, 1] cut at 1/2, 1/4, …, 2^-panels."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    ends = np.concatenate([[0.0], 0.5 ** np.arange(panels, -1, -1)])
    half = 0.5 * np.diff(ends)
    middle = 0.5 * (ends[1:] + ends[:-1])
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


_PANEL_NODES, _PANEL_WEIGHTS = _graded_rule(10, 16)


def _spoken(law: SpectralLaw) -> str:
    parts = [f"[{lower:.6g}, {upper:.6g}]" for lower, upper in law._intervals]
    parts += [f"atom at {location:.6g}" for location, _ in law.atoms]
    return ", ".join(parts if len(parts) <= 6 else [*parts[:5], f"and {len(parts) - 5} more parts"])
