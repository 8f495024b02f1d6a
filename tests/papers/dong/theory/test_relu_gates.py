from __future__ import annotations

import math

import numpy as np
import pytest

from rmtsim.papers.dong.theory.relu_gates import gated_pair_moment


@pytest.mark.parametrize(
    ("dimension", "variance"),
    [(1, math.pi**2 / 4), (2, math.pi**2 / 12), (3, math.pi**2 / 4 - 2), (4, math.pi**2 / 12 - 0.5)],
)
def test_angles_with_elementary_variances(dimension, variance):
    expected = (0.25 + variance / math.pi**2) / 4 + (dimension - 1) / dimension**2 / (2 * math.pi**2)
    assert gated_pair_moment(dimension, diagonal=False) == pytest.approx(expected, rel=1e-11)


def test_the_limit_is_that_of_the_paper():
    assert gated_pair_moment(10**8, diagonal=False) == pytest.approx(1 / 16, rel=1e-6)


@pytest.mark.parametrize("diagonal", [True, False])
def test_energies_of_drawn_gates(diagonal):
    dimension, samples, rng = 3, 6, np.random.default_rng(0)
    values = np.empty(20_000)
    for index in range(values.size):
        x = rng.standard_normal((samples, dimension))
        gates = (x @ rng.standard_normal((dimension, 1 if diagonal else 2)) > 0).all(axis=1)
        kept = x[gates]
        values[index] = np.square(kept.T @ kept / samples).sum() / dimension
    # E‖L_ij‖²_F/d: the samples with themselves, E‖x‖⁴/d = d + 2, and pairs of samples.
    own = (dimension + 2) * (0.5 if diagonal else 0.25) / samples
    expected = own + (1 - 1 / samples) * gated_pair_moment(dimension, diagonal=diagonal)
    assert abs(values.mean() - expected) < 4.5 * values.std() / math.sqrt(values.size)
