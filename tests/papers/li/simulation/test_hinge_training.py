"""Hinge networks by stacked products against the engine; the certificate of a plateau against the loss around it."""

import numpy as np
import pytest

from rmtsim.papers.li.simulation.hinge_training import (
    TrainedHinge,
    _gradients,
    dead_samples,
    hinge_problem,
    stationary_without_output,
    train_hinge,
)


@pytest.mark.parametrize("layers", [2, 3, 5])
def test_stacked_gradients_are_the_engine_s(layers):
    rng = np.random.default_rng(layers)
    problems = [hinge_problem(4, layers, 7, rng) for _ in range(3)]
    weights = [np.array([p[0].weights[k] for p in problems]) for k in range(layers)]
    found = _gradients(weights, np.array([p[1] for p in problems]), np.array([p[2] for p in problems]))
    for r, (network, inputs, labels) in enumerate(problems):
        flat = np.concatenate([each[r].ravel() for each in found])
        np.testing.assert_allclose(flat, network.gradient(inputs, labels), atol=1e-14)


def test_a_plateau_is_flat_and_a_moving_network_is_none():
    ends = train_hinge(3, 3, 6, np.random.default_rng(0), 12)
    rng = np.random.default_rng(1)
    plateaus = [end for end in ends if end.plateau]
    assert len(plateaus) >= 6
    for end in plateaus:
        assert end.stationary
        assert end.risk == pytest.approx(end.active_share, abs=1e-14)
        for _ in range(5):
            theta = end.network.parameters
            near = end.network.with_parameters(theta + 1e-8 * rng.standard_normal(theta.shape))
            assert near.loss(end.inputs, end.labels) == end.risk
    assert any(end.risk > 0 for end in plateaus)
    network, inputs, labels = hinge_problem(6, 3, 20, rng)
    start = TrainedHinge(network, inputs, labels, stationary=False)
    assert network.gradient(inputs, labels).any()
    assert not start.plateau


def test_dead_samples_by_loops():
    network, inputs, _ = hinge_problem(2, 2, 40, np.random.default_rng(3))
    expected = []
    for x in inputs:
        a, dead = x, False
        for w in network.weights[:-1]:
            z = [sum(w[i, j] * a[j] for j in range(2)) for i in range(2)]
            dead = dead or all(value < 0 for value in z)
            a = [max(0.0, value) for value in z]
        expected.append(dead)
    assert dead_samples(network, inputs).tolist() == expected
    assert 0 < sum(expected) < 40


@pytest.mark.parametrize("layers", [2, 4])
def test_stationary_points_are_stationary_smooth_and_saddles(layers):
    network, inputs, labels = stationary_without_output(3, layers, 12, np.random.default_rng(layers))
    assert np.abs(network.gradient(inputs, labels)).max() < 1e-14
    assert network.loss(inputs, labels) == 1.0
    spectrum = np.linalg.eigvalsh(network.hessian(inputs, labels))
    assert spectrum[0] < -1e-3
    np.testing.assert_allclose(spectrum, -spectrum[::-1], atol=1e-14)


def test_bad_arguments_are_named():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="layers"):
        hinge_problem(3, 1, 4, rng)
    with pytest.raises(ValueError, match="step"):
        train_hinge(3, 2, 4, rng, 1, step=0.0)
    with pytest.raises(ValueError, match="samples"):
        stationary_without_output(3, 2, 1, rng)
    with pytest.raises(TypeError, match="rng"):
        hinge_problem(3, 2, 4, 0.5)
