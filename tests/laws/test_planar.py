"""Planar laws: sums in many digits, moments of draws, eigenvalues."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.laws import Circular, Elliptic, Ginibre
from rmtsim.spectra import random_matrix

quick = settings(derandomize=True, deadline=None, max_examples=30)


@pytest.mark.parametrize("n", [1, 7, 60])
@pytest.mark.parametrize("r", [0.3, 0.97, 1.4])
def test_ginibre_against_its_sum(n, r):
    """The n-th correlation sum Σ (n r²)ᵏe^{-nr²}/k! and its integral, in fifty digits."""
    law = Ginibre(n)
    with mpmath.workdps(50):
        x = n * mpmath.mpf(r) ** 2
        density = mpmath.fsum(x**k * mpmath.exp(-x) / mpmath.factorial(k) for k in range(n)) / mpmath.pi
        radial = mpmath.fsum(mpmath.gammainc(k, 0, x, regularized=True) for k in range(1, n + 1)) / n
        assert abs(law.density(r * 1j) / density - 1) < 1e-12
        assert abs(law.radial_cdf(r) / radial - 1) < 1e-13
        second = mpmath.fsum(mpmath.mpf(k) / n for k in range(1, n + 1)) / n
        assert abs(law.moment(1, 1) / second - 1) < 1e-15


@quick
@given(st.floats(-0.95, 0.95), st.floats(0.1, 10), st.floats(0, 1))
def test_ellipse_area_by_quadrature(correlation, variance, share):
    law = Elliptic(correlation, variance)
    along, across = law.support
    r = share * max(along, across)
    # The midpoint rule has an error of order h² at the kink of the minimum.
    angle = (np.arange(40_000) + 0.5) * (math.pi / 2 / 40_000)
    edge = 1 / np.hypot(np.cos(angle) / along, np.sin(angle) / across)
    area = 4 * (0.5 * np.minimum(edge, r) ** 2).mean() * math.pi / 2
    assert law.radial_cdf(r) == pytest.approx(area / (math.pi * along * across), abs=2e-6)
    assert law.density(0.0) * math.pi * along * across == pytest.approx(1, rel=1e-14)
    assert law.density(complex(along * 1.001, 0)) == 0 == law.density(complex(0, across * 1.001))


@pytest.mark.parametrize("law", [Circular(2.0), Elliptic(0.6), Elliptic(-0.3, 2.0), Ginibre(5)], ids=str)
def test_draws_have_the_moments_and_radii(law):
    z = law.sample(20_000, np.random.default_rng(2))
    for j, k in ((1, 1), (2, 0), (2, 2), (3, 1), (1, 0)):
        values = (z**j * z.conj() ** k).real
        assert abs(values.mean() - law.moment(j, k)) < 4.5 * values.std() / math.sqrt(len(z))
    radii = np.sort(np.abs(z))
    distance = np.abs(law.radial_cdf(radii) - (np.arange(len(z)) + 0.5) / len(z)).max()
    assert distance < 1.95 / math.sqrt(len(z))


@pytest.mark.parametrize("law", [Circular(2.0), Elliptic(0.6), Elliptic(-0.3), Ginibre(300)], ids=str)
def test_eigenvalues_fill_the_law(law):
    values = np.linalg.eigvals(random_matrix(law, 300, np.random.default_rng(4)))
    radii = np.sort(np.abs(values))
    assert np.abs(law.radial_cdf(radii) - (np.arange(300) + 0.5) / 300).max() < 0.04
    assert (values**2).mean().real == pytest.approx(law.moment(2, 0), abs=0.03)


def test_circular_is_elliptic_and_the_limit_of_ginibre():
    assert Circular(3.0).support == (math.sqrt(3), math.sqrt(3))
    r = np.linspace(0, 1.2, 13)
    np.testing.assert_allclose(Circular().radial_cdf(r), np.minimum(r, 1) ** 2, rtol=1e-15)
    np.testing.assert_allclose(Ginibre(10**7).radial_cdf(r), Circular().radial_cdf(r), atol=2e-4)
    assert Circular().radial_cdf([-1.0, math.inf]).tolist() == [0.0, 1.0]
    assert Ginibre(3).radial_cdf(math.inf) == 1.0


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Elliptic(1.0), "correlation=1"),
        (lambda: Circular(-1.0), "variance=-1"),
        (lambda: Ginibre(0), "size=0"),
        (lambda: Circular().density(math.nan), "z="),
        (lambda: Circular().moment(-1, 0), "j=-1"),
    ],
)
def test_bad_parameters(make, named):
    with pytest.raises(ValueError, match=named):
        make()


def test_fits_match_moments_exactly():
    # Uniform in a disc of radius r: E|z|² = r²/2. Elliptic: E|z|² = σ²(1 + ρ²)/2, E z² = σ²ρ (semi-axes σ(1 ± ρ)).
    data = np.array([1 + 2j, -0.5j, 3.0])
    size, square = np.mean([5, 0.25, 9]), np.mean([-3, -0.25, 9])
    assert Circular.fit(data).entry_variance == pytest.approx(2 * size)
    law = Elliptic.fit(data)
    rho, variance = law.correlation, law.entry_variance
    assert (variance * (1 + rho**2) / 2, variance * rho) == pytest.approx((size, square))
