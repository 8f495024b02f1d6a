"""Random architectures, parameters and data."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rmtsim.networks import Architecture, activation, convolution, dense, loss
from rmtsim.networks._activations import ACTIVATIONS
from rmtsim.networks._losses import LOSSES

seeds = st.integers(0, 2**32)


@st.composite
def activations(draw):
    name = draw(st.sampled_from(ACTIVATIONS))
    if name == "leaky_relu":
        return activation(name, slope=draw(st.sampled_from([0.01, 0.3, -0.5])))
    return activation(name, beta=draw(st.sampled_from([1.0, 0.1]))) if name == "swish" else activation(name)


@st.composite
def architectures(draw, losses=LOSSES, convolutions=True, most=4):
    """One to three layers after up to two convolutions, with biases, scales and skips here and there."""
    positions = draw(st.sampled_from([1, 1, 3, 4])) if convolutions else 1
    layers, width = [], draw(st.integers(1, most))

    def options(outputs):
        return {
            "scale": draw(st.sampled_from([1.0, 1.0, 0.6, width**-0.5])),
            "bias": draw(st.booleans()),
            "bias_deviation": 0.5,
            "skip": outputs == width and draw(st.booleans()),
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


def data(architecture, samples, seed):
    """A sampled network with inputs and targets that its loss accepts."""
    rng = np.random.default_rng(seed)
    network = architecture.sample(rng)
    inputs = rng.standard_normal((samples, architecture.inputs))
    shape = samples, architecture.outputs
    name = architecture.loss.name
    if name == "cross_entropy":
        targets = rng.dirichlet(np.ones(shape[1]), samples)
    elif name in ("hinge", "logistic"):
        targets = rng.choice([-1.0, 1.0], shape)
    else:
        targets = rng.standard_normal(shape)
    return network, inputs, targets
