"""Two-layer networks drawn by compiled loops against the same stream drawn and passed on by NumPy and the engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._internal.randomness import FastNormals, state_words
from rmtsim.papers.wu.simulation.relu_network import draw_responses

KERNELS = {"networks_on_inputs": "test_responses"}


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 40),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.integers(2, 6),
    st.integers(2, 20),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_responses(width, alpha, classes, count, networks, inner, centred, seed):
    """Both methods: pre-activations from the inner products (d > 2 count), and from inputs and first weights."""
    compiled, plain = (kind(np.random.PCG64DXSM(seed)) for kind in (FastNormals, np.random.Generator))
    options = {"networks": networks, "inner": inner, "centred": centred}
    try:
        wanted = draw_responses(width, alpha, classes, count, plain, **options)
    except np.linalg.LinAlgError:  # inputs of zeros only: rare, and the same in both methods
        with pytest.raises(np.linalg.LinAlgError):
            draw_responses(width, alpha, classes, count, compiled, **options)
        return
    found = draw_responses(width, alpha, classes, count, compiled, **options)
    assert len(found) == len(wanted) == networks
    for (ours, one), (theirs, two) in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
        scale = np.abs(two.passed.before[0]).max()
        np.testing.assert_allclose(one.passed.before[0], two.passed.before[0], atol=1e-12 * scale)
        np.testing.assert_allclose(one.hidden[0], two.hidden[0], atol=1e-12 * scale)
        np.testing.assert_allclose(one.logits, two.logits, atol=1e-11 * scale)
        np.testing.assert_allclose(one.confidence, two.confidence, atol=1e-11 * max(1.0, scale))
        clear = np.abs(two.passed.before[0]) > 1e-9 * scale
        assert (one.active[0] == two.active[0])[clear].all()
        np.testing.assert_allclose(one.inputs.sums, two.inputs.sums)
        assert [w.shape for w in one.passed.weights] == [w.shape for w in two.passed.weights]
        assert [r.shape for r in one.passed.reads] == [r.shape for r in two.passed.reads]
    # Both have drawn the same numbers, no more and no fewer.
    assert compiled.standard_normal() == plain.standard_normal()


def test_a_unit_at_zero_is_active_and_gives_zero():
    from rmtsim.papers.wu.simulation.kernels.two_layer import last_layers

    before = np.array([[[0.0, -0.0, -1.0, 2.0]]])
    weights, logits, confidence = np.empty((1, 2, 4)), np.empty((1, 1, 2)), np.empty((1, 1, 2))
    active, hidden = np.empty_like(before), np.empty_like(before)
    with state_words(FastNormals(np.random.PCG64DXSM(0))) as words:
        last_layers(words, before, weights, active, hidden, logits, confidence)
    assert active.tolist() == [[[1.0, 1.0, 0.0, 1.0]]]
    assert hidden.tolist() == [[[0.0, 0.0, 0.0, 2.0]]]


def test_other_generators_have_no_words():
    with state_words(np.random.default_rng(0)) as words:
        assert words is None
