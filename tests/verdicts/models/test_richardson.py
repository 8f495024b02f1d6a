"""Extrapolation of sequences without noise."""

import numpy as np
import pytest

from rmtsim.verdicts.models.richardson import extrapolate

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


def test_extrapolation_needs_three_sizes():
    with pytest.raises(ValueError, match="at least three sizes"):
        extrapolate((1, 2), (1.0, 1.0), (0.0, 0.0), (1.0,))
