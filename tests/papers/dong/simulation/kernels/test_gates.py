"""Sums over gated pairs against plain NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.dong.simulation.kernels.gates import gated_pair_sums

seeds = st.integers(0, 2**32)


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
