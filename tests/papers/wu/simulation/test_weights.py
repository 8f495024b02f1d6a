"""Statistics of Gaussian weights: fast samplers have the law of direct ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rmtsim._internal.randomness import FastNormals
from rmtsim.papers.wu.simulation.relu_network import input_dimension
from rmtsim.papers.wu.simulation.weights import gram_deviation, largest_entry, projection_deviation, row_sum


def test_bidiagonal_model_has_the_law_of_the_gram_matrix():
    rng = np.random.default_rng(2)
    fast = [gram_deviation(12, 0.5, rng) for _ in range(400)]
    slow = []
    for _ in range(400):
        w = rng.standard_normal((12, input_dimension(12, 0.5))) / np.sqrt(input_dimension(12, 0.5))
        slow.append(np.abs(np.linalg.eigvalsh(w @ w.T) - 1).max())
    assert stats.ks_2samp(fast, slow).pvalue > 0.001


def test_projection_deviation_is_the_matrix_norm():
    rng = np.random.default_rng(3)
    value = projection_deviation(20, 3, np.random.default_rng(3), 1)[0]
    w = rng.standard_normal((1, 3, 20))[0] / np.sqrt(20)
    q = np.linalg.qr(w.T)[0]
    assert value == pytest.approx(np.sum((w.T @ w - q @ q.T) ** 2), rel=1e-10)


def test_largest_entry_has_the_law_of_the_largest_of_all_entries():
    """Against entries drawn one by one; a Kolmogorov–Smirnov test at level 1e-3."""
    rng = np.random.default_rng(5)
    short = largest_entry(6, 30, rng, 4000)
    drawn = np.abs(rng.standard_normal((4000, 180))).max(axis=1) / np.sqrt(30)
    assert stats.ks_2samp(short, drawn).pvalue > 1e-3


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 70), st.integers(1, 40), st.integers(0, 2**32))
def test_row_sums_of_both_generators(width, count, seed):
    """A compiled loop and NumPy add up the same numbers, and leave the generator in the same state."""
    ours, plain = (kind(np.random.PCG64DXSM(seed)) for kind in (FastNormals, np.random.Generator))
    wanted = plain.standard_normal((count, width)).sum(axis=1) / np.sqrt(width)
    np.testing.assert_allclose(row_sum(width, ours, count), wanted, rtol=1e-12, atol=1e-13)
    assert ours.standard_normal() == plain.standard_normal()
    other = np.random.Generator(np.random.PCG64DXSM(seed))
    np.testing.assert_allclose(row_sum(width, other, count), wanted, rtol=1e-12, atol=1e-13)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.integers(2, 5), st.integers(1, 9), st.integers(0, 2**32))
def test_projection_deviation_is_that_of_the_matrices(width, classes, count, seed):
    found = projection_deviation(width, classes, np.random.default_rng(seed), count)
    drawn = np.random.default_rng(seed).standard_normal((count, classes, width)) / np.sqrt(width)
    values = np.linalg.eigvalsh(drawn @ drawn.transpose(0, 2, 1))
    np.testing.assert_allclose(found, ((values - 1) ** 2).sum(axis=1), rtol=1e-10)
