"""What every spectral law offers, and what follows from a density, a cdf and a Stieltjes transform alone."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim import validate
from rmtsim.laws.roots import increasing_root

__all__ = ["Atom", "Interval", "SpectralLaw", "finite_moment"]

Interval = tuple[float, float]
Atom = tuple[float, float]
FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

_NOISE = 4 * np.finfo(np.float64).eps
"""Rounding error of a cdf, which is a number of order one."""

_FAR = 2.0**200

_TABLE = 65
"""Points of the cdf table that starts a batch of quantiles."""


@contextlib.contextmanager
def finite_moment(k: int) -> Iterator[None]:
    """Turns Python's overflow errors (powers, fsum, ldexp) into one that names the moment."""
    try:
        yield
    except (OverflowError, ValueError):
        raise OverflowError(f"k={k}: the moment exceeds the largest double; rescale the law") from None


class SpectralLaw(abc.ABC):
    """A probability measure on the real line: a density on finitely many intervals, plus atoms.

    A subclass provides ``support``, ``atoms``, ``moment``, ``matrix`` and the four hooks whose names begin
    with an underscore; they see flat arrays of points that are valid already. All public methods work on
    arrays of any shape, and give a plain number for a plain number.

    >>> from rmtsim.laws import Semicircle
    >>> law = Semicircle()
    >>> law.support
    ((-2.0, 2.0),)
    >>> law.density(0.0), law.density([[-3.0, 0.0]])
    (0.31830988618379075, array([[0.        , 0.31830989]]))
    """

    @property
    @abc.abstractmethod
    def support(self) -> tuple[Interval, ...]:
        """Closed intervals (lower, upper), in order, on which the continuous part lives."""

    @property
    @abc.abstractmethod
    def atoms(self) -> tuple[Atom, ...]:
        """Pairs (location, mass), in order of location."""

    @abc.abstractmethod
    def moment(self, k: int) -> float:
        """∫ xᵏ dμ, atoms included."""

    @abc.abstractmethod
    def matrix(self, n: int, rng: np.random.Generator) -> FloatArray:
        """A random symmetric n×n matrix whose spectrum tends to the law as n grows."""

    @property
    @abc.abstractmethod
    def _masses(self) -> tuple[float, ...]:
        """Mass of the continuous part on each interval of ``support``."""

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
        return tuple(end for ends in self.support for end in ends)

    @overload
    def density(self, x: float) -> float: ...
    @overload
    def density(self, x: ArrayLike) -> Any: ...
    def density(self, x: ArrayLike) -> Any:
        """Density of the continuous part; zero off the support, infinite at a hard edge, atoms left out."""
        points = validate.real_array("x", x, infinite=True, meaning="where the density is asked for")
        flat = points.ravel()
        values = np.zeros(flat.shape)
        inside = self._interval_of(flat) >= 0
        if inside.any():
            values[inside] = self._density_inside(flat[inside])
        too_large = np.isinf(values) & ~np.isin(flat, self._hard_points)
        if too_large.any():
            raise OverflowError(
                f"x={flat[too_large][0]}: the density exceeds the largest double; rescale the law"
            )
        return _like(values, points)

    @overload
    def cdf(self, x: float) -> float: ...
    @overload
    def cdf(self, x: ArrayLike) -> Any: ...
    def cdf(self, x: ArrayLike) -> Any:
        """μ((-∞, x]), right-continuous."""
        points = validate.real_array("x", x, infinite=True, meaning="where the cdf is asked for")
        flat = points.ravel()
        ends, levels = self._steps
        # Outside the support the cdf is a step function, known without solving anything.
        values = levels[np.searchsorted(ends, flat, side="right")]
        place = self._interval_of(flat)
        inside = place >= 0
        if inside.any():
            low, high = self._interval_levels
            here = place[inside]
            values[inside] = np.clip(self._cdf_inside(flat[inside]), low[here], high[here])
        return _like(values, points)

    @overload
    def ppf(self, q: float) -> float: ...
    @overload
    def ppf(self, q: ArrayLike) -> Any: ...
    def ppf(self, q: ArrayLike) -> Any:
        """Smallest x with cdf(x) ≥ q; the lower end of the law for q = 0."""
        levels = validate.real_array("q", q, meaning="a probability in [0, 1]")
        outside = (levels < 0) | (levels > 1)
        if outside.any():
            raise ValueError(
                f"q={levels[outside][0]}: expected probabilities in [0, 1] (level of the quantile)"
            )
        flat = levels.ravel()
        values = np.empty(flat.shape)
        locations, tops, intervals = self._pieces
        piece = np.minimum(np.searchsorted(tops, flat, side="left"), len(tops) - 1)
        values[:] = locations[piece]
        place = intervals[piece]
        solve = place >= 0
        if solve.any():
            low, high = self._interval_levels
            level, here = flat[solve], place[solve]
            lower, upper = np.array(self.support).T
            # An interval whose two ends round to one double is answered by it.
            solved = lower[here]
            solved[level >= high[here]] = upper[here][level >= high[here]]
            open_ = (level > low[here]) & (level < high[here]) & (lower[here] < upper[here])
            if open_.any():
                solved[open_] = self._ppf_inside(level[open_], lower[here][open_], upper[here][open_])
            values[solve] = solved
        return _like(values, levels)

    def _ppf_inside(self, q: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Solve cdf(x) = q in [lower, upper], each q strictly between the cdf at the two ends."""
        width = upper - lower

        def point(angle: FloatArray, k: NDArray[np.intp]) -> FloatArray:
            near_lower = lower[k] + width[k] * np.sin(0.5 * angle) ** 2
            near_upper = upper[k] - width[k] * np.cos(0.5 * angle) ** 2
            return np.asarray(np.where(angle < 0.5 * np.pi, near_lower, near_upper), dtype=np.float64)

        # In the angle the square-root edges are smooth, so Newton's step is good up to both ends.
        def excess(angle: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            x = np.clip(point(angle, k), lower[k], upper[k])
            cdf, density = self._cdf_and_density_inside(x)
            with np.errstate(invalid="ignore"):
                return cdf - q[k], density * (0.5 * width[k] * np.sin(angle))

        low, high = np.zeros(q.shape), np.full(q.shape, np.pi)
        start = np.full(q.shape, 0.5 * np.pi)
        for end in np.unique(lower):
            here = np.flatnonzero(lower == end)
            if here.size > _TABLE:
                # Many quantiles of one interval: a table of its cdf brackets each of them closely.
                angles = np.linspace(0.0, np.pi, _TABLE)
                table, _ = excess(angles, np.full(_TABLE, here[0]))
                table = np.maximum.accumulate(table + q[here[0]])
                place = np.clip(np.searchsorted(table, q[here], side="right"), 1, _TABLE - 1)
                # One cell of slack on each side: rounding may misplace a level within its cell.
                low[here] = angles[np.maximum(place - 2, 0)]
                high[here] = angles[np.minimum(place + 1, _TABLE - 1)]
                start[here] = np.interp(q[here], table, angles)
        noise = np.minimum(_NOISE, 1e-4 * np.minimum(q, 1 - q))
        angle = increasing_root(excess, low, high, start, noise)
        return np.clip(point(angle, np.arange(q.size)), lower, upper)

    def _cdf_and_density_inside(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both at once, for laws whose two values share the work."""
        return self._cdf_inside(x), self._density_inside(x)

    @overload
    def stieltjes(self, z: float) -> float: ...
    @overload
    def stieltjes(self, z: complex) -> complex: ...
    @overload
    def stieltjes(self, z: ArrayLike) -> Any: ...
    def stieltjes(self, z: ArrayLike) -> Any:
        """s(z) = ∫ dμ(x)/(x - z), z off the support: both half planes, and real z outside it.

        Real input gives real output.
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
            abs(float(end)) for end in (*np.ravel(self.support), *(location for location, _ in self.atoms))
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
            return _like(values.real, points)
        return _like(values, points)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Independent draws from the law (not eigenvalues, which repel): quantiles of uniform draws."""
        rng = validate.generator("rng", rng)
        shape = size if isinstance(size, tuple) else (size,)
        shape = tuple(validate.integer("size", length, minimum=0) for length in shape)
        return np.asarray(self.ppf(rng.random(shape)))

    def scaled(self, factor: float) -> SpectralLaw:
        """The law of factor·x, the limit spectrum of factor·A; the factor may be negative, not zero."""
        from rmtsim.laws.affine import AffineLaw

        return AffineLaw(self, scale=factor)

    def shifted(self, offset: float) -> SpectralLaw:
        """The law of x + offset, the limit spectrum of A + offset·I."""
        from rmtsim.laws.affine import AffineLaw

        return AffineLaw(self, shift=offset)

    @property
    def continuous_mass(self) -> float:
        """Mass of the part that has a density; the atoms hold the rest."""
        return float(sum(self._masses))

    def _interval_of(self, x: FloatArray) -> NDArray[np.intp]:
        """Number of the interval that holds each point, -1 outside the support."""
        if not self.support:
            return np.full(x.shape, -1, dtype=np.intp)
        lower, upper = np.array(self.support).T
        place = np.searchsorted(lower, x, side="right") - 1
        return np.where((place >= 0) & (x <= upper[place]), place, -1).astype(np.intp)

    @cached_property
    def _ordered_pieces(self) -> list[tuple[float, int, float]]:
        """Atoms and intervals from left to right: (end, number of the interval or -1, mass)."""
        pieces = [(location, -1, mass) for location, mass in self.atoms]
        pieces += [
            (upper, number, mass)
            for number, ((_, upper), mass) in enumerate(zip(self.support, self._masses, strict=True))
        ]
        return sorted(pieces)

    @cached_property
    def _steps(self) -> tuple[FloatArray, FloatArray]:
        """Ends of the pieces, and the cdf before the first, between them and after the last."""
        ends = np.array([end for end, _, _ in self._ordered_pieces])
        levels = np.cumsum([0.0, *(mass for _, _, mass in self._ordered_pieces)])
        # All the mass has been passed at the end, whatever the rounding of the sum.
        levels[-1] = 1.0
        return ends, levels

    @cached_property
    def _pieces(self) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
        """Ends of the pieces, the cdf there, and their interval numbers (-1 for an atom)."""
        ends, levels = self._steps
        return ends, levels[1:], np.array([number for _, number, _ in self._ordered_pieces], dtype=np.intp)

    @cached_property
    def _interval_levels(self) -> tuple[FloatArray, FloatArray]:
        """The cdf at the two ends of each interval."""
        _, levels = self._steps
        low, high = np.empty(len(self.support)), np.empty(len(self.support))
        for position, (_, number, _) in enumerate(self._ordered_pieces):
            if number >= 0:
                low[number], high[number] = levels[position], levels[position + 1]
        return low, high


def _like(values: NDArray[Any], points: NDArray[Any]) -> Any:
    shaped = values.reshape(points.shape)
    return shaped if shaped.ndim else shaped.item()


def _spoken(law: SpectralLaw) -> str:
    parts = [f"[{lower:.6g}, {upper:.6g}]" for lower, upper in law.support]
    parts += [f"atom at {location:.6g}" for location, _ in law.atoms]
    return ", ".join(parts if len(parts) <= 6 else [*parts[:5], f"and {len(parts) - 5} more parts"])
