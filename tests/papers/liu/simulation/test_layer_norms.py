"""Norms of layers in batches are those of single networks."""

import numpy as np
import pytest

from rmtsim.networks import fully_connected
from rmtsim.papers.liu.simulation.architectures import INPUT
from rmtsim.papers.liu.simulation.layer_norms import batch_tensor_norms, layer_norms
from rmtsim.papers.liu.simulation.wide_networks import sample_wide


@pytest.mark.parametrize("skips", [False, True])
def test_tensor_norms_in_batches_are_those_of_each_network(skips):
    rng = np.random.default_rng(0)
    widths = (3, 6, 6, 6, 1)
    batch = sample_wide(widths, 3, rng, INPUT[0], "tanh", skips=skips)
    found = batch_tensor_norms(batch, rng)
    architecture = fully_connected(widths, "tanh", parametrisation="ntk", skips=skips)
    for k in range(3):
        parameters = np.concatenate([weights[k].ravel() for weights in batch.weights])
        network = architecture.sample(rng).with_parameters(parameters)
        for index, layer in enumerate(layer_norms(network, INPUT)):
            own, *further = (float(norm[k]) for norm in found[index])
            assert own == pytest.approx(layer.weights_weights, rel=1e-10)
            if further:
                assert further == pytest.approx([layer.inputs_inputs, layer.mixed], rel=1e-3)
