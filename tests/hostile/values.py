"""Values that many functions accept."""

import functools

import numpy as np

from rmtsim.curvature._linear_model import sample_linear
from rmtsim.networks._architecture import fully_connected


def rng():
    return np.random.default_rng(7)


def matrix(rows=4, columns=4):
    return np.random.default_rng(rows + 10 * columns).standard_normal((rows, columns))


def symmetric(size=4):
    return matrix(size, size) + matrix(size, size).T


@functools.cache
def model():
    return sample_linear(4, 6, 3, rng())


@functools.cache
def network():
    return fully_connected([4, 5, 3], "tanh", biases=True, loss="square").sample(rng())
