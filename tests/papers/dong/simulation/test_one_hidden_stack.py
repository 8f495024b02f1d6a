"""Networks drawn together are those drawn one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._internal.randomness import stream
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_stack import draw_stacks


@settings(max_examples=25, deadline=None)
@given(
    dimension=st.integers(1, 30), samples=st.integers(1, 200), hidden=st.integers(1, 6), classes=st.integers(2, 300),
    networks=st.integers(1, 9), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_number_for_number(dimension, samples, hidden, classes, networks, seed):
    together, alone = (stream(seed, "x", {}, 1, 0) for _ in range(2))
    drawn = 0
    for stack in draw_stacks(dimension, samples, hidden, classes, networks, together):
        for k in range(len(stack)):
            single = sample_one_hidden(dimension, samples, hidden, classes, alone)
            np.testing.assert_array_equal(stack.inputs[k], single.inputs)
            np.testing.assert_array_equal(stack.hidden[k], single.hidden)
            np.testing.assert_array_equal(stack.output[k], single.output)
        drawn += len(stack)
    assert drawn == networks
    assert together.random() == alone.random()


def test_what_is_not_accepted_is_drawn_again():
    (stack,) = draw_stacks(2, 1, 1, 2, 50, np.random.default_rng(0), accepted=lambda x, w: bool(x @ w[0] > 0))
    assert ((stack.inputs @ stack.hidden.mT) > 0).all()
    rng = np.random.default_rng(0)
    drawn = (sample_one_hidden(2, 1, 1, 2, rng) for _ in range(1000))
    first = next(each for each in drawn if (each.inputs @ each.hidden.T > 0).any())
    np.testing.assert_array_equal(stack.output[0], first.output)


def test_bad_input_is_named_before_anything_is_drawn():
    with pytest.raises(ValueError, match="classes=1"):
        draw_stacks(2, 3, 2, 1, 4, np.random.default_rng(0))
    with pytest.raises(TypeError, match="rng"):
        draw_stacks(2, 3, 2, 2, 4, 0.7)
