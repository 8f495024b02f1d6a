"""The Hessian at one input on its own subspace: the same eigenvalues, the same place of the top eigenvector."""

import numpy as np
import pytest

from rmtsim.networks import fully_connected
from rmtsim.networks._one_input import one_input_hessian


@pytest.mark.parametrize("skips", [False, True])
@pytest.mark.parametrize("output", ["identity", "tanh"])
@pytest.mark.parametrize("widths", [(3, 9, 9, 1), (2, 7, 7, 7, 1), (3, 8, 2, 8, 2), (1, 12, 1)])
def test_eigenvalues_are_those_of_the_whole_hessian(widths, output, skips):
    network = fully_connected(widths, "tanh", output=output, parametrisation="ntk", skips=skips).sample(
        np.random.default_rng(0)
    )
    x = np.arange(1.0, widths[0] + 1)
    reduced = one_input_hessian(network, x)
    matrix = np.stack([reduced.product(row) for row in np.eye(reduced.size)])
    assert np.abs(matrix - matrix.T).max() < 1e-14
    whole = np.sort(np.abs(np.linalg.eigvalsh(network.hessian(x[None]))))[::-1]
    small = np.sort(np.abs(np.linalg.eigvalsh(matrix)))[::-1]
    count = min(len(whole), len(small))
    assert small[:count] == pytest.approx(whole[:count], abs=1e-13)
    assert np.abs(small[count:]).max(initial=0) < 1e-13


def test_shares_are_those_of_the_eigenvector():
    network = fully_connected((3, 10, 10, 1), "tanh", parametrisation="ntk").sample(np.random.default_rng(2))
    values, vectors = np.linalg.eigh(network.hessian([[1.0, 2.0, -1.0]]))
    top = vectors[:, np.abs(values).argmax()]
    wanted = [float(part @ part) for part in np.split(top, [30, 130])]
    reduced = one_input_hessian(network, [1.0, 2.0, -1.0])
    assert reduced.shares(reduced.extremes(np.random.default_rng(3)).vectors[:, 0]) == pytest.approx(
        wanted, abs=1e-6
    )


@pytest.mark.parametrize(
    ("options", "x", "message"),
    [
        ({"biases": True}, [1.0, 2.0], "dense layers without biases"),
        ({"loss": "square"}, [1.0, 2.0], "expected none"),
        ({}, [[1.0, 2.0], [3.0, 4.0]], "expected one input"),
    ],
)
def test_bad_input_is_one_line(options, x, message):
    network = fully_connected((2, 3, 1), "tanh", **options).sample(np.random.default_rng(0))
    with pytest.raises(ValueError, match=message) as caught:
        one_input_hessian(network, x)
    assert "\n" not in str(caught.value)
