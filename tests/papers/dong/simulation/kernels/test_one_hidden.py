"""Compiled batches of networks with one hidden layer against NumPy: the same generator, the same numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.dong.simulation import one_hidden_average

KERNELS = {
    "mean_energies": "test_one_hidden_layer",
    "hidden_cross_entropy": "test_one_hidden_layer",
    "hidden_square": "test_one_hidden_layer",
    "output_cross_entropy": "test_one_hidden_layer",
}
seeds = st.integers(0, 2**32)


@pytest.mark.thorough
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
def test_one_hidden_layer(dimension, samples, hidden, classes, replicates, seed, kind):
    """Also where the hidden layer is wider than the input, d < m."""
    layer, loss = kind
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


def test_compiled_and_plain_energies_agree(monkeypatch):
    options = {"layer": "hidden", "loss": "ce", "draws": 3}
    few = one_hidden_average.sampled_energies(20, 30, 4, 6, np.random.default_rng(0), 2, **options)
    monkeypatch.setitem(one_hidden_average._COMPILED, ("hidden", "ce"), 5)
    many = one_hidden_average.sampled_energies(20, 30, 4, 6, np.random.default_rng(0), 2, **options)
    np.testing.assert_allclose(few, many, rtol=1e-11)
