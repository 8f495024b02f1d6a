"""Predictors evaluate arrays entry by entry and reject invalid entries like invalid numbers."""

import numpy as np
import pytest

from rmtsim.papers.dong.theory import hidden_finite, hidden_limits, linear
from rmtsim.papers.wu.theory import curvature, limits


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


def test_estimates_of_arrays_are_arrays_of_values_and_errors():
    found = hidden_finite.hidden_ce_diagonal(np.array([[0.5], [2.0]]), 5, np.array([10**5]))
    assert found.value.shape == found.error.shape == (2, 1)
    assert found[0, 0] == hidden_finite.hidden_ce_diagonal(0.5, 5, 10**5)
    assert found[1, 0] == hidden_finite.hidden_ce_diagonal(2.0, 5, 10**5) != found[0, 0]
    assert hidden_finite.output_ce_diagonal(5, [10**5])[0] == hidden_finite.output_ce_diagonal(5, 10**5)


def test_predictors_of_wu_take_arrays():
    layers = np.arange(1, 4)
    assert limits.layer_correlation(layers).tolist() == [limits.layer_correlation(k) for k in (1, 2, 3)]
    assert limits.row_space_overlap(layer=layers, depth=4).shape == (3,)
    assert limits.row_space_overlap(4, 2) == limits.row_space_overlap(4, [1, 2])[1]
    assert limits.row_sum_probability(np.array([1.0])).shape == (1,)
    assert curvature.printed_gap_bound(np.array([2, 3])).tolist() == [
        curvature.printed_gap_bound(2),
        curvature.printed_gap_bound(3),
    ]


def test_empty_arrays_stay_empty():
    assert linear.ratio(1.0, np.array([], dtype=int)).shape == (0,)
    assert hidden_finite.hidden_ce_diagonal(np.empty((0, 2)), 3, 10).value.shape == (0, 2)


def test_a_bad_entry_by_name_is_named():
    with pytest.raises(ValueError, match="classes=1"):
        linear.ratio(gamma=1.0, classes=np.array([3, 1]))
