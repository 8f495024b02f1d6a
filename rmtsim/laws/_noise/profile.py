"""Noise whose variances are a sum of a few separable terms."""

from __future__ import annotations

import itertools
import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._noise.moments import noise_moment
from rmtsim.laws._noise.system import Solutions, System

_GRID = 120
_BISECTIONS = 44
_LOWEST = 1e-12
"""Smallest eigenvalue looked for, over the largest."""


class ProfileNoise(SpectralLaw):
    """Limit spectrum of XXᵀ for independent entries whose variances are a matrix of low rank.

    Entry (i, j) of X (p × n) has variance (1/n) Σ_l rows[i, l]·columns[j, l]. One term is
    :class:`StructuredNoise`, which has exact edges and outliers.

    Parameters
    ----------
    rows : array_like
        Factors of the rows, shape (p, k), non-negative.
    columns : array_like
        Factors of the columns, shape (n, k), non-negative. Every entry must have a positive variance.

    Attributes
    ----------
    ratio : float
        p/n.

    Raises
    ------
    ValueError
        If a factor is negative, shapes do not fit, or a variance is zero.

    See Also
    --------
    StructuredNoise : One separable term; R and T need not be diagonal.

    Notes
    -----
    There are k unknowns u_l and k unknowns v_l [1]_; every value is certified as those of :class:`StructuredNoise` are
    (docs/structured-noise.md). Edges are found by bisection between points that are certified to lie inside and outside
    the support, from a grid of 240 points; a gap that the grid misses is reported inside an interval of
    ``support``, with density 0. Edges have a relative accuracy of about 1e-9.

    References
    ----------
    .. [1] W. Hachem, P. Loubaton and J. Najim, "Deterministic equivalents for certain functionals of large random
       matrices", Ann. Appl. Probab. 17 (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws import ProfileNoise
    >>> rows = np.repeat([[1.0, 0.5], [0.5, 2.0]], 50, axis=0)
    >>> columns = np.repeat([[1.0, 0.0], [0.5, 1.0]], 100, axis=0)
    >>> law = ProfileNoise(rows, columns)
    >>> law.ratio, round(law.moment(1), 12), [round(end, 4) for end in law.support[0]]
    (0.5, 1.1875, [0.092, 3.9646])
    """

    def __init__(self, rows: ArrayLike, columns: ArrayLike) -> None:
        factors = {}
        for name, given in (("rows", rows), ("columns", columns)):
            values = validate.real_array(name, given, meaning="factors of the variances")
            if values.ndim != 2 or not values.size or (values < 0).any():
                raise ValueError(
                    f"{name}: expected a matrix of numbers >= 0, one row of factors for each of the {name}"
                )
            factors[name] = values
        left, right = factors["rows"], factors["columns"]
        if left.shape[1] != right.shape[1]:
            raise ValueError(
                f"columns: {right.shape[1]} factors a column, but {left.shape[1]} a row; expected equally many"
            )
        if not (left @ right.T > 0).all():
            raise ValueError("rows, columns: an entry has variance 0; expected positive variances everywhere")
        self.ratio = left.shape[0] / right.shape[0]
        self._left, self._right = left, right

    def __repr__(self) -> str:
        p, k = self._left.shape
        return f"ProfileNoise(<{p} × {len(self._right)} variances of rank {k}>)"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProfileNoise)
            and np.array_equal(self._left, other._left)
            and np.array_equal(self._right, other._right)
        )

    def __hash__(self) -> int:
        return hash((self._left.tobytes(), self._right.tobytes()))

    @cached_property
    def _system(self) -> System:
        """The equations, equal rows and equal columns merged."""
        sides = []
        for factors in (self._left, self._right):
            atoms, counts = np.unique(factors, axis=0, return_counts=True)
            sides.append((atoms, counts / len(self._right)))
        return System(*sides[0], *sides[1])

    @cached_property
    def _gaps(self) -> tuple[tuple[Interval, ...], tuple[float, ...]]:
        """Intervals of the support and the cdf in the gaps between them."""
        top = self._system.bound
        angle = np.pi * (np.arange(_GRID) + 0.5) / _GRID
        grid = np.sort(
            np.concatenate([top * np.sin(0.5 * angle) ** 2, np.geomspace(_LOWEST * top, top, _GRID)])
        )
        inside = self._system.follow(grid + 0j).inside
        change = np.flatnonzero(inside[1:] != inside[:-1])
        low, high = grid[change], grid[change + 1]
        rising = ~inside[change]
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            outer = self._system.follow(middle + 0j).inside != rising
            low, high = np.where(outer, middle, low), np.where(outer, high, middle)
        ends = (0.5 * (low + high)).tolist()
        if inside[0]:
            ends = [0.0, *ends]
        gaps = [0.5 * (a + b) for a, b in zip(ends[1:-1:2], ends[2::2], strict=True)]
        levels = (
            self._levels(self._system.follow(np.array(gaps) + 0j), np.array(gaps)).tolist() if gaps else []
        )
        return tuple(zip(ends[::2], ends[1::2], strict=True)), tuple(levels)

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        return self._gaps[0]

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The null space of X, 1 − n/p if p > n."""
        return ((0.0, 1 - 1 / self.ratio),) if self.ratio > 1 else ()

    @property
    def _masses(self) -> tuple[float, ...]:
        levels = [max(0.0, 1 - 1 / self.ratio), *self._gaps[1], 1.0]
        return tuple(high - low for low, high in itertools.pairwise(levels))

    @property
    def _hard_points(self) -> tuple[float, ...]:
        return (0.0,) if self.ratio == 1 else ()

    def _levels(self, found: Solutions, x: FloatArray) -> FloatArray:
        """The cdf from solutions at real points."""
        turned = self._system.angles(found.v, rows=True) + self._system.angles(found.u, rows=False)
        turned = turned + x * np.sum(found.u * found.v, axis=1).imag
        return np.asarray(1 - turned / (np.pi * self.ratio))

    def _cdf_and_density_inside(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        cdf, density = np.full(x.shape, self.atoms[0][1] if self.atoms else 0.0), np.full(x.shape, np.inf)
        # Points that are edges to rounding have no certified root of either kind.
        ends = np.ravel(self._intervals)
        edge = np.min(np.abs(np.subtract.outer(x, ends)) / np.maximum(ends, 1e-300), axis=1) <= 1e-8
        hard = x == 0
        edge &= ~hard
        low, high = self._interval_levels
        place = self._interval_of(x)
        upper = x - np.array(self._intervals)[place, 0] > np.array(self._intervals)[place, 1] - x
        cdf[edge] = np.where(upper, high[place], low[place])[edge]
        density[edge] = 0.0
        density[hard & (self.ratio != 1)] = 0.0
        rest = ~edge & ~hard
        if rest.any():
            point = x[rest] + 0j
            found = self._system.follow(point)
            cdf[rest] = self._levels(found, x[rest])
            trace = self._system.stieltjes(point, found.v, self._system.row_weights)
            density[rest] = np.maximum(trace.imag, 0.0) / (np.pi * self.ratio)
        return cdf, density

    def _density_inside(self, x: FloatArray) -> FloatArray:
        return self._cdf_and_density_inside(x)[1]

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        return self._cdf_and_density_inside(x)[0]

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        point = np.where(z == 0, 1e-80 * self._system.bound, z)
        found = self._system.follow(point)
        return self._system.stieltjes(point, found.v, self._system.row_weights / self.ratio)

    def moment(self, order: int) -> float:
        """Moment, by power series in 1/z whose terms are all positive."""
        k = validate.integer("order", order, minimum=0, maximum=200, meaning="order of the moment")
        with finite_moment(k):
            value = noise_moment(self._system, k, self.ratio)
            if not math.isfinite(value):
                raise OverflowError
            return value
