"""Activations of the theory: derivatives, and the smallest L_σ and β_σ with |σ'| ≤ L_σ, |σ''| ≤ β_σ.

They are independent of those of :mod:`rmtsim.networks`, which the simulation uses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import erfc

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, takes_arrays

__all__ = ["curvature_bound", "derivative", "lipschitz_constant"]

Derivatives = tuple[Callable[[Array], Array], Callable[[Array], Array], Callable[[Array], Array]]


def _logistic(z: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(z / 2)))


def _bell(z: Array) -> Array:
    return np.asarray(np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))


def _normal(z: Array) -> Array:
    return np.asarray(0.5 * erfc(-z / math.sqrt(2)))


def _logistic_slope(z: Array) -> Array:
    return np.asarray(0.25 / np.cosh(z / 2) ** 2)


def _logistic_curvature(z: Array) -> Array:
    return -_logistic_slope(z) * np.tanh(z / 2)


_TABLE: dict[str, Derivatives] = {
    "tanh": (np.tanh, lambda z: np.cosh(z) ** -2.0, lambda z: -2 * np.tanh(z) * np.cosh(z) ** -2.0),
    "sigmoid": (_logistic, _logistic_slope, _logistic_curvature),
    "softplus": (lambda z: np.logaddexp(0.0, z), _logistic, _logistic_slope),
    "gelu": (lambda z: z * _normal(z), lambda z: _normal(z) + z * _bell(z), lambda z: (2 - z**2) * _bell(z)),
    "swish": (
        lambda z: z * _logistic(z),
        lambda z: _logistic(z) + z * _logistic_slope(z),
        lambda z: 2 * _logistic_slope(z) + z * _logistic_curvature(z),
    ),
    "sin": (np.sin, np.cos, lambda z: -np.sin(z)),
    "identity": (lambda z: z, np.ones_like, np.zeros_like),
}
_REACH = 300.0
"""Beyond this |z| no derivative has a further extremum, and cosh is still finite."""


def _known(activation: str) -> str:
    return validate.choice("activation", activation, tuple(_TABLE))


@takes_arrays(native=("z",))
def derivative(activation: str, z: Any, order: int = 0) -> Array:
    """σ, σ' or σ'' of a smooth activation at ``z``.

    >>> derivative("tanh", [0.0], order=1)
    array([1.])
    """
    _known(activation)
    order = validate.integer("order", order, minimum=0, maximum=2, meaning="order of the derivative")
    values = np.clip(validate.real_array("z", z), -_REACH, _REACH) if order else validate.real_array("z", z)
    return np.asarray(_TABLE[activation][order](values), dtype=np.float64)


@cache
def _largest(activation: str, order: int) -> float:
    grid = np.linspace(-40.0, 40.0, 80_001)
    values = np.abs(derivative(activation, grid, order))
    best = int(np.argmax(values))
    if values[best] == 0:
        return 0.0
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda z: -abs(float(derivative(activation, z, order))),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return max(float(values[best]), -float(found.fun))


@takes_arrays
def lipschitz_constant(activation: str) -> float:
    """L_σ = sup |σ'|, the smallest Lipschitz constant.

    >>> lipschitz_constant("tanh"), lipschitz_constant("sigmoid")
    (1.0, 0.25)
    """
    return _largest(_known(activation), 1)


@takes_arrays
def curvature_bound(activation: str) -> float:
    """β_σ = sup |σ''|, the smallest constant of β_σ-smoothness; 4/(3√3) for tanh.

    >>> round(curvature_bound("tanh") * 3 * 3**0.5 / 4, 12)
    1.0
    """
    return _largest(_known(activation), 2)
