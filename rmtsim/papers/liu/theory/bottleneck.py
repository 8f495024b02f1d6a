"""The paper's bottleneck network (31): limiting laws of its Hessian, at W₀ and in a ball around it.

f = ½ b² S with b = m^{-1/2} Σ w²_i (w¹_i x)²/2 before and S = m^{-1/2} Σ w⁴_j (w³_j)² behind the bottleneck, so

    ∇²f = S ∇b∇bᵀ + b (∇b∇Sᵀ + ∇S∇bᵀ) + S b ∇²b + ½ b² ∇²S.

As m grows S → √3 G₁, b → (√3/2) x² G₂ (independent normals), |∇b|² → 7x⁴/4, |∇S|² → 7, and the last two terms vanish.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.special import ellipe, erf, ndtr

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, takes_arrays
from rmtsim.papers.liu.theory.activations import derivative

__all__ = [
    "block_norm_cdf",
    "block_norm_mean",
    "bottleneck_kernel_change",
    "bottleneck_kernel_mean",
    "bottleneck_norm_cdf",
    "bottleneck_norm_mean",
    "curvature_mean",
    "shifted_sum_floor",
    "survival_in_ball",
]


_BLOCK = 3 * math.sqrt(3) / 4
_WHOLE = 7 * math.sqrt(3) / 8


_LARGEST = 1e30
"""Inputs and labels up to here; their eighth powers stay far from overflow."""


def _fourth_power(x: float) -> float:
    x = validate.finite_number("x", x, meaning="the input")
    if abs(x) > _LARGEST:
        raise ValueError(f"x={x:g}: expected |x| <= {_LARGEST:g} (the input)")
    return x**4


def _radius(radius: float) -> float:
    radius = validate.finite_number("radius", radius, meaning="radius of the ball")
    if radius < 0:
        raise ValueError(f"radius={radius}: expected a number >= 0 (radius of the ball)")
    return min(radius, 1e3)  # beyond this radius all functions below equal their limits


def _scale(x: float) -> float:
    scale = _fourth_power(x)
    if not scale > 0:
        raise ValueError(f"x={x}: expected an input with x⁴ > 0 (at zero the network vanishes)")
    return scale


@takes_arrays
def curvature_mean(alpha: float) -> float:
    """E[w²|σ''(wα)|], σ = tanh: the limit of Σ w_i²|σ''(w_i α)|/m in eq. (30).

    >>> round(curvature_mean(1.0), 6)
    0.34903
    """
    alpha = validate.finite_number("alpha", alpha, meaning="value of the bottleneck's unit")

    def integrand(w: float) -> float:
        bend = abs(float(derivative("tanh", w * alpha, 2)))
        return w**2 * bend * math.exp(-(w**2) / 2) / math.sqrt(2 * math.pi)

    found, _ = quad(integrand, 0.0, 12.0)
    return 2 * float(found)


@takes_arrays
def block_norm_mean(x: float) -> float:
    """lim E‖∂²f/∂(w²)²‖ = (3√3/4) x⁴ √(2/π): the block of the weights into the bottleneck, eq. (109).

    >>> round(block_norm_mean(1.0), 6)
    1.036482
    """
    return _BLOCK * _fourth_power(x) * math.sqrt(2 / math.pi)


@takes_arrays(native=("values",))
def block_norm_cdf(values: ArrayLike, x: float) -> Array:
    """Limiting law of that block's norm, (3√3/4) x⁴ |G|: P(norm ≤ value) for x ≠ 0.

    >>> block_norm_cdf([0.0, 1e9], 1.0)
    array([0., 1.])
    """
    scale = _scale(x)
    points = validate.real_array("values", values)
    return np.asarray(erf(np.maximum(points, 0.0) / (_BLOCK * scale * math.sqrt(2))))


@takes_arrays
def bottleneck_norm_mean(x: float) -> float:
    """lim E‖H(W₀)‖ = (7√3/8) x⁴ E[|G₁| + √(G₁² + 4G₂²)]; the second mean is √(8/π) E(3/4), E the elliptic integral.

    >>> round(bottleneck_norm_mean(1.0), 6)
    4.138119
    """
    radius = math.sqrt(8 / math.pi) * float(ellipe(0.75))
    return _WHOLE * _fourth_power(x) * (math.sqrt(2 / math.pi) + radius)


@takes_arrays(native=("values",))
def bottleneck_norm_cdf(values: ArrayLike, x: float) -> Array:
    """Limiting law of ‖H(W₀)‖, (7√3/8) x⁴ (|G₁| + √(G₁² + 4G₂²)), for x ≠ 0.

    The event |g₁| + √(g₁² + 4g₂²) ≤ r is |g₁| ≤ r/2, |g₂| ≤ ½√(r² - 2r|g₁|): one integral.

    >>> [round(float(p), 6) for p in bottleneck_norm_cdf([0.0, 4.0, 1e3], 1.0)]
    [0.0, 0.521198, 1.0]
    """
    scale = _WHOLE * _scale(x)
    points = validate.real_array("values", values)
    found = [_within(min(max(float(value) / scale, 0.0), 1e3)) for value in points.ravel()]
    return np.array(found).reshape(points.shape)


def _within(r: float) -> float:
    reach = min(r / 2, 12.0)
    if reach == 0:
        return 0.0
    # g = reach·(1 - u²) takes the root at g = r/2 away.
    inside, _ = quad(
        lambda u: (
            2
            * u
            * math.exp(-((reach * (1 - u * u)) ** 2) / 2)
            * math.erf(math.sqrt(max(r * r - 2 * r * reach * (1 - u * u), 0.0)) / math.sqrt(8))
        ),
        0.0,
        1.0,
        epsabs=1e-13,
        limit=200,
    )
    return min(1.0, reach * inside * 2 / math.sqrt(2 * math.pi))


@takes_arrays
def bottleneck_kernel_mean(x: float) -> float:
    """lim E K(x, x) = 441/64 x⁸: K = b²S²|∇b|² + ¼b⁴|∇S|² with the limits above.

    >>> bottleneck_kernel_mean(1.0)
    6.890625
    """
    return 441 / 64 * _fourth_power(x) ** 2


@takes_arrays
def survival_in_ball(radius: float) -> float:
    """lim P(no W within ``radius`` of W₀ has H(W) = 0) = e^(-7R²/6).

    H(W) = 0 where S = b = 0, and the nearest such point is √(S²/|∇S|² + b²/|∇b|²) → √(3/7)·√(G₁² + G₂²) away.

    >>> survival_in_ball(0.0)
    1.0
    """
    radius = _radius(radius)
    return math.exp(-7 * radius**2 / 6)


@takes_arrays
def shifted_sum_floor(radius: float) -> float:
    """lim E min |Σ x̄_i ȳ_i²|/√m over ‖x̄ - x‖, ‖ȳ - y‖ ≤ R: E(√3|G| - (2 + √3)R)₊.

    >>> round(shifted_sum_floor(0.0), 6) == round(math.sqrt(6 / math.pi), 6)
    True
    """
    radius = _radius(radius)
    lost = (2 + math.sqrt(3)) * radius
    bar = lost / math.sqrt(3)
    density = math.exp(-(bar**2) / 2) / math.sqrt(2 * math.pi)
    return 2 * (math.sqrt(3) * density - lost * float(ndtr(-bar)))


@takes_arrays
def bottleneck_kernel_change(label: float) -> float:
    """lim E |K* - K₀|/(K* + K₀) along gradient flow on ½(f - label)², one sample x = 1, label > 0.

    (b, S) obey ḃ = -(f - y)(7/4) b S, Ṡ = -(f - y)(7/2) b², so 2b² - S² stays. Where 2b² < S² and S < 0 the flow ends
    at b = 0, no minimiser, and K* = 0: with probability arctan(√2)/π. Else ½b²S = y at the end: a cubic in S.

    >>> 0.3 < bottleneck_kernel_change(1.0) < 1
    True
    """
    label = validate.positive_number("label", label, meaning="target of the network")
    if label > _LARGEST:
        raise ValueError(f"label={label:g}: expected a number <= {_LARGEST:g} (target of the network)")
    nodes, weights = np.polynomial.legendre.leggauss(300)
    radii, radial = 5.0 * (nodes + 1), 5.0 * weights
    kink = math.atan2(1.0, -1 / math.sqrt(2))  # G₁ < 0, 2b² = S²: where the two ends of the flow part
    edges = (0.0, math.atan2(1.0, 1 / math.sqrt(2)), math.pi / 2, kink, math.pi)
    total = 0.0
    for low, high in itertools.pairwise(edges):
        angles = low + (high - low) / 2 * (nodes + 1)
        r, angle = np.meshgrid(radii, angles)
        values = _change(r * np.cos(angle), r * np.sin(angle), label)
        density = r * np.exp(-(r**2) / 2) / math.pi  # the lower half plane repeats the upper one
        total += float(((weights * (high - low) / 2) @ (values * density)) @ radial)
    return total


def _change(first: Array, second: Array, label: float) -> Array:
    """|K* - K₀|/(K* + K₀) from G₁, G₂ ≥ 0."""
    s, square = math.sqrt(3) * first, 0.75 * second**2
    kept = 2 * square - s**2
    stuck = (kept < 0) & (s < 0)
    # s³ + kept·s = 4 label: the largest real root, by Newton's method from above, where the cubic is convex.
    root = np.maximum(np.cbrt(8 * label), np.sqrt(2 * np.maximum(-kept, 0.0))) + 0 * kept
    for _ in range(60):
        root = root - (root**3 + kept * root - 4 * label) / (3 * root**2 + kept)
    ends = np.where(stuck, 0.0, _kernel(root, (kept + root**2) / 2))
    start = _kernel(s, square)
    return np.asarray(np.abs(ends - start) / (ends + start))


def _kernel(s: Array, square: Array) -> Array:
    return np.asarray(1.75 * square * s**2 + 1.75 * square**2)
