"""The distribution function: adaptive quadrature in an angle in which square-root and hard edges are smooth."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from rmtsim.errors import ConvergenceError

__all__ = ["BandQuadrature"]

Real = NDArray[np.float64]
ORDER = 12
NODES, _WEIGHTS = legendre.leggauss(ORDER)
# Coefficients of the interpolant in Legendre polynomials, from its values at the Gauss nodes.
_TO_COEFFICIENTS = ((legendre.legvander(NODES, ORDER - 1) * _WEIGHTS[:, None]) * (np.arange(ORDER) + 0.5)).T


class BandQuadrature:
    """∫ ρ over one band [lower, upper], x = middle − half·cos θ, panels in θ refined until their tails vanish."""

    def __init__(
        self,
        density: Callable[[Real], Real],
        lower: float,
        upper: float,
        breaks: list[float],
        tolerance: float = 1e-10,
    ) -> None:
        self.lower, self.upper = lower, upper
        self.half = (upper - lower) / 2
        inner = [self._angle(np.array([point]))[0] for point in breaks if lower < point < upper]
        ends = np.unique([*np.linspace(0, np.pi, 5), *inner])
        panels = list(itertools.pairwise(ends))
        done: list[tuple[float, float, Real]] = []
        for _ in range(48):
            if not panels:
                break
            left, right = np.array(panels).T
            theta = (left + right)[:, None] / 2 + (right - left)[:, None] / 2 * NODES
            x = self._place(theta)
            unique, back = np.unique(x.ravel(), return_inverse=True)
            values = density(unique)[back].reshape(x.shape) * np.sin(theta) * self.half
            coefficients = (values @ _TO_COEFFICIENTS.T) * ((right - left)[:, None] / 2)
            tail = np.abs(coefficients[:, -3:]).sum(axis=1)
            # Near a singular end the panels shrink geometrically; what a panel holds bounds what it can hide.
            small = (tail < tolerance) | (2 * np.abs(coefficients[:, 0]) < tolerance)
            done += [(left[i], right[i], coefficients[i]) for i in np.flatnonzero(small)]
            middle = (left + right) / 2
            panels = [
                pair for i in np.flatnonzero(~small) for pair in ((left[i], middle[i]), (middle[i], right[i]))
            ]
        if panels:
            raise ConvergenceError(
                f"the mass of the band [{lower:.6g}, {upper:.6g}] did not settle to {tolerance:g}",
                residual=float(tail.max()),
                iterations=48,
            )
        done.sort(key=lambda panel: panel[0])
        self._left = np.array([panel[0] for panel in done])
        self._right = np.array([panel[1] for panel in done])
        self._series = np.array([legendre.legint(panel[2], lbnd=-1) for panel in done])
        masses = np.array([2 * panel[2][0] for panel in done])
        self._before = np.concatenate([[0.0], np.cumsum(masses)])
        self.mass = float(self._before[-1])
        self.nodes = ORDER * len(done)

    def _angle(self, x: Real) -> Real:
        # The half-angle form keeps digits next to both ends.
        share = np.clip((x - self.lower) / (2 * self.half), 0, 1)
        rest = np.clip((self.upper - x) / (2 * self.half), 0, 1)
        return 2 * np.arctan2(np.sqrt(share), np.sqrt(rest))

    def _place(self, theta: Real) -> Real:
        from_lower = self.lower + 2 * self.half * np.sin(theta / 2) ** 2
        from_upper = self.upper - 2 * self.half * np.cos(theta / 2) ** 2
        return np.where(theta < np.pi / 2, from_lower, from_upper)

    def cumulative(self, x: Real) -> Real:
        """Mass of [lower, x]."""
        theta = self._angle(x)
        panel = np.clip(np.searchsorted(self._left, theta, side="right") - 1, 0, len(self._left) - 1)
        left, right = self._left[panel], self._right[panel]
        local = np.clip((2 * theta - left - right) / (right - left), -1, 1)
        inside = np.einsum("ij,ij->i", legendre.legvander(local, ORDER), self._series[panel])
        result: Real = np.clip(self._before[panel] + inside, 0.0, self.mass)
        return result

    def integrate(self, function: Callable[[Real], Real]) -> float:
        """∫ f ρ over the band, f a polynomial of modest degree, by parts on the tabulated mass.

        Exact mass function and high-order nodes: the panels that resolve ρ resolve f ρ as well.
        """
        total = 0.0
        for left, right, series in zip(self._left, self._right, self._series, strict=True):
            values = legendre.legval(NODES, legendre.legder(series))
            theta = (left + right) / 2 + (right - left) / 2 * NODES
            total += float(np.sum(_WEIGHTS * values * function(self._place(theta))))
        return total
