"""Gaussian integrals over the positive quadrant, in elementary functions.

With S the standard normal density in the plane,

    I₀(ρ) = ∫∫_{x,y>0} e^{ρxy} S dx dy = (π/2 + arcsin ρ) / (2π √(1-ρ²)),   |ρ| < 1,

and every factor xy is one derivative in ρ. See docs/papers/dong/one-hidden-layer.md.
"""

from __future__ import annotations

import math

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays

__all__ = ["orthant_moment", "relu_exponential"]


def _series(power: int, w: float) -> float:
    """k-th derivative in ρ of (π/2 + arcsin ρ)/√(1-ρ²) = ₂F₁(1, 1; 3/2; w), w = (1 + ρ)/2, for w ≤ 1/2.

    All terms are positive, whereas those of the closed form cancel as ρ → -1.
    """
    # (1)ₖ²/((3/2)ₖ 2ᵏ), the factor of ₂F₁(k+1, k+1; k+3/2; w).
    term = (1.0, 1 / 3, 4 / 15)[power]
    total, n = 0.0, 0
    while total + term > total:
        total += term
        term *= w * (power + 1 + n) ** 2 / ((power + 1.5 + n) * (n + 1))
        n += 1
    return total


@takes_arrays
def orthant_moment(power: int, coupling: float) -> float:
    """(1/2π) ∫∫_{x,y>0} (xy)^k exp(ρxy - x²/2 - y²/2) dx dy for k = ``power`` in {0, 1, 2}, ρ = ``coupling``.

    Finite only for ρ < 1; the integrals of `dong` eq. (67) are those with ρ = 1/m and 2/m. Relative error a few
    units of rounding.

    >>> orthant_moment(0, 0.0), orthant_moment(2, 0.0)
    (0.25, 0.25)
    >>> round(2 * math.pi * orthant_moment(1, 0.0), 15)
    1.0
    """
    power = validate.integer("power", power, minimum=0, maximum=2, meaning="power of xy")
    coupling = validate.finite_number("coupling", coupling, meaning="coefficient of xy in the exponent")
    if not -1 < coupling < 1:
        raise ValueError(
            f"coupling={coupling}: expected a number in (-1, 1); the integral diverges from 1 on"
        )
    if coupling < 0:
        return _series(power, 0.5 * (1 + coupling)) / (2 * math.pi)
    rest = (1 - coupling) * (1 + coupling)
    angle = 0.5 * math.pi + math.asin(coupling)
    if power == 0:
        value = angle / math.sqrt(rest)
    elif power == 1:
        value = 1 / rest + coupling * angle / rest**1.5
    else:
        value = 3 * coupling / rest**2 + (1 + 2 * coupling**2) * angle / rest**2.5
    return value / (2 * math.pi)


@takes_arrays
def relu_exponential(coupling: float) -> float:
    """E[exp(ρ σ(x)σ(y))] for independent standard Gaussians x, y and the ReLU σ: 3/4 + I₀(ρ).

    >>> relu_exponential(0.0)
    1.0
    """
    return 0.75 + orthant_moment(0, coupling)
