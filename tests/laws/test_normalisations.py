"""Small parts of laws and self-energies on their own, which only the mutation trial found untested."""

from fractions import Fraction

import numpy as np
import pytest

from rmtsim.laws._edges import two_product
from rmtsim.laws._population import _two_product, population
from rmtsim.laws.dyson.ensembles import deformed
from rmtsim.laws.self_energy import FromSamples, GaussianSum


def test_common_eigenvectors_carry_squared_eigenvalues():
    vectors, mean, squares = GaussianSum([np.diag([1.0, 2.0, 3.0])]).simultaneous(0.5 * np.eye(3))
    assert mean == pytest.approx([0.5] * 3)
    assert np.sort(np.diag(squares)) == pytest.approx([1.0, 4.0, 9.0], rel=1e-13)
    assert vectors.T @ vectors == pytest.approx(np.eye(3), abs=1e-13)


def test_groups_left_out_are_the_observed_matrices_without_them():
    observed = np.random.default_rng(3).standard_normal((7, 3, 3))
    observed += observed.transpose(0, 2, 1)
    found = FromSamples(observed).without_groups(3)
    for group, energy in enumerate(found):
        direct = FromSamples(observed[np.arange(7) % 3 != group])
        assert energy.mean == pytest.approx(direct.mean, abs=1e-13)
        assert energy(np.eye(3)) == pytest.approx(direct(np.eye(3)), abs=1e-12)


def test_the_two_means_of_a_deformed_matrix_balance():
    law = deformed(0.7, 2.0)
    assert law.moment(1) == pytest.approx(0.0, abs=1e-9)
    assert law.moment(2) == pytest.approx(2.0 + 0.49, rel=1e-8)


def test_products_in_two_doubles_are_exact():
    # Just below a power of two a splitting at the wrong bit leaves parts whose products do not fit into a double.
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1.94, 2.0, (2, 400))
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        exact = Fraction(x) * Fraction(y)
        assert sum(map(Fraction, two_product(x, y))) == exact
        high, low = _two_product(np.array([x]), y)
        assert Fraction(float(high[0])) + Fraction(float(low[0])) == exact


def test_one_quantile_of_a_population_is_its_median():
    assert population([1.0, 4.0], [0.505, 0.495]).quantiles(1) == [1.0]
    assert population([1.0, 4.0], [0.495, 0.505]).quantiles(1) == [4.0]
