"""The single ring law: closed forms of products and truncations, and simulated matrices."""

import math

import numpy as np
import pytest

from rmtsim.laws import Discrete, MarchenkoPastur, Semicircle, SingleRing, free_product


def test_independent_entries_give_the_circular_law():
    law = SingleRing(MarchenkoPastur(1.0, 4.0))
    r = np.array([1e-3, 0.4, 1.7, 1.999])
    np.testing.assert_allclose(law.radial_cdf(r), r**2 / 4, rtol=0, atol=1e-11)
    np.testing.assert_allclose(law.pdf(r * 1j), 1 / (4 * math.pi), rtol=1e-9)
    assert law.pdf([2.1, -3.0]).tolist() == [0, 0]
    assert (law.inner_radius, law.outer_radius, law.support) == (0.0, 2.0, (2.0, 2.0))
    assert law.moment(1, 1) == pytest.approx(2.0, rel=1e-10)
    assert law.moment(2, 1) == 0


@pytest.mark.thorough
def test_a_product_of_two_square_matrices():
    # |z| of a product of two circular matrices: F(r) = r, the density 1/(2π|z|).
    law = SingleRing(free_product(MarchenkoPastur(1.0), MarchenkoPastur(1.0)))
    r = np.array([0.01, 0.3, 0.9])
    np.testing.assert_allclose(law.radial_cdf(r), r, rtol=0, atol=1e-9)
    np.testing.assert_allclose(law.pdf(r), 1 / (2 * math.pi * r), rtol=1e-7)


def test_two_singular_values_in_closed_form():
    # μ = ½δ₁ + ½δ₄: s(-t) = (t + 5/2)/((t + 1)(t + 4)), hence r² = (5t/2 + 4)/(t + 5/2), which is solved for t.
    law = SingleRing(Discrete([1.0, 4.0]))
    assert law.inner_radius == pytest.approx(math.sqrt(1.6), rel=1e-14)
    assert law.outer_radius == pytest.approx(math.sqrt(2.5), rel=1e-14)
    squares = np.array([1.61, 1.9, 2.49])
    t = (2.5 * squares - 4) / (2.5 - squares)
    mass = t * (t + 2.5) / ((t + 1) * (t + 4))
    r = np.sqrt(squares)
    np.testing.assert_allclose(law.radial_cdf(r), mass, rtol=0, atol=1e-12)
    h = 1e-5
    slope = (law.radial_cdf(np.sqrt(squares + h)) - law.radial_cdf(np.sqrt(squares - h))) / (2 * h)
    np.testing.assert_allclose(law.pdf(r), slope / math.pi, rtol=1e-6)
    assert (law.radial_cdf(1.0), law.radial_cdf(2.0)) == (0, 1)


def test_an_atom_at_zero_stays():
    law = SingleRing(Discrete([0.0, 1.0]))
    # A product of a projection and a rotation: F = ½/(1 - r²) for r² < ½ (Haagerup and Larsen).
    r = np.array([0.0, 0.2, 0.6])
    np.testing.assert_allclose(law.radial_cdf(r), 0.5 / (1 - r**2), rtol=0, atol=1e-12)
    drawn = law.rvs(4000, random_state=1)
    assert np.mean(drawn == 0) == pytest.approx(0.5, abs=0.04)


def test_simulated_matrices_and_draws():
    rng = np.random.default_rng(2)
    n = 300
    values = np.repeat([0.5, 1.0, 3.0], n // 3)
    u, v = (np.linalg.qr(rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n)))[0] for _ in range(2))
    radii = np.sort(np.abs(np.linalg.eigvals((u * np.sqrt(values)) @ v)))
    law = SingleRing(Discrete([0.5, 1.0, 3.0]))
    # The number in a disc has a standard deviation of order n^¼; next to the edges, √n eigenvalues lie beyond them.
    inside = np.array([1.0, 1.05, 1.1, 1.15])
    found = np.searchsorted(radii, inside) / n
    assert np.abs(law.radial_cdf(inside) - found).max() < 2 * n**-0.75
    drawn = np.sort(np.abs(law.rvs(2000, random_state=3)))
    assert np.abs(law.radial_cdf(drawn) - (np.arange(2000) + 0.5) / 2000).max() < 1.63 / math.sqrt(2000)
    assert law.moment(2, 2) == pytest.approx(np.mean(drawn**4), rel=0.05)


def test_refusals():
    with pytest.raises(TypeError, match="squares="):
        SingleRing(1.0)
    with pytest.raises(ValueError, match="begins at -2"):
        SingleRing(Semicircle())
    with pytest.raises(ValueError, match="more than one point"):
        SingleRing(Discrete([2.0]))
    assert SingleRing(MarchenkoPastur(1.0)).plot().get_xlabel() == "real part"
