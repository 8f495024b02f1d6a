"""p = (1 - ηλ)^t and 1 - p without overflow, underflow or cancellation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen

__all__ = ["Powers", "powers"]

_LARGEST = 700.0
"""exp of more than this overflows."""


@frozen
class Powers:
    """Values of p = (1 - ηλ)^t divided by e^scale; ``scale`` is zero unless p grows beyond one."""

    power: NDArray[np.float64]
    complement: NDArray[np.float64]
    """(1 - p) e^(-scale)."""
    scale: float


def logarithm(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """log|1 - z|, exact near z = 0 and z = 2, where powers are of order one."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(np.where(products < 1, -products, products - 2)))


def powers(step: float, steps: int, values: NDArray[np.float64]) -> Powers:
    """p and 1 - p at the given eigenvalues.

    >>> result = powers(1e-5, 100_000, np.array([1e-9, 1.0]))
    >>> result.complement
    array([1.00000000e-09, 6.32122398e-01])
    """
    with np.errstate(over="ignore"):
        products = step * values
    if not np.isfinite(products).all():
        raise OverflowError(f"step={step}: its product with an eigenvalue leaves the range of doubles")
    exponent = steps * logarithm(products)
    negative = (products > 1) & (steps % 2 == 1)
    scale = max(0.0, float(exponent.max(initial=0.0)))
    power = np.exp(exponent - scale)
    # expm1 keeps the digits of 1 - p for small ηλt, and near ηλ = 2 if t is even.
    near = -np.expm1(np.minimum(exponent, _LARGEST)) * np.exp(-scale)
    complement = np.where(exponent < _LARGEST, near, -power)
    return Powers(
        np.where(negative, -power, power),
        np.where(negative, np.exp(-scale) + power, complement),
        scale,
    )
