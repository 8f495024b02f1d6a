"""Certified points on the real axis, in order; each is the starting value of its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.laws.dyson._continuation import BULK, OUTSIDE, Boundary, boundary_values
from rmtsim.laws.dyson._problem import Problem, Real

LEVEL = 1e-14
"""Values of the distribution function off the support that differ by less are equal: they are sums of sides."""


class Axis:
    """Points in order, with their certified kind. Points without a certificate are kept, but not used for decisions."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.x: Real = np.empty(0)
        self._values: Boundary | None = None

    def visit(self, x: Real) -> None:
        """Solve at these points, unless they are known."""
        fresh = np.unique(x[np.isfinite(x)])
        fresh = fresh[~np.isin(fresh, self.x)]
        if not len(fresh):
            return
        if self._values is None:
            values, places = boundary_values(self.problem, fresh), fresh
        else:
            new = boundary_values(self.problem, fresh, (self.x, self._values))
            places = np.concatenate([self.x, fresh])
            values = Boundary(
                *(
                    np.concatenate([getattr(self._values, name), getattr(new, name)])
                    for name in ("state", "residual", "iterations", "kind", "error")
                )
            )
        order = np.argsort(places, kind="stable")
        self.x, self._values = places[order], values.taken(order)
        trace = self.problem.trace(self._values.state)
        self.kind: NDArray[np.intp] = self._values.kind
        self.density: Real = np.where(self.kind == OUTSIDE, 0.0, np.maximum(trace.imag, 0.0) / np.pi)
        self.real: Real = trace.real
        level = np.full(len(self.x), np.nan)
        off = self.kind == OUTSIDE
        if off.any():
            level[off] = self.problem.negative_share(self._values.state[off])
        self.level: Real = level

    def at(self, x: Real) -> tuple[Real, NDArray[np.intp]]:
        """Density and kind at these points, visited if need be."""
        self.visit(x)
        place = np.searchsorted(self.x, x)
        return self.density[place], self.kind[place]

    @property
    def sure(self) -> NDArray[np.intp]:
        """Numbers of the points known to be inside or outside."""
        return np.flatnonzero((self.kind == BULK) | (self.kind == OUTSIDE))

    def crossings(self) -> list[tuple[int, int]]:
        """Pairs (outside point, inside point) that are neighbours among the sure ones, from left to right."""
        sure = self.sure
        inside = self.kind[sure] == BULK
        pairs = []
        for k in np.flatnonzero(inside[1:] != inside[:-1]):
            left, right = int(sure[k]), int(sure[k + 1])
            pairs.append((right, left) if inside[k] else (left, right))
        return pairs

    def jumps(self) -> list[tuple[int, int, float]]:
        """Neighbours among the sure points, both outside, between which there is mass, and how much."""
        sure = self.sure
        level = self.level[sure]
        with np.errstate(invalid="ignore"):
            rise = level[1:] - level[:-1]
            places = np.flatnonzero(np.abs(rise) > LEVEL)
        return [(int(sure[k]), int(sure[k + 1]), float(rise[k])) for k in places]
