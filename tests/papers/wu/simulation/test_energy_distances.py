"""Energy distances to Gaussian laws: zero where the laws agree, and a mean over last layers."""

import numpy as np
import pytest

from rmtsim._internal.energy_distance import energy_distance
from rmtsim.papers.wu.simulation.energy_distances import (
    logit_energy_distance,
    logit_scale,
    rectified_energy_distance,
)
from rmtsim.papers.wu.simulation.last_layers import last_layers
from rmtsim.papers.wu.simulation.relu_network import draw_response


def test_rectified_normals_are_at_distance_zero():
    rng = np.random.default_rng(4)
    null = [
        rectified_energy_distance(np.maximum(rng.standard_normal((40, 30)), 0) * 0.7, 0.49)
        for _ in range(100)
    ]
    assert np.mean(null) == pytest.approx(0, abs=5 * np.std(null) / 10)


def test_logit_distance_is_the_mean_over_last_layers():
    rng = np.random.default_rng(4)
    _, response = draw_response(30, 0.3, 3, 24, rng)
    hidden = response.hidden[-1]
    exact = logit_energy_distance(hidden, 3, 0.12)
    draws = [
        energy_distance(z, rng.standard_normal(z.shape) * np.sqrt(0.12))
        for z in last_layers(hidden, 3, 3000, rng)
    ]
    assert exact == pytest.approx(np.mean(draws), abs=4 * np.std(draws) / np.sqrt(3000))
    scale = logit_scale(3, 30)
    lengths = np.linalg.norm(last_layers(np.ones((1, 30)), 3, 4000, rng)[:, 0], axis=1) / np.sqrt(30)
    assert scale == pytest.approx(lengths.mean(), abs=4 * lengths.std() / np.sqrt(4000))


@pytest.mark.parametrize("values", [[[1.0, 2.0], [3.0]], "x", None, [[1.0, np.nan]], 3.0, [1.0]])
def test_bad_samples_are_named(values):
    with pytest.raises((TypeError, ValueError), match="values"):
        rectified_energy_distance(values, 1.0)
    with pytest.raises((TypeError, ValueError), match="hidden"):
        logit_energy_distance(values, 3, 1.0)
