"""Kinks of the hinge risk: a case solved by hand, certificates against the risk around them, Clarke's gradient."""

import numpy as np
import pytest

from rmtsim.networks._architecture import fully_connected
from rmtsim.papers.li.simulation.hinge_kinks import KinkPoint, clarke_slope, descend_to_kink, gate_distance
from rmtsim.papers.li.simulation.hinge_training import TrainedHinge, train_hinge


def one_neuron(w, alpha, inputs, labels):
    network = fully_connected((1, 1, 1), "relu", loss="hinge").sample(np.random.default_rng(0))
    return (
        network.with_parameters(np.array([w, alpha])),
        np.array(inputs)[:, None],
        np.array(labels, dtype=float)[:, None],
    )


def test_two_against_one_by_hand():
    # R = (2(1 - t)₊ + (1 + t)₊)/3 with t = αw: least at t = 1, R = 2/3, and 2μ = 1.
    network, inputs, labels = one_neuron(0.9, 0.7, [1.0, 1.0, 1.0], [1, 1, -1])
    point = descend_to_kink(TrainedHinge(network, inputs, labels, False), np.random.default_rng(0))
    assert point.risk == pytest.approx(2 / 3, abs=1e-12)
    np.testing.assert_allclose(point.multipliers, [0.5, 0.5, 1.0], atol=1e-10)
    assert point.certified
    assert point.unfelt == 1


def test_a_point_off_the_kink_is_not_certified():
    # The multipliers of the minimum, at t = 1.2.
    network, inputs, labels = one_neuron(1.0, 1.2, [1.0, 1.0, 1.0], [1, 1, -1])
    point = KinkPoint(network, inputs, labels, np.array([0.5, 0.5, 1.0]), np.array([True, True, False]))
    assert point.residual > 0.1
    assert not point.certified


def test_certified_minima_are_minima():
    rng = np.random.default_rng(5)
    ends = [end for end in train_hinge(2, 2, 4, rng, 20) if not end.stationary]
    minima = [p for p in (descend_to_kink(end, rng, walks=1) for end in ends[:3]) if p.certified]
    assert len(minima) >= 2
    for point in minima:
        assert point.risk == pytest.approx(point.multipliers.mean(), abs=1e-10)
        theta = point.network.parameters
        for length in (1e-2, 1e-3, 1e-4):
            for step in rng.standard_normal((40, theta.size)):
                near = point.network.with_parameters(theta + length * step / np.linalg.norm(step))
                assert near.loss(point.inputs, point.labels) >= point.risk - 1e-12


def test_clarke_slope_at_gates():
    # R = (1 - αReLU(w))₊ falls for w > 0 and is flat for w < 0: at w = 0 zero is in the hull, at w = 0.1 it is not.
    kink, inputs, labels = one_neuron(0.0, 1.0, [1.0], [1])
    slope, _ = clarke_slope(kink, inputs, labels, np.random.default_rng(0))
    assert slope < 1e-6
    assert gate_distance(kink, inputs) == 0
    off = kink.with_parameters(np.array([0.1, 1.0]))
    slope, direction = clarke_slope(off, inputs, labels, np.random.default_rng(0))
    assert slope == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(direction, [1.0, 1.0], atol=1e-9)


def test_behind_closed_gates_there_is_no_kink():
    network = fully_connected((1, 1, 1, 1), "relu", loss="hinge").sample(np.random.default_rng(0))
    network = network.with_parameters(np.array([-0.3, 2.0, 1.0]))
    assert gate_distance(network, np.array([[1.0]])) == pytest.approx(0.3)
