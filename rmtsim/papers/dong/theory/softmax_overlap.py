"""Products of softmax curvatures at two independent inputs, averaged exactly over the shared weights V.

For s = σ(z), s' = σ(z') the logits (u_k, u'_k) = (s·v_k, s'·v_k) are independent Gaussian pairs over the C classes.
As in :mod:`rmtsim.papers.dong.theory.softmax_curvature`, 1/(Z²Z'²) = ∫∫ t t' e^{-tZ-t'Z'} dt dt' turns the
expectation over V of

    η(s)η(s')       (hidden layer)          p_i(1-p_i) p'_i(1-p'_i),  p_i p_j p'_i p'_j       (output layer)

into double integrals of products over classes, sorted by how many indices of s and s' coincide.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen

__all__ = ["OverlapGeometry", "curvature_product", "probability_products"]

_STEP = 0.5
"""In log t; the trapezoidal error is about e^{-π²/step} = 3e-9."""
_REACH = 5.5
"""Standard deviations kept on either side: 4e-8 of the Gaussian mass is cut."""
_FLOOR = 1e-10


@frozen
class OverlapGeometry:
    """Two activation vectors s, s' of m neurons, as lengths and directions in their common plane."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]

    @cached_property
    def lengths(self) -> tuple[float, float]:
        """(|s|, |s'|)."""
        return float(np.linalg.norm(self.first)), float(np.linalg.norm(self.second))

    @cached_property
    def cosine(self) -> float:
        """cos of the angle between s and s'."""
        one, two = self.lengths
        return min(float(self.first @ self.second) / (one * two), 1.0)

    def axes(self, neuron: int) -> tuple[float, float]:
        """Components of the neuron's axis along s and along the part of s' orthogonal to s."""
        one, two = self.lengths
        along = float(self.first[neuron]) / one
        sine = math.sqrt(max(1 - self.cosine**2, 0.0))
        # Parallel vectors span a line: what would lie along the second direction stays in the remainder.
        across = (float(self.second[neuron]) / two - self.cosine * along) / sine if sine > 1e-9 else 0.0
        return along, across


class _Plane:
    """Quadrature in the plane of (u, u') and Laplace transforms on a grid of (t, t')."""

    def __init__(self, geometry: OverlapGeometry, classes: int) -> None:
        hidden = geometry.first.size
        one, two = (length / math.sqrt(hidden) for length in geometry.lengths)
        cosine = geometry.cosine
        sine = math.sqrt(max(1 - cosine**2, 0.0))
        self.classes = classes
        self.log_t = _grid(one, cosine * two, classes)
        self.log_s = _grid(two, cosine * one, classes)
        step = min(0.6, 0.5 / max(one, two))
        g = _nodes(step, one + cosine * two)
        step_two = min(0.6, 0.5 / max(sine * two, 1e-9))
        h = _nodes(step_two, sine * two)
        self.g, self.h = g[:, None], h[None, :]
        mass = np.exp(-0.5 * self.g**2 - 0.5 * self.h**2) * (step * step_two / (2 * math.pi))
        u = one * g
        v = two * (cosine * self.g + sine * self.h)
        self.left = np.exp(u)[:, None] * np.ones_like(v)
        self.right = np.exp(v)
        self.mass = mass
        with np.errstate(over="ignore"):
            exponent_t = -np.exp(self.log_t)[:, None] * np.exp(u)
            exponent_s = -np.exp(self.log_s)[None, :, None] * self.right[:, None, :]
            self.decay_t, self.decay_s = np.exp(exponent_t), np.exp(exponent_s)
            lost_t, lost_s = -np.expm1(exponent_t), -np.expm1(exponent_s)
        shared = (lost_s @ mass[:, :, None])[:, :, 0]
        # 1 - φ₀₀ from the two single deficits, so that its C-th power keeps all digits.
        deficit = (lost_t @ mass.sum(axis=1))[:, None] + shared.sum(axis=0)[None, :] - lost_t @ shared
        with np.errstate(divide="ignore"):
            self.log_zero = np.log1p(-np.minimum(deficit, 1.0))

    def transforms(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """E[weight · e^{-t e^u - t' e^{u'}}] on the grid, (weights, t, t'); ``weights`` (weights, u, u')."""
        stacked = np.ascontiguousarray(np.moveaxis(weights * self.mass, 0, 2))
        inner = self.decay_s @ stacked
        count, size, kinds = inner.shape
        outer = self.decay_t @ inner.reshape(count, size * kinds)
        return np.moveaxis(outer.reshape(-1, size, kinds), 2, 0)

    def integral(self, values: NDArray[np.float64], used: int) -> float:
        """∫∫ t t' values φ₀₀^{C-used} dt dt'."""
        if self.classes < used:
            return 0.0
        with np.errstate(invalid="ignore"):
            rest = (self.classes - used) * self.log_zero if self.classes > used else 0.0
            envelope = np.exp(2 * self.log_t[:, None] + 2 * self.log_s[None, :] + rest)
        return float(np.where(envelope > 0, envelope * values.reshape(envelope.shape), 0.0).sum() * _STEP**2)


def _nodes(step: float, shift: float) -> NDArray[np.float64]:
    """Trapezoidal nodes of a standard Gaussian whose mean may be moved from 0 to ``shift``."""
    low, high = -_REACH, _REACH + max(shift, 0.0)
    return np.asarray(step * np.arange(math.floor(low / step), math.ceil(high / step) + 1))


def _grid(scale: float, shift: float, classes: int) -> NDArray[np.float64]:
    """Nodes of log t that carry the integrals, judged by their one-dimensional envelopes."""
    low = -math.log(classes) - 14 - 2 * scale**2 - 4 * scale - scale * abs(shift)
    high = 10 + 6 * scale
    log_t = _STEP * np.arange(math.floor(low / _STEP), math.ceil(high / _STEP) + 1)
    step = min(0.6, 0.5 / scale)
    g = _nodes(step, scale + shift)
    mass = np.exp(-0.5 * g**2) * step / math.sqrt(2 * math.pi)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        exponential = np.exp(log_t)[:, None] * np.exp(scale * g)
        damping, deficit = np.exp(-exponential), -np.expm1(-exponential) @ mass
        rest = max(classes - 4, 0) * np.log1p(-np.minimum(deficit, 1.0))
        keep = np.zeros(log_t.size, dtype=bool)
        common = np.exp(2 * log_t + rest) * (damping @ (np.exp(scale * g) * mass))
        for tilt in (0.0, shift):
            tilted = damping @ (np.exp((scale + tilt) * g - 0.5 * tilt**2) * mass)
            envelope = np.fmax(common * tilted, 0.0)  # nothing where a factor is not a number
            keep |= envelope > _FLOOR * envelope.max()
    chosen = np.flatnonzero(keep)
    return np.asarray(log_t[chosen[0] : chosen[-1] + 1])


def _falling(classes: int, count: int) -> float:
    return float(math.prod(classes - index for index in range(count)))


_BINOMIAL = np.outer([1.0, -2.0, 1.0], [1.0, -2.0, 1.0]).ravel()
_FIRST = np.array([3, 1])
"""Indices of y₁ and y₂ among the nine y₁ⁱy₂ʲ, i, j ≤ 2."""
_SECOND = np.array([[6, 4], [4, 2]])
"""Indices of their products."""
_MONOMIALS = np.array([0, 1, 3, 4])[:, None] + np.array([0, 1, 3, 4])
"""Indices of the products of 1, y₂, y₁, y₁y₂."""


def curvature_product(geometry: OverlapGeometry, classes: int, neurons: tuple[int, int]) -> float:
    """m² E_V[η(s)η(s')] for the pair of ``neurons``, or m² E_V[ξ(s)ξ(s')] if both are the same neuron.

    All of them are taken as active in s and s' (the gates are left to the caller). Error about 1e-7 relative
    to C⁻¹ for a pair, to one for a single neuron.

    >>> s = np.array([1.0, 0.5, 0.2])
    >>> round(curvature_product(OverlapGeometry(s, s[::-1].copy()), 10**7, (0, 0)), 4)
    1.0
    """
    plane = _Plane(geometry, classes)
    axes = np.array([geometry.axes(neuron) for neuron in neurons])
    y = axes[:, 0, None, None] * plane.g + axes[:, 1, None, None] * plane.h
    # The part of the two axes orthogonal to the plane of s, s': covariance of the independent remainder, times m.
    rest11, rest22 = (1 - axes**2 @ np.ones(2)).tolist()
    rest12 = -float(axes[0] @ axes[1])
    if neurons[0] == neurons[1]:
        rest12 = rest11
        quadratic = 2 * rest11**2
        linear = np.array([[4 * rest11, 0.0], [0.0, 0.0]])
    else:
        quadratic = rest11 * rest22 + rest12**2
        linear = np.array([[rest22, rest12], [rest12, rest11]])
    shape = plane.mass.shape
    weights = np.empty((17, *shape))
    powers = np.stack([np.ones((2, *shape)), y, y**2])
    weights[:9] = (powers[:, None, 0] * powers[None, :, 1] * (plane.left * plane.right)).reshape(9, *shape)
    weights[9:13] = plane.left * np.stack([powers[0, 0], y[0], y[1], y[0] * y[1]])
    weights[13:] = plane.right * np.stack([powers[0, 0], y[0], y[1], y[0] * y[1]])
    # joint[3i + j] belongs to y₁ⁱy₂ʲ; one and two are those of a single index of s and of s'.
    table = np.ascontiguousarray(plane.transforms(weights).reshape(17, -1))
    joint, one, two = table[:9], table[9:13], table[13:]
    base, means, products = joint[0], joint[_FIRST], joint[_SECOND]

    def spread(single: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(single[3] * single[0] - single[1] * single[2] + rest12 * single[0] ** 2)

    apart = 4 * spread(one) * spread(two)
    # One index in common: polynomials in (y1, y2) of that index, from averaging over its two partners.
    left, right = (
        np.stack([single[3] + 2 * rest12 * single[0], -single[1], -single[2], single[0]])
        for single in (one, two)
    )
    common = quadratic * base * one[0] * two[0]
    common += np.einsum("ag,bg,abg->g", left, right, joint[_MONOMIALS])
    first, second = one[1:3], two[1:3]
    by_left, by_right = linear.T @ means, linear @ means
    common += np.einsum("abg,ab->g", products, linear) * one[0] * two[0]
    common -= one[0] * np.einsum("ag,ag->g", by_left, second) + two[0] * np.einsum(
        "ag,ag->g", by_right, first
    )
    common += base * np.einsum("ag,ag->g", linear.T @ first, second)
    # Both in common.
    twice = np.einsum("k,kg,kg->g", _BINOMIAL, joint[::-1], joint)
    twice += 8 * rest12 * (products[0, 1] * base - means[0] * means[1])
    twice += 4 * (rest12**2 + quadratic) * base**2
    twice += 4 * (np.einsum("abg,ab->g", products, linear) * base - np.einsum("ag,ag->g", by_right, means))
    return (
        0.25 * _falling(classes, 4) * plane.integral(apart, 4)
        + _falling(classes, 3) * plane.integral(common, 3)
        + 0.5 * _falling(classes, 2) * plane.integral(twice, 2)
    )


def probability_products(geometry: OverlapGeometry, classes: int) -> tuple[float, float]:
    """(C² E_V[p_i(1-p_i) p'_i(1-p'_i)], C⁴ E_V[p_i p_j p'_i p'_j]), i ≠ j.

    >>> s = np.array([1.0, 0.5, 0.2])
    >>> one, two = probability_products(OverlapGeometry(s, s), 10**7)
    >>> round(one / math.exp(s @ s / 3), 4), round(two / math.exp(2 * s @ s / 3), 4)
    (1.0, 1.0)
    """
    plane = _Plane(geometry, classes)
    joint, one, two = plane.transforms(np.stack([plane.left * plane.right, plane.left, plane.right]))
    pair = plane.integral(joint**2, 2)
    lone = plane.integral(joint * one * two, 3)
    own = (classes - 1) * pair + (classes - 1) * (classes - 2) * lone
    return float(classes) ** 2 * own, float(classes) ** 4 * pair
