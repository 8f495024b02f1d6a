"""Hessian blocks of drawn networks with one hidden layer, by high-precision differentiation of the printed losses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

if TYPE_CHECKING:
    from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork

Layer = Literal["hidden", "output", "cross", "stripe"]
Loss = Literal["mse", "ce"]


@frozen
class Problem:
    """A drawn network, the two neurons or classes of its blocks, and the neuron of its cross-layer blocks."""

    network: OneHiddenNetwork
    first: int
    second: int
    neuron: int

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """W, V, inputs."""
        return self.network.hidden, self.network.output, self.network.inputs

    @property
    def labels(self) -> NDArray[np.int_]:
        """y_n."""
        return np.asarray(self.network.targets.argmax(axis=1))

    def rows_of_neuron(self, k: int) -> range:
        """The positions of w_k among the parameters."""
        dimension = self.network.hidden.shape[1]
        return range(k * dimension, (k + 1) * dimension)

    def rows_of_class(self, c: int) -> range:
        """The positions of v_c among the parameters."""
        hidden, dimension = self.network.hidden.shape
        return range(hidden * dimension + c * hidden, hidden * dimension + (c + 1) * hidden)


def draw_problem(
    size: int, rng: np.random.Generator, hidden: int, classes: int, layer: Layer, loss: Loss
) -> Problem:
    """A network with d = ``size``, N = d + 2; real-valued targets for the square loss, labels for the other."""
    from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden

    network = sample_one_hidden(size, size + 2, hidden, classes, rng)
    i, j = rng.choice(hidden if layer == "hidden" else classes, size=2, replace=False)
    neuron = int(rng.integers(hidden))
    if loss == "mse":
        # The formulas are stated for labels, and hold for any targets.
        network = replace(network, targets=rng.standard_normal((size + 2, classes)))
    if layer == "stripe":
        # Without weights out of the neuron the second term vanishes and the first is the whole block.
        output = network.output.copy()
        output[:, neuron] = 0.0
        network = replace(network, output=output)
    return Problem(network, int(i), int(j), neuron)


def differentiated_blocks(
    size: int, rng: np.random.Generator, hidden: int, classes: int, layer: Layer, loss: Loss
) -> tuple[Problem, list[tuple[int, int, Array]]]:
    """A drawn network and two of its blocks: (i, j, block), for two neurons, two classes, or a neuron and a class.

    All gates of a drawn neuron may be closed. Both blocks are then zero and test nothing: another network is drawn.
    """
    from rmtsim.curvature._differentiation import SecondDifferences
    from rmtsim.papers.dong.simulation import stated_losses

    stated = stated_losses.network_square_loss if loss == "mse" else stated_losses.network_cross_entropy
    while True:
        problem = draw_problem(size, rng, hidden, classes, layer, loss)
        network = problem.network
        differentiated = SecondDifferences(
            stated(network.inputs, network.targets, hidden),
            np.concatenate([network.hidden.ravel(), network.output.ravel()]),
        )
        rows_of = problem.rows_of_class if layer == "output" else problem.rows_of_neuron
        columns_of = problem.rows_of_neuron if layer == "hidden" else problem.rows_of_class
        i = problem.first if layer in ("hidden", "output") else problem.neuron
        blocks = [(i, j, differentiated(rows_of(i), columns_of(j))) for j in (problem.first, problem.second)]
        if any(np.abs(block).max() > 0 for *_, block in blocks):
            return problem, blocks
