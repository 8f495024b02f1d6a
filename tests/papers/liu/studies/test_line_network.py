"""Binned sums over half-lines give the outputs, kernels and moves of the network engine."""

import importlib

import numpy as np
import pytest

from rmtsim.networks import Architecture, Network, dense


@pytest.fixture
def line():
    return importlib.import_module("line_network")


def test_outputs_kernel_and_moves(line):
    rng = np.random.default_rng(0)
    x, _ = line.three_clusters(20, rng)
    network = line.LineNetwork.draw(x, 50, rng)
    architecture = Architecture((dense(1, 50, "relu", bias=True), dense(50, 3, scale=50**-0.5)))
    engine = Network(architecture, np.concatenate([network.w, network.b, network.v.ravel()]))
    assert network.output() == pytest.approx(engine.output(x[:, None]), abs=1e-12)
    assert network.kernel() == pytest.approx(engine.tangent_kernel(x[:, None]), abs=1e-10)
    cotangents = rng.standard_normal((20, 3))
    wanted = engine.parameters - np.einsum("nkp,nk->p", engine.jacobian(x[:, None]), cotangents)
    network.move(cotangents)
    assert np.concatenate([network.w, network.b, network.v.ravel()]) == pytest.approx(wanted, abs=1e-12)


def test_an_implicit_step_is_a_short_step_of_the_flow(line):
    rng = np.random.default_rng(1)
    x, y = line.three_clusters(9, rng)
    network = line.LineNetwork.draw(x, 40, rng)
    task = line.cross_entropy(network.output(), y)
    step = line.implicit_step(network.kernel(), task, 1e-9)
    assert step == pytest.approx(1e-9 * task.gradient, rel=1e-5)


@pytest.mark.parametrize("name", ["cross_entropy", "swish_square"])
def test_gradients_of_the_tasks(line, name):
    task = getattr(line, name)
    rng = np.random.default_rng(2)
    f, y = rng.standard_normal((4, 3)), np.eye(3)[[0, 1, 2, 0]]
    direction = rng.standard_normal((4, 3))
    slope = (task(f + 1e-6 * direction, y).value - task(f - 1e-6 * direction, y).value) / 2e-6
    assert float((task(f, y).gradient * direction).sum()) == pytest.approx(slope, rel=1e-7)
