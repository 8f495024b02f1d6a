"""Hessians are computed in double precision for inputs of any number type; small integers would overflow."""

import numpy as np
import pytest

from rmtsim.curvature import block, block_energies, block_norms
from rmtsim.curvature._linear_model import LinearModel
from rmtsim.networks._softmax import softmax
from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies, output_energies

TYPES = [np.int8, np.int16, np.uint8, np.int64, np.float16, np.float32]
RNG = np.random.default_rng(5)
INPUTS, WEIGHTS = RNG.integers(0, 100, (20, 6)), RNG.integers(0, 2, (3, 6))
HIDDEN, OUTPUT, TARGETS = RNG.integers(0, 90, (4, 6)), RNG.integers(0, 2, (3, 4)), RNG.integers(0, 2, (20, 3))


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
def test_energies_do_not_depend_on_the_type_of_the_numbers(kind):
    model = LinearModel(INPUTS.astype(kind), WEIGHTS.astype(kind))
    exact = LinearModel(INPUTS.astype(float), WEIGHTS.astype(float))
    assert model.inputs.dtype == model.weights.dtype == np.float64
    assert block_energies(model) is not None
    np.testing.assert_array_equal(block_norms(model), block_norms(exact))
    np.testing.assert_array_equal(block(model, 0, 1), block(exact, 0, 1))
    network, reference = (
        OneHiddenNetwork(*(array.astype(each) for array in (INPUTS, HIDDEN, OUTPUT, TARGETS)))
        for each in (kind, float)
    )
    for loss in ("mse", "ce"):
        state, expected = forward(network, loss), forward(reference, loss)
        np.testing.assert_array_equal(hidden_energies(state), hidden_energies(expected))
        np.testing.assert_array_equal(output_energies(state).diagonal, output_energies(expected).diagonal)
        np.testing.assert_array_equal(state.residuals, expected.residuals)
    np.testing.assert_array_equal(softmax(WEIGHTS.astype(kind)), softmax(WEIGHTS.astype(float)))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: LinearModel(INPUTS * np.nan, WEIGHTS), "inputs=nan at index 0, 0"),
        (lambda: LinearModel(INPUTS, WEIGHTS[:, :5]), r"weights of shape \(3, 5\): expected rows × 6"),
        (lambda: LinearModel(INPUTS.ravel(), WEIGHTS), "inputs of shape"),
        (lambda: LinearModel(INPUTS[:0], WEIGHTS), "inputs of shape"),
        (lambda: LinearModel(INPUTS * 1j, WEIGHTS), "inputs=.*not complex128"),
        (lambda: LinearModel(INPUTS.astype(object), WEIGHTS), "inputs=.*not object"),
        (lambda: LinearModel(np.ma.masked_array(INPUTS, INPUTS > 3), WEIGHTS), "inputs.*masked"),
        (lambda: OneHiddenNetwork(INPUTS, HIDDEN[:, 1:], OUTPUT, TARGETS), "hidden of shape"),
        (lambda: OneHiddenNetwork(INPUTS, HIDDEN, OUTPUT, TARGETS[1:]), "targets of shape"),
        (lambda: block_energies(LinearModel(INPUTS * 1e200, WEIGHTS)), "model: the result leaves the range"),
        (lambda: block_energies("model"), "model: expected a LinearModel or a Network, not str"),
    ],
)
def test_bad_numbers_are_named(make, match):
    with pytest.raises((TypeError, ValueError, OverflowError), match=match):
        make()
