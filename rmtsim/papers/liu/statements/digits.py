"""Layers in 40 digits: second derivatives by differences that share no formula with the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.papers.liu.statements.parameters import SMOOTH

Array = NDArray[np.float64]
DIGITS = 40


def sigma(number: int) -> Callable[[Any], Any]:
    """The activation of this number on mpmath's numbers."""
    import mpmath

    functions: dict[str, Callable[[Any], Any]] = {
        "tanh": mpmath.tanh,
        "sigmoid": lambda z: 1 / (1 + mpmath.exp(-z)),
        "softplus": lambda z: mpmath.log(1 + mpmath.exp(z)),
        "gelu": lambda z: z * mpmath.ncdf(z),
        "swish": lambda z: z / (1 + mpmath.exp(-z)),
        "sin": mpmath.sin,
    }
    return functions[SMOOTH[number]]


Layer = Callable[[Any, Any], Sequence[Any]]
"""Neurons of a layer from (weights, inputs), arrays of mpmath's numbers."""


def dense_layer(number: int, size: int) -> Layer:
    """σ(m^{-1/2} W r), eq. (68) of `liu`."""
    import mpmath

    bend = sigma(number)

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
