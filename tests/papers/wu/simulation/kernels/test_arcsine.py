"""The arcsine of compiled loops against the library's, and means over pairs of inputs against NumPy's."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.wu.simulation.kernels.activation_pairs import half_pair_sums
from rmtsim.papers.wu.simulation.kernels.arcsine import arcsine


@settings(max_examples=300)
@given(st.floats(-1, 1))
def test_arcsine(x):
    assert abs(arcsine(x) - np.arcsin(x)) <= 2 * np.spacing(abs(np.arcsin(x)))


def test_arcsine_where_its_branches_meet():
    points = np.array([-1.0, -0.5, np.nextafter(-0.5, -1), 0.0, 0.5, np.nextafter(0.5, 1), 1.0])
    np.testing.assert_allclose([arcsine(x) for x in points], np.arcsin(points), rtol=4e-16)
    assert np.isnan(arcsine(np.nan))


@settings(max_examples=60)
@given(st.integers(2, 15), st.integers(1, 9), st.booleans(), st.integers(0, 2**32))
def test_pairs_of_two_halves(inputs, dimension, with_zeros, seed):
    rows = np.random.default_rng(seed).standard_normal((inputs, dimension))
    if with_zeros:
        rows[0] = 0.0
    middle = inputs // 2
    gram = rows @ rows.T
    lengths = np.sqrt(np.diag(gram))
    scale = np.outer(lengths[:middle], lengths[middle : 2 * middle])
    inner = gram[:middle, middle : 2 * middle]
    rho = np.where(scale > 0, inner / np.where(scale > 0, scale, 1), 1).clip(-1, 1)
    products = scale * (np.sqrt(1 - rho**2) + rho * (np.pi / 2 + np.arcsin(rho)))
    # Near |ρ| = 1 an arcsine turns rounding into its square root.
    np.testing.assert_allclose(
        half_pair_sums(gram), [np.arcsin(rho).sum(), products.sum()], rtol=1e-7, atol=1e-7
    )
