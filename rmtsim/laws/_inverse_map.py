"""The inverse map of the generalised Marchenko–Pastur law and its roots in the upper half plane.

With v = -1/(ratio·s) the equation of the law becomes z = z(v),

    z(v) = v·(ratio + Σ wₖ tₖ/(v - tₖ)),    z'(v) = ratio - Σ wₖ tₖ²/(v - tₖ)²,

with poles at the population itself. For Im z ≥ 0 at most one root has Im v > 0: two of them, v and u, would
give ratio = Σ wₖtₖ²/((v - tₖ)(u - tₖ)), while Im z ≥ 0 means Σ wₖtₖ²/|v - tₖ|² ≤ ratio and the same for u,
so by Cauchy–Schwarz equality holds and u is the conjugate of v. A root found in the upper half plane, by
whatever means, is therefore the root.

Rounding makes "in the upper half plane" ambiguous: near a cusp there is also a real root, and with an imaginary part
of 1e-20 its residual is as small. They differ in the imaginary part of the equation over Im v,

    Σ wₖtₖ²/|v - tₖ|² + Im z/Im v = ratio,

which the real root misses by z'(v) ≠ 0. Residual and this identity together are the certificate.

Around an anchor c, where z(c) and z'(c) are known,

    z(c + w) - z(c) = w·(z'(c) + w·Q(w)),    Q(w) = Σ Cₖ/(c + w - tₖ),    Cₖ = wₖtₖ²/(c - tₖ)²,

exactly. At a support edge z'(c) = 0, so no digit of x - edge is lost; c itself is kept as a pole (or zero)
plus an offset, so none of c - tₖ is lost either.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import ComplexArray, FloatArray, IndexArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError

_CELLS = 2**15
"""Points times poles handled at once: a handful of arrays of this size fit in a core's cache."""


@frozen(eq=False)
class Anchors:
    """Points c = base + offset with the values z(c) and slopes z'(c) of the inverse map."""

    base: FloatArray
    offset: FloatArray
    value: FloatArray
    slope: FloatArray
    value_low: FloatArray
    """What rounding took from the values."""

    @property
    def location(self) -> FloatArray:
        """c, rounded."""
        return np.asarray(self.base + self.offset)

    def joined(self, other: Anchors) -> Anchors:
        """Both sets of anchors."""
        return Anchors(
            *(
                np.concatenate([getattr(self, field.name), getattr(other, field.name)])
                for field in fields(self)
            )
        )

    def chosen(self, keep: NDArray[np.bool_]) -> Anchors:
        """Some of the anchors."""
        return Anchors(*(getattr(self, field.name)[keep] for field in fields(self)))

    def nearest(self, z: ComplexArray | FloatArray) -> IndexArray:
        """Number of the anchor whose value is nearest to each z (values need no order)."""
        order = np.argsort(self.value, kind="stable")
        values = self.value[order]
        right = np.clip(np.searchsorted(values, np.real(z)), 0, values.size - 1)
        left = np.maximum(right - 1, 0)
        closer = np.abs(values[left] - np.real(z)) < np.abs(values[right] - np.real(z))
        return np.asarray(order[np.where(closer, left, right)], dtype=np.intp)


@frozen(eq=False)
class Roots:
    """Roots v = base + y and the evidence for them."""

    base: FloatArray
    y: ComplexArray
    residual: FloatArray
    """|z(v) - z| over the size of the equation's terms."""
    identity: FloatArray
    """Error of Σ wₖtₖ²/|v - tₖ|² + Im z/Im v = ratio over the size of its terms."""
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

    def real(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Q(w) and Q'(w) for real w."""
        inverse = 1 / (self.gap + w[:, None])
        first = self.mass * inverse
        return first.sum(axis=1), -np.einsum("ij,ij->i", first, inverse)


@frozen(eq=False)
class InverseMap:
    """z(v) for a population of non-zero ``poles`` (in units of order one) with ``weights``."""

    ratio: float
    poles: FloatArray
    weights: FloatArray
    weights_low: FloatArray
    spare: tuple[float, float]
    """ratio - Σ wₖ in two doubles, z'(0)."""

    def rows(self) -> int:
        """How many points to handle at once."""
        return max(1, _CELLS // self.poles.size)

    def anchors(self, base: FloatArray, offset: FloatArray, edge: bool) -> Anchors:
        """Values and slopes at base + offset, from double-double sums; at an edge the critical value itself."""
        # Imported here, because numba takes half a second to load and closed forms do not need it.
        from rmtsim.laws._kernels import anchor_values

        value, value_low, slope = np.empty(base.shape), np.empty(base.shape), np.empty(base.shape)
        anchor_values(
            self.poles,
            self.weights,
            self.weights_low,
            self.ratio,
            np.array(self.spare),
            base,
            offset,
            value,
            value_low,
            slope,
            np.full(base.shape, edge),
        )
        return Anchors(base, offset, value, slope, value_low)

    def solve(self, z: ComplexArray, anchors: Anchors, guess: ComplexArray) -> Roots:
        """The root with Im v > 0 of z(v) = z for each z with Im z ≥ 0 (real z: inside the support).

        ``guess`` holds starting values of v with positive imaginary part. Raises ``ConvergenceError`` if a
        root cannot be certified.
        """
        near = anchors.nearest(z)
        target = (z - anchors.value[near]) - anchors.value_low[near]
        return self.solve_around(anchors, near, target, guess)

    def solve_around(
        self, anchors: Anchors, near: IndexArray, target: ComplexArray, guess: ComplexArray
    ) -> Roots:
        """The same for z = z(c) + target, c the anchor numbered ``near``: target keeps digits that z would lose."""
        from rmtsim.laws._kernels import CERTIFICATE, IDENTITY, certified_roots

        # Points of one anchor in a row share its expansion.
        order = np.argsort(near, kind="stable")
        near, target = near[order], target[order]
        centre = anchors.base[near] + anchors.offset[near]
        points = anchors.value[near] + target
        middle = (points.real - float(np.sum(self.weights * self.poles))) / self.ratio
        reach = np.sqrt(float(np.sum(self.weights * self.poles**2)) / self.ratio) * (1 + 1e-9)
        count = target.size
        w, residual = np.zeros(count, dtype=np.complex128), np.full(count, np.inf)
        identity, iterations = np.full(count, np.inf), np.zeros(count, dtype=np.intp)
        certified_roots(
            self.poles,
            self.weights,
            self.ratio,
            anchors.base,
            anchors.offset,
            anchors.slope,
            near,
            target,
            guess[order] - centre,
            middle - reach - centre,
            middle + reach - centre,
            w,
            residual,
            identity,
            iterations,
        )
        wrong = ~((residual <= CERTIFICATE) & (identity <= IDENTITY))
        if wrong.any():
            worst = int(np.argmax(np.where(wrong, residual, -1.0)))
            raise ConvergenceError(
                f"z={points[worst]}: no certified root (residual {residual[worst]:.2e} of the terms, "
                f"derivative identity off by {identity[worst]:.2e})",
                residual=float(residual[worst]),
                iterations=int(iterations[worst]),
            )
        back = np.empty(count, dtype=np.intp)
        back[order] = np.arange(count)
        return Roots(
            anchors.base[near][back],
            (anchors.offset[near] + w)[back],
            residual[back],
            identity[back],
            iterations[back],
        )
