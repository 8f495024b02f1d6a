"""Compiled batches of linear models against NumPy and against the engine: the same generator, the same numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.curvature import _linear_batches as batches
from rmtsim.curvature import block_energies, sample_linear
from rmtsim.networks import network_from_arrays

KERNELS = {"linear_energies": "test_linear_models"}
seeds = st.integers(0, 2**32)
sizes = st.integers(1, 12)


@settings(max_examples=50)
@given(sizes, sizes, st.integers(2, 9), st.integers(0, 3), seeds)
def test_linear_models(dimension, samples, classes, replicates, seed):
    compiled_rng, plain_rng = np.random.default_rng(seed), np.random.default_rng(seed)
    found = batches.sample_mean_energies(dimension, samples, classes, compiled_rng, replicates)
    for index in range(replicates):
        one = block_energies(sample_linear(dimension, samples, classes, plain_rng))
        scale = one.mean_diagonal
        assert found.diagonal[index] == pytest.approx(one.mean_diagonal, rel=1e-11)
        assert found.offdiagonal[index] == pytest.approx(one.mean_offdiagonal, rel=1e-9, abs=1e-13 * scale)
        assert found.data[index] == pytest.approx(one.data, rel=1e-12)
        assert found.logit_variance[index] == pytest.approx(one.logit_variance, rel=1e-9, abs=1e-13)
    # Both have drawn the same numbers, no more and no fewer.
    assert compiled_rng.standard_normal() == plain_rng.standard_normal()


def test_many_classes_use_numpy(monkeypatch):
    few = batches.sample_mean_energies(5, 7, 6, np.random.default_rng(0), 3)
    monkeypatch.setattr(batches, "_COMPILED_CLASSES", 5)
    many = batches.sample_mean_energies(5, 7, 6, np.random.default_rng(0), 3)
    np.testing.assert_allclose(many.diagonal, few.diagonal, rtol=1e-12)
    np.testing.assert_allclose(many.offdiagonal, few.offdiagonal, rtol=1e-11)


@settings(max_examples=30)
@given(sizes, sizes, st.integers(2, 6), seeds)
def test_the_linear_model_is_a_network_of_one_layer(dimension, samples, classes, seed):
    """The engine for networks gives the same energies."""
    model = sample_linear(dimension, samples, classes, np.random.default_rng(seed))
    network = network_from_arrays([model.weights], loss="cross_entropy")
    labels = np.zeros(samples, dtype=int)
    (energies,) = block_energies(network, model.inputs, labels, pairs=True)
    wanted = block_energies(model, pairs=True)
    np.testing.assert_allclose(energies.diagonal, wanted.diagonal, rtol=1e-10)
    assert energies.offdiagonal == pytest.approx(wanted.offdiagonal, rel=1e-9)
    np.testing.assert_allclose(np.sqrt(energies.pairs), np.sqrt(wanted.pairs), rtol=1e-8, atol=1e-12)
