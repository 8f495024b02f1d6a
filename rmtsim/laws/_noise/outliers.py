"""Outliers that a low-rank signal produces in structured noise (Benaych-Georges and Nadakuditi 2012)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize

from rmtsim._internal.arrays import FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._noise.gaps import Edge, Pair


@frozen
class SignalOutlier:
    """Largest singular value of noise plus a signal of rank one, in the limit of large matrices."""

    spike: float
    """Singular value θ of the signal."""
    singular_value: float
    """Location y of the outlier."""
    left_squared_cosine: float
    """Squared cosine between the left singular vectors of the outlier and of the signal."""
    right_squared_cosine: float
    """The same for the right singular vectors."""

    @property
    def eigenvalue(self) -> float:
        """Location y² of the outlier of XXᵀ."""
        return self.singular_value**2


@frozen(eq=False)
class SignalSide:
    """Share of the signal's singular vector on each positive atom of one side, and on the zeros."""

    atoms: FloatArray
    shares: FloatArray
    null: float

    def trace(self, w: float, z: float) -> tuple[float, float]:
        """q = -(1/z)(Σ shares/(1 + w·y) + null), and Σ shares·y/(1 + w·y)²."""
        inverse = 1 / (1 + w * self.atoms)
        first = float(np.sum(self.shares * inverse)) + self.null
        return -first / z, float(np.sum(self.shares * self.atoms * inverse * inverse))


@frozen(eq=False)
class Transform:
    """g(z) = z·q(z)·q̃(z) above the support: an outlier of a signal θ lies where g = 1/θ²."""

    pair: Pair
    edge: Edge
    left: SignalSide
    right: SignalSide

    def value(self, psi: float) -> float:
        """g at the point of parameter ψ."""
        z, u, v = self._point(psi)
        return z * self.left.trace(v, z)[0] * self.right.trace(u, z)[0]

    def _point(self, psi: float) -> tuple[float, float, float]:
        row, column = (self.edge.row, self.edge.column) if psi == self.edge.psi else self.pair.place(psi)
        return -psi * row * column, -1 / column, -1 / row

    def at_edge(self) -> float:
        """g at the upper edge: 1/θ² of the smallest signal that separates."""
        return self.value(self.edge.psi)

    def parameter_of_location(self, z: float) -> float:
        """ψ of a point above the edge."""
        # z decreases from infinity to the edge as ψ falls from 0 to its value there; z ~ mass/|ψ| far out.
        far = -1e-3 * abs(self.edge.psi) * min(1.0, self.edge.location / z)
        while self._point(far)[0] < z:
            far *= 0.1
        return self._root(lambda psi: math.log(self._point(psi)[0] / z), far)

    def parameter_of_spike(self, spike: float) -> float:
        """ψ of the outlier of a signal."""
        far = -1e-3 * abs(self.edge.psi)
        while self.value(far) * spike**2 > 1:
            far *= 0.1
        return self._root(lambda psi: math.log(self.value(psi) * spike**2), far)

    def _root(self, function: Callable[[float], float], far: float) -> float:
        return float(optimize.brentq(function, self.edge.psi, far, xtol=1e-300, rtol=9e-16))

    def outlier(self, psi: float, spike: float) -> tuple[float, float, float]:
        """z and both squared cosines, q·g/g' and q̃·g/g'."""
        z, u, v = self._point(psi)
        (up, up_slope), (down, down_slope) = self.left.trace(v, z), self.right.trace(u, z)
        rows, columns = self.pair.rows, self.pair.columns
        row = float(np.sum(rows.weights * (rows.atoms / (1 + v * rows.atoms)) ** 2))
        column = float(np.sum(columns.weights * (columns.atoms / (1 + u * columns.atoms)) ** 2))
        determinant = z * z - row * column
        u_slope, v_slope = -(u * z + row * v) / determinant, -(v * z + column * u) / determinant
        up_change = (v_slope * up_slope - up) / z
        down_change = (u_slope * down_slope - down) / z
        slope = up * down + z * (up_change * down + up * down_change)
        factor = 1 / (spike * spike * slope)
        return z, up * factor, down * factor
