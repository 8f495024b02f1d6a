"""Models of the paper: the same function in other parameters, points at a given distance, bad input."""

import numpy as np
import pytest

from rmtsim.papers.liu.simulation.architectures import (
    IMAGE,
    INPUT,
    convolutional,
    deep,
    on_the_sphere,
    rescaled,
    two_layers,
    wide,
    with_output,
)


def test_rescaled_parameters_give_the_same_function():
    network = wide(5, np.random.default_rng(0), "gelu", 2)
    other = rescaled(network, 0.3)
    assert other.parameters == pytest.approx(0.3 * network.parameters)
    assert other.output(INPUT) == pytest.approx(network.output(INPUT), rel=1e-12)


def test_points_on_the_sphere_have_their_distance():
    rng = np.random.default_rng(1)
    network = convolutional(3, rng, "tanh")
    moved = on_the_sphere(network, rng, 2.5)
    assert np.linalg.norm(moved.parameters - network.parameters) == pytest.approx(2.5)
    assert moved.output(IMAGE).shape == (1, 1)
    with pytest.raises(ValueError, match=r"radius=-1\.0: expected a number >= 0"):
        on_the_sphere(network, rng, -1.0)


def test_output_weights_are_scaled_and_outputs_bent():
    plain, x = deep(4, np.random.default_rng(2), "tanh", 2)
    scaled, same = deep(4, np.random.default_rng(2), "tanh", 2, 0.5)
    assert np.array_equal(x, same)
    assert scaled.output(x) == pytest.approx(0.5 * plain.output(x), rel=1e-12)
    assert with_output(plain, "sin").output(x) == pytest.approx(np.sin(plain.output(x)), rel=1e-12)


def test_no_factor_in_front_of_the_first_layer():
    network = two_layers(4, np.random.default_rng(3), "tanh")
    before = network.forward(INPUT).before[0][0]
    assert before == pytest.approx(network.weights[0] @ INPUT[0], rel=1e-12)
