"""The inverse map of the generalised Marchenko–Pastur law and its roots in the upper half plane.

With v = -1/(ratio·s) the equation of the law becomes z = z(v),

    z(v) = v·(ratio + Σ wₖ tₖ/(v - tₖ)),    z'(v) = ratio - Σ wₖ tₖ²/(v - tₖ)²,

with poles at the population itself. For Im z ≥ 0 at most one root has Im v > 0: two of them, v and u, would
give ratio = Σ wₖtₖ²/((v - tₖ)(u - tₖ)), while Im z ≥ 0 means Σ wₖtₖ²/|v - tₖ|² ≤ ratio and the same for u,
so by Cauchy–Schwarz equality holds and u is the conjugate of v. A root found in the upper half plane, by
whatever means, is therefore the root, and its residual is its certificate.

Around an anchor c, where z(c) and z'(c) are known,

    z(c + w) - z(c) = w·(z'(c) + w·Q(w)),    Q(w) = Σ Cₖ/(c + w - tₖ),    Cₖ = wₖtₖ²/(c - tₖ)²,

exactly. At a support edge z'(c) = 0, so no digit of x - edge is lost; c itself is kept as a pole (or zero)
plus an offset, so none of c - tₖ is lost either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.errors import ConvergenceError
from rmtsim.laws.roots import increasing_root

__all__ = ["Anchors", "Expansion", "InverseMap", "Roots"]

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
IndexArray = NDArray[np.intp]

_EPS = float(np.finfo(np.float64).eps)
_CELLS = 2**15
"""Points times poles handled at once: a handful of arrays of this size fit in a core's cache."""
_NEWTON = 40
_BISECTIONS = 120
_CERTIFICATE = 256 * _EPS
"""A residual of at most this many ulps of the equation's terms certifies a root."""


@dataclass(frozen=True, eq=False)
class Anchors:
    """Points c = base + offset with the values z(c) and slopes z'(c) of the inverse map."""

    base: FloatArray
    offset: FloatArray
    value: FloatArray
    slope: FloatArray

    @property
    def location(self) -> FloatArray:
        """c, rounded."""
        return np.asarray(self.base + self.offset)

    def nearest(self, z: ComplexArray | FloatArray) -> IndexArray:
        """Number of the anchor whose value is nearest to each z (values need no order)."""
        order = np.argsort(self.value, kind="stable")
        values = self.value[order]
        right = np.clip(np.searchsorted(values, np.real(z)), 0, values.size - 1)
        left = np.maximum(right - 1, 0)
        closer = np.abs(values[left] - np.real(z)) < np.abs(values[right] - np.real(z))
        return np.asarray(order[np.where(closer, left, right)], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Roots:
    """Roots v = base + y and the evidence for them."""

    base: FloatArray
    y: ComplexArray
    residual: FloatArray
    """|z(v) - z| over the size of the equation's terms."""
    iterations: IndexArray

    @property
    def v(self) -> ComplexArray:
        """The roots, rounded."""
        return np.asarray(self.base + self.y)


class Expansion:
    """The inverse map around one anchor per row, evaluated at offsets w, one per row."""

    def __init__(self, poles: FloatArray, weights: FloatArray, base: FloatArray, offset: FloatArray) -> None:
        # c - tₖ, from the exact difference of pole and base where the offset is tiny.
        self.gap = offset[:, None] - (poles[None, :] - base[:, None])
        self.mass = weights * (poles / self.gap) ** 2

    def take(self, rows: IndexArray) -> Expansion:
        """The expansion for some of the rows."""
        part = object.__new__(Expansion)
        part.gap, part.mass = self.gap[rows], self.mass[rows]
        return part

    def upper(self, w: ComplexArray) -> tuple[ComplexArray, ComplexArray, FloatArray]:
        """Q(w), Q'(w) and Σ Cₖ/|c + w - tₖ|² for Im w > 0, in real arithmetic throughout."""
        distance = self.gap + w.real[:, None]
        height = w.imag[:, None]
        inverse = distance * distance
        inverse += height * height
        np.reciprocal(inverse, out=inverse)
        first = self.mass * inverse
        plain = first.sum(axis=1)
        tilted = np.einsum("ij,ij->i", first, distance)
        # Im w/(…) times |…|² stays below one, where a second division by |…|² could overflow.
        inverse *= height
        distance *= inverse
        inverse *= height
        square = np.einsum("ij,ij->i", first, inverse)
        tilted_square = np.einsum("ij,ij->i", first, distance)
        return tilted - 1j * w.imag * plain, 2 * square - plain + 2j * tilted_square, plain

    def local_root(self, delta: ComplexArray, order: int) -> ComplexArray:
        """w with Im w > 0 from the leading term w²Q(0) or w³Q'(0) of the equation alone."""
        leading = (self.mass / self.gap).sum(axis=1)
        if order == 3:
            leading = -(self.mass / self.gap**2).sum(axis=1)
        with np.errstate(all="ignore"):
            principal = (delta / leading + 0j) ** (1 / order)
        turns = np.exp(2j * np.pi * np.arange(order) / order)
        branches = principal[:, None] * turns
        best = np.argmax(branches.imag, axis=1)
        return np.asarray(branches[np.arange(delta.size), best])

    def real(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Q(w) and Q'(w) for real w."""
        inverse = 1 / (self.gap + w[:, None])
        first = self.mass * inverse
        return first.sum(axis=1), -np.einsum("ij,ij->i", first, inverse)


@dataclass(frozen=True, eq=False)
class InverseMap:
    """z(v) for a population of non-zero ``poles`` (in units of order one) with ``weights``."""

    ratio: float
    poles: FloatArray
    weights: FloatArray

    def rows(self) -> int:
        """How many points to handle at once."""
        return max(1, _CELLS // self.poles.size)

    def solve(self, z: ComplexArray, anchors: Anchors, guess: ComplexArray) -> Roots:
        """The root with Im v > 0 of z(v) = z for each z with Im z ≥ 0 (real z: inside the support).

        ``guess`` holds starting values of v with positive imaginary part. Raises ``ConvergenceError`` if a
        root cannot be certified.
        """
        near = anchors.nearest(z)
        base, offset = anchors.base[near], anchors.offset[near]
        value, slope = anchors.value[near], anchors.slope[near]
        w, residual, iterations = self._empty(z.size)
        for rows in self._blocks(z.size):
            expansion = Expansion(self.poles, self.weights, base[rows], offset[rows])
            start = guess[rows] - (base[rows] + offset[rows])
            w[rows], residual[rows], iterations[rows] = _newton(
                expansion, z[rows] - value[rows], slope[rows], self.ratio, start
            )
        wrong = np.flatnonzero(~(residual <= _CERTIFICATE))
        if wrong.size:
            w[wrong], residual[wrong], extra = self._rescue(
                z[wrong], base[wrong], offset[wrong], value[wrong], slope[wrong]
            )
            iterations[wrong] += extra
        worst = float(residual.max(initial=0.0))
        if not worst <= _CERTIFICATE:
            raise ConvergenceError(
                f"z={z[int(np.argmax(residual))]}: no certified root (residual {worst:.2e} of the terms)",
                residual=worst,
                iterations=int(iterations.max()),
            )
        return Roots(base, offset + w, residual, iterations)

    def _empty(self, size: int) -> tuple[ComplexArray, FloatArray, IndexArray]:
        return np.zeros(size, dtype=np.complex128), np.full(size, np.inf), np.zeros(size, dtype=np.intp)

    def _blocks(self, size: int) -> list[slice]:
        step = self.rows()
        return [slice(first, first + step) for first in range(0, size, step)]

    def _rescue(
        self, z: ComplexArray, base: FloatArray, offset: FloatArray, value: FloatArray, slope: FloatArray
    ) -> tuple[ComplexArray, FloatArray, IndexArray]:
        """Roots that the first guess missed: from local guesses, then by bisection in Re v, which cannot fail.

        On the curve Im z(v) = y in the upper half plane, a graph over Re v, the real part of z increases.
        """
        w, residual, iterations = self._empty(z.size)
        active: IndexArray = np.arange(z.size)

        def attempt(starts: Callable[[Expansion, IndexArray], ComplexArray]) -> IndexArray:
            for rows in self._blocks(active.size):
                here = active[rows]
                expansion = Expansion(self.poles, self.weights, base[here], offset[here])
                start = starts(expansion, here)
                w[here], residual[here], steps = _newton(
                    expansion, z[here] - value[here], slope[here], self.ratio, start
                )
                iterations[here] += steps
            return active[~(residual[active] <= _CERTIFICATE)]

        active = attempt(lambda expansion, here: expansion.local_root(z[here] - value[here], 2))
        active = attempt(lambda expansion, here: expansion.local_root(z[here] - value[here], 3))
        second = float(np.sum(self.weights * self.poles**2))
        centre = (z.real - float(np.sum(self.weights * self.poles))) / self.ratio
        reach = np.sqrt(second / self.ratio)
        low, high = centre - reach, centre + reach
        for round_ in range(_BISECTIONS):
            if not active.size:
                break
            middle = _middle(low[active], high[active])
            height = self._height(middle, z.imag[active])
            reached = self._real_part(middle, height)
            beyond = reached > z.real[active]
            high[active[beyond]], low[active[~beyond]] = middle[beyond], middle[~beyond]
            if round_ % 3 == 2:
                start = np.zeros(z.shape, dtype=np.complex128)
                start[active] = middle + 1j * height - (base[active] + offset[active])
                active = attempt(_given(start))
        return w, residual, iterations

    def _height(self, a: FloatArray, y: FloatArray) -> FloatArray:
        """Im v on the curve Im z(v) = y over Re v = a (to the accuracy a starting value needs)."""
        masses = self.weights * self.poles**2
        top = (y + np.sqrt(y * y + 4 * self.ratio * float(np.sum(masses)))) / (2 * self.ratio)

        # In the logarithm of b, which may lie many decades below the population.
        def excess(log_b: FloatArray, k: IndexArray) -> tuple[FloatArray, FloatArray]:
            value, slope, b = np.empty(log_b.shape), np.empty(log_b.shape), np.exp(log_b)
            for rows in self._blocks(b.size):
                square = (a[k[rows], None] - self.poles) ** 2
                height = b[rows, None] ** 2
                inverse = 1 / (square + height)
                first = masses * inverse
                value[rows] = self.ratio - first.sum(axis=1) - y[k[rows]] / b[rows]
                slope[rows] = 2 * np.einsum("ij,ij->i", first, height * inverse) + y[k[rows]] / b[rows]
            return value, slope

        high = np.log(2 * top)
        low = np.minimum(np.log(np.maximum(y / self.ratio, 1e-150)), high) - 1
        return np.exp(increasing_root(excess, low, high, noise=1e-6 * self.ratio))

    def _real_part(self, a: FloatArray, b: FloatArray) -> FloatArray:
        real = np.empty(a.shape)
        for rows in self._blocks(a.size):
            distance = a[rows, None] - self.poles
            weighted = self.weights * self.poles**2 * distance / (distance**2 + b[rows, None] ** 2)
            real[rows] = weighted.sum(axis=1)
        return np.asarray(self.ratio * a + float(np.sum(self.weights * self.poles)) + real)


def _given(start: ComplexArray) -> Callable[[Expansion, IndexArray], ComplexArray]:
    return lambda expansion, here: start[here]


def _middle(low: FloatArray, high: FloatArray) -> FloatArray:
    """A point that halves [low, high] in size, or in order of magnitude where its ends differ in that."""
    middle = 0.5 * (low + high)
    middle[(low < 0) & (high > 0)] = 0.0
    with np.errstate(invalid="ignore"):
        geometric = np.sign(middle) * np.sqrt(np.abs(low)) * np.sqrt(np.abs(high))
    ends = np.sort(np.abs([low, high]), axis=0)
    middle = np.where((ends[1] > 4 * ends[0]) & (ends[0] > 0) & (middle != 0), geometric, middle)
    # From an end at zero, descend by thousands.
    return np.where((ends[0] == 0), np.sign(low + high) * 1e-3 * ends[1], middle)


def _newton(
    expansion: Expansion, delta: ComplexArray, slope: FloatArray, ratio: float, w: ComplexArray
) -> tuple[ComplexArray, FloatArray, IndexArray]:
    """Newton's iteration for w(slope + w Q(w)) = delta from starting values with Im w > 0.

    Steps are shortened so that the imaginary part falls at most to a quarter. Rows that do not settle keep
    an infinite residual.
    """
    w = w.copy()
    residual = np.full(w.shape, np.inf)
    iterations = np.full(w.shape, _NEWTON, dtype=np.intp)
    rows: IndexArray = np.arange(w.size)
    part, live = expansion, rows
    for step_number in range(1, _NEWTON + 1):
        here, target, tilt = w[live], delta[live], slope[live]
        with np.errstate(all="ignore"):
            q, q_slope, plain = part.upper(here)
            linear, bend = here * tilt, here * here * q
            error = linear + bend - target
            # Σ Cₖ/|v - tₖ| is at most √(Σ Cₖ · Σ Cₖ/|v - tₖ|²), and Σ Cₖ = ratio - slope.
            size = np.abs(linear) + np.abs(here) ** 2 * np.sqrt((ratio - tilt) * plain) + np.abs(target)
            step = error / (tilt + 2 * here * q + here * here * q_slope)
            fall = 0.75 * here.imag / step.imag
            moved = here - np.where(step.imag > 0, np.minimum(1.0, fall), 1.0) * step
        settled = (np.abs(error) <= 2 * _EPS * size) | (
            (np.abs(step) <= 2 * _EPS * np.abs(here)) & (np.abs(error) <= _CERTIFICATE * size)
        )
        w[live] = moved
        residual[live[settled]] = (np.abs(error) / size)[settled]
        iterations[live[settled]] = step_number
        broken = ~np.isfinite(w[live])
        keep = ~(settled | broken)
        if not keep.any():
            break
        if np.count_nonzero(keep) <= 0.5 * live.size:
            part = part.take(np.flatnonzero(keep))
            live = live[keep]
        # Rows kept only for company take further, harmless steps.
    return w, residual, iterations
