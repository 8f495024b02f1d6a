import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.laws import GeneralizedMarchenkoPastur, MarchenkoPastur, Semicircle
from rmtsim.laws._affine import AffineLaw
from rmtsim.spectra import random_matrix
from rmtsim.testing.strategies import fractions, upper_points, variances
from tests import law_oracle as oracle

quick = settings(derandomize=True, deadline=None, max_examples=60)
factors = st.floats(0.01, 100) | st.floats(-100, -0.01)


@quick
@given(variances(), fractions())
def test_semicircle_density_and_cdf_against_the_oracle(variance, share):
    law = Semicircle(variance)
    ((lower, upper),) = law.support
    for x in (lower + share * (upper - lower), np.nextafter(upper, 0), np.nextafter(lower, 0)):
        assert oracle.relative_error(law.density(x), oracle.semicircle_density(variance, x)) < 1e-14
    assert abs(float(oracle.semicircle_cdf(variance, x) - law.cdf(x))) < 1e-14


@quick
@given(variances(), upper_points())
def test_semicircle_stieltjes(variance, z):
    law = Semicircle(variance)
    z *= math.sqrt(variance)
    value = law.stieltjes(z)
    assert oracle.relative_error(value, oracle.semicircle_stieltjes(variance, z)) < 1e-12
    assert law.stieltjes(z.conjugate()) == value.conjugate()


def test_semicircle_moments_are_catalan_numbers():
    assert [Semicircle().moment(k) for k in range(11)] == [1, 0, 1, 0, 2, 0, 5, 0, 14, 0, 42]
    assert Semicircle(1e-320).cdf(0.0) == 0.5
    with pytest.raises(ValueError, match=r"variance=-1"):
        Semicircle(-1.0)


@quick
@given(factors, st.floats(-10, 10), fractions(), upper_points())
def test_affine_images_follow_the_change_of_variable(scale, shift, q, z):
    base = MarchenkoPastur(2.0)
    law = AffineLaw(base, scale, shift)
    level = q if scale > 0 else 1 - q
    assert law.cdf(law.ppf(q)) >= q - 1e-12
    x = base.ppf(level)
    if x > 0:
        assert law.density(scale * x + shift) == pytest.approx(base.density(x) / abs(scale), rel=1e-6)
    here = (z - shift) / scale
    assert law.stieltjes(z) == pytest.approx(base.stieltjes(here) / scale, rel=1e-12)
    assert law.stieltjes(z).imag > 0
    assert sum(mass for _, mass in law.atoms) + law.continuous_mass == pytest.approx(1, abs=1e-15)


def test_affine_moments_matrix_and_composition():
    base = MarchenkoPastur(0.5, 2.0)
    law = base.scaled(-3.0).shifted(1.0)
    assert law == AffineLaw(base, -3.0, 1.0)
    assert law.moment(2) == pytest.approx(9 * base.moment(2) - 6 * base.moment(1) + 1)
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    np.testing.assert_array_equal(random_matrix(law, 5, rng), -3 * random_matrix(base, 5, same) + np.eye(5))
    assert base.scaled(2.0) == MarchenkoPastur(0.5, 4.0)
    assert Semicircle().scaled(-2.0) == Semicircle(4.0)
    ends = np.array(law.support).ravel()
    # The image of an edge is rounded, so the density there is that of a point an ulp inside.
    assert law.density(ends) == pytest.approx(0, abs=1e-7)
    assert law.density([ends[0] - 1e-9, ends[1] + 1e-9]).tolist() == [0, 0]


def test_reflection_is_right_continuous_at_an_atom():
    law = MarchenkoPastur(2.0).scaled(-1.0)
    assert law.cdf(0.0) == 1.0
    assert law.cdf(-1e-9) == 0.5
    assert law.atoms == ((0.0, 0.5),)


@pytest.mark.parametrize(
    ("scale", "shift", "name"), [(0.0, 0.0, "scale=0"), (math.nan, 0, "scale=nan"), (1, math.inf, "shift")]
)
def test_bad_affine_maps(scale, shift, name):
    with pytest.raises(ValueError, match=name):
        AffineLaw(Semicircle(), scale, shift)


def test_entries_of_the_orthogonal_ensemble():
    n, variance = 400, 2.5
    matrix = random_matrix(Semicircle(variance), n, np.random.default_rng(5))
    beside = matrix[np.triu_indices(n, 1)]
    # Relative standard errors: √(2/79 800) = 0.5 % off the diagonal, √(2/400) = 7 % on it.
    assert np.mean(beside**2) == pytest.approx(variance / n, rel=0.02)
    assert np.mean(np.diag(matrix) ** 2) == pytest.approx(2 * variance / n, rel=0.3)


@pytest.mark.parametrize("share", [1e-12, 1e-3, 0.5, 3.0])
def test_semicircle_density_by_its_distance_from_an_edge(share):
    law, sigma = Semicircle(2.5), math.sqrt(2.5)
    distance = share * sigma
    found = law._density_beside(np.array([distance]), np.array([0]), np.array([True]))[0]
    # √(x - a)√(b - x)/(2πσ²) with b - a = 4σ.
    assert found == pytest.approx(
        math.sqrt(distance * (4 * sigma - distance)) / (2 * math.pi * 2.5), rel=1e-13
    )


def test_moments_of_an_affine_semicircle():
    variance, scale, shift = 2.5, -1.5, 0.75
    law = AffineLaw(Semicircle(variance), scale, shift)
    spread = scale**2 * variance
    assert law.moment(2) == pytest.approx(shift**2 + spread, rel=1e-14)
    assert law.moment(4) == pytest.approx(shift**4 + 6 * shift**2 * spread + 2 * spread**2, rel=1e-14)


def test_distribution_of_a_reflected_law():
    x = np.linspace(-3, 3, 13)
    inside = AffineLaw(Semicircle(2.5), -1.0, 0.5)._cdf_inside(x)
    # The semicircle is symmetric, so its reflection about ¼ is the same law moved by ½.
    assert inside == pytest.approx(Semicircle(2.5).shifted(0.5).cdf(x), abs=1e-14)


def test_densities_beside_edges_of_two_intervals_are_mirrored():
    law = GeneralizedMarchenkoPastur(20.0, [1.0, 20.0])
    mirrored = AffineLaw(law, scale=-1.0, shift=0.0)
    (_, first), (second, _) = law._intervals
    distance, place = np.array([1e-14, 1e-14]), np.array([0, 1])
    upper = np.array([True, False])
    there = mirrored._density_beside(distance, 1 - place, ~upper)
    assert there == pytest.approx(law._density_beside(distance, place, upper), rel=1e-12)
    assert first < second
    assert there[0] != pytest.approx(there[1], rel=0.1)
