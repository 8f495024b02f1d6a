"""A wide network descends like its linearisation."""

import numpy as np

from rmtsim.papers.liu.simulation.sine_descent import descend, draw, linearised_change
from rmtsim.papers.liu.statements.optimisation import step_size


def test_a_wide_network_descends_like_its_linearisation():
    gaps = []
    for size in (32, 2048):
        w, v = draw(size, np.random.default_rng(2), 12)
        options = (0.5, 60, step_size(0.5))
        change = descend(w, v, *options).change
        gaps.append(np.abs(change - linearised_change(w, v, *options)).mean())
    assert gaps[1] < 0.01 < gaps[0]
