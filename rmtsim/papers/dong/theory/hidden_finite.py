"""The functions h, u, q of `dong` Theorem 2 at a finite number of classes, each with its error.

    h = γ E[λ²] + E[(E[λ|V])²],   λ = ξ on the diagonal, η off it   (d, N → ∞ at fixed C)
    q_ii = E[(s·s')² p_i(1-p_i)p'_i(1-p'_i)],   q_ij = E[(s·s')² p_i p_j p'_i p'_j]

The first term of h is a one-dimensional integral (:mod:`rmtsim.papers.dong.theory.softmax_curvature`). The
second, and q, average over V exactly (:mod:`rmtsim.papers.dong.theory.softmax_overlap`) and over two inputs s, s' by
randomised quasi-Monte
Carlo. For h the inputs are drawn from the law tilted by e^{s·s'/m}, to which the integrand tends as C grows:
it is then bounded by its C → ∞ form, whose known mean serves as companion; errors are standard errors over
independent scramblings. For q they are drawn with the factor (s·s')² as well, and the rest, a smooth function of three
numbers, is fitted (:mod:`rmtsim.papers.dong.theory.relu_pairs`). Without the tilt the variance is infinite at m ≤ 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Estimate, records_take_arrays, takes_arrays
from rmtsim._internal.quasi_random import seeded_points
from rmtsim._internal.remembered import remembered
from rmtsim.papers.dong.theory.orthant import orthant_moment, relu_exponential
from rmtsim.papers.dong.theory.relu_pairs import MOST_NEURONS, squared_overlap_average, tilted_neurons
from rmtsim.papers.dong.theory.softmax_curvature import curvature_means, curvature_second_moments
from rmtsim.papers.dong.theory.softmax_overlap import OverlapGeometry, curvature_product, probability_products

__all__ = [
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

    A weight is the density of the untilted pair (with the probability that the forced neurons are active)
    over that of the tilted one.
    """
    first, second = tilted_neurons(coupling, uniforms, forced)
    mass = orthant_moment(0, coupling) ** forced * relu_exponential(coupling) ** (hidden - forced)
    return first, second, mass * np.exp(-coupling * (first * second).sum(axis=1))


def _points(hidden: int, classes: int) -> int:
    """Points of a scrambling: fewer where the companion leaves little (many classes, light tails)."""
    if hidden <= 4 or classes < 10**4:
        return 128
    return 32 if classes < 10**5 else 8


def _average(
    hidden: int,
    forced: int,
    points: int,
    coupling: float,
    integrand: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
    companion: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
    mean: float,
) -> Estimate:
    """E[integrand; forced neurons active], with a companion of known mean."""
    hidden = validate.integer(
        "hidden", hidden, minimum=3, maximum=MOST_NEURONS, meaning="neurons averaged over"
    )
    values, companions = np.empty((_SCRAMBLES, points)), np.empty((_SCRAMBLES, points))
    for scramble in range(_SCRAMBLES):
        uniforms = seeded_points(points, 3 * hidden, _SEED, scramble)
        for index, (s, t, weight) in enumerate(
            zip(*_tilted_pairs(hidden, forced, coupling, uniforms), strict=True)
        ):
            values[scramble, index] = weight * integrand(s, t)
            companions[scramble, index] = weight * companion(s, t)
    centred = companions - companions.mean()
    slope = float((centred * (values - values.mean())).sum() / max(float((centred**2).sum()), 1e-300))
    means = (values - slope * (companions - mean)).mean(axis=1)
    return Estimate(float(means.mean()), float(means.std(ddof=1)) / math.sqrt(_SCRAMBLES))


@remembered(maxsize=256)
def _shared_diagonal(hidden: int, classes: int) -> Estimate:
    """m² E[(E[ξ|V])²]."""
    one = 1 / hidden

    def companion(s: NDArray[np.float64], t: NDArray[np.float64]) -> float:
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
        companion,
        mean,
    )
    return Estimate(0.25 + left.value, left.error)


@remembered(maxsize=256)
def _shared_offdiagonal(hidden: int, classes: int) -> Estimate:
    """m² C E[(E[η|V])²]."""
    one = 1 / hidden

    def companion(s: NDArray[np.float64], t: NDArray[np.float64]) -> float:
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
        companion,
        pair**2 * relu_exponential(one) ** (hidden - 2),
    )


@records_take_arrays
def hidden_ce_diagonal(gamma: float, hidden: int, classes: int) -> Estimate:
    """h_ii(γ, C) = γE[ξ²] + E[(E[ξ|V])²], the limit of E‖∂²ℓ_CE/∂w_i∂w_iᵀ‖²_F/d as d, N → ∞.

    Source: `dong` eq. (27) with (89); eq. (91) replaces E[(E[ξ|V])²] by (Eξ)².

    Like all functions here it takes arrays too.

    >>> estimate = hidden_ce_diagonal(0.5, 5, 10**5)
    >>> abs(4 * 5**2 * estimate.value / 2 - 1) < 2e-3 and estimate.error < 1e-5
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    shared = _shared_diagonal(hidden, classes)
    single = curvature_second_moments(hidden, classes)[0]
    return Estimate(gamma * single + shared.value / hidden**2, shared.error / hidden**2)


@records_take_arrays
def hidden_ce_offdiagonal(gamma: float, hidden: int, classes: int) -> Estimate:
    """h_ij(γ, C) = γE[η²] + E[(E[η|V])²], i ≠ j, the limit of E‖∂²ℓ_CE/∂w_i∂w_jᵀ‖²_F/d as d, N → ∞.

    Source: `dong` eq. (27) with (90); eq. (92) replaces E[(E[η|V])²] by (Eη)².

    >>> estimate = hidden_ce_offdiagonal(0.5, 5, 10**5)
    >>> estimate.error < 0.01 * estimate.value
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    shared, scale = _shared_offdiagonal(hidden, classes), classes * hidden**2
    single = curvature_second_moments(hidden, classes)[1]
    return Estimate(gamma * single + shared.value / scale, shared.error / scale)


@takes_arrays
def printed_hidden_ce_diagonal(gamma: float, hidden: int, classes: int) -> float:
    """γE[ξ²] + (Eξ)², what `dong` eq. (91) gives for h_ii.

    >>> printed_hidden_ce_diagonal(0.5, 5, 10**5) < hidden_ce_diagonal(0.5, 5, 10**5).value     # Jensen
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    return gamma * curvature_second_moments(hidden, classes)[0] + curvature_means(hidden, classes)[0] ** 2


@takes_arrays
def printed_hidden_ce_offdiagonal(gamma: float, hidden: int, classes: int) -> float:
    """γE[η²] + (Eη)², what `dong` eq. (92) gives for h_ij.

    >>> printed_hidden_ce_offdiagonal(0.5, 5, 10**5) < hidden_ce_offdiagonal(0.5, 5, 10**5).value
    True
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    return gamma * curvature_second_moments(hidden, classes)[1] + curvature_means(hidden, classes)[1] ** 2


def _factor(factor: float) -> float:
    number = validate.finite_number("factor", factor, meaning="2 for the loss, 1 for the printed expression")
    if abs(number) > 1e100:
        raise ValueError(f"factor={number}: expected a number within ±1e100 (2 for the loss)")
    return number


@takes_arrays
def hidden_mse_diagonal(gamma: float, hidden: int, classes: int, *, factor: float = 2.0) -> float:
    """u_ii(γ, C) = factor² E[(ΣV²)²] (1 + 2γ)/4 = factor² C(C+2)(1 + 2γ)/(4m²), exact.

    ``factor`` 2 is the Hessian of the loss (7), 1 the expression (8). Source: `dong` eq. (28); the right-hand side of
    (100), which the paper calls u_ii, lacks the weights.

    >>> hidden_mse_diagonal(0.5, 3, 4)
    5.333333333333333
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    factor = _factor(factor)
    return factor**2 * classes * (classes + 2) * (1 + 2 * gamma) / (4 * hidden**2)


@takes_arrays
def hidden_mse_offdiagonal(gamma: float, hidden: int, classes: int, *, factor: float = 2.0) -> float:
    """u_ij(γ, C) = factor² C(1 + 4γ)/(16m²), i ≠ j, exact; see :func:`hidden_mse_diagonal`.

    >>> hidden_mse_offdiagonal(0.5, 3, 12)
    1.0
    """
    gamma, hidden, classes = _check(gamma, hidden, classes)
    factor = _factor(factor)
    return factor**2 * classes * (1 + 4 * gamma) / (16 * hidden**2)


@records_take_arrays
@remembered(maxsize=256)
def output_ce_diagonal(hidden: int, classes: int) -> Estimate:
    """q_ii(C), the limit of E‖∂²ℓ_CE/∂v_i∂v_iᵀ‖²_F as d, N → ∞; it does not depend on γ.

    Source: `dong` eq. (29), (103), (107).

    >>> estimate = output_ce_diagonal(5, 10**5)
    >>> estimate.error < 0.01 * estimate.value
    True
    """
    _, hidden, classes = _check(1.0, hidden, classes)
    return _output(hidden, classes, 1)


@records_take_arrays
@remembered(maxsize=256)
def output_ce_offdiagonal(hidden: int, classes: int) -> Estimate:
    """q_ij(C), i ≠ j, the limit of E‖∂²ℓ_CE/∂v_i∂v_jᵀ‖²_F as d, N → ∞; it does not depend on γ.

    Source: `dong` eq. (29), (104), (107).

    >>> estimate = output_ce_offdiagonal(5, 10**5)
    >>> estimate.error < 0.02 * estimate.value
    True
    """
    _, hidden, classes = _check(1.0, hidden, classes)
    return _output(hidden, classes, 2)


def _output(hidden: int, classes: int, order: int) -> Estimate:
    # The integrand tends to (s·s')² e^{ρ s·s'} with ρ = order/m as C grows, and is flatter at few classes.
    tilt = 0.5 if classes < 100 else 0.75 if classes < 10**4 else 1.0
    value, error = squared_overlap_average(
        hidden,
        tilt * order / hidden,
        lambda s, t: probability_products(OverlapGeometry(s, t), classes)[order - 1],
        # Many classes leave little to fit: with few points the error is still below 1e-4.
        points=64 if hidden <= 4 else 32 if classes < 10**4 else 8,
        scrambles=_SCRAMBLES,
        seed=_SEED,
    )
    scale = float(classes) ** (2 * order)
    return Estimate(value / scale, error / scale)
