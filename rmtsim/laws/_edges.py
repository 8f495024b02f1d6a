"""Closed-form support edges kept as a sum of two doubles.

Near an edge λ a density behaves like √|x - λ|, so its relative error is half that of x - λ. If λ is rounded to a
double, x - λ has no correct digits near x = λ; storing the rounding error of λ as well preserves them.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen

_CONTEXT = decimal.Context(prec=230, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)

Numbers = TypeVar("Numbers", NDArray[np.float64], NDArray[np.complex128])


@frozen
class Edge:
    """The number ``value + rest``, ``value`` its nearest double."""

    value: float
    rest: float

    @classmethod
    def of(cls, number: Decimal) -> Edge:
        """The two leading doubles of a number of many digits."""
        value = float(number)
        return cls(value, float(_CONTEXT.subtract(number, Decimal(value))))

    def below(self, x: Numbers) -> Numbers:
        """x - edge, to the last digits."""
        return (x - self.value) - self.rest

    def above(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """edge - x, to the last digits."""
        return (self.value - x) + self.rest


def two_sum(a: float, b: float) -> tuple[float, float]:
    """a + b as a sum of two doubles."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _halves(x: float) -> tuple[float, float]:
    """x as a sum of two numbers of 26 bits each, whose products are exact (Veltkamp)."""
    scaled = 134217729.0 * x
    high = scaled - (scaled - x)
    return high, x - high


def two_product(a: float, b: float) -> tuple[float, float]:
    """a·b as a sum of two doubles (Dekker); no over- or underflow of the parts."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def square_of(high: float, low: float) -> tuple[float, float]:
    """(high + low)², to thirty digits."""
    product, rest = two_product(high, high)
    return two_sum(product, rest + 2 * high * low)


def exact() -> decimal.Context:
    """A context of 230 digits without overflow, in which 1 - √ratio differs from one for every double ratio."""
    return _CONTEXT.copy()
