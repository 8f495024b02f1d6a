"""Batches of networks with one hidden layer are those of the network code, one at a time."""

import numpy as np
import pytest

from rmtsim.networks import activation
from rmtsim.papers.liu.simulation.architectures import shallow, with_output
from rmtsim.papers.liu.simulation.shallow_networks import (
    draw_shallow,
    shallow_at,
    trained_norms,
    trained_shift,
)
from rmtsim.papers.liu.statements.parameters import SMOOTH


def test_batches_are_the_engine_s_networks():
    network = shallow(6, np.random.default_rng(0), "tanh")
    w, v = (part.ravel() for part in network.weights)
    at = shallow_at(w[None], v[None], "tanh", 1.3)
    bent = with_output(network, "swish")
    phi = activation("swish")
    norm = at.hessian_norms(phi.derivative(at.value, 1), phi.derivative(at.value, 2))
    assert norm[0] == pytest.approx(np.linalg.norm(bent.hessian([[1.3]])[:6, :6], 2), rel=1e-10)
    assert at.kernel[0] == pytest.approx(float(np.sum(network.gradient([[1.3]])[:6] ** 2)), rel=1e-12)


def test_draws_have_the_law_of_the_network():
    _, v, at = draw_shallow(500, np.random.default_rng(1), 400, "tanh", 1.0)
    assert set(np.unique(v)) == {-1.0, 1.0}
    assert at.value.var() == pytest.approx(0.394, abs=0.1)


@pytest.mark.parametrize("name", SMOOTH)
def test_blocks_have_the_norm_of_the_dense_hessian(name):
    network = shallow(7, np.random.default_rng(SMOOTH.index(name)), name, signs=False)
    weights, outputs = network.weights[0][:, 0], network.weights[1][0]
    truth = np.sqrt(7) * np.linalg.norm(network.hessian([[1.3]]), 2)
    assert trained_norms(weights, outputs, name, 1.3) == pytest.approx(truth, rel=1e-10)


def test_training_fits_the_label():
    shift, first, last = trained_shift(30, np.random.default_rng(2), 5, "tanh", 1.2, 1.5)
    assert last == pytest.approx(np.full(5, 1.5), abs=1e-10)
    assert (np.linalg.norm(shift, axis=1) * 1.2 >= np.abs(first - last)).all()
