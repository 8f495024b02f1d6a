"""Eqs. (69), (70), (73), (75): derivatives of one fully connected layer, compared with differences in 40 digits."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Grid, Identity, claim
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu.simulation.high_precision import along, dense_layer
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, WIDTHS

_BY_DIFFERENCES = Grid(
    (ACTIVATION,),
    points=({"activation": "tanh"}, {"activation": "gelu"}),
    plan=WIDTHS.but(sizes=(2, 4), cost=lambda size: 2e-4 + 2e-4 * size**2),
)


class Layer:
    """A Gaussian layer (68) at a Gaussian input, and two random directions of its weights and inputs."""

    def __init__(self, size: int, rng: Generator, activation: str):
        self.neurons = dense_layer(activation, size)
        self.weights, self.first_weights, self.second_weights = rng.standard_normal((3, size, size))
        self.read, self.first_read, self.second_read = rng.standard_normal((3, size))
        before, sigma = self.weights @ self.read / np.sqrt(size), function_of(activation)
        self.slope, self.curvature = sigma.derivative(before, 1), sigma.derivative(before, 2)

    def error(self, stated: Array, *steps: tuple[Array, Array]) -> float:
        """Largest gap between the stated derivatives and the true ones, over the largest of these."""
        return relative_gap(stated, along(self.neurons, self.weights, self.read, *steps))


@claim("liu.eq69", states=Identity(within=1e-10), over=_BY_DIFFERENCES)
def slope_in_inputs(size: int, rng: Generator, activation: str) -> float:
    """Error of eq. (69)."""
    layer = Layer(size, rng, activation)
    stated = layer.slope * (layer.weights @ layer.first_read) / np.sqrt(size)
    return layer.error(stated, (0 * layer.weights, layer.first_read))


@claim("liu.eq70", states=Identity(within=1e-10), over=_BY_DIFFERENCES)
def slope_in_weights(size: int, rng: Generator, activation: str) -> float:
    """Error of eq. (70)."""
    layer = Layer(size, rng, activation)
    stated = layer.slope * (layer.first_weights @ layer.read) / np.sqrt(size)
    return layer.error(stated, (layer.first_weights, 0 * layer.read))


@claim("liu.eq73", states=Identity(within=1e-10), over=_BY_DIFFERENCES)
def curvature_in_inputs(size: int, rng: Generator, activation: str) -> float:
    """Error of eq. (73)."""
    layer = Layer(size, rng, activation)
    stated = layer.curvature * (layer.weights @ layer.first_read) * (layer.weights @ layer.second_read) / size
    still = 0 * layer.weights
    return layer.error(stated, (still, layer.first_read), (still, layer.second_read))


@claim("liu.eq75", states=Identity(within=1e-10), over=_BY_DIFFERENCES)
def curvature_in_weights(size: int, rng: Generator, activation: str) -> float:
    """Error of eq. (75)."""
    layer = Layer(size, rng, activation)
    stated = layer.curvature * (layer.first_weights @ layer.read) * (layer.second_weights @ layer.read) / size
    still = 0 * layer.read
    return layer.error(stated, (layer.first_weights, still), (layer.second_weights, still))
