"""Shifts stay in the ball."""

import numpy as np

from rmtsim.papers.liu.simulation.shifted_sums import chosen_shifts


def test_shifts_stay_in_the_ball_and_reach_zero_when_they_can():
    x, y = np.random.default_rng(0).standard_normal((2, 50, 900))
    s, t = chosen_shifts(x, y, 1.0)
    assert np.linalg.norm(s, axis=1).max() <= 1 + 1e-12
    assert np.linalg.norm(t, axis=1).max() <= 1 + 1e-12
    sums = np.abs(((x + s) * (y + t) ** 2).sum(axis=1)) / 30
    starts = np.abs((x * y**2).sum(axis=1)) / 30
    assert sums[starts < 3].max() < 1e-12
    assert (sums <= starts).all()
