"""Derivatives of layers by differences of values in 40 digits, which share no formula with the networks' own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rmtsim._internal.arrays import Array

DIGITS = 40


def sigma(activation: str) -> Callable[[Any], Any]:
    """The activation of this name as a function of mpmath's numbers."""
    import mpmath

    functions: dict[str, Callable[[Any], Any]] = {
        "tanh": mpmath.tanh,
        "sigmoid": lambda z: 1 / (1 + mpmath.exp(-z)),
        "softplus": lambda z: mpmath.log(1 + mpmath.exp(z)),
        "gelu": lambda z: z * mpmath.ncdf(z),
        "swish": lambda z: z / (1 + mpmath.exp(-z)),
        "sin": mpmath.sin,
    }
    return functions[activation]


Layer = Callable[[Any, Any], Sequence[Any]]
"""Neurons of a layer from (weights, inputs), arrays of mpmath's numbers."""


def dense_layer(activation: str, size: int) -> Layer:
    """σ(m^{-1/2} W r), eq. (68)."""
    import mpmath

    bend = sigma(activation)

    def neurons(weights: Any, read: Any) -> list[Any]:
        return [bend(z / mpmath.sqrt(size)) for z in weights.dot(read)]

    return neurons


def exact(values: Array) -> Any:
    """The same numbers as mpmath's, in an array of objects."""
    import mpmath

    return np.array([mpmath.mpf(float(value)) for value in values.ravel()], dtype=object).reshape(
        values.shape
    )


def along(layer: Layer, weights: Array, read: Array, *steps: tuple[Array, Array]) -> Array:
    """First or second derivative of every neuron along one or two directions, each (of the weights, of the inputs)."""
    import mpmath

    with mpmath.workdps(DIGITS):
        h = mpmath.mpf(10) ** -10
        w, r = exact(weights), exact(read)
        moves = [(exact(a), exact(b)) for a, b in steps]
        signs = [(1,), (-1,)] if len(moves) == 1 else [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        total: Any = 0
        for each in signs:
            shifted = [
                start + sum(sign * h * move[part] for sign, move in zip(each, moves, strict=True))
                for part, start in enumerate((w, r))
            ]
            total = total + int(np.prod(each)) * np.array(layer(*shifted), dtype=object)
        return np.array([float(value / (2 * h) ** len(moves)) for value in total])


def second_derivatives(weights: Array, activation: str, x: float) -> Array:
    """∂²σ(w_k x)/∂w_k² of every weight."""
    import mpmath

    bend = sigma(activation)
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -10
        found = []
        for weight in weights:
            w = mpmath.mpf(float(weight))
            a, b, c = (bend((w + k * step) * x) for k in (-1, 0, 1))
            found.append(float((a - 2 * b + c) / step**2))
    return np.array(found)
