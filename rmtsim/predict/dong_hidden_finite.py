"""The functions h, u, q of `dong` Theorem 2 at a finite number of classes, each with its error.

    h = γ E[λ²] + E[(E[λ|V])²],   λ = ξ on the diagonal, η off it   (d, N → ∞ at fixed C)
    q_ii = E[(s·s')² p_i(1-p_i)p'_i(1-p'_i)],   q_ij = E[(s·s')² p_i p_j p'_i p'_j]

The first term of h is a one-dimensional integral (:mod:`rmtsim.predict.softmax_curvature`). The second, and q,
average over V exactly (:mod:`rmtsim.predict.softmax_overlap`) and over two inputs s, s' by randomised quasi-Monte
Carlo. The inputs are drawn from the law tilted by e^{ρ s·s'}, ρ = 1/m or 2/m, to which the integrand tends as C grows:
it is then bounded by its C → ∞ form, whose known mean serves as control variate. Without the tilt the variance
is infinite at m ≤ 4. At small C, q has further controls of known mean (:func:`_product_controls`). Errors are
standard errors over independent scramblings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import qmc

from rmtsim import validate
from rmtsim.predict.orthant import orthant_moment, relu_exponential
from rmtsim.predict.softmax_curvature import curvature_means, curvature_second_moments
from rmtsim.predict.softmax_overlap import OverlapGeometry, curvature_product, probability_products

__all__ = [
    "Estimate",
    "hidden_ce_diagonal",
    "hidden_ce_offdiagonal",
    "hidden_mse_diagonal",
    "hidden_mse_offdiagonal",
    "output_ce_diagonal",
    "output_ce_offdiagonal",
    "printed_hidden_ce_diagonal",
    "printed_hidden_ce_offdiagonal",
]

_SCRAMBLES = 8
_SEED = 20240917
"""The scramblings are part of the definition: same arguments, same value."""


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error."""

    value: float
    error: float


def _check(gamma: float, hidden: int, classes: int) -> tuple[float, int, int]:
    return (
        validate.positive_number("gamma", gamma, meaning="gamma = d/N"),
        validate.integer("hidden", hidden, minimum=3, meaning="number of hidden neurons m"),
        validate.integer("classes", classes, minimum=2, meaning="number of classes C"),
    )


def _tilted_pairs(
    hidden: int, forced: int, coupling: float, uniforms: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(s, s', weights): rectified Gaussians tilted by e^{ρ s·s'}, the first ``forced`` neurons active in both.

    Three uniforms a neuron: the quadrant of (z, z'), then the point in it. A weight is the density of the
    untilted pair (with the probability that the forced neurons are active) over that of the tilted one.
    """
    both, total = orthant_moment(0, coupling), relu_exponential(coupling)
    choice, a, b = (uniforms[:, k::3] for k in range(3))
    # In the positive quadrant: a Gaussian of correlation ρ, variance 1/(1-ρ²), in polar coordinates of the
    # plane where it is round; the quadrant is a sector of the angle π/2 + arcsin ρ.
    root = math.sqrt((1 - coupling) * (1 + coupling))
    sector = math.pi / 2 + math.asin(coupling)
    radius = np.sqrt(-2 * np.log1p(-a))
    angle = sector * b
    x, y = radius * np.sin(angle) / root, radius * np.sin(sector - angle) / root
    half = ndtri(0.5 + 0.5 * np.clip(a, 1e-16, 1 - 1e-16))
    positive = choice < both / total
    positive[:, :forced] = True
    # The other three quadrants: one vector active, the other active, none; a quarter of the mass each.
    place = (choice - both / total) / (0.25 / total)
    first = np.where(positive, x, np.where(place < 1, half, 0.0))
    second = np.where(positive, y, np.where((place >= 1) & (place < 2), half, 0.0))
    weights = both**forced * total ** (hidden - forced) * np.exp(-coupling * (first * second).sum(axis=1))
    return first, second, weights


def _points(hidden: int, classes: int) -> int:
    """Points of a scrambling: fewer where the control variate leaves little (many classes, light tails)."""
    if hidden <= 4 or classes < 10**4:
        return 128
    return 32 if classes < 10**5 else 8


def _average(
    hidden: int,
    forced: int,
    points: int,
    coupling: float,
    integrand: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
    control: Callable[[NDArray[np.float64], NDArray[np.float64]], Any],
    means: Sequence[float],
) -> Estimate:
    """E[integrand; forced neurons active], with control variates of known means."""
    values, controls = np.empty((_SCRAMBLES, points)), np.empty((_SCRAMBLES, points, len(means)))
    for scramble in range(_SCRAMBLES):
        rng = np.random.default_rng([_SEED, scramble])
        uniforms = qmc.Sobol(3 * hidden, scramble=True, rng=rng).random(points)
        for index, (s, t, weight) in enumerate(
            zip(*_tilted_pairs(hidden, forced, coupling, uniforms), strict=True)
        ):
            values[scramble, index] = weight * integrand(s, t)
            controls[scramble, index] = weight * control(s, t)
    table = controls.reshape(-1, len(means))
    slopes = np.linalg.lstsq(table - table.mean(axis=0), (values - values.mean()).ravel(), rcond=None)[0]
    found = (values - (controls - np.asarray(means)) @ slopes).mean(axis=1)
    return Estimate(float(found.mean()), float(found.std(ddof=1)) / math.sqrt(_SCRAMBLES))


@lru_cache(maxsize=256)
def _shared_diagonal(hidden: int, classes: int) -> Estimate:
    """m² E[(E[ξ|V])²]."""
    one = 1 / hidden

    def control(s: NDArray[np.float64], t: NDArray[np.float64]) -> float:
        # First correction of the large-C expansion: covariance of the linearised ξ at s and s'.
        product = s[0] * t[0] / hidden
        return math.exp(float(s @ t) / hidden) * float(product**2 + 4 * product + 2)

    moments = [orthant_moment(k, one) for k in range(3)]
    mean = (moments[2] * one**2 + 4 * moments[1] * one + 2 * moments[0]) * relu_exponential(one) ** (
        hidden - 1
    )
    # The leading part is one on a quarter of all pairs; only what is left needs averaging.
    left = _average(
        hidden,
        1,
        _points(hidden, classes),
        one if classes < 10**4 else 0.0,
        lambda s, t: curvature_product(OverlapGeometry(s, t), classes, (0, 0)) - 1,
        control,
        [mean],
    )
    return Estimate(0.25 + left.value, left.error)


@lru_cache(maxsize=256)
def _shared_offdiagonal(hidden: int, classes: int) -> Estimate:
    """m² C E[(E[η|V])²]."""
    one = 1 / hidden

    def control(s: NDArray[np.float64], t: NDArray[np.float64]) -> float:
        return math.exp(float(s @ t) / hidden) * float(
            (s[0] * t[0] / hidden + 1) * (s[1] * t[1] / hidden + 1)
        )

    pair = orthant_moment(1, one) * one + orthant_moment(0, one)
    return _average(
        hidden,
        2,
        _points(hidden, classes),
        one,
        lambda s, t: classes * curvature_product(OverlapGeometry(s, t), classes, (0, 1)),
        control,
        [pair**2 * relu_exponential(one) ** (hidden - 2)],
    )


def hidden_ce_diagonal(gamma: float, hidden: int, classes: int) -> Estimate:
    """h_ii(γ, C) = γE[ξ²] + E[(E[ξ|V])²], the limit of E‖∂²ℓ_CE/∂w_i∂w_iᵀ‖²_F/d as d, N → ∞.

    Source: `dong` eq. (27) with (89); his (91) replaces E[(E[ξ|V])²] by (Eξ)².

    >>> estimate = hidden_ce_diagonal(0.5, 5, 10**5)
    >>> abs(4 * 5**2 * estimate.value / 2 - 1) < 2e-3 and estimate.error < 1e-5
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    shared = _shared_diagonal(hidden, classes)
    single = curvature_second_moments(hidden, classes)[0]
    return Estimate(gamma * single + shared.value / hidden**2, shared.error / hidden**2)


def hidden_ce_offdiagonal(gamma: float, hidden: int, classes: int) -> Estimate:
    """h_ij(γ, C) = γE[η²] + E[(E[η|V])²], i ≠ j, the limit of E‖∂²ℓ_CE/∂w_i∂w_jᵀ‖²_F/d as d, N → ∞.

    Source: `dong` eq. (27) with (90); his (92) replaces E[(E[η|V])²] by (Eη)².

    >>> estimate = hidden_ce_offdiagonal(0.5, 5, 10**5)
    >>> estimate.error < 0.01 * estimate.value
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    shared, scale = _shared_offdiagonal(hidden, classes), classes * hidden**2
    single = curvature_second_moments(hidden, classes)[1]
    return Estimate(gamma * single + shared.value / scale, shared.error / scale)


def printed_hidden_ce_diagonal(gamma: float, hidden: int, classes: int) -> float:
    """γE[ξ²] + (Eξ)², what `dong` eq. (91) gives for h_ii.

    >>> printed_hidden_ce_diagonal(0.5, 5, 10**5) < hidden_ce_diagonal(0.5, 5, 10**5).value     # Jensen
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    return gamma * curvature_second_moments(hidden, classes)[0] + curvature_means(hidden, classes)[0] ** 2


def printed_hidden_ce_offdiagonal(gamma: float, hidden: int, classes: int) -> float:
    """γE[η²] + (Eη)², what `dong` eq. (92) gives for h_ij.

    >>> printed_hidden_ce_offdiagonal(0.5, 5, 10**5) < hidden_ce_offdiagonal(0.5, 5, 10**5).value
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    return gamma * curvature_second_moments(hidden, classes)[1] + curvature_means(hidden, classes)[1] ** 2


def hidden_mse_diagonal(gamma: float, hidden: int, classes: int, *, factor: float = 2.0) -> float:
    """u_ii(γ, C) = factor² E[(ΣV²)²] (1 + 2γ)/4 = factor² C(C+2)(1 + 2γ)/(4m²), exact.

    ``factor`` 2 is the Hessian of the loss (7), 1 the expression (8). Source: `dong` eq. (28); the right-hand
    side of (100), which he names as u_ii, lacks the weights.

    >>> hidden_mse_diagonal(0.5, 3, 4)
    5.333333333333333
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    return factor**2 * classes * (classes + 2) * (1 + 2 * gamma) / (4 * hidden**2)


def hidden_mse_offdiagonal(gamma: float, hidden: int, classes: int, *, factor: float = 2.0) -> float:
    """u_ij(γ, C) = factor² C(1 + 4γ)/(16m²), i ≠ j, exact; see :func:`hidden_mse_diagonal`.

    >>> hidden_mse_offdiagonal(0.5, 3, 12)
    1.0
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    return factor**2 * classes * (1 + 4 * gamma) / (16 * hidden**2)


@lru_cache(maxsize=256)
def output_ce_diagonal(hidden: int, classes: int) -> Estimate:
    """q_ii(C), the limit of E‖∂²ℓ_CE/∂v_i∂v_iᵀ‖²_F as d, N → ∞; it does not depend on γ.

    Source: `dong` eq. (29), (103), (107).

    >>> estimate = output_ce_diagonal(5, 10**5)
    >>> estimate.error < 0.01 * estimate.value
    True
    """
    _, hidden, classes = _check(1.0, hidden, classes)
    return _output(hidden, classes, 1, float(classes) ** 2)


@lru_cache(maxsize=256)
def output_ce_offdiagonal(hidden: int, classes: int) -> Estimate:
    """q_ij(C), i ≠ j, the limit of E‖∂²ℓ_CE/∂v_i∂v_jᵀ‖²_F as d, N → ∞; it does not depend on γ.

    Source: `dong` eq. (29), (104), (107).

    >>> estimate = output_ce_offdiagonal(5, 10**5)
    >>> estimate.error < 0.02 * estimate.value
    True
    """
    _, hidden, classes = _check(1.0, hidden, classes)
    return _output(hidden, classes, 2, float(classes) ** 4)


def _product_mean(hidden: int, coupling: float) -> float:
    """E[(s·s')² e^{ρ s·s'}]: second derivative in ρ of E[e^{ρ s·s'}] = (3/4 + I₀(ρ))^m."""
    one, base = orthant_moment(1, coupling), relu_exponential(coupling)
    return hidden * orthant_moment(2, coupling) * base ** (hidden - 1) + hidden * (
        hidden - 1
    ) * one**2 * base ** (hidden - 2)


def _product_controls(hidden: int, order: int, few: bool) -> tuple[tuple[float, ...], list[float]]:
    """Couplings ρ of the controls (s·s')² e^{ρ s·s'}, and the means of these and of (s·s')²(|s|² + |s'|²).

    The first is the integrand at C → ∞; the others follow its flattening where one class can take all the weight.
    """
    if few:
        return (order / hidden,), [_product_mean(hidden, order / hidden)]
    couplings = (order / hidden, 0.0, -1 / hidden, -2 / hidden)
    # Moments E[σ(z)^k], k = 1, 2, 3, 4, of a rectified Gaussian.
    m, one, two, three, four = hidden, 1 / math.sqrt(2 * math.pi), 0.5, 2 / math.sqrt(2 * math.pi), 1.5
    squares = m * four * two + m * (m - 1) * (two**3 + 2 * three * one**3 + (m - 2) * two * one**4)
    return couplings, [*(_product_mean(hidden, coupling) for coupling in couplings), 2 * squares]


def _output(hidden: int, classes: int, order: int, scale: float) -> Estimate:
    points = _points(hidden, classes)
    couplings, means = _product_controls(hidden, order, few=points < 128)

    def integrand(s: NDArray[np.float64], t: NDArray[np.float64]) -> float:
        product = float(s @ t)
        if product == 0.0:
            return 0.0
        return product**2 * probability_products(OverlapGeometry(s, t), classes)[order - 1]

    def control(s: NDArray[np.float64], t: NDArray[np.float64]) -> list[float]:
        product = float(s @ t)
        controls = [product**2 * math.exp(coupling * product) for coupling in couplings]
        controls.append(product**2 * float(s @ s + t @ t))
        return controls[: len(means)]

    found = _average(
        hidden,
        0,
        points,
        order / hidden,
        integrand,
        lambda s, t: np.array(control(s, t)),
        means,
    )
    return Estimate(found.value / scale, found.error / scale)
