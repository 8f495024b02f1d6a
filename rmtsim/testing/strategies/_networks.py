"""Architectures, networks and their data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rmtsim.networks import Activation, Architecture, Network, activation, convolution, dense, loss
from rmtsim.networks._activations import ACTIVATIONS
from rmtsim.networks._losses import LOSSES

Sampled = tuple[Network, NDArray[np.float64], NDArray[np.float64]]


@st.composite
def activations(draw: st.DrawFn) -> Activation:
    """Every activation that the network engine knows, with parameters.

    Returns
    -------
    SearchStrategy of Activation
        Shrinks towards the first of them.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import activations
    >>> find(activations(), lambda chosen: chosen.name == "swish").parameter
    1.0
    """
    name = draw(st.sampled_from(ACTIVATIONS))
    if name == "leaky_relu":
        return activation(name, slope=draw(st.sampled_from([0.01, 0.3, -0.5])))
    return activation(name, beta=draw(st.sampled_from([1.0, 0.1]))) if name == "swish" else activation(name)


@st.composite
def architectures(
    draw: st.DrawFn, losses: Sequence[str] = LOSSES, convolutions: bool = True, most: int = 4
) -> Architecture:
    """One to three dense layers after up to two convolutions, with biases, scales and skips.

    Parameters
    ----------
    losses : sequence of str, optional
        Losses to choose from.
    convolutions : bool, optional
        Whether convolutions occur.
    most : int, optional
        Largest width.

    Returns
    -------
    SearchStrategy of Architecture
        Shrinks towards one layer with one input and one output.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import architectures
    >>> smallest = find(architectures(), lambda architecture: True)
    >>> smallest.inputs, smallest.outputs, len(smallest.layers)
    (1, 1, 1)
    """
    positions = draw(st.sampled_from([1, 1, 3, 4])) if convolutions else 1
    layers, width = [], draw(st.integers(1, most))

    def options(outputs: int) -> dict[str, Any]:
        return {
            "scale": draw(st.sampled_from([1.0, 1.0, 0.6, width**-0.5])),
            "bias": draw(st.booleans()),
            "bias_deviation": 0.5,
            "skip": draw(st.booleans()) and outputs == width,
        }

    if positions > 1:
        for _ in range(draw(st.integers(1, 2))):
            outputs = draw(st.integers(1, 3))
            size = draw(st.sampled_from([1, 3, 5]))
            layers.append(convolution(width, outputs, size, draw(activations()), **options(outputs)))
            width = outputs
        width *= positions
    for _ in range(draw(st.integers(0, 2))):
        outputs = draw(st.integers(1, most))
        chosen = options(outputs)
        chosen["skip"] &= not (layers and layers[-1].filter)
        layers.append(dense(width, outputs, draw(activations()), **chosen))
        width = outputs
    outputs = draw(st.integers(1, 3))
    chosen = options(outputs)
    final = draw(st.sampled_from(["identity", "identity", "softmax", "swish", "tanh"]))
    chosen["skip"] &= final != "softmax" and not (layers and layers[-1].filter)
    layers.append(dense(width, outputs, final, **chosen))
    name = draw(st.sampled_from(losses))
    return Architecture(tuple(layers), positions, loss(name, factor=0.5 if name == "square" else 1.0))


def sampled_network(architecture: Architecture, samples: int, seed: int) -> Sampled:
    """A network with random parameters, and data that its loss accepts.

    Parameters
    ----------
    architecture : Architecture
        The architecture.
    samples : int
        Number of inputs.
    seed : int
        Seed of parameters and data.

    Returns
    -------
    network : Network
        The network.
    inputs, targets : ndarray
        One row per sample.

    Examples
    --------
    >>> from rmtsim.networks import fully_connected
    >>> from rmtsim.testing.strategies import sampled_network
    >>> network, inputs, targets = sampled_network(fully_connected([3, 4, 2]), 5, seed=0)
    >>> inputs.shape, targets.shape
    ((5, 3), (5, 2))
    """
    rng = np.random.default_rng(seed)
    network = architecture.sample(rng)
    inputs = rng.standard_normal((samples, architecture.inputs))
    shape = samples, architecture.outputs
    name = architecture.loss.name
    if name == "cross_entropy":
        targets = rng.dirichlet(np.ones(shape[1]), samples)
    elif name in ("hinge", "logistic"):
        targets = np.asarray(rng.choice([-1.0, 1.0], shape), dtype=np.float64)
    else:
        targets = rng.standard_normal(shape)
    return network, inputs, targets


def networks(most: int = 4, *, samples: int = 5, **options: Any) -> st.SearchStrategy[Sampled]:
    """Networks with data.

    Parameters
    ----------
    most : int, optional
        Largest width.
    samples : int, optional
        Largest number of inputs.
    **options
        Further options of :func:`architectures`.

    Returns
    -------
    SearchStrategy of (Network, ndarray, ndarray)
        Network, inputs and targets. Shrinks towards one layer and one input.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import networks
    >>> network, inputs, targets = find(networks(), lambda found: True)
    >>> inputs.shape
    (1, 1)
    """
    return st.builds(
        sampled_network, architectures(most=most, **options), st.integers(1, samples), st.integers(0, 2**32)
    )
