"""Sums of normal rows, and rectified inputs, against NumPy on the same stream."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._internal.randomness import FastNormals, state_words
from rmtsim.papers.wu.simulation.kernels.row_sums import normal_row_sums
from rmtsim.papers.wu.simulation.kernels.two_layer import rectified_inputs

seeds = st.integers(0, 2**32)


def two_generators(seed):
    return FastNormals(np.random.PCG64DXSM(seed)), np.random.Generator(np.random.PCG64DXSM(seed))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 20), seeds)
def test_sums_of_normal_rows(width, count, seed):
    ours, numpys = two_generators(seed)
    found = np.empty(count)
    with state_words(ours) as words:
        normal_row_sums(words, width, found)
    drawn = numpys.standard_normal((count, width))
    np.testing.assert_allclose(found, drawn.sum(axis=1), rtol=1e-13, atol=1e-13)
    assert ours.standard_normal() == numpys.standard_normal()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.integers(1, 60), seeds)
def test_rectified_inputs(count, columns, seed):
    ours, numpys = two_generators(seed)
    values, sums = np.empty((count, columns), dtype=np.float32), np.ones(count)
    with state_words(ours) as words:
        rectified_inputs(words, values, sums)
    expected = np.maximum(numpys.standard_normal((count, columns), dtype=np.float32), 0)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_allclose(sums, 1 + expected.sum(axis=1, dtype=np.float64), rtol=1e-13)
    assert ours.random() == numpys.random()
