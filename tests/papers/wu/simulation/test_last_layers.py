"""Conditioned activations and many last layers: means and laws."""

import numpy as np
import pytest

from rmtsim.papers.wu.simulation.last_layers import conditioned_hidden, last_layers
from rmtsim.papers.wu.simulation.relu_network import draw_inputs, input_dimension


@pytest.mark.parametrize("values", [(2.0, 2.0), (0.0, 0.5), (-1.5, 3.0)])
def test_the_condition_holds(values):
    free, conditioned = conditioned_hidden(40, 0.5, 64, values, np.random.default_rng(0))
    assert free.shape == (64, 40)
    assert (conditioned > 0).all(axis=0).sum() >= 2


def test_the_two_inputs_have_the_requested_values():
    """The same draws by hand: first weights, then inputs with the first two coordinates replaced."""
    free, conditioned = conditioned_hidden(20, 0.5, 32, (1.25, -0.5), np.random.default_rng(7))
    rng = np.random.default_rng(7)
    dimension = input_dimension(20, 0.5)
    weights = rng.standard_normal((20, dimension), dtype=np.float32) * np.float32(1 / np.sqrt(dimension))
    rng.standard_normal((2, 20))
    inputs = draw_inputs(64, dimension, rng, single=True)
    inputs[32:, 0], inputs[32:, 1] = 1.25, -0.5
    hidden = np.maximum((inputs @ weights.T).astype(float), 0.0)
    assert np.array_equal(free, hidden[:32])
    rows = {row.tobytes() for row in hidden[32:]}
    assert len(conditioned)
    assert all(row.tobytes() in rows for row in conditioned)


def test_last_layers_are_independent():
    logits = last_layers(np.ones((1, 400)), 3, 5000, np.random.default_rng(1))[:, 0]
    assert np.allclose(np.cov(logits.T), np.eye(3), atol=5 / np.sqrt(5000))
