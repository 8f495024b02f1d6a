"""The (2,2,1)-norm: no direction exceeds it, it lies between its bounds, and layers have it in closed form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.networks import fully_connected
from rmtsim.papers.liu.simulation.layer_norms import layer_norms
from rmtsim.papers.liu.simulation.tensor_norm import tensor_norm_221


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_bounds_enclose_the_norm_and_no_direction_exceeds_it(seed):
    rng = np.random.default_rng(seed)
    tensor = rng.standard_normal(rng.integers(1, 5, 3))
    exact, bounds = tensor_norm_221(tensor).upper, tensor_norm_221(tensor, exact_up_to=0)
    assert bounds.lower <= exact * (1 + 1e-12) <= bounds.upper * (1 + 1e-9)
    x, z = rng.standard_normal((100, tensor.shape[0])), rng.standard_normal((100, tensor.shape[1]))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    assert np.abs(np.einsum("ijk,ni,nj->nk", tensor, x, z)).sum(axis=1).max() <= exact * (1 + 1e-12)


def test_layer_norms_are_the_norms_of_the_dense_tensors():
    network = fully_connected((2, 3, 3, 1), "gelu", parametrisation="ntk").sample(np.random.default_rng(3))
    x = np.array([[0.7, -1.2]])
    second = layer_norms(network, x)[1]
    passed = network.forward(x)
    alpha, z, w, s = passed.reads[1][0] * np.sqrt(3), passed.before[1][0], network.weights[1], 3**-0.5
    sigma, eye = network.architecture.layers[1].activation, np.eye(3)
    first, bend = sigma.derivative(z, 1), sigma.derivative(z, 2)
    inputs = s**2 * np.einsum("i,ij,ik->jki", bend, w, w)
    weights = s**2 * np.einsum("i,ij,a,ik,b->jakbi", bend, eye, alpha, eye, alpha).reshape(9, 9, 3)
    mixed = s**2 * np.einsum("i,ij,ik,a->jkai", bend, w, eye, alpha) + s * np.einsum(
        "i,ik,ja->jkai", first, eye, eye
    )
    assert second.inputs_inputs == pytest.approx(tensor_norm_221(inputs).upper, rel=1e-10)
    assert second.weights_weights == pytest.approx(tensor_norm_221(weights).upper, rel=1e-10)
    assert second.mixed == pytest.approx(tensor_norm_221(mixed.reshape(3, 9, 3)).upper, rel=1e-10)


@pytest.mark.parametrize("bad", [np.zeros((2, 2)), np.zeros((0, 1, 1)), np.full((1, 1, 1), np.nan)])
def test_bad_tensors_are_refused(bad):
    with pytest.raises(ValueError, match="tensor"):
        tensor_norm_221(bad)
