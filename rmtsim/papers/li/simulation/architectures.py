"""Second derivatives of small convolutional and residual networks, with and without batch normalisation.

A value is a truncated Taylor series (f, f', f''/2) along one direction of the parameters, an array of shape (3, …).
Linear maps, gates and normalisations act on the three coefficients exactly, so that second derivatives need no
differences.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array

SAMPLES = 8
"""Samples of a batch."""


def _product(first: Array, second: Array) -> Array:
    """The series of first @ second."""
    return np.stack(
        [
            first[0] @ second[0],
            first[0] @ second[1] + first[1] @ second[0],
            first[0] @ second[2] + first[1] @ second[1] + first[2] @ second[0],
        ]
    )


def _gated(series: Array) -> Array:
    """The series of ReLU: the gates of the zeroth coefficient, which do not change nearby."""
    return np.asarray(series * (series[0] > 0))


def _normalised(series: Array) -> Array:
    """Columns less their mean over their deviation, both of the batch (rows)."""
    centred = series - series.mean(axis=1, keepdims=True)
    a, b, c = centred
    zeroth = np.square(a).mean(axis=0)
    first = 2 * (a * b).mean(axis=0) / zeroth
    second = (2 * a * c + b * b).mean(axis=0) / zeroth
    # (1 + u t + v t²)^(-1/2) = 1 − ut/2 + (3u²/8 − v/2)t² + …
    slope, bend = -first / 2, 3 * first**2 / 8 - second / 2
    return np.asarray(np.stack([a, b + slope * a, c + slope * b + bend * a]) / np.sqrt(zeroth))


def _circulant(kernel: Array) -> Array:
    """Circular convolution with a kernel of ``n`` shared weights, as a matrix."""
    size = len(kernel)
    index = np.arange(size)
    return np.asarray(kernel[(index[:, None] - index) % size])


def curvature_of_one_layer(size: int, rng: np.random.Generator, kind: str, *, normalised: bool) -> float:
    """|d²R/dt²| along a random direction in one layer, over that along a random direction in all layers.

    Three gated layers of ``size`` units and an output: "convolution" shares its weights along circles, "residual" adds
    the second and third layer to the first. R = −(1/m)Σ y_i T(x_i): the risk with all hinges active.
    """
    while True:
        shapes = [(size,) if kind == "convolution" else (size, size)] * 3 + [(size, 1)]
        parameters = [rng.standard_normal(shape) * np.sqrt(2 / size) for shape in shapes]
        inputs = rng.standard_normal((SAMPLES, size))
        labels = np.asarray(2.0 * rng.integers(0, 2, SAMPLES) - 1.0, dtype=np.float64)
        directions = [rng.standard_normal(shape) for shape in shapes]
        chosen = int(rng.integers(3))

        def bend(
            only: int | None,
            parameters: list[Array] = parameters,
            inputs: Array = inputs,
            labels: Array = labels,
            directions: list[Array] = directions,
        ) -> float:
            def layer(index: int) -> Array:
                moved = directions[index] * (only is None or index == only)
                pair = (parameters[index], moved)
                if kind == "convolution" and index < 3:
                    pair = (_circulant(pair[0]), _circulant(pair[1]))
                return np.stack([*pair, np.zeros_like(pair[0])])

            def reach(value: Array, index: int) -> Array:
                found = _product(value, layer(index))
                return _normalised(found) if normalised else found

            start = np.stack([inputs, np.zeros_like(inputs), np.zeros_like(inputs)])
            first = _gated(reach(start, 0))
            third = reach(_gated(reach(first, 1)), 2)
            top = _gated(first + third) if kind == "residual" else _gated(third)
            outputs = _product(top, layer(3))[2][:, 0]
            return abs(float(-2 * (labels * outputs).mean()))

        whole = bend(None)
        if whole > 1e-3:
            return bend(chosen) / whole
