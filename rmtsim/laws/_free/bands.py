"""Bands of a law whose boundary values can be computed: found along the axis, and integrated.

Outside the support Im s(x + iη) is proportional to η, inside it tends to π times the density, and at a square-root edge
it goes like √η: comparing two heights separates the sides without a threshold, and bisection finds the edge.
"""

from __future__ import annotations

import abc
import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._piecewise import evaluate

Boundary = Callable[..., ComplexArray]
"""(x, height) → s(x + i·height)."""

_HEIGHT = 1e-13
_GRID = 401
_DEGREE = 24
_DEEPEST = 30
_MOST_PIECES = 2000
"""Largest number of pieces; a density that needs more is dominated by noise."""
_SUBTRACTED = 1e-7
"""Relative error of Im s beside an atom whose part has been subtracted, with a margin."""
_SECTIONS = 64
"""Parts into which an interval that holds an edge is cut at once: a call costs the same for few points and for many."""
_RESOLVED = 1e-12
"""Share of the largest coefficient that the last ones of a piece may have, times its length."""


@frozen
class Angle:
    """Coordinate t in [-1, 1] of an interval in which densities are smooth up to the edges.

    Without a ``power`` x = mid + half·sin(πt/2), which resolves edges at which the density goes like a root or its
    inverse. With a ``power`` p the interval begins at zero and x = upper·sin(π(1 + t)/4)^p, which resolves x^(-a) at
    zero for any a < 1: products have edges with a = 2/3, 3/4 and so on.
    """

    lower: float
    upper: float
    power: int = 0

    def point(self, t: FloatArray) -> FloatArray:
        """x at t."""
        if self.power:
            return np.asarray(self.upper * np.sin(0.25 * np.pi * (1 + t)) ** self.power)
        return np.asarray(self._mid + self._half * np.sin(0.5 * np.pi * t))

    def place(self, x: FloatArray) -> FloatArray:
        """t at x."""
        if self.power:
            share = np.clip(x / self.upper, 0, 1) ** (1 / self.power)
            return np.asarray(np.arcsin(share) * 4 / np.pi - 1)
        return np.asarray(np.arcsin(np.clip((x - self._mid) / self._half, -1, 1)) * 2 / np.pi)

    def slope(self, t: FloatArray) -> FloatArray:
        """dx/dt."""
        if self.power:
            angle = 0.25 * np.pi * (1 + t)
            rate = 0.25 * np.pi * self.power * self.upper
            return np.asarray(rate * np.sin(angle) ** (self.power - 1) * np.cos(angle))
        return np.asarray(self._half * 0.5 * np.pi * np.cos(0.5 * np.pi * t))

    @property
    def _mid(self) -> float:
        return 0.5 * (self.lower + self.upper)

    @property
    def _half(self) -> float:
        return 0.5 * (self.upper - self.lower)


@frozen
class Band:
    """One interval of the support, with the integral of its density as a piecewise series in the angle."""

    angle: Angle
    ends: FloatArray
    """Ends of the pieces in t."""
    coefficients: FloatArray
    """Chebyshev coefficients of the mass below, on each piece."""

    @property
    def lower(self) -> float:
        """Lower end."""
        return self.angle.lower

    @property
    def upper(self) -> float:
        """Upper end."""
        return self.angle.upper

    @property
    def mass(self) -> float:
        """Mass of the band."""
        return float(self.coefficients[-1].sum())

    def mass_below(self, x: FloatArray) -> FloatArray:
        """Mass of the band's part left of x."""
        return evaluate(self.ends, self.coefficients, self.angle.place(x))

    def piece_ends(self) -> FloatArray:
        """Ends and middles of the pieces, as points x inside the band."""
        t = np.sort(np.concatenate([self.ends[1:-1], 0.5 * (self.ends[1:] + self.ends[:-1])]))
        return self.angle.point(t)

    def density(self, x: FloatArray) -> FloatArray:
        """Derivative of :meth:`mass_below`, at points away from the edges."""
        t = self.angle.place(x)
        slope = evaluate(self.ends, self.coefficients, t, derivative=True)
        return np.asarray(slope / self.angle.slope(t))


class BandedLaw(SpectralLaw):
    """A law whose bands have been integrated: masses and cdf follow from them."""

    @property
    @abc.abstractmethod
    def _bands(self) -> tuple[Band, ...]:
        """The integrated bands."""

    @property
    def _masses(self) -> tuple[float, ...]:
        expected = 1 - math.fsum(mass for _, mass in self.atoms)
        total = math.fsum(band.mass for band in self._bands)
        return tuple(band.mass * expected / total for band in self._bands)

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        place = self._interval_of(x)
        values = np.empty(x.shape)
        low, _ = self._interval_levels
        for number, band in enumerate(self._bands):
            here = place == number
            values[here] = low[number] + band.mass_below(x[here]) * self._masses[number] / band.mass
        # An atom inside a band counts from its place on.
        for location, mass in self.atoms:
            for number, (lower, upper) in enumerate(self._intervals):
                if lower < location < upper:
                    values[(place == number) & (x >= location)] += mass
        return values


def chebyshev_grid(low: float, high: float, count: int = _GRID) -> FloatArray:
    """Chebyshev points, which are denser at both ends of the interval, where most mass is."""
    angles = (np.arange(count) + 0.5) / count * np.pi
    return np.asarray(0.5 * (low + high) - 0.5 * (high - low) * np.cos(angles))


def find_bands(
    boundary: Boundary, reach: Interval, atoms: Sequence[Atom], expected: float, power: int = 0
) -> tuple[Band, ...]:
    """All bands within ``reach``; a grid first, then finer ones while some of the ``expected`` mass is missing.

    A band that begins at zero is integrated in an :class:`Angle` with this ``power``.
    """
    low, high = reach
    grid, inside = np.empty(0), np.empty(0, dtype=bool)
    for count in (_GRID, 4 * _GRID, 16 * _GRID):
        grid, inside = _joined(boundary, grid, inside, chebyshev_grid(low, high, count), reach, atoms)
        bands = _bands(boundary, grid, inside, reach, atoms, power)
        # Pieces are short where the density varies fast, so their ends reveal gaps between grid points.
        ends = np.concatenate([grid[:0], *(band.piece_ends() for band in bands)])
        grid, inside = _joined(boundary, grid, inside, ends, reach, atoms)
        if np.count_nonzero(_changes(inside)) > 2 * len(bands):
            bands = _bands(boundary, grid, inside, reach, atoms, power)
        if abs(sum(band.mass for band in bands) - expected) < 1e-10:
            break
    return bands


def _joined(
    boundary: Boundary,
    grid: FloatArray,
    inside: NDArray[np.bool_],
    more: FloatArray,
    reach: Interval,
    atoms: Sequence[Atom],
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The grid with more points, and which of all lie inside the support."""
    width = reach[1] - reach[0]
    # Next to an atom Im s is large at any height, whatever the density, so such points are skipped.
    clear = (
        np.all([np.abs(more - place) > 1e-7 * width for place, _ in atoms], axis=0) if atoms else more == more
    )
    more = np.setdiff1d(more[clear], grid)
    if not more.size:
        return grid, inside
    order = np.argsort(np.concatenate([grid, more]), kind="stable")
    whole = np.concatenate([inside, _inside(boundary, more, width, atoms)])
    return np.concatenate([grid, more])[order], whole[order]


def _changes(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Between which neighbours of the grid, the range's ends included, an edge lies."""
    state = np.concatenate([[False], inside, [False]])
    return np.asarray(state[1:] != state[:-1])


def _bands(
    boundary: Boundary,
    grid: FloatArray,
    inside: NDArray[np.bool_],
    reach: Interval,
    atoms: Sequence[Atom],
    power: int,
) -> tuple[Band, ...]:
    return tuple(
        integrated_band(boundary, lower, upper, power if lower == 0 else 0)
        for lower, upper in _edges(boundary, grid, inside, reach, atoms)
    )


def _inside(boundary: Boundary, x: FloatArray, width: float, atoms: Sequence[Atom]) -> NDArray[np.bool_]:
    """Whether the density is positive: at an edge Im s grows fourfold with sixteen times the height, inside by less.

    Im s is that of the continuous part: the part of the atoms is subtracted, and what is left must exceed its error.
    """
    heights = np.repeat([_HEIGHT * width, 16 * _HEIGHT * width], x.size)
    points = np.tile(x, 2)
    known = np.zeros(points.shape)
    for place, mass in atoms:
        known += mass * heights / ((points - place) ** 2 + heights**2)
    rest = boundary(points, heights).imag - known
    near, above = rest.reshape(2, -1)
    return np.asarray((above < 4 * near) & (near > _SUBTRACTED * known[: x.size]))


def _edges(
    boundary: Boundary,
    grid: FloatArray,
    inside: NDArray[np.bool_],
    reach: Interval,
    atoms: Sequence[Atom],
) -> list[Interval]:
    low, high = reach
    width = high - low
    points = np.concatenate([[low], grid, [high]])
    change = np.flatnonzero(_changes(inside))
    left, right = points[change].copy(), points[change + 1].copy()
    rising = np.arange(change.size) % 2 == 0
    share = np.arange(1, _SECTIONS) / _SECTIONS
    while np.any(right - left > 1e-14 * width):
        cuts = left[:, None] + (right - left)[:, None] * share
        here = _inside(boundary, cuts.ravel(), width, atoms).reshape(cuts.shape)
        # The first cut on the far side of the edge ends the part that holds it.
        ladder = np.concatenate([left[:, None], cuts, right[:, None]], axis=1)
        beyond = np.concatenate([here == rising[:, None], np.ones((left.size, 1), dtype=bool)], axis=1)
        place, row = beyond.argmax(axis=1), np.arange(left.size)
        left, right = ladder[row, place], ladder[row, place + 1]
    ends = 0.5 * (left + right)
    # A band that reaches the end of the range ends there exactly.
    ends[np.abs(ends - low) < 1e-12 * width] = low
    ends[np.abs(ends - high) < 1e-12 * width] = high
    return list(zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True))


def integrated_band(boundary: Boundary, lower: float, upper: float, power: int = 0) -> Band:
    """The band with its density integrated, pieces halved until each is resolved."""
    angle = Angle(lower, upper, power)
    nodes, transform = _first_kind()
    waiting = [(-1.0, 1.0)]
    done: dict[float, tuple[float, FloatArray]] = {}
    largest = 0.0
    for _ in range(_DEEPEST):
        left, right = np.array(waiting).T
        t = 0.5 * (left + right)[:, None] + 0.5 * (right - left)[:, None] * nodes
        density = np.maximum(boundary(angle.point(t).ravel()).imag, 0.0).reshape(t.shape) / np.pi
        rows = (density * angle.slope(t)) @ transform.T
        largest = max(largest, float(np.abs(rows).max()))
        tails = np.abs(rows[:, -4:]).max(axis=1) * (right - left)
        waiting = []
        if len(done) + 2 * len(rows) > _MOST_PIECES:
            raise ConvergenceError(
                f"the density on [{lower:.6g}, {upper:.6g}] is not resolved by {_MOST_PIECES} pieces",
                residual=float(tails.max()),
                iterations=len(done) + len(rows),
            )
        for low, high, row, tail in zip(left, right, rows, tails, strict=True):
            if tail <= _RESOLVED * largest:
                done[float(low)] = (float(high), row * 0.5 * (high - low))
            else:
                waiting += [(low, 0.5 * (low + high)), (0.5 * (low + high), high)]
        if not waiting:
            break
    else:
        raise ConvergenceError(
            f"the density on [{lower:.6g}, {upper:.6g}] is not resolved by {_DEEPEST} halvings",
            residual=float(tails.max()),
            iterations=_DEEPEST,
        )
    ends, pieces, total = [-1.0], [], 0.0
    for low in sorted(done):
        high, row = done[low]
        integral = chebyshev.chebint(row, lbnd=-1)
        integral[0] += total
        total = float(integral.sum())
        ends.append(high)
        pieces.append(integral)
    return Band(angle, np.array(ends), np.array(pieces))


@functools.cache
def _first_kind() -> tuple[FloatArray, FloatArray]:
    """Chebyshev points of the first kind and the matrix from values there to coefficients.

    The ends, where a density may be infinite, are not among them.
    """
    j = np.arange(_DEGREE) + 0.5
    transform = 2 / _DEGREE * np.cos(np.pi * np.outer(np.arange(_DEGREE), j) / _DEGREE)
    transform[0] *= 0.5
    return np.cos(np.pi * j / _DEGREE), transform
