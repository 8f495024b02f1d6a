"""The law of structured noise X = R^½ Z T^½."""

from __future__ import annotations

import itertools
import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._edge_scaling import EdgeScaling
from rmtsim.laws._noise.gaps import Edge, Gap, Side, find_gaps
from rmtsim.laws._noise.moments import noise_moment
from rmtsim.laws._noise.system import Solutions, System
from rmtsim.laws._population import Population, population

_TIE = 8 * np.finfo(np.float64).eps
"""Masses of positive rows and columns this close are equal: the difference is rounding of the weights."""
_LEVELS = (5, 9, 17, 33, 65)
"""Angles at which an interval of the support is solved, coarse to fine, for starting values elsewhere."""
_BESIDE = 1e-11
"""Within this share of the distance to the next edge, the square-root law of an edge is exact to rounding."""
_NEAR_ZERO = 1e-3
"""Part of the distance over which a hard edge at zero extends, in which its own equations are used."""
_TURNS = 60
_ORIGIN = 1e-80
"""Replaces z = 0, where the equations have the form 0/0; the transform is smooth there."""


def side(atoms: ArrayLike, weights: ArrayLike | None, name: str) -> Population:
    """A checked population of non-negative atoms, not all zero."""
    points = validate.real_array(name, atoms, meaning=f"eigenvalues of the covariance of the {name}").ravel()
    if (points < 0).any():
        raise ValueError(f"{name}={points[points < 0][0]}: expected numbers >= 0 (variances of the {name})")
    if not (points > 0).any():
        raise ValueError(
            f"{name}: all zero or empty; expected at least one positive number (variances of the {name})"
        )
    singular = name.removesuffix("s")
    if weights is not None:
        masses = validate.real_array(f"{singular}_weights", weights, meaning=f"shares of the {name}").ravel()
        if not (masses[: points.size][points[: masses.size] > 0] > 0).any():
            raise ValueError(f"{singular}_weights: no weight on a positive value of {name}; expected some")
    try:
        return population(points, weights)
    except ValueError as error:
        raise ValueError(
            str(error).replace("weights", f"{singular}_weights").replace("atoms", name)
        ) from None


class SeparableLaw(SpectralLaw):
    """The spectral law of XXᵀ; its subclass has the constructors and the outliers."""

    ratio: float
    row_population: Population
    column_population: Population

    @property
    def _exponent(self) -> int:
        return self.row_population.exponent + self.column_population.exponent

    def _scaled(self, x: NDArray[Any]) -> NDArray[Any]:
        if np.iscomplexobj(x):
            return np.asarray(np.ldexp(x.real, -self._exponent) + 1j * np.ldexp(x.imag, -self._exponent))
        return np.asarray(np.ldexp(x, -self._exponent))

    @cached_property
    def _system(self) -> System:
        rows, columns = self.row_population, self.column_population
        return System(
            rows.poles[:, None], self.ratio * rows.weights, columns.poles[:, None], columns.weights.copy()
        )

    @cached_property
    def _tie(self) -> bool:
        """Whether the positive rows and columns have equal masses: a hard edge at zero."""
        mine, other = self.ratio * self.row_population.share, self.column_population.share
        return bool(abs(mine - other) <= _TIE * other)

    @cached_property
    def _gaps(self) -> list[Gap]:
        rows = Side(self.row_population.poles, self.ratio * self.row_population.weights)
        columns = Side(self.column_population.poles, self.column_population.weights.copy())
        return find_gaps(rows, columns, self._tie)

    @cached_property
    def _ends(self) -> list[tuple[Edge | None, Edge]]:
        """Edges of each interval of the support; None for a hard edge at zero."""
        gaps = self._gaps
        pairs: list[tuple[Edge | None, Edge]] = []
        start: Edge | None = None
        if not self._tie:
            start, gaps = gaps[0].upper, gaps[1:]
        for gap in gaps:
            assert gap.lower is not None
            pairs.append((start, gap.lower))
            start = gap.upper
        return pairs

    @cached_property
    def _intervals(self) -> tuple[Interval, ...]:
        """Intervals between the gaps, whose ends are critical points of the real solution."""
        ends = [(0.0 if low is None else low.location, high.location) for low, high in self._ends]
        with np.errstate(over="ignore"):
            values = np.ldexp(np.array(ends), self._exponent)
        if not np.isfinite(values).all():
            raise OverflowError("rows, columns: the support exceeds the largest double; rescale them")
        return tuple((float(low), float(high)) for low, high in values)

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """The null space of X: 1 − min(row share, column share/ratio) if positive."""
        mine, other = self.ratio * self.row_population.share, self.column_population.share
        rank = min(mine, other) / self.ratio
        return () if rank >= 1 or (self._tie and self.row_population.share == 1) else ((0.0, 1 - rank),)

    @property
    def _hard_points(self) -> tuple[float, ...]:
        return (0.0,) if self._tie else ()

    @cached_property
    def _masses(self) -> tuple[float, ...]:
        rank = min(self.ratio * self.row_population.share, self.column_population.share)
        above = [gap.above for gap in self._gaps]
        levels = [rank, *(above if self._tie else above[1:])]
        return tuple((high - low) / self.ratio for high, low in itertools.pairwise(levels))

    @cached_property
    def _tables(self) -> dict[int, ComplexArray]:
        """Coefficients of U = -1/u in cosines of the angle, for the intervals used so far."""
        return {}

    def _table(self, number: int) -> ComplexArray:
        """The coefficients of one interval, from solutions at more and more angles until they predict each other."""
        if number not in self._tables:
            low, high = self._scaled(np.array(self._intervals[number]))
            first, last = self._ends[number]
            start = 0.0 if first is None else first.column
            middle, radius = 0.5 * (start + last.column), 0.5 * abs(last.column - start)
            coefficients = np.zeros(0, dtype=np.complex128)
            for count in _LEVELS:
                angle = np.pi * (np.arange(count) + 0.5) / count
                x = low + (high - low) * np.sin(0.5 * angle) ** 2
                if count == _LEVELS[0]:
                    # Exact for one atom on each side.
                    along = math.copysign(radius, last.column - start)
                    guess = middle - along * np.cos(angle) + 1j * radius * np.sin(angle)
                else:
                    guess = _series(coefficients, angle)
                found = self._system.solve(x.astype(complex), _usable(-1 / guess)[:, None])
                coefficients = 2 / count * (np.cos(np.outer(np.arange(count), angle)) @ (-1 / found.u[:, 0]))
                coefficients[0] *= 0.5
                if count > _LEVELS[0] and found.iterations.max() <= 5:
                    break
            self._tables[number] = coefficients
        return self._tables[number]

    def _solve(self, x: FloatArray) -> Solutions:
        """Solutions at scaled points of the support."""
        guess = np.empty((x.size, 1), dtype=np.complex128)
        ends = self._scaled(np.array(self._intervals))
        place = np.clip(np.searchsorted(ends[:, 0], x, side="right") - 1, 0, None)
        for number in np.unique(place).tolist():
            here = place == number
            low, high = ends[number]
            share = np.clip((x[here] - low) / (high - low), 0.0, 1.0)
            angle = 2 * np.arctan2(np.sqrt(share), np.sqrt(1 - share))
            guess[here, 0] = _usable(-1 / _series(self._table(number), angle))
        return self._system.solve(x.astype(complex), guess)

    def _beside(self, x: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Distance from the nearest edge where its square-root law applies, and the number of that edge; else -1."""
        edges = [edge for pair in self._ends for edge in pair]
        location = np.array([0.0 if edge is None else edge.location for edge in edges])
        gaps = np.diff(location)
        room = np.minimum(np.concatenate([gaps[:1], gaps]), np.concatenate([gaps, gaps[-1:]]))
        near = np.argmin(np.abs(x[:, None] - location), axis=1)
        distance = np.abs(x - location[near])
        soft = np.array([edge is not None for edge in edges])[near]
        return distance, np.where(soft & (distance <= _BESIDE * room[near]), near, -1)

    def _edge_slope(self, edge: Edge) -> float:
        """κ in density = κ√distance at an edge, in scaled units."""
        return math.sqrt(2 / abs(edge.bend)) / (np.pi * self.ratio * edge.location)

    def _inner(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """cdf and density (scaled) at scaled points of the support."""
        cdf, density = np.empty(x.shape), np.empty(x.shape)
        distance, near = self._beside(x)
        edges = [edge for pair in self._ends for edge in pair]
        low, high = self._interval_levels
        for k in np.flatnonzero(near >= 0):
            edge = edges[near[k]]
            assert edge is not None
            slope = self._edge_slope(edge)
            density[k] = slope * math.sqrt(distance[k])
            part = slope * distance[k] ** 1.5 / 1.5
            cdf[k] = low[near[k] // 2] + part if near[k] % 2 == 0 else high[near[k] // 2] - part
        hard = (x == 0) & (near < 0)
        density[hard], cdf[hard] = np.inf, sum(mass for _, mass in self.atoms)
        rest = (near < 0) & ~hard
        if rest.any():
            cdf[rest], density[rest] = self._solved(x[rest])
        return cdf, density

    def _near_zero(self, x: FloatArray) -> tuple[ComplexArray, ComplexArray, NDArray[np.bool_]]:
        """U, V at points next to a hard edge at zero, and where they are found to rounding.

        With equal masses s of rows and columns the equations read V·a(V) = U·b(U) = ψ - s, z = -ψUV with
        a(V) = Σ c a_i/(r_i - V) and b the same of the columns. Solved for the ratio V/U and for U² in turn they
        lose no digits as z tends to zero, where Newton's method for u does.
        """
        system = self._system
        sides = [(system.rows[:, 0], system.row_weights), (system.columns[:, 0], system.column_weights)]
        scale = float(np.prod([np.sum(w) / np.sum(w / atoms) for atoms, w in sides]))
        found = np.zeros(x.shape, dtype=bool)
        row = column = np.zeros(x.shape, dtype=np.complex128)
        near = np.flatnonzero(x <= _NEAR_ZERO * scale)
        if not near.size:
            return column, row, found
        mass = float(np.sum(system.column_weights))
        v, u = np.zeros(near.shape, dtype=np.complex128), np.zeros(near.shape, dtype=np.complex128)
        change = np.full(near.shape, np.inf)
        for _ in range(_TURNS):
            a, b = (
                np.array([np.sum(w / (y - p)) for p in at]) for (y, w), at in zip(sides, (v, u), strict=True)
            )
            ratio, psi = b / a, mass + v * a
            square = -x[near] / (psi * ratio)
            root = np.sqrt(square)
            before, u = u, np.where(root.imag < 0, -root, root)
            v = ratio * u
            change = np.abs(u - before) / np.abs(u)
            if (change <= 4 * np.finfo(float).eps).all():
                break
        found[near] = (change <= 16 * np.finfo(float).eps) & (u.imag > 0) & (v.imag > 0)
        column, row = column.copy(), row.copy()
        column[near], row[near] = u, v
        return column, row, found

    def _solved(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        column, row, near = (
            self._near_zero(x) if self._tie else (x + 0j, x + 0j, np.zeros(x.shape, dtype=bool))
        )
        u, v = np.empty((x.size, 1), dtype=np.complex128), np.empty((x.size, 1), dtype=np.complex128)
        u[near, 0], v[near, 0] = -1 / column[near], -1 / row[near]
        if not near.all():
            found = self._solve(x[~near])
            u[~near], v[~near] = found.u, found.v
        system, z = self._system, x.astype(complex)
        density = system.stieltjes(z, v, system.row_weights).imag / (np.pi * self.ratio)
        angles = system.angles(v, rows=True) + system.angles(u, rows=False)
        turned = angles + x * np.sum(u * v, axis=1).imag
        return 1 - turned / (np.pi * self.ratio), density

    def _density_inside(self, x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(self._inner(self._scaled(x))[1], -self._exponent))

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        return self._inner(self._scaled(x))[0]

    def _cdf_and_density_inside(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        cdf, density = self._inner(self._scaled(x))
        return cdf, np.asarray(np.ldexp(density, -self._exponent))

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        point = self._scaled(z)
        point = np.where(point == 0, _ORIGIN, point)
        found = self._system.follow(point)
        rows = self.row_population
        value = self._system.stieltjes(point, found.v, rows.weights) - (1 - rows.share) / point
        return np.asarray(np.ldexp(value.real, -self._exponent) + 1j * np.ldexp(value.imag, -self._exponent))

    def moment(self, order: int) -> float:
        """Moment, by power series in 1/z whose terms are all positive."""
        k = validate.integer("order", order, minimum=0, maximum=200, meaning="order of the moment")
        with finite_moment(k):
            return math.ldexp(noise_moment(self._system, k, self.ratio), k * self._exponent)

    def edge_scaling(self, dimension: int) -> EdgeScaling:
        """Centre and scale of the largest eigenvalue of a finite matrix, to first order.

        Parameters
        ----------
        dimension : int
            Number p of rows of X.

        Returns
        -------
        EdgeScaling
            ``(λ_max − centre)/scale`` tends to :class:`TracyWidom`, β = 1 for real and 2 for complex Z. ``centre`` is
            the upper edge and ``scale`` is ``(π κ p)^(−2/3)``, where the density near the edge is κ√(edge − x).

        Examples
        --------
        >>> from rmtsim.laws import StructuredNoise
        >>> edge = StructuredNoise(0.25).edge_scaling(100)
        >>> round(edge.centre, 12), round(edge.scale, 6)
        (2.25, 0.03985)
        """
        dimension = validate.integer("dimension", dimension, minimum=1, meaning="number p of rows of X")
        edge = self._ends[-1][1]
        scale = (np.pi * self._edge_slope(edge) * dimension) ** (-2 / 3)
        return EdgeScaling(self._intervals[-1][1], math.ldexp(scale, self._exponent))


def _series(coefficients: ComplexArray, angle: FloatArray) -> ComplexArray:
    """Σ c_k cos(kθ)."""
    return np.asarray(np.cos(np.outer(angle, np.arange(coefficients.size))) @ coefficients)


def _usable(guess: ComplexArray) -> ComplexArray:
    """Starting values with positive imaginary parts."""
    guess = np.where(np.isfinite(guess), guess, 1j)
    return np.where(guess.imag > 0, guess, guess.real + 1e-3j * np.abs(guess))
