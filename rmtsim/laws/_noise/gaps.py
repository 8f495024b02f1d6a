"""Gaps of the support of separable noise: intervals of the positive axis on which both unknowns are real.

With U = -1/u, V = -1/v and the increasing functions

    α(V) = Σ c a_i r_i/(r_i - V),    β(U) = Σ b_j t_j/(t_j - U)

the two equations read α(V) = β(U) = ψ and z = -ψUV. Put Φ = Σ c a_i r_i²/(V - r_i)² and Θ = Σ b_j t_j²/(U - t_j)².
Then d log z/dψ has the sign of ΦΘ - ψ² times that of ψ(ψ - Φ)(ψ - Θ), and a real solution belongs to a point off
the support if and only if ΦΘ < ψ² (the certificate of the equations, see ``system``). By the Cauchy–Schwarz
inequality Θ ≥ ψ²/τ and Φ ≥ ψ²/σ, with τ and σ the masses of the positive columns and rows, so that Φ < τ and Θ < σ
in a gap: V and U lie in gaps of two generalised Marchenko–Pastur laws, of which only few exist. Each pair of them,
on which ψ runs through one interval, holds one gap or none: the mass above a gap, Σ a_i[r_i > V > 0] + (1/c) Σ
b_j[t_j > U > 0], is the same on the whole pair.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._critical import critical_points
from rmtsim.laws._inverse_map import InverseMap
from rmtsim.laws._roots import increasing_root

_GRID = 20
"""Points at which a pair is examined before its minimum is refined."""
_TINY = 1e-14


@frozen(eq=False)
class Side:
    """Positive atoms y of the rows or columns with weights g, and the function Σ g y/(y - w)."""

    atoms: FloatArray
    weights: FloatArray

    @property
    def mass(self) -> float:
        """Σ g."""
        return math.fsum(self.weights)

    def level(self, w: FloatArray) -> FloatArray:
        """ψ at w, one value a point."""
        return np.array([float(np.sum(self.weights * (self.atoms / (self.atoms - x)))) for x in w])

    def sums(self, w: float) -> tuple[float, float, float]:
        """Σ g h, Σ g h², Σ g h³ with h = y/(1 - y/w), finite for infinite w: ψ = -Σ g h/w."""
        h = self.atoms / (1 - self.atoms / w)
        first = self.weights * h
        return float(np.sum(first)), float(np.sum(first * h)), float(np.sum(first * h * h))

    def inverse(self, level: float, low: float, high: float, near: float | None = None) -> float:
        """w at which ψ is ``level`` in (low, high), an interval without atoms; for low > high it runs through infinity.

        ``near`` is a starting value.
        """
        if low > high:
            if level == 0:
                return math.inf
            low, high = (low, math.inf) if level < 0 else (-math.inf, high)

        def excess(w: FloatArray, _: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
            gap = self.atoms - w[0]
            with np.errstate(all="ignore"):
                first = self.weights * self.atoms / gap
                return np.array([float(np.sum(first)) - level]), np.array([float(np.sum(first / gap))])

        start, end = self._finite(level, low, high)
        noise = 4 * np.finfo(float).eps * abs(level)
        first = None if near is None or not start < near < end else np.array([near])
        return float(increasing_root(excess, np.array([start]), np.array([end]), first, noise)[0])

    def _finite(self, level: float, low: float, high: float) -> tuple[float, float]:
        """The interval, cut where it is infinite: |ψ| ≤ Σ g y/distance from the atoms."""
        total = float(np.sum(self.weights * self.atoms))
        if math.isinf(high):
            high = self.atoms[-1] + 2 * total / abs(level)
        if math.isinf(low):
            low = self.atoms[0] - 2 * total / abs(level)
        return low, high

    def open_intervals(self, other: float) -> list[tuple[float, float]]:
        """Where Σ g y²/(w - y)² lies below the mass ``other`` of the other side."""
        spare = other - self.mass
        none = np.zeros(self.atoms.shape)
        inverse = InverseMap(other, self.atoms, self.weights, none, (spare, 0.0))
        location = np.sort(critical_points(inverse)[0].location)
        ends = [-math.inf, *location.tolist(), math.inf]
        return list(zip(ends[::2], ends[1::2], strict=True))


@frozen
class Edge:
    """An edge of the support: ψ, V and U there, its location z and the second derivative of z in ψ."""

    psi: float
    row: float
    column: float
    location: float
    bend: float


@frozen
class Gap:
    """A gap (lower, upper) of the support and the mass above it, in units of c; None is an infinite or zero end."""

    lower: Edge | None
    upper: Edge | None
    above: float


@dataclass(eq=False)
class Pair:
    """An interval of V and one of U, on both of which ψ increases."""

    rows: Side
    columns: Side
    row_interval: tuple[float, float]
    column_interval: tuple[float, float]
    _last: tuple[float, float] | tuple[None, None] = (None, None)

    def place(self, psi: float) -> tuple[float, float]:
        """V and U for ψ."""
        row, column = self._last
        self._last = found = (
            self.rows.inverse(psi, *self.row_interval, row),
            self.columns.inverse(psi, *self.column_interval, column),
        )
        return found

    def _parts(
        self, psi: float
    ) -> tuple[float, float, tuple[float, float, float], tuple[float, float, float]]:
        """The factor w of the side at which it is finite, ψ there, its sums, and those of the other side."""
        row, column = self.place(psi)
        mine, other = self.rows.sums(row), self.columns.sums(column)
        return (row, psi, mine, other) if math.isfinite(row) else (column, psi, other, mine)

    def location(self, psi: float) -> float:
        """z, which is w·Σ g h of the other side."""
        w, _, _, other = self._parts(psi)
        return w * other[0]

    def excess(self, psi: float) -> float:
        """log(ΦΘ/ψ²), negative in a gap."""
        w, _, mine, other = self._parts(psi)
        return math.log(mine[1] / w**2) + math.log(other[1] / other[0] ** 2)

    def slopes(self, psi: float) -> tuple[float, float]:
        """First and second derivative of log z in ψ.

        With Φ₃ = -Σ g h³/w³ and e = Θ/ψ², which is finite where U is infinite, the first is 1/(Φ - ψ) + e/(eψ - 1).
        """
        w, psi, (_, second, third), (b1, b2, b3) = self._parts(psi)
        phi, phi3 = second / w**2, -third / w**3
        e = b2 / b1**2
        # ψ = u·b1(u) with db1/du = -b2 and db2/du = -2 b3.
        u = psi / b1
        e_slope = 2 * (b2**2 / b1 - b3) / b1**2 / (b1 - u * b2)
        tilt, turn = phi - psi, e * psi - 1
        first = 1 / tilt + e / turn
        return first, -(2 * (phi3 - phi) / tilt - 1) / tilt**2 - (e_slope + e * e) / turn**2

    def edge(self, psi: float) -> Edge:
        """The edge at a zero of the excess."""
        location = self.location(psi)
        return Edge(psi, *self.place(psi), location, location * self.slopes(psi)[1])

    def above(self, psi: float) -> float:
        """Mass above, in units of c."""
        row, column = self.place(psi)
        parts = self.rows.weights[self.rows.atoms > row].tolist() if row > 0 else []
        parts += self.columns.weights[self.columns.atoms > column].tolist() if column > 0 else []
        return math.fsum(parts)


def find_gaps(rows: Side, columns: Side, tie: bool) -> list[Gap]:
    """All gaps on the positive axis, in order; the last reaches to infinity, and the first to zero unless ``tie``.

    ``tie`` says that the masses of rows and columns are equal: the support begins at zero.
    """
    row_intervals = rows.open_intervals(columns.mass)
    column_intervals = columns.open_intervals(rows.mass)
    outer_row, outer_column = _wrapped(row_intervals), _wrapped(column_intervals)
    inner_rows, inner_columns = row_intervals[1:-1], column_intervals[1:-1]
    # Above everything; beside inner intervals of one side the other's unknown may pass through zero.
    tried = [((outer_row[0], math.inf), (outer_column[0], math.inf))]
    tried += [(row, outer_column) for row in inner_rows]
    tried += [(outer_row, column) for column in inner_columns]
    tried += itertools.product(inner_rows, inner_columns)
    if not tie:
        # Between zero and the lowest eigenvalue: the side with fewer positive atoms has an infinite unknown at zero.
        if rows.mass < columns.mass:
            tried.append(((0.0, row_intervals[0][1]), (-math.inf, outer_column[1])))
        else:
            tried.append(((-math.inf, outer_row[1]), (0.0, column_intervals[0][1])))
    found = [_examine(Pair(rows, columns, row, column)) for row, column in tried]
    return sorted((gap for gap in found if gap is not None), key=lambda gap: -gap.above)


def _wrapped(intervals: list[tuple[float, float]]) -> tuple[float, float]:
    """The first and the last interval joined through infinity, without positive numbers of the first."""
    return intervals[-1][0], min(intervals[0][1], 0.0)


def _range(side: Side, interval: tuple[float, float]) -> tuple[float, float]:
    """Values of ψ at the two ends of an interval."""
    low, high = interval
    start = 0.0 if math.isinf(low) else side.mass if low == 0 else float(side.level(np.array([low]))[0])
    end = 0.0 if math.isinf(high) else side.mass if high == 0 else float(side.level(np.array([high]))[0])
    return start, end


def _examine(pair: Pair) -> Gap | None:
    """The gap of a pair, if there is one."""
    first, second = _range(pair.rows, pair.row_interval), _range(pair.columns, pair.column_interval)
    low, high = max(first[0], second[0]), min(first[1], second[1])
    intervals = (pair.row_interval, pair.column_interval)
    if all(0 <= start < end for start, end in intervals):
        high = min(high, 0.0)  # z = -ψUV > 0
    if not high > low:
        return None
    # The excess is non-negative at ends that come from the bounds on Φ and Θ; others lie at z = 0 or infinity.
    share = 0.5 * (1 - np.cos(np.pi * (np.arange(_GRID) + 0.5) / _GRID))
    grid = low + (high - low) * share
    values = np.array([pair.excess(float(psi)) for psi in grid])
    best = int(np.argmin(values))
    bottom = float(grid[best])
    if values[best] >= 0:
        bracket = (float(grid[max(best - 1, 0)]), float(grid[min(best + 1, _GRID - 1)]))
        # Gaps that reach to zero or infinity may be confined to the end of the range.
        bracket = (low if best == 0 else bracket[0], high if best == _GRID - 1 else bracket[1])
        found = optimize.minimize_scalar(
            pair.excess, bounds=bracket, method="bounded", options={"xatol": _TINY * (high - low)}
        )
        if not found.fun < 0:
            return None
        bottom = float(found.x)
    lower = _crossing(pair, low, bottom, grid[(values > 0) & (grid < bottom)])
    upper = _crossing(pair, high, bottom, grid[(values > 0) & (grid > bottom)][::-1])
    edges = [pair.edge(psi) if psi is not None else None for psi in (lower, upper)]
    above = pair.above(bottom)
    # z increases with ψ or decreases, on the whole gap.
    rising = pair.slopes(bottom)[0] > 0
    ends = edges if rising else edges[::-1]
    return Gap(ends[0], ends[1], above)


def _crossing(pair: Pair, end: float, bottom: float, outside: FloatArray) -> float | None:
    """Zero of the excess between ``bottom``, where it is negative, and ``end``; None if z is zero or infinite there."""
    outer = float(outside[-1]) if outside.size else end + 1e-13 * (bottom - end)
    if outside.size or pair.excess(outer) > 0:
        return float(
            optimize.brentq(pair.excess, bottom, outer, xtol=_TINY * max(abs(bottom), abs(outer)), rtol=4e-15)
        )
    # Where one side has a single atom the bounds on Φ and Θ are attained: the edge is the end itself.
    natural = end in (0.0, pair.rows.mass, pair.columns.mass)
    return None if natural else end
