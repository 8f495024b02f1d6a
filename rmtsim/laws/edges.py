"""Closed-form support edges kept as a sum of two doubles.

Near an edge λ a density behaves like √|x - λ|, so its relative error is half that of x - λ. Rounding λ to
a double spends all digits of x - λ at x = λ; keeping the rounding error of λ beside it keeps them.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Edge", "exact"]

_CONTEXT = decimal.Context(prec=230, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)

Numbers = TypeVar("Numbers", NDArray[np.float64], NDArray[np.complex128])


@dataclass(frozen=True)
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


def exact() -> decimal.Context:
    """A context of 230 digits and no overflow: 1 - √ratio is told from one for every double ratio."""
    return _CONTEXT.copy()
