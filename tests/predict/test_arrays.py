"""Predictors answer arrays entry by entry, numbers as before, and refuse what they refused."""

import numpy as np
import pytest

from rmtsim.predict.dong import hidden_finite, hidden_limits, linear


@pytest.mark.parametrize("function", [linear.ratio, linear.diagonal_energy, linear.offdiagonal_energy])
def test_arrays_are_broadcast(function):
    gamma, classes = np.array([[0.5], [2.0]]), np.array([2, 7, 100])
    found = function(gamma, classes)
    assert found.shape == (2, 3)
    for index in np.ndindex(2, 3):
        assert found[index] == function(float(gamma[index[0], 0]), int(classes[index[1]]))
    assert isinstance(function(1.0, 3), float)
    assert function(1.0, [3]).shape == (1,)


def test_other_predictors_and_options():
    found = hidden_limits.hidden_mse_diagonal_limit(1.0, np.array([2, 4]), factor=1.0)
    np.testing.assert_allclose(found, [3 / 16, 3 / 64])
    np.testing.assert_allclose(
        hidden_finite.hidden_mse_offdiagonal(np.array([0.5, 1.0]), 3, 12), [1.0, 5 / 3]
    )


def test_a_bad_entry_is_named():
    with pytest.raises(ValueError, match="classes=1"):
        linear.ratio(1.0, np.array([3, 1]))
    with pytest.raises(TypeError, match=r"classes=2\.5"):
        linear.ratio(1.0, np.array([2.5]))
