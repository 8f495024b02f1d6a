"""Whole batches of two-layer networks against networks drawn one after the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._internal.randomness import FastNormals
from rmtsim.papers.wu.simulation import relu_network, response_batches
from rmtsim.papers.wu.simulation.relu_network import draw_responses
from rmtsim.papers.wu.simulation.response_batches import draw_response_batches

KINDS = (FastNormals, np.random.Generator)
KERNELS = {"fill_from_products": "test_the_same_networks", "fill_from_weights": "test_the_same_networks"}


def one_by_one(rng, replicates, width, alpha, classes, count, networks):
    drawn = [draw_responses(width, alpha, classes, count, rng, networks=networks) for _ in range(replicates)]
    gram = np.array([each[0][1].inputs.gram for each in drawn])
    hidden = np.array([[response.hidden[0] for _, response in each] for each in drawn])
    weights = np.array([[later[0] for later, _ in each] for each in drawn])
    confidence = np.array([[response.confidence for _, response in each] for each in drawn])
    return gram, hidden, weights, confidence


@pytest.mark.thorough
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.integers(1, 5),
    st.integers(4, 30),
    st.sampled_from([0.3, 1.0]),
    st.integers(2, 5),
    st.integers(2, 16),
    st.integers(1, 3),
    st.integers(0, 2**32),
)
def test_the_same_networks(kind, other, replicates, width, alpha, classes, count, networks, seed):
    """Compiled and NumPy's own drawing, pre-activations from first weights and from inner products."""
    rng, beside = (each(np.random.PCG64DXSM(seed)) for each in (kind, other))
    sizes = (width, alpha, classes, count)
    try:
        gram, hidden, weights, confidence = one_by_one(beside, replicates, *sizes, networks)
    except np.linalg.LinAlgError:  # an input of zeros only
        return
    parts = list(draw_response_batches(*sizes, rng, replicates, networks=networks))
    np.testing.assert_array_equal(np.concatenate([part.weights for part in parts]), weights)
    np.testing.assert_allclose(np.concatenate([part.gram for part in parts]), gram, rtol=1e-12)
    found = np.concatenate([part.hidden for part in parts])
    np.testing.assert_allclose(found, hidden, atol=1e-10 * hidden.max())
    found = np.concatenate([part.confidence for part in parts])
    np.testing.assert_allclose(found, confidence, atol=1e-9)
    assert rng.standard_normal() == beside.standard_normal()


def test_inputs_too_long_to_be_drawn_whole(monkeypatch):
    for module in (relu_network, response_batches):
        monkeypatch.setattr(module, "slice_of_inputs", lambda count, width: 7)
    rng, beside = np.random.default_rng(5), np.random.default_rng(5)
    parts = list(draw_response_batches(9, 0.5, 3, 4, rng, 3, networks=2))
    gram, hidden, weights, _ = one_by_one(beside, 3, 9, 0.5, 3, 4, 2)
    for name, wanted in (("gram", gram), ("hidden", hidden), ("weights", weights)):
        np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in parts]), wanted)


@pytest.mark.parametrize(
    "wrong",
    [{"width": 0}, {"alpha": -1.0}, {"classes": 1}, {"count": 1}, {"replicates": -1}, {"rng": "three"}],
)
def test_bad_arguments_are_named(wrong):
    good = {
        "width": 8, "alpha": 0.3, "classes": 3, "count": 4, "rng": np.random.default_rng(0), "replicates": 2
    }  # fmt: skip
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        draw_response_batches(**{**good, **wrong})
