"""Exact second moments of softmax-weighted covariances: one pre-activation vector, averaged over the weights V.

For fixed s = σ(z) the logits u_k = s·v_k of the C classes are independent N(0, α), α = |s|²/m, and with weights
r = softmax(u) the curvature of the pair (1, 2) is the weighted covariance

    η = ½ Σ_{k≠l} r_k r_l (V_k1 - V_l1)(V_k2 - V_l2).

V_k1 splits into its regression on u_k and an independent Gaussian rest. Averaging the rest in closed form and
1/Z⁴ = ∫ t³ e^{-tZ} dt/6 leave products over classes of φ_nj(t) = E[u^j e^{nu - t e^u}], sorted by how many of the
four indices coincide. Both integrals are trapezoidal sums of analytic functions. See
docs/papers/dong/one-hidden-layer.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from rmtsim._internal import validate
from rmtsim._internal.arrays import records_take_arrays, tuples_take_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.remembered import remembered

__all__ = ["CurvatureMoments", "curvature_means", "curvature_moments", "curvature_second_moments"]

_STEP = 0.45
_NODES = 40


@frozen
class CurvatureMoments:
    """The parts of E[ξ²] and E[η²] at a given |s|²; ``variance`` = α, and the angles are factors outside."""

    deviation: float
    """E[(S_uu/α - tr K)²] with its share of coinciding indices: coefficient of c₁²c₂² in m²E[η²]."""
    both: float
    """E[(S_uu/α)²]."""
    mixed: float
    """E[(S_uu/α) tr K]."""
    trace: float
    """E[(tr K)²]."""
    slope: float
    """E[uᵀK²u]/α."""
    square: float
    """E[tr K²]."""


def _transforms(
    log_t: NDArray[np.float64], variance: float
) -> tuple[NDArray[np.float64], dict[tuple[int, int], NDArray[np.float64]]]:
    """log φ_00 and φ_nj for n = 1, 2 and j = 0…4 on the grid of log t."""
    scale = math.sqrt(variance)
    step = min(_STEP, scale / 2)
    low, high = -9 * scale - 2, 9 * scale + 2 * variance
    u = step * np.arange(math.floor(low / step), math.ceil(high / step) + 1)
    density = np.exp(-0.5 * (u / scale) ** 2) * (step / (scale * math.sqrt(2 * math.pi)))
    exponential = np.exp(np.minimum(log_t[:, None] + u, 700.0))
    damping = np.exp(-exponential)
    deficit = -np.expm1(-exponential) @ density
    with np.errstate(divide="ignore"):
        log_zero = np.where(deficit < 0.5, np.log1p(-np.minimum(deficit, 0.6)), np.log(damping @ density))
    result: dict[tuple[int, int], NDArray[np.float64]] = {}
    for power in (1, 2):
        # Scaled by its value at t = 0, so that no variance overflows; undone in the exponent.
        weights = np.exp(power * u - 0.5 * power**2 * variance) * density
        columns = np.stack([weights * u**j for j in range(5)], axis=1)
        table = damping @ columns
        for j in range(5):
            result[power, j] = table[:, j]
    return log_zero, result


def _log_grid(variance: float, classes: int) -> NDArray[np.float64]:
    """Nodes of log t, from where t^k is negligible to where the transform of one class is."""
    scale = math.sqrt(variance)
    low = -math.log(classes) - 8 - 9 * scale - 2 * variance
    high = 9 * scale + 8
    return np.asarray(_STEP * np.arange(math.floor(low / _STEP), math.ceil(high / _STEP) + 1))


def _radii(hidden: int) -> list[tuple[float, float]]:
    """Gauss-Legendre nodes and weights for |s|, the length of the active part of z.

    ξ and η are at most a few log(C)/m, so e^{-r²/2} alone bounds what lies beyond the last node.
    """
    last = math.sqrt(hidden + 12 * math.sqrt(hidden) + 70)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return list(zip((0.5 * last * (nodes + 1)).tolist(), (0.5 * last * weights).tolist(), strict=True))


def _chi_density(r: float, active: NDArray[np.int64]) -> NDArray[np.float64]:
    """Density of the length of ``active`` standard Gaussians, for each number of them."""
    logarithm = (active - 1) * math.log(r) - r * r / 2 - (active / 2 - 1) * math.log(2)
    return np.asarray(np.exp(logarithm - gammaln(active / 2)))


_LEAST_VARIANCE, _LARGEST_VARIANCE = 1e-12, 1000.0
"""Beyond them the grid would not fit."""


@records_take_arrays
def curvature_moments(variance: float, classes: int) -> CurvatureMoments:
    """The five expectations over the softmax of C independent N(0, ``variance``) logits.

    Relative error below 1e-7 for 2 ≤ C ≤ 10⁹ and variance up to 40.

    >>> moments = curvature_moments(0.5, 10**6)         # tr K and S_uu/α both tend to one
    >>> round(moments.trace, 4), round(moments.both, 4)
    (1.0, 1.0)
    """
    variance = validate.positive_number("variance", variance, meaning="variance of a logit")
    if not _LEAST_VARIANCE <= variance <= _LARGEST_VARIANCE:
        accepted = f"[{_LEAST_VARIANCE:g}, {_LARGEST_VARIANCE:g}]"
        raise ValueError(f"variance={variance}: expected a number in {accepted} (variance of a logit)")
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    log_t = _log_grid(variance, classes)
    log_zero, phi = _transforms(log_t, variance)
    p, q, half = phi, variance, 0.5 * variance
    c2 = float(classes) * (classes - 1)
    c3 = c2 * (classes - 2)
    c4 = c3 * (classes - 3)
    one = p[1, 0]

    def integral(values: NDArray[np.float64], used: int, tilt: float) -> float:
        """∫ t³/6 · values · φ₀₀^{C-used} dt with the scale e^{tilt·α/2} of the stored transforms put back."""
        if classes < used:
            return 0.0
        with np.errstate(invalid="ignore"):
            rest = (classes - used) * log_zero if classes > used else np.zeros_like(log_zero)
            envelope = np.exp(4 * log_t + rest + tilt * half) / 6
        return float(np.sum(np.where(envelope > 0, envelope * values, 0.0)) * _STEP)

    # f(u_k - u_l) for A = δ²/α and B = 2, and the products with one or both indices in common.
    mean_a = 2 * (p[1, 2] * one - p[1, 1] ** 2) / q
    mean_b = 2 * one**2
    two = {j: p[2, j] for j in range(5)}
    first = {j: p[1, j] for j in range(3)}
    # E over index 2 of w₂δ₁₂²: a quadratic in u₁, coefficients by power of u₁.
    square = (first[2], -2 * first[1], first[0])

    def three(
        left: tuple[NDArray[np.float64], ...], right: tuple[NDArray[np.float64], ...]
    ) -> NDArray[np.float64]:
        return np.asarray(sum(a * b * two[i + j] for i, a in enumerate(left) for j, b in enumerate(right)))

    linear = (-first[1], first[0])
    constant = (2 * one,)
    three_aa, three_ab, three_bb = (
        three(square, square) / q**2,
        three(square, constant) / q,
        three(constant, constant),
    )
    # Both indices in common: E[w₁²w₂² δ^k], k = 0, 2, 4.
    pair0 = two[0] ** 2
    pair2 = 2 * (two[2] * two[0] - two[1] ** 2)
    pair4 = 2 * two[4] * two[0] - 8 * two[3] * two[1] + 6 * two[2] ** 2

    def form(mean: NDArray[np.float64], triple: NDArray[np.float64], pair: NDArray[np.float64]) -> float:
        """¼(C)₄ mean + (C)₃ triple + ½(C)₂ pair, integrated; tilts 4·1, 4+1+1, 4+4 in units of α/2."""
        return (
            0.25 * c4 * integral(mean, 4, 4.0)
            + c3 * integral(triple, 3, 6.0)
            + 0.5 * c2 * integral(pair, 2, 8.0)
        )

    deviation = form(
        (mean_a - mean_b) ** 2,
        three_aa - 2 * three_ab + three_bb,
        pair4 / q**2 - 4 * pair2 / q + 4 * pair0,
    )
    slope = c3 * integral(three(linear, linear), 3, 6.0) + c2 * integral(pair2, 2, 8.0)
    return CurvatureMoments(
        deviation=deviation,
        both=form(mean_a**2, three_aa, pair4 / q**2),
        mixed=form(mean_a * mean_b, three_ab, 2 * pair2 / q),
        trace=form(mean_b**2, three_bb, 4 * pair0),
        slope=slope / q,
        square=c3 * integral(two[0] * one**2, 3, 6.0) + 2 * c2 * integral(pair0, 2, 8.0),
    )


def _fair_coins(tosses: int) -> NDArray[np.float64]:
    """Probabilities of 0, 1, …, ``tosses`` heads."""
    heads = np.arange(tosses + 1)
    return np.exp(
        gammaln(tosses + 1) - gammaln(heads + 1) - gammaln(tosses - heads + 1) - tosses * math.log(2)
    )


def _checked(hidden: int, classes: int) -> tuple[int, int, NDArray[np.int_]]:
    """m and C, validated, and the numbers 1, …, m of active neurons."""
    hidden = validate.integer("hidden", hidden, minimum=2, meaning="number of hidden neurons m")
    validate.memory(64.0 * hidden, f"hidden={hidden}: sums over the number of active neurons")
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    return hidden, classes, np.arange(1, hidden + 1)


def _shells(
    hidden: int, active: NDArray[np.int_]
) -> Iterator[tuple[float, NDArray[np.float64], NDArray[np.float64]]]:
    """Nodes of the integral over |s|: |s|²/m, and weights by the number of active neurons, one or two of them given."""
    chances_one, chances_two = _fair_coins(hidden - 1) / 2, _fair_coins(hidden - 2) / 4
    for r, weight in _radii(hidden):
        density = weight * _chi_density(r, active)
        yield r * r / hidden, chances_one * density, chances_two * density[1:]


@tuples_take_arrays
@remembered(maxsize=512)
def curvature_second_moments(hidden: int, classes: int) -> tuple[float, float]:
    """(E[ξ_C²], E[η_C²]) over z ~ N(0, I_m) and V with N(0, 1/m) entries: `dong` section 7.2.1, exact at finite C.

    The K active neurons of z give |s|² a χ²_K law and s/|s| an independent uniform direction, so one integral
    over |s| is left. Relative error below 1e-7.

    >>> diagonal, offdiagonal = curvature_second_moments(8, 10**6)
    >>> round(2 * 8**2 * diagonal, 4)                   # lim E[ξ²] = 1/(2m²)
    1.0
    """
    hidden, classes, active = _checked(hidden, classes)
    diagonal = offdiagonal = 0.0
    second, product = 1 / active, 1 / (active * (active + 2.0))
    fourth = 3 * product
    for variance, one, two in _shells(hidden, active):
        moments = curvature_moments(variance, classes)
        diagonal += float(
            one
            @ (
                fourth * moments.both
                + (second - fourth) * (2 * moments.mixed + 4 * moments.slope)
                + (1 - 2 * second + fourth) * (moments.trace + 2 * moments.square)
            )
        )
        between = (
            product * moments.deviation
            + (2 * second - 4 * product) * moments.slope
            + (1 - 2 * second + 2 * product) * moments.square
        )
        offdiagonal += float(two @ between[1:])
    return float(diagonal) / hidden**2, float(offdiagonal) / hidden**2


@tuples_take_arrays
@remembered(maxsize=512)
def curvature_means(hidden: int, classes: int) -> tuple[float, float]:
    """(E[ξ_C], E[η_C]) over z and V, exact at finite C; both enter `dong` eq. (91), (92) squared.

    At fixed |s|: m E[ξ] = c₁² E[S_uu/α] + (1 - c₁²) E[tr K] and m E[η] = c₁c₂ E[S_uu/α - tr K].

    >>> diagonal, offdiagonal = curvature_means(8, 10**6)
    >>> round(2 * 8 * diagonal, 4), abs(offdiagonal) < 1e-6
    (1.0, True)
    """
    hidden, classes, active = _checked(hidden, classes)
    diagonal = offdiagonal = 0.0
    for variance, one, two in _shells(hidden, active):
        spread, trace = _first_moments(variance, classes)
        diagonal += float(one @ (spread / active + trace * (1 - 1 / active)))
        # E[c₁c₂] over the positive part of the sphere: E|x₁|E|x₂|/E|x|² for a Gaussian x.
        angle = 2 / (math.pi * active[1:])
        offdiagonal += float(two @ angle) * (spread - trace)
    return float(diagonal) / hidden, float(offdiagonal) / hidden


def _first_moments(variance: float, classes: int) -> tuple[float, float]:
    """(E[S_uu]/α, E[tr K])."""
    log_t = _log_grid(variance, classes)
    log_zero, phi = _transforms(log_t, variance)
    pairs = float(classes) * (classes - 1)
    with np.errstate(invalid="ignore"):
        rest = (classes - 2) * log_zero if classes > 2 else np.zeros_like(log_zero)
        envelope = np.exp(2 * log_t + rest + variance)
    one = phi[1, 0]

    def integral(values: NDArray[np.float64]) -> float:
        return pairs * float(np.sum(np.where(envelope > 0, envelope * values, 0.0)) * _STEP)

    return integral(phi[1, 2] * one - phi[1, 1] ** 2) / variance, integral(one**2)
