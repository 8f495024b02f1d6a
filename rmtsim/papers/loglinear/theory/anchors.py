"""How well an anchor vector fits log Z (Hypothesis 3.4.2), in closed form for Gaussian and spherical dictionaries.

``level`` is the constant that log Z/n is measured from: log n for log Z itself.
"""

from __future__ import annotations

import math

from scipy.special import ive, log_ndtr, loggamma, ndtri

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays

__all__ = [
    "anchor_error", "bulk_level", "gaussian_variance", "intercept_error", "spherical_anchor_error",
    "spherical_intercept_error", "spherical_log_mean", "spherical_variance",
]  # fmt: skip


def _constants(rank: int, deviation: float, mean: float, spread: float) -> tuple[int, float, float, float]:
    return (
        validate.integer("rank", rank, meaning="rank r of the atoms' covariance"),
        validate.positive_number("deviation", deviation, meaning="σ of the atoms"),
        validate.finite_number("mean", mean, meaning="length of the contexts' mean"),
        validate.positive_number("spread", spread, meaning="τ, standard deviation of the contexts"),
    )


@takes_arrays
def intercept_error(rank: int, deviation: float, spread: float) -> float:
    """½τ⁴ tr Σ² = ½rσ⁴τ⁴: mean squared error of the best ⟨v, v₀⟩ + constant, Gaussian atoms, n → ∞.

    >>> intercept_error(rank=8, deviation=1.0, spread=0.5)
    0.25
    >>> intercept_error(rank=[8, 16], deviation=1.0, spread=0.5)
    array([0.25, 0.5 ])
    """
    r, sigma, _, tau = _constants(rank, deviation, 0.0, spread)
    try:
        return 0.5 * r * (sigma * tau) ** 4
    except OverflowError:
        raise OverflowError(
            f"deviation={sigma:g}, spread={tau:g}: the error leaves the range of doubles; expected smaller ones"
        ) from None


@takes_arrays
def anchor_error(rank: int, deviation: float, mean: float, spread: float, level: float) -> float:
    """½rσ⁴τ⁴ + c²/(1 + M²/τ²), c = level + ½σ²(rτ² - M²): error of the best ⟨v, v₀⟩, Gaussian atoms, n → ∞.

    Atoms N(μ, Σ), Σ of rank r with eigenvalue σ²; contexts N(m, τ²I), ‖m‖ = M in the range of Σ; μ drops out. Only the
    contexts' mean can make up for the constant c.

    >>> round(anchor_error(rank=8, deviation=1.0, mean=0.0, spread=0.5, level=0.0), 6)
    1.25
    """
    r, sigma, length, tau = _constants(rank, deviation, mean, spread)
    level = validate.finite_number("level", level)
    try:
        constant = level + 0.5 * sigma**2 * (r * tau**2 - length**2)
        return intercept_error(r, sigma, tau) + constant**2 / (1 + (length / tau) ** 2)
    except OverflowError:
        raise OverflowError(
            f"deviation={sigma:g}, mean={length:g}, spread={tau:g}, level={level:g}: the error leaves the range of "
            "doubles; expected smaller ones"
        ) from None


@takes_arrays
def spherical_log_mean(dimension: int, deviation: float, length: float) -> float:
    """log E e^{⟨v, u⟩} for u uniform on the sphere of radius σ√d, ‖v‖ = ``length``: log ₀F₁(d/2; κ²/4), κ = σ√d‖v‖.

    >>> round(spherical_log_mean(dimension=3, deviation=1.0, length=1.0), 12)  # log(sinh(√3)/√3)
    0.457796020909
    """
    d = validate.integer("dimension", dimension, minimum=2)
    sigma = validate.positive_number("deviation", deviation)
    kappa = sigma * math.sqrt(d) * validate.positive_number("length", length, meaning="‖v‖")
    order = d / 2 - 1
    bessel = float(ive(order, kappa))
    if not bessel > 0:
        raise OverflowError(
            f"spherical_log_mean: dimension={d}, κ={kappa:g} leave the range of doubles; expected smaller ones"
        )
    return float(loggamma(d / 2)) + order * math.log(2 / kappa) + math.log(bessel) + kappa


@takes_arrays
def spherical_anchor_error(dimension: int, deviation: float, length: float, level: float) -> float:
    """(level + log ₀F₁)²: spherical atoms and contexts make log Z a constant, which no ⟨v, v₀⟩ fits: v₀ = 0 is best.

    >>> round(spherical_anchor_error(3, 1.0, 1.0, 10.0), 4)
    109.3655
    """
    level = validate.finite_number("level", level)
    if abs(level) > 1e150:
        raise ValueError(f"level={level}: expected a number of modulus up to 1e150, whose square is a double")
    return (level + spherical_log_mean(dimension, deviation, length)) ** 2


@takes_arrays
def spherical_intercept_error(dimension: int, deviation: float, length: float) -> float:
    """Limit of n·ε_MSE for spherical atoms and contexts with an intercept: Var(Z)/(nm²) without its linear part.

    The covariance of Z at two contexts is a sum over spherical harmonics; an intercept fits degree zero and ⟨v, v₀⟩
    degree one, whose share is d(m'/m)², m(κ) = ₀F₁(d/2; κ²/4), m'/m = I_{d/2}(κ)/I_{d/2-1}(κ), κ = σ√d‖v‖.

    >>> round(spherical_intercept_error(3, 1.0, 1.0), 6)  # m = sinh(√3)/√3
    0.131675
    """
    d = validate.integer("dimension", dimension, minimum=2)
    first = spherical_log_mean(d, deviation, length)
    second = spherical_log_mean(d, deviation, 2 * length)
    kappa = deviation * math.sqrt(d) * length
    slope = float(ive(d / 2, kappa) / ive(d / 2 - 1, kappa))
    return math.expm1(second - 2 * first) - d * slope**2


@takes_arrays
def spherical_variance(dimension: int, deviation: float, length: float) -> float:
    """Variance of e^{⟨v, u⟩} for u uniform on the sphere of radius σ√d: n Var(Z/n), exactly.

    >>> round(spherical_variance(3, 1.0, 1.0), 6)
    2.108488
    """
    first = spherical_log_mean(dimension, deviation, length)
    second = spherical_log_mean(dimension, deviation, 2 * length)
    try:
        return math.exp(2 * first) * math.expm1(second - 2 * first)
    except OverflowError:
        raise OverflowError(
            f"deviation={deviation:g}, length={length:g}: the variance leaves the range of doubles; "
            "expected smaller ones"
        ) from None


@takes_arrays
def gaussian_variance(deviation: float, length: float) -> float:
    """Variance e^{2s²} - e^{s²} of e^{⟨v, u⟩} for u ~ N(0, σ²I), s = σ‖v‖; the limit of the spherical one, d → ∞.

    >>> round(gaussian_variance(1.0, 1.0), 6)
    4.670774
    """
    s = validate.positive_number("deviation", deviation) * validate.positive_number("length", length)
    if s > 18.8:
        raise ValueError(
            f"deviation={deviation}, length={length}: expected a product up to 18.8, where e^(2s²) is a double"
        )
    return math.exp(s**2) * math.expm1(s**2)


@takes_arrays
def bulk_level(deviation: float, length: float, share: float) -> float:
    """Limit of log(Z_bulk/n) when the top ``share`` of n Gaussian words is removed: ½s² + log Φ(Φ⁻¹(1 - share) - s).

    >>> round(bulk_level(1.0, 1.0, 0.1), 6)
    0.007106
    """
    s = validate.positive_number("deviation", deviation) * validate.positive_number("length", length)
    if s > 1e150:
        raise ValueError(f"deviation={deviation}, length={length}: expected a product up to 1e150")
    removed = validate.finite_number("share", share)
    if not 0 < removed < 1:
        raise ValueError(f"share={removed}: expected a number in (0, 1) (share of words removed)")
    return 0.5 * s**2 + float(log_ndtr(-float(ndtri(removed)) - s))
