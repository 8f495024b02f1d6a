"""The exponential of compiled loops against NumPy's, and the softmax made of it against the engine's."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._internal.jit import kernel
from rmtsim._kernels.softmax import exponential, softmax_columns
from rmtsim.networks._softmax import softmax


@kernel
def every(values, out):  # type: ignore[no-untyped-def]
    for k in range(values.size):
        out[k] = exponential(values[k])


@settings(max_examples=100)
@given(st.integers(1, 70), st.sampled_from([1e-9, 0.3, 5.0, 350.0]), st.integers(0, 2**32))
def test_as_numpy_within_two_units_in_the_last_place(count, scale, seed):
    """Lengths that fill whole vectors and lengths that do not."""
    values = np.random.default_rng(seed).uniform(-2, 2, count) * scale
    found = np.empty(count)
    every(values, found)
    wanted = np.exp(values)
    assert (np.abs(found - wanted) <= 2 * np.spacing(wanted)).all()


def test_ends_of_its_range():
    values = np.array([0.0, -0.0, -708.0, -708.1, -1e6, -np.inf, np.nan])
    found = np.empty(len(values))
    every(values, found)
    np.testing.assert_allclose(found, [1, 1, np.exp(-708.0), 0, 0, 0, np.nan], rtol=1e-15)


@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(1, 40), st.sampled_from([0.0, 1.0, 30.0, 1e4]), st.integers(0, 2**32))
def test_softmax_of_columns(classes, samples, scale, seed):
    logits = np.random.default_rng(seed).standard_normal((classes, samples)) * scale
    wanted = softmax(logits.T).T
    softmax_columns(logits)
    np.testing.assert_allclose(logits, wanted, rtol=1e-14, atol=1e-300)


def test_softmax_keeps_what_is_not_a_number():
    logits = np.array([[0.0, np.nan, 1.0], [np.nan, 0.0, 1.0]])
    softmax_columns(logits)
    assert np.isnan(logits).tolist() == [[True, True, False], [True, True, False]]
