"""Batches of ReLU networks give what the network engine gives, one network at a time."""

import numpy as np
import pytest

from rmtsim.networks import fully_connected
from rmtsim.papers.li.simulation.relu_moments import draw_relu_batches


@pytest.mark.parametrize("layers", [2, 3, 5])
def test_batches_against_the_engine(layers):
    n, factor = 4, 1.7
    (batch,) = draw_relu_batches(n, layers, factor, 3, np.random.default_rng(layers))
    y = batch.activations()
    back = batch.backward(y)
    architecture = fully_connected((*(n,) * layers, 1), "relu", gain=factor)
    for k in range(3):
        vector = np.concatenate([batch.weights[k].ravel(), batch.last[k]])
        network = architecture.sample(np.random.default_rng(0)).with_parameters(vector)
        x = batch.inputs[[k]]
        gradient = network.gradient(x)
        squares = [np.square(gradient[architecture.layout.layer(p)]).sum() for p in range(layers)]
        np.testing.assert_allclose(batch.gradient_squares()[k], squares, rtol=1e-12)
        np.testing.assert_allclose(y[-1][k], network.forward(x).reads[-1][0], rtol=1e-12)
        step = 1e-7
        differences = [
            (network.output(x + step * e) - network.output(x - step * e)).item() / (2 * step)
            for e in np.eye(n)
        ]
        np.testing.assert_allclose(back[0][k], differences, atol=1e-6)
        if layers > 3:
            # Entries of H_{1,L-1} are gradient · path · input.
            block = network.hessian_block(x, None, 0, layers - 2)
            mean = batch.path_squares()[k] * np.square(back[-1][k]).mean() * np.square(x).mean()
            assert np.square(block).mean() == pytest.approx(mean, rel=1e-10)


def test_batches_are_of_any_number_and_the_same_again():
    first, second = (
        np.concatenate([b.last for b in draw_relu_batches(300, 6, 1.0, 5, np.random.default_rng(1))])
        for _ in range(2)
    )
    assert first.shape == (5, 300)
    np.testing.assert_array_equal(first, second)
    assert first.var() * 300 == pytest.approx(1.0, abs=5 * np.sqrt(2 / 1500))
    with pytest.raises(ValueError, match="layers=1"):
        draw_relu_batches(3, 1, 1.0, 2, np.random.default_rng(0))
