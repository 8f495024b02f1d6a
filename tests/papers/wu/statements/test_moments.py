"""Simulated moments of the inputs: exact means where any 1/d term would show; quadrature against mpmath."""

import math

import mpmath
import numpy as np
import pytest

from rmtsim.papers.wu.statements import moments

EXACT = {
    "eigenvalue_along_ones": 1 / (2 * math.pi),
    "eigenvalue_across_ones": (math.pi - 1) / (2 * math.pi),
    "excess_of_energy": (math.pi**2 - 1) / (4 * math.pi**2),
    "excess_of_sum": (math.pi - 1) / (2 * math.pi),
}


@pytest.mark.parametrize("name", EXACT)
def test_the_mean_is_exact_at_a_small_dimension(name):
    """d = 5: 3000 replicates within four standard errors; a constant off by three per cent would be seen."""
    rng = np.random.default_rng(2)
    statement = getattr(moments, name)
    values = statement.sample({"alpha": 0.2, "classes": 2}, 4, rng, 3000)
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - EXACT[name]) < 4 * error
    assert 4 * error < 0.03 * EXACT[name]


@pytest.mark.parametrize("variance", [1.0, 0.3, (math.pi - 1) / (2 * math.pi)])
def test_rectified_moments_are_the_integrals(variance):
    with mpmath.workdps(25):
        scale = mpmath.sqrt(variance)
        exact = [
            mpmath.quad(lambda x, k=k: x**k * mpmath.npdf(x, 0, scale), [0, scale, 12 * scale])
            for k in (1, 2, 3, 4)
        ]
    assert moments.rectified_moments(variance) == pytest.approx([float(value) for value in exact], rel=1e-11)
