"""Extrapolation of sequences without noise."""

import numpy as np
import pytest

from rmtsim.verdicts._models.richardson import extrapolate

SIZES = (10, 20, 40, 80)
VALUES = 1 + 0.5 / np.array(SIZES) + np.array([0.001, -0.002, 0.001, 0.0])
AXES = np.array([0.004, 0.004, 0.006, 0.01])


@pytest.mark.parametrize("exponent", [0.5, 2 / 3, 1.0, 0.8])
def test_exact_sequences_are_extrapolated_within_their_error(exponent):
    sizes = (100, 200, 400, 800, 1600)
    values = [1 + 2 * n**-exponent - 3 * n ** (-2 * exponent) for n in sizes]
    found = extrapolate(sizes, values, [1e-14] * 5, (0.5, 2 / 3, 1.0))
    low = min(item.limit - item.error for item in found)
    high = max(item.limit + item.error for item in found)
    assert low <= 1 <= high
    assert high - low < 0.05


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7])
@pytest.mark.parametrize("exponent", [0.5, 2 / 3, 1.0])
def test_series_with_coefficients_of_order_one_are_seldom_missed(count, exponent):
    """Four terms, all as large at the smallest size: the order that moves least would miss up to four in five."""
    sizes = tuple(100 * 2**k for k in range(count))
    x = (np.array(sizes) / sizes[0]) ** -exponent
    missed = 0
    for seed in range(100):
        terms = np.random.default_rng(seed).standard_normal(4)
        values = (x[:, None] ** np.arange(1, 5)) @ terms
        found = extrapolate(sizes, values, [1e-14] * count, (exponent,))
        missed += not min(item.ends[0] for item in found) <= 0 <= max(item.ends[1] for item in found)
    # Two sizes leave nothing to compare a first step with; no verdict without a declared exponent rests on them.
    assert missed <= (12 if count == 2 else 4)


def test_a_logarithm_under_a_wrong_exponent_is_not_excluded():
    sizes = (100, 200, 400, 800, 1600)
    best = extrapolate(sizes, [np.log(n) / n for n in sizes], [1e-15] * 5, (1.0,))[0]
    assert abs(best.limit) < best.error


def test_extrapolation_needs_two_sizes():
    with pytest.raises(ValueError, match="at least two"):
        extrapolate((1,), (1.0,), (0.0,), (1.0,))
