"""Block norms of a stack of networks are those of each network."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies
from rmtsim.papers.dong.simulation.one_hidden_stack import draw_stacks
from rmtsim.papers.dong.simulation.one_hidden_stack_hessian import hidden_square_energies


@settings(max_examples=25, deadline=None)
@given(
    dimension=st.integers(1, 12), samples=st.integers(1, 30), hidden=st.integers(1, 5), classes=st.integers(2, 6),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_of_each_network(dimension, samples, hidden, classes, seed):
    (stack,) = draw_stacks(dimension, samples, hidden, classes, 3, np.random.default_rng(seed))
    found = hidden_square_energies(stack)
    targets = np.zeros((samples, classes))
    for k in range(3):
        network = OneHiddenNetwork(stack.inputs[k], stack.hidden[k], stack.output[k], targets)
        expected = hidden_energies(forward(network, "mse"))
        np.testing.assert_allclose(found[k], expected, rtol=1e-12, atol=1e-14 * expected.max())


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="NetworkStack"):
        hidden_square_energies(np.ones((2, 3, 4)))
