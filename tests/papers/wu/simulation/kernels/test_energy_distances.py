"""Sums of an energy distance in compiled loops against SciPy's error function and all pairs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erf

from rmtsim.papers.wu.simulation.kernels.energy_distances import rectified_sums


@settings(max_examples=60)
@given(st.integers(1, 11), st.integers(1, 150), st.floats(0.01, 100), st.booleans(), st.integers(0, 2**32))
def test_sums(rows, columns, deviation, rectified, seed):
    values = 3 * deviation * np.random.default_rng(seed).standard_normal((rows, columns))
    if rectified:
        values = np.maximum(values, 0)
    errors, densities, distances = rectified_sums(values, deviation)
    scaled = np.abs(values) / (deviation * math.sqrt(2))
    assert errors == pytest.approx(np.sum(np.abs(values) * erf(scaled)), rel=1e-13, abs=1e-300)
    assert densities == pytest.approx(np.sum(np.exp(-(scaled**2))), rel=1e-13)
    pairs = np.abs(values[:, None] - values).sum() / 2
    assert distances == pytest.approx(pairs, rel=1e-12, abs=1e-300)


def test_the_error_function_from_zero_to_where_it_is_one():
    for z in np.concatenate([[0.0], np.geomspace(1e-12, 40, 400)]):
        found = rectified_sums(np.array([[z]]), math.sqrt(0.5))[0]
        assert abs(found - z * math.erf(z)) <= 4e-15 * z
