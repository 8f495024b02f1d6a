"""Differences of values in 40 digits are derivatives."""

import numpy as np
import pytest

from rmtsim.papers.liu.simulation.high_precision import along, dense_layer, second_derivatives


def test_differences_are_derivatives():
    # σ = sin, one neuron: sin(wr) has ∂²/∂w∂r = cos(wr) - wr sin(wr).
    w, r = np.array([[0.7]]), np.array([1.3])
    one, still = np.ones((1, 1)), np.zeros((1, 1))
    mixed = along(dense_layer("sin", 1), w, r, (one, np.zeros(1)), (still, np.ones(1)))
    assert mixed[0] == pytest.approx(np.cos(0.91) - 0.91 * np.sin(0.91), rel=1e-15)
    first = along(dense_layer("sin", 1), w, r, (one, np.zeros(1)))
    assert first[0] == pytest.approx(1.3 * np.cos(0.91), rel=1e-15)


def test_second_derivatives_of_neurons():
    # (tanh)'' = -2 tanh (1 - tanh²).
    w, x = np.array([-0.4, 1.1]), 1.7
    bent = -2 * np.tanh(w * x) * (1 - np.tanh(w * x) ** 2) * x**2
    assert second_derivatives(w, "tanh", x) == pytest.approx(bent, rel=1e-13)
