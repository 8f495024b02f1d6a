"""Gradients of cones have one length."""

import numpy as np
import pytest

from rmtsim.papers.liu.simulation.cones import cone, gradient


def test_cones_have_gradients_of_one_length():
    rng = np.random.default_rng(3)
    for _ in range(20):
        value, start, constant = cone(4, rng)
        there = start + rng.standard_normal(4)
        assert np.linalg.norm(gradient(value, there)) == pytest.approx(constant, rel=1e-12)
