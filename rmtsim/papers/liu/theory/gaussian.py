"""Expectations over one Gaussian, to rounding for the smooth functions of this package."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays

__all__ = ["expectation"]


@cache
def _rule() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # The trapezoidal rule converges geometrically for analytic integrands that decay like a Gaussian.
    panels, reach = 4000, 13.0
    nodes = np.linspace(-reach, reach, panels + 1)
    return nodes, np.exp(-(nodes**2) / 2) * (2 * reach / panels) / math.sqrt(2 * math.pi)


@takes_arrays
def expectation(function: Callable[[NDArray[np.float64]], Any], variance: float) -> float:
    """E[function(z)], z ~ N(0, variance).

    >>> round(expectation(np.square, 2.0), 12)
    2.0
    """
    if not callable(function):
        raise TypeError(f"function={validate.shown(function)}: expected a function of arrays")
    variance = validate.finite_number("variance", variance, meaning="variance of the Gaussian")
    if variance < 0:
        raise ValueError(f"variance={variance}: expected a number >= 0 (variance of the Gaussian)")
    nodes, weights = _rule()
    try:
        values = np.asarray(function(math.sqrt(variance) * nodes), dtype=np.float64)
    except TypeError as error:
        raise TypeError(f"function: expected a function of one array ({error})") from error
    return float(weights @ values)
