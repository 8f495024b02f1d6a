"""Subordination: the law of a sum or product of free elements, one point z at a time, with a certificate.

In suitable coordinates both convolutions are one system. With Φ₁, Φ₂ analytic maps of a half plane (or strip) into
itself, find w₁, w₂ with Φ₁(w₁) = Φ₂(w₂) = w₁ + w₂ - w. For sums w is z and Φ = -1/s; for products of positive elements
w is log z and Φ(w) = log(ζs/(1 + ζs)) at ζ = eʷ (Belinschi and Bercovici 2007; docs/laws.md). Newton's method runs down
from a large imaginary part of z, where w₁ ≈ w₂ ≈ z, to the real axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.errors import ConvergenceError

__all__ = ["Pair", "newton"]

ComplexArray = NDArray[np.complex128]
FloatArray = NDArray[np.float64]
Map = Callable[[ComplexArray], ComplexArray]

TOLERANCE = 1e-12
"""Residual below which a point counts as solved, relative to the size of its terms."""
_STEPS = 60


@dataclass(frozen=True)
class Pair:
    """The two subordinated points, and how well they solve the system."""

    first: ComplexArray
    second: ComplexArray
    residual: FloatArray
    """|Φ₁(w₁) - Φ₂(w₂)| relative to 1 + |Φ₁|."""
    margin: FloatArray
    """|1 - h₁'h₂'|, h = Φ - w: how well the residual determines w₁; zero at edges and at exceptional points inside."""


def newton(
    phi_one: Map,
    phi_two: Map,
    w: ComplexArray,
    start: ComplexArray,
    *,
    top: float,
    scale: float,
    goal: float = 1e-15,
) -> Pair:
    """Solve at all points ``w`` from ``start`` for w₁; both w₁ and w₂ stay in Im w ≤ Im ≤ ``top``.

    A point is finished when its residual reaches ``goal``, or is below the tolerance and has stopped falling.
    """
    one, kept = start.copy(), start.copy()
    floor = w.imag
    best = np.full(w.shape, np.inf)
    stalled = np.zeros(w.shape, dtype=np.intp)
    active = np.arange(w.size)
    for _ in range(_STEPS):
        here, at, lowest = one[active], w[active], floor[active]
        value, slope = _with_slope(phi_one, here, scale)
        two = _inside(value + at - here, lowest, top)
        other, other_slope = _with_slope(phi_two, two, scale)
        gap = value - other
        residual = np.abs(gap) / (1 + np.abs(value))
        improved = residual < 0.5 * best[active]
        stalled[active] = np.where(improved, 0, stalled[active] + 1)
        better = residual < best[active]
        kept[active[better]], best[active[better]] = here[better], residual[better]
        with np.errstate(divide="ignore", invalid="ignore"):
            proposal = here - gap / (slope - other_slope * (slope - 1))
        # Where Newton's method gets nowhere, a step of the contraction w₁ ← w + h₂(w₂) inside the half plane.
        lost = ~np.isfinite(proposal) | (stalled[active] % 6 == 5)
        proposal = np.where(lost, at + other - two, proposal)
        one[active] = _inside(proposal, lowest, top)
        finished = (residual <= goal) | ((stalled[active] >= 4) & (best[active] < TOLERANCE))
        active = active[~finished]
        if not active.size:
            break
    value, slope = _with_slope(phi_one, kept, scale)
    second = _inside(value + w - kept, floor, top)
    other, other_slope = _with_slope(phi_two, second, scale)
    residual = np.abs(value - other) / (1 + np.abs(value))
    return Pair(kept, second, residual, np.abs(1 - (slope - 1) * (other_slope - 1)))


def _inside(w: ComplexArray, floor: FloatArray, top: float) -> ComplexArray:
    return np.asarray(w.real + 1j * np.clip(w.imag, floor, top))


def _with_slope(phi: Map, w: ComplexArray, scale: float) -> tuple[ComplexArray, ComplexArray]:
    """Φ and a central difference quotient: its error slows Newton's method, and does not move the solution."""
    # Sideways, so that no border of the half plane is crossed.
    step = 1e-5 * np.maximum(w.imag, 0.1 * scale)
    return phi(w), (phi(w + step) - phi(w - step)) / (2 * step)


def certified(pair: Pair, z: ComplexArray) -> Pair:
    """The pair, or an error that names the worst point."""
    if pair.residual.size and not float(pair.residual.max()) <= TOLERANCE:
        worst = int(np.argmax(np.where(np.isnan(pair.residual), np.inf, pair.residual)))
        raise ConvergenceError(
            f"subordination at z={z[worst]}: residual {pair.residual[worst]:.2g} after {_STEPS} steps",
            residual=float(pair.residual[worst]),
            iterations=_STEPS,
        )
    return pair
