"""The energy distance of two samples against laws where it is known."""

import numpy as np
import pytest
from scipy import stats

from rmtsim._internal.energy_distance import energy_distance


def test_two_normals():
    rng = np.random.default_rng(4)
    # Two normals at distance t in one dimension, exactly: 2E|N(t, 2)| - 2E|N(0, 2)|.
    t = 1.5
    exact = 2 * (stats.foldnorm.mean(t / np.sqrt(2)) - stats.foldnorm.mean(0)) * np.sqrt(2)
    values = [
        energy_distance(rng.standard_normal((60, 1)), t + rng.standard_normal((60, 1))) for _ in range(200)
    ]
    assert np.mean(values) == pytest.approx(exact, abs=5 * np.std(values) / np.sqrt(200))


@pytest.mark.parametrize("values", [[[1.0, 2.0], [3.0]], "x", None, [[1.0, np.nan]], 3.0, [1.0]])
def test_bad_samples_are_named(values):
    with pytest.raises((TypeError, ValueError), match="first"):
        energy_distance(values, np.ones((3, 1)))
    with pytest.raises((TypeError, ValueError), match="second"):
        energy_distance(np.ones((3, 1)), values)
