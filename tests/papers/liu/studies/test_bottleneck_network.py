"""The bottleneck network of the study gives the outputs, kernels and moves of the network engine."""

import importlib

import numpy as np
import pytest

from rmtsim.networks import Architecture, Network, dense


def test_the_bottleneck_network_is_that_of_the_engine():
    module = importlib.import_module("bottleneck_network")
    rng = np.random.default_rng(1)
    x, scales = rng.standard_normal(7), (0.4, 1.0, 0.3)
    mine = module.BottleneckNetwork.draw(20, 3, scales, rng)
    layers = (
        dense(1, 20, "relu", bias=True),
        dense(20, 3, scale=0.4),
        dense(3, 20, "relu", scale=1.0),
        dense(20, 3, scale=0.3),
    )

    def flat(network):
        parts = (network.a, network.c, network.inward, network.outward, network.v)
        return np.concatenate([part.ravel() for part in parts]).astype(float)

    engine = Network(Architecture(layers), flat(mine))
    seen = mine.look(x)
    assert seen.output == pytest.approx(engine.output(x[:, None]), rel=1e-5, abs=1e-5)
    assert seen.kernel == pytest.approx(engine.tangent_kernel(x[:, None]), rel=1e-4, abs=1e-3)
    cotangents = rng.standard_normal((7, 3))
    wanted = engine.parameters - np.einsum("nkp,nk->p", engine.jacobian(x[:, None]), cotangents)
    assert flat(mine.moved(seen, x, cotangents)) == pytest.approx(wanted, rel=1e-4, abs=1e-4)
