"""Subordination: the law of a sum or product of free elements, one point z at a time, with a certificate.

In suitable coordinates both convolutions are one system. With Φ₁, Φ₂ analytic maps of a half plane (or strip) into
itself, find w₁, w₂ with Φ₁(w₁) = Φ₂(w₂) = w₁ + w₂ - w; with the shifts h = Φ - w, that is w₂ = w + h₁(w₁) and
w₁ = w + h₂(w₂). For sums w is z and Φ = -1/s; for products of positive elements w is log z and Φ(w) = log(ζs/(1 + ζs))
at ζ = eʷ (Belinschi and Bercovici 2007; docs/laws.md). Newton's method runs down from a large imaginary part of z,
where w₁ ≈ w₂ ≈ z, to the real axis.

Where the transform of a sum vanishes, in every gap of its support, one of the two points is at infinity. The other is
the unknown there, and shifts at far points are computed from moments, so that no accuracy is lost.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError

Shift = Callable[[ComplexArray], ComplexArray]
"""h = Φ - w, without cancellation at any w."""

TOLERANCE = 1e-12
"""Residual below which a point counts as solved, relative to the size of its terms."""
STEPS = 60
_SLOPE_ERROR = 1e-6
"""Error of a slope taken by differences."""


@frozen
class Pair:
    """The two subordinated points, and how well they solve the system."""

    first: ComplexArray
    second: ComplexArray
    residual: FloatArray
    """|w₁ - w - h₂(w + h₁(w₁))| relative to |w₁| and the width of the law."""
    slope: ComplexArray
    """h₁'h₂' at the solution: the slope of w₁ ↦ w + h₂(w + h₁(w₁))."""

    @property
    def margin(self) -> FloatArray:
        """|1 - h₁'h₂'|: how well the residual determines w₁; zero at edges and at exceptional points inside."""
        return np.asarray(np.abs(1 - self.slope))

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Whether the residual is small and the point attracts: the other roots, all on the axis, repel."""
        return np.asarray((self.residual <= TOLERANCE) & (np.abs(self.slope) <= 1 + _SLOPE_ERROR))

    @classmethod
    def unsolved(cls, shape: tuple[int, ...]) -> Pair:
        """Empty arrays for the solutions."""
        first, second, slope = (np.zeros(shape, dtype=np.complex128) for _ in range(3))
        return cls(first, second, np.full(shape, np.inf), slope)

    def exchanged(self) -> Pair:
        """The same with the two points' names exchanged."""
        return Pair(self.second, self.first, self.residual, self.slope)

    def put(self, where: NDArray[np.intp], other: Pair) -> None:
        """Take over points of another solution."""
        for whole, part in zip(vars(self).values(), vars(other).values(), strict=True):
            whole[where] = part

    def at(self, which: NDArray[np.bool_]) -> Pair:
        """Part of the points."""
        return Pair(*(values[which] for values in vars(self).values()))


def newton(
    first: Shift,
    second: Shift,
    w: ComplexArray,
    start: ComplexArray,
    *,
    top: float,
    scale: float,
    goal: float = 1e-15,
    steps: int = STEPS,
) -> Pair:
    """Solve at all points ``w`` from ``start`` for w₁; both w₁ and w₂ stay in Im w ≤ Im ≤ ``top``.

    A point is finished when its residual reaches ``goal``, or is below the tolerance and has stopped falling.
    """
    one, kept, kept_two = start.copy(), start.copy(), start.copy()
    best, slopes = np.full(w.shape, np.inf), np.zeros(w.shape, dtype=np.complex128)
    stalled = np.zeros(w.shape, dtype=np.intp)
    active = np.arange(w.size)
    for _ in range(steps):
        here, at = one[active], w[active]
        two, back, slope = _there_and_back(first, second, at, here, top, scale)
        gap = here - at - back
        residual = np.abs(gap) / (scale + np.abs(here))
        improved = residual < 0.5 * best[active]
        stalled[active] = np.where(improved, 0, stalled[active] + 1)
        better = residual < best[active]
        into = active[better]
        kept[into], kept_two[into], best[into] = here[better], two[better], residual[better]
        slopes[into] = slope[better]
        with np.errstate(divide="ignore", invalid="ignore"):
            proposal = here - gap / (1 - slope)
        # Where Newton's method makes no progress, take a step of the contraction w₁ ← w + h₂(w₂) inside the half
        # plane.
        lost = ~np.isfinite(proposal) | (stalled[active] % 6 == 5)
        one[active] = _inside(np.where(lost, at + back, proposal), at.imag, top)
        finished = (residual <= goal) | ((stalled[active] >= 4) & (best[active] < TOLERANCE))
        active = active[~finished]
        if not active.size:
            break
    return Pair(kept, kept_two, best, slopes)


def _inside(w: ComplexArray, floor: FloatArray, top: float) -> ComplexArray:
    return np.asarray(w.real + 1j * np.clip(w.imag, floor, top))


def _there_and_back(
    first: Shift, second: Shift, w: ComplexArray, one: ComplexArray, top: float, scale: float
) -> tuple[ComplexArray, ComplexArray, ComplexArray]:
    """w₂ = w + h₁(w₁), h₂(w₂), and the slope of the latter in w₁ by a central difference.

    Through both maps at once: where w₂ runs through infinity, h₁ has a pole and their composition is smooth. The error
    of the difference slows Newton's method, and does not move the solution.
    """
    # Sideways, so that no border of the half plane is crossed.
    step = 1e-5 * np.maximum(one.imag, 0.1 * scale)
    points = np.concatenate([one, one + step, one - step])
    thrice = np.concatenate([w, w, w])
    two = _inside(thrice + first(points), thrice.imag, top)
    back, right, left = second(two).reshape(3, -1)
    return two[: w.size], back, (right - left) / (2 * step)


def certified(pair: Pair, z: ComplexArray) -> Pair:
    """The pair, or an error that names the worst point."""
    if pair.residual.size and not float(pair.residual.max()) <= TOLERANCE:
        worst = int(np.argmax(np.where(np.isnan(pair.residual), np.inf, pair.residual)))
        raise ConvergenceError(
            f"subordination at z={z[worst]}: residual {pair.residual[worst]:.2g} after {STEPS} steps",
            residual=float(pair.residual[worst]),
            iterations=STEPS,
        )
    return pair
