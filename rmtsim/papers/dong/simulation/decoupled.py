"""Models and their decoupled copies, drawn from the same numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array


def expected_gap(size: int, rng: np.random.Generator, gamma: float, classes: int) -> complex:
    """An unbiased value of (E s_H(z) - E s_H̃(z))/C at z = i/C for H_11 of the linear model.

    With two independent inputs X, Y and f(data, weights) the transform of a matrix whose diagonal is formed from
    ``weights``: (f(X,X) + f(Y,Y) - f(X,Y) - f(Y,X))/2. What depends on the data alone or on the weights alone
    cancels, and with it the noise of order N^-1/2.
    """
    from rmtsim.networks._softmax import softmax
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((2, samples, dimension))
    weights = rng.standard_normal((classes, dimension)) / math.sqrt(dimension)
    chosen = softmax(np.asarray(inputs @ weights.T))[:, :, 0]
    curvature = chosen * (1 - chosen)

    def transform(x: Array, diagonal: Array) -> complex:
        eigenvalues = np.linalg.eigvalsh(x.T @ (x * diagonal[:, None]) / samples)
        return complex(np.mean(1 / (eigenvalues * classes - 1j)))

    one, two = inputs
    own = transform(one, curvature[0]) + transform(two, curvature[1])
    crossed = transform(one, curvature[1]) + transform(two, curvature[0])
    return (own - crossed) / 2


def squared_entries(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> tuple[Array, Array]:
    """Mean squared entries of G and of G̃: (ii kk, ii kl, ij kk, ij kl), times C² for ii and C⁴ for ij.

    G has the pre-activations W x_n, and G̃ the same vectors whitened, (W Wᵀ)^-1/2 W x_n: exactly independent standard
    Gaussians, independent of W. Averages over entries and classes, whose laws agree.
    """
    from rmtsim.networks._softmax import softmax
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape

    dimension, samples = proportional_shape(max(size, hidden), gamma)
    first = rng.standard_normal((hidden, dimension)) / math.sqrt(dimension)
    output = rng.standard_normal((classes, hidden)) / math.sqrt(hidden)
    values, vectors = np.linalg.eigh(first @ first.T)
    white = rng.standard_normal((samples, hidden))
    coloured = white @ (vectors * np.sqrt(values)) @ vectors.T
    rows, columns = np.triu_indices(hidden)
    own = rows == columns
    pairs = classes // 2
    found = []
    for z in (coloured, white):
        features = np.maximum(z, 0.0)
        p = softmax(np.asarray(features @ output.T))
        products = features[:, rows] * features[:, columns] / samples
        diagonal = np.square(classes * ((p * (1 - p)).T @ products))
        off = np.square(classes**2 * ((p[:, 0 : 2 * pairs : 2] * p[:, 1 : 2 * pairs : 2]).T @ products))
        found.append(
            [diagonal[:, own].mean(), diagonal[:, ~own].mean(), off[:, own].mean(), off[:, ~own].mean()]
        )
    return np.array(found[0]), np.array(found[1])


Curvature = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Inputs → weights of the block, one a sample."""


def squared_gap(
    inputs: NDArray[np.float64], copy: NDArray[np.float64], classes: int, curvature: Curvature
) -> float:
    """|s_H(z) - s_H̃(z)|²/C² at z = i/C, H̃ with the diagonal of an independent copy of the inputs."""
    z = 1j / classes
    transforms = [
        np.mean(1 / (np.linalg.eigvalsh(inputs.T @ (inputs * curvature(x)[:, None]) / len(inputs)) - z))
        for x in (inputs, copy)
    ]
    return float(abs((transforms[0] - transforms[1]) / classes) ** 2)


def two_inputs(
    size: int, gamma: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Inputs and an independent copy, each samples × dimension."""
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs, copy = rng.standard_normal((2, samples, dimension))
    return inputs, copy
