"""Draws against what they stand for, and small pieces on their own: what only the mutation trial missed."""

from fractions import Fraction

import numpy as np
import pytest

from rmtsim.laws import Discrete, Semicircle, free_sum
from rmtsim.laws._edges import two_product
from rmtsim.laws._finite_matrices import permutation_sum, weighted_covariance
from rmtsim.laws._free.compression import Compression
from rmtsim.laws._population import _two_product, population
from rmtsim.laws.dyson.ensembles import deformed
from rmtsim.laws.self_energy import Block, FromSamples, GaussianSum, Kronecker

DRAWN = {
    "sum": (GaussianSum([np.diag([1.0, 2.0]), [[0.0, 1.0], [1.0, 0.5]]]), 200),
    "blocks": (Block(hermitian=[[[1.0, 0.5], [0.5, 2.0]]]), 200),
    "general blocks": (Block(general=[[[0.0, 1.5], [0.0, 0.0]]]), 200),
    "real factors": (Kronecker(np.array([[2.0, 0.5], [0.5, 1.0]])), 200),
    "complex factors": (Kronecker(np.array([[2.0, 1j], [-1j, 1.5]])), 200),
}


@pytest.mark.parametrize("name", DRAWN)
def test_the_second_moment_of_a_draw_is_the_trace_of_the_self_energy(name):
    energy, copies = DRAWN[name]
    drawn = energy.draw(np.random.default_rng(7), copies)
    expected = np.trace(energy(np.eye(energy.size))).real / energy.size
    # tr W²/n moves by about 2/n from draw to draw; the diagonal of real matrices adds 1/copies of it.
    assert np.sum(np.abs(drawn) ** 2) / len(drawn) == pytest.approx(expected, rel=0.013)


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


def test_weighted_covariance_has_the_trace_of_its_weights():
    matrix = weighted_covariance(200, 0.5, lambda n: np.full(n, 3.0), np.random.default_rng(2))
    # Mean of 80 000 squares: a relative standard error of 0.5 %.
    assert np.trace(matrix) / 200 == pytest.approx(3.0, rel=0.015)
    assert np.array_equal(matrix, matrix.T)


@pytest.mark.parametrize(("n", "degree"), [(5, 4), (6, 3), (7, 2), (8, 5)])
def test_vertices_of_a_permutation_sum_have_its_degree(n, degree):
    assert permutation_sum(n, degree, np.random.default_rng(1)).sum(axis=0).tolist() == [degree] * n


@pytest.mark.parametrize("mass", [0.151, 0.149, 0.349, 0.551, 0.82])
def test_a_deterministic_sample_rounds_the_mass_of_an_atom_to_the_nearest_count(mass):
    diagonal = np.diag(Discrete([0.0, 1.0], [mass, 1 - mass]).matrix(10, np.random.default_rng(0)))
    quantiles = population([0.0, 1.0], [mass, 1 - mass]).quantiles(10)
    for drawn in (diagonal, quantiles):
        assert np.count_nonzero(drawn == 0.0) == round(10 * mass)


def test_quantiles_of_symmetric_laws_cancel_in_the_trace():
    rng = np.random.default_rng(0)
    free = free_sum(Semicircle(1.0), Semicircle(2.0))
    assert np.trace(free.matrix(12, rng)) == pytest.approx(0.0, abs=1e-9)
    whole = Compression(Semicircle(3.0), 1.0)
    assert np.trace(whole.matrix(12, rng)) == pytest.approx(0.0, abs=1e-9)


def test_products_in_two_doubles_are_exact():
    # Just below a power of two a splitting at the wrong bit leaves parts whose products do not fit into a double.
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1.94, 2.0, (2, 400))
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        exact = Fraction(x) * Fraction(y)
        assert sum(map(Fraction, two_product(x, y))) == exact
        high, low = _two_product(np.array([x]), y)
        assert Fraction(float(high[0])) + Fraction(float(low[0])) == exact
