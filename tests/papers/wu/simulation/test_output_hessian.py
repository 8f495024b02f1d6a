"""Output Hessians against loops over inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.wu.simulation import output_hessian
from tests.papers.wu.simulation.small_networks import curvatures, small


@given(seed=st.integers(0, 10**6), units=st.integers(2, 12), classes=st.integers(2, 5))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_output_hessians_are_the_loops(seed, units, classes):
    network, response = small(seed, units, classes)
    w = network.weights[-1]
    naive = sum(
        np.diag(on) @ w.T @ a @ w @ np.diag(on)
        for on, a in zip(response.active[-1], curvatures(response), strict=True)
    ) / len(response.logits)
    assert np.allclose(output_hessian.output_hessian(w, response), naive, rtol=1e-12, atol=1e-14)
    mean = sum(curvatures(response)) / len(response.logits)
    assert np.allclose(output_hessian.mean_curvature(response), mean, rtol=1e-12, atol=1e-15)
    # D' independent of A: the mean over all pairs of inputs.
    pairs = (
        sum(
            np.diag(on) @ w.T @ a @ w @ np.diag(on)
            for on in response.active[-1]
            for a in curvatures(response)
        )
        / len(response.logits) ** 2
    )
    star = output_hessian.independent_output_hessian(w, response.active[-1], mean)
    assert np.allclose(star, pairs, rtol=1e-11, atol=1e-14)


def test_output_hessian_is_the_same_in_pieces(monkeypatch):
    network, response = small(0, units=20, count=50)
    whole = output_hessian.output_hessian(network.weights[-1], response)
    monkeypatch.setattr(output_hessian, "_CHUNK_BYTES", 8 * 20 * 3 * 7)
    assert np.allclose(output_hessian.output_hessian(network.weights[-1], response), whole, rtol=1e-13)


@pytest.mark.parametrize("layer", [1, 2, 3, 4])
def test_deep_output_hessian_is_the_loop(layer):
    network, response = small(3, units=6, count=20, depth=4)
    total = 0
    for index, a in enumerate(curvatures(response)):
        g = np.eye(network.architecture.outputs)
        for position in range(3, layer - 1, -1):
            g = g @ network.weights[position] @ np.diag(response.active[position - 1][index])
        total = total + g.T @ a @ g
    found = output_hessian.deep_output_hessian(network.weights[1:], response, layer)
    assert np.allclose(found, total / 20, rtol=1e-12, atol=1e-15)


def test_a_layer_that_is_not_there_is_refused():
    network, response = small(1)
    with pytest.raises(ValueError, match="layer=9"):
        output_hessian.deep_output_hessian(network.weights[1:], response, 9)
