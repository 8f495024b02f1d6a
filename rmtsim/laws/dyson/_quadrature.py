"""The distribution function of one band: quadrature in variables in which its ends and singularities are smooth."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError

Real = NDArray[np.float64]
ORDER = 12
ROUNDS = 40
NODES, _WEIGHTS = legendre.leggauss(ORDER)
# Coefficients of the interpolant in Legendre polynomials, from its values at the Gauss nodes.
_TO_COEFFICIENTS = ((legendre.legvander(NODES, ORDER - 1) * _WEIGHTS[:, None]) * (np.arange(ORDER) + 0.5)).T


@frozen
class Break:
    """A point where the density behaves like |x − location|^exponent; exponent 0 is a point without singularity."""

    location: float
    exponent: float

    @property
    def power(self) -> int:
        """q such that ρ dx is smooth in u, |x − location| = u^q: the denominator of the exponent."""
        for q in range(1, 9):
            if abs(q * self.exponent - round(q * self.exponent)) < 0.04:
                return q
        return 8


class _Half:
    """[anchor, anchor + span] (span of either sign), in the variable u of x = anchor + span·u^power."""

    def __init__(self, end: Break, span: float) -> None:
        self.anchor, self.power, self.span = end.location, end.power, span
        self.panels: list[tuple[float, float]] = [(0.0, 0.5), (0.5, 1.0)]
        self.done: list[tuple[float, float, Real]] = []

    def place(self, u: Real) -> Real:
        return np.asarray(self.anchor + self.span * u**self.power)

    def variable(self, x: Real) -> Real:
        return np.asarray(np.clip((x - self.anchor) / self.span, 0.0, 1.0) ** (1 / self.power))

    def close(self) -> None:
        self.done.sort(key=lambda panel: panel[0])
        self.left = np.array([panel[0] for panel in self.done])
        self.right = np.array([panel[1] for panel in self.done])
        self.series = np.array([legendre.legint(panel[2], lbnd=-1) for panel in self.done])
        masses = np.array([2 * panel[2][0] for panel in self.done])
        self.before = np.concatenate([[0.0], np.cumsum(masses)])
        self.mass = float(self.before[-1])

    def from_anchor(self, x: Real) -> Real:
        """Mass between the anchor and x, which lies in this half."""
        from rmtsim.laws.dyson._kernels import panel_masses  # imports numba, which only masses need

        result = np.empty(x.shape)
        panel_masses(self.variable(x), self.left, self.right, self.before, self.series, result)
        return result


class BandQuadrature:
    """∫ ρ over one band, panels refined until their tails vanish.

    ``breaks`` are the two ends of the band and the singular points or valleys between them, in order.
    """

    def __init__(
        self, density: Callable[[Real], Real], breaks: list[Break], tolerance: float = 1e-11
    ) -> None:
        self.lower, self.upper = breaks[0].location, breaks[-1].location
        self.halves: list[_Half] = []
        for first, second in itertools.pairwise(breaks):
            span = (second.location - first.location) / 2
            self.halves += [_Half(first, span), _Half(second, -span)]
        work = [(half, *panel) for half in self.halves for panel in half.panels]
        for _ in range(ROUNDS):
            if not work:
                break
            left = np.array([item[1] for item in work])
            right = np.array([item[2] for item in work])
            u = (left + right)[:, None] / 2 + (right - left)[:, None] / 2 * NODES
            x = np.stack([half.place(row) for (half, _, _), row in zip(work, u, strict=True)])
            # dx = |span| q u^(q−1) du
            stretch = np.stack(
                [
                    abs(half.span) * half.power * row ** (half.power - 1)
                    for (half, _, _), row in zip(work, u, strict=True)
                ]
            )
            unique, back = np.unique(x.ravel(), return_inverse=True)
            values = density(unique)[back].reshape(x.shape) * stretch
            coefficients = (values @ _TO_COEFFICIENTS.T) * ((right - left)[:, None] / 2)
            tail = np.abs(coefficients[:, -3:]).sum(axis=1)
            # Towards a singular end panels shrink geometrically; the mass of a panel bounds its error.
            small = (tail < tolerance) | (2 * np.abs(coefficients[:, 0]) < tolerance)
            # Points that agree to rounding refine nothing.
            small |= np.ptp(x, axis=1) <= 1e-13 * np.abs(x).max(axis=1)
            for i in np.flatnonzero(small):
                work[i][0].done.append((left[i], right[i], coefficients[i]))
            middle = (left + right) / 2
            work = [
                (work[i][0], *pair)
                for i in np.flatnonzero(~small)
                for pair in ((left[i], middle[i]), (middle[i], right[i]))
            ]
        if work:
            raise ConvergenceError(
                f"the mass of the band [{self.lower:.6g}, {self.upper:.6g}] did not settle to {tolerance:g}",
                residual=float(tail.max()),
                iterations=ROUNDS,
            )
        for half in self.halves:
            half.close()
        self._before = np.concatenate([[0.0], np.cumsum([half.mass for half in self.halves])])
        self._starts = np.array([min(half.anchor, half.anchor + half.span) for half in self.halves])
        self.integral = float(self._before[-1])
        """∫ ρ as the quadrature has it."""
        self.mass = self.integral
        """Mass of the band; set to its exact value where that is known."""

    def cumulative(self, x: Real) -> Real:
        """Mass of [lower, x]."""
        result = np.zeros(x.shape)
        owner = np.clip(np.searchsorted(self._starts, x, side="right") - 1, 0, len(self.halves) - 1)
        for number in np.unique(owner):
            half, here = self.halves[number], owner == number
            part = half.from_anchor(x[here])
            result[here] = self._before[number] + (part if half.span > 0 else half.mass - part)
        scale = self.mass / self.integral if self.integral > 0 else 1.0
        return np.asarray(np.clip(result * scale, 0.0, self.mass))

    def integrate(self, function: Callable[[Real], Real]) -> float:
        """∫ f ρ over the band, f a polynomial of modest degree: the panels that resolve ρ resolve f ρ as well."""
        total = 0.0
        for half in self.halves:
            for left, right, series in zip(half.left, half.right, half.series, strict=True):
                values = legendre.legval(NODES, legendre.legder(series))
                u = (left + right) / 2 + (right - left) / 2 * NODES
                total += float(np.sum(_WEIGHTS * values * function(half.place(u))))
        return total
