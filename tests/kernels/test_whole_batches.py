"""Compiled batches against their NumPy twins: the same generator gives the same numbers to rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rmtsim.sampling import deep_relu

from rmtsim.curvature import _linear_energies as linear
from rmtsim.curvature._linear_model import sample_linear
from rmtsim.networks import block_energies, network_from_arrays
from rmtsim.papers.dong.simulation import one_hidden_average
from rmtsim.papers.dong.simulation.kernels.gates import gated_pair_sums

seeds = st.integers(0, 2**32)
sizes = st.integers(1, 12)


@settings(max_examples=50)
@given(sizes, sizes, st.integers(2, 9), st.integers(0, 3), seeds)
def test_linear_models(dimension, samples, classes, replicates, seed):
    compiled_rng, plain_rng = np.random.default_rng(seed), np.random.default_rng(seed)
    found = linear.sample_mean_energies(dimension, samples, classes, compiled_rng, replicates)
    for index in range(replicates):
        one = linear.block_energies(sample_linear(dimension, samples, classes, plain_rng))
        scale = one.mean_diagonal
        assert found.diagonal[index] == pytest.approx(one.mean_diagonal, rel=1e-11)
        assert found.offdiagonal[index] == pytest.approx(one.mean_offdiagonal, rel=1e-9, abs=1e-13 * scale)
        assert found.data[index] == pytest.approx(one.data, rel=1e-12)
        assert found.logit_variance[index] == pytest.approx(one.logit_variance, rel=1e-9, abs=1e-13)
    # Both have drawn the same numbers, no more and no fewer.
    assert compiled_rng.standard_normal() == plain_rng.standard_normal()


def test_many_classes_take_the_other_road(monkeypatch):
    few = linear.sample_mean_energies(5, 7, 6, np.random.default_rng(0), 3)
    monkeypatch.setattr(linear, "_COMPILED_CLASSES", 5)
    many = linear.sample_mean_energies(5, 7, 6, np.random.default_rng(0), 3)
    np.testing.assert_allclose(many.diagonal, few.diagonal, rtol=1e-12)
    np.testing.assert_allclose(many.offdiagonal, few.offdiagonal, rtol=1e-11)


@settings(max_examples=60)
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 5),
    st.integers(2, 8),
    st.integers(0, 2),
    seeds,
    st.sampled_from([("hidden", "ce"), ("hidden", "mse"), ("output", "ce"), ("output", "mse")]),
)
def test_one_hidden_layer(dimension, samples, hidden, classes, replicates, seed, road):
    """Also where the hidden layer is wider than the input, d < m."""
    layer, loss = road
    compiled_rng, plain_rng = np.random.default_rng(seed), np.random.default_rng(seed)
    found = one_hidden_average.sampled_energies(
        dimension,
        samples,
        hidden,
        classes,
        compiled_rng,
        replicates,
        layer=layer,
        loss=loss,
        pairs=3,
        draws=2,
    )
    for row in found:
        wanted = one_hidden_average._plain_energies(
            dimension, samples, hidden, classes, plain_rng, layer, loss, 3, 2
        )
        assert row == pytest.approx(wanted, rel=1e-9, abs=1e-12 * max(1.0, abs(wanted[0])))
    assert compiled_rng.standard_normal() == plain_rng.standard_normal()


def test_the_roads_of_one_hidden_layer_meet(monkeypatch):
    options = {"layer": "hidden", "loss": "ce", "draws": 3}
    few = one_hidden_average.sampled_energies(20, 30, 4, 6, np.random.default_rng(0), 2, **options)
    monkeypatch.setitem(one_hidden_average._COMPILED, ("hidden", "ce"), 5)
    many = one_hidden_average.sampled_energies(20, 30, 4, 6, np.random.default_rng(0), 2, **options)
    np.testing.assert_allclose(few, many, rtol=1e-11)


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 5), st.integers(1, 2), seeds)
def test_gated_pairs(replicates, samples, dimension, gates, seed):
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((replicates, samples, dimension))
    weights = rng.standard_normal((replicates, dimension, 2))
    found = np.empty(replicates)
    gated_pair_sums(inputs, weights, gates, found)
    active = np.all((inputs @ weights)[:, :, :gates] > 0, axis=2)
    masked = inputs * active[:, :, None]
    gram = np.square(masked @ masked.transpose(0, 2, 1))
    wanted = gram.sum(axis=(1, 2)) - np.einsum("rnn->r", gram)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * gram.max())


@settings(max_examples=30)
@given(sizes, sizes, st.integers(2, 6), seeds)
def test_the_linear_model_is_a_network_of_one_layer(dimension, samples, classes, seed):
    """dong's energies through the engine: the same numbers from another road."""
    model = sample_linear(dimension, samples, classes, np.random.default_rng(seed))
    network = network_from_arrays([model.weights], loss="cross_entropy")
    labels = np.zeros(samples, dtype=int)
    (energies,) = block_energies(network, model.inputs, labels)
    wanted = linear.block_energies(model)
    np.testing.assert_allclose(energies.diagonal, wanted.diagonal, rtol=1e-10)
    assert energies.offdiagonal == pytest.approx(wanted.offdiagonal, rel=1e-9)
    np.testing.assert_allclose(np.sqrt(energies.pairs), linear.block_norms(model), rtol=1e-8, atol=1e-12)


@settings(max_examples=50)
@given(st.lists(st.integers(1, 7), min_size=2, max_size=5), st.integers(1, 4), st.integers(0, 3), seeds)
def test_deep_relu_with_hinge(widths, samples, replicates, seed):
    compiled_rng, engine_rng = np.random.default_rng(seed), np.random.default_rng(seed)
    found = deep_relu.sample_hinge_gradients(widths, 1.7, samples, compiled_rng, replicates)
    wanted = [deep_relu.engine_gradients(widths, 1.7, samples, engine_rng) for _ in range(replicates)]
    wanted = np.array(wanted).reshape(replicates, len(widths))
    np.testing.assert_allclose(
        found, wanted, rtol=1e-11, atol=1e-13 * max(1.0, np.abs(wanted).max(initial=0))
    )
    assert compiled_rng.standard_normal() == engine_rng.standard_normal()


def test_deep_networks_with_many_samples_take_the_engine():
    found = deep_relu.sample_hinge_gradients((5, 6, 2), 2.0, 40, np.random.default_rng(0), 2)
    assert found.shape == (2, 3)
    assert (found[:, 0] > 0).all()
