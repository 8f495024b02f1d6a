"""Polynomials of random matrices: closed forms, other laws of the package, and simulated matrices."""

import math

import numpy as np
import pytest

from rmtsim.laws import (
    DeformedCircular,
    Discrete,
    Elliptic,
    GeneralizedMarchenkoPastur,
    MarchenkoPastur,
    Semicircle,
    free_sum,
)
from rmtsim.laws.dyson import diagonal, gaussian, polynomial_law, semicircular

X, Y = semicircular("x"), semicircular("y")
POINTS = np.array([0.3, 1.0, 2.5])


def wigner(rng, n):
    a = rng.standard_normal((n, n))
    return (a + a.T) / math.sqrt(2 * n)


def fuss_catalan(x):
    """Density of the squared singular values of a product of two square matrices (Penson and Życzkowski 2011)."""
    root = 27 + 3 * np.sqrt(81 - 12 * x)
    numerator = 2 ** (1 / 3) * root ** (2 / 3) - 6 * x ** (1 / 3)
    return 2 ** (1 / 3) * math.sqrt(3) / (12 * math.pi) * numerator / (x ** (2 / 3) * root ** (1 / 3))


def test_powers_of_a_wigner_matrix():
    law = polynomial_law(X**3)
    root = np.cbrt(POINTS)
    np.testing.assert_allclose(law.density(POINTS), Semicircle().density(root) / (3 * root**2), rtol=1e-12)
    np.testing.assert_allclose(
        polynomial_law(semicircular("z", 4.0) ** 2 / 4).density(POINTS),
        MarchenkoPastur(1.0).density(POINTS),
        rtol=1e-12,
    )


def test_commutator_and_anticommutator_solve_their_cubic():
    # Both have the same law (Nica and Speicher 1998); its R-transform 2g/(1 - g²) makes G the root of a cubic.
    first, second = polynomial_law(1j * (X * Y - Y * X)), polynomial_law(X * Y + Y * X)
    z = 0.7 + 0.4j
    g = -second.stieltjes(z)
    assert abs(2 * g / (1 - g**2) + 1 / g - z) < 1e-12
    assert abs(first.stieltjes(z) + g) < 1e-12
    np.testing.assert_allclose(first.density(POINTS), second.density(POINTS), rtol=1e-12)
    # The edge is where z(g) has its minimum.
    edge = min(2 * g / (1 - g * g) + 1 / g for g in np.linspace(0.3, 0.7, 200001))
    assert second.support[0][1] == pytest.approx(edge, rel=1e-9)


def test_products_of_square_matrices():
    g, h = gaussian("g"), gaussian("h")
    law = polynomial_law(g * h * h.H * g.H)
    np.testing.assert_allclose(law.density(POINTS), fuss_catalan(POINTS), rtol=1e-11)


def test_covariances_with_populations_and_their_sums():
    g = gaussian("g", columns=2.0)
    population = diagonal("d", [1.0, 3.0], [0.75, 0.25], side=2.0)
    exact = GeneralizedMarchenkoPastur(0.5, [1.0, 3.0], [0.75, 0.25])
    np.testing.assert_allclose(
        polynomial_law(0.5 * g * population * g.H).density(POINTS), exact.density(POINTS), rtol=1e-11
    )
    shifted = free_sum(MarchenkoPastur(0.5), Discrete([-1.0, 1.0]))
    both = polynomial_law(0.5 * g * g.H + diagonal("e", [-1.0, 1.0]))
    np.testing.assert_allclose(both.density(POINTS), shifted.density(POINTS), rtol=1e-9)


def test_a_signed_word_and_a_constant():
    # -x² + 3 mirrors the law of x².
    np.testing.assert_allclose(
        polynomial_law(3 - X**2).density(3 - POINTS), MarchenkoPastur(1.0).density(POINTS), rtol=1e-12
    )
    # -x d x with a palindrome of odd degree inside: moments by hand, E tr(x d x)² = tr(d²)·1 for centred d.
    d = diagonal("d", [1.0, -1.0])
    assert polynomial_law(-(X * d * X)).moment(2) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["mixed", "complex"])
def test_simulated_matrices(kind):
    # Quantiles of eight matrices: within five standard errors of their means, plus corrections of order 1/n.
    rng = np.random.default_rng(7)
    n = 200
    values = np.repeat([2.0, -1.0], [n // 4, n - n // 4])
    d, diag = np.diag(values), diagonal("d", [2.0, -1.0], [0.25, 0.75])

    def formula(x, y, d, adjoint):
        if kind == "mixed":
            return x @ y + y @ x + x @ x + 0.5 * (x @ d @ x) + d
        product = 1j * (x @ y @ d @ x) + y
        return product + adjoint(product)

    law = polynomial_law(formula(X, Y, diag, lambda p: p.H))
    draws = [
        np.linalg.eigvalsh(formula(wigner(rng, n), wigner(rng, n), d, lambda p: p.conj().T)) for _ in range(8)
    ]
    grid = np.array([0.05, 0.3, 0.6, 0.8, 0.95])
    found = np.quantile(draws, grid, axis=1)
    error = 5 * found.std(axis=1, ddof=1) / math.sqrt(8)
    assert (np.abs(found.mean(axis=1) - law.ppf(grid)) < error + 3 / n).all()
    assert np.mean(np.square(draws)) == pytest.approx(law.moment(2), rel=0.05)


def test_algebra_and_refusals():
    g = gaussian("g", columns=2.0)
    assert (X + 2 * Y).H == X + 2 * Y
    assert X - X == 0 * X
    assert (1j * X * Y).H == -1j * Y * X
    assert X**0 == 1 + 0 * X
    with pytest.raises(ValueError, match=r"g\*g: 2·n columns against 1·n rows"):
        g * g
    with pytest.raises(ValueError, match="self-adjoint"):
        polynomial_law(X * Y)
    with pytest.raises(ValueError, match="at least one random matrix"):
        polynomial_law(diagonal("d", [1.0, 2.0]))
    with pytest.raises(ValueError, match="same shares"):
        polynomial_law(X + diagonal("d", [1.0, 2.0]) + diagonal("e", [1.0, 2.0], [0.1, 0.9]))
    with pytest.raises(ValueError, match="at most 60"):
        polynomial_law((X + Y) ** 6)
    with pytest.raises(ValueError, match="shares"):
        diagonal("d", [1.0, 2.0], [0.5, 0.6])
    with pytest.raises(TypeError, match="polynomial="):
        polynomial_law(3.0)
    with pytest.raises(ValueError, match="variance=0"):
        semicircular("x", 0)
    assert "x*y" in repr(X * Y)


def test_eigenvalue_density_of_polynomials_with_closed_forms():
    """Products of Ginibre matrices, deterministic plus Ginibre, and correlated entries."""
    a, b, z = gaussian("a"), gaussian("b"), np.array([0.3, 0.5j, -0.7 - 0.4j])
    for product in (a * b, a * a, a.H * b):
        np.testing.assert_allclose(product.eigenvalue_density(z), 1 / (2 * np.pi * np.abs(z)), rtol=1e-7)
    # F(F + 1)/2 = r² for the mass F of the disc of radius r; the density is F'/(2πr).
    rectangular = gaussian("g", columns=2.0) * gaussian("h", rows=2.0) / np.sqrt(2)
    closed = 2 / (np.pi * np.sqrt(1 + 8 * np.abs(z) ** 2))
    np.testing.assert_allclose(rectangular.eigenvalue_density(z), closed, rtol=1e-7)
    points = np.array([1.2, 0.5 + 0.3j, 1.9, 0.0])
    shifted = (2 * a + diagonal("d", [-2.4, 2.4, 0.6], [0.5, 0.25, 0.25])) / 2
    law = DeformedCircular([-1.2, 1.2, 0.3], weights=[0.5, 0.25, 0.25])
    np.testing.assert_allclose(shifted.eigenvalue_density(points), law.pdf(points), rtol=1e-7, atol=1e-9)
    x, y = semicircular("x"), semicircular("y")
    elliptic = np.sqrt(0.75) * x + 0.5j * y
    assert elliptic.eigenvalue_density(1.2) == pytest.approx(Elliptic(0.5).pdf(1.2), rel=1e-7)
    assert (a * b).eigenvalue_density(1.3) == pytest.approx(0.0, abs=1e-9)


def test_eigenvalue_density_of_ab_plus_b_against_simulation():
    """The law of AB + B is invariant under rotations: masses of discs against those of matrices of size 300."""
    a, b = gaussian("a"), gaussian("b")
    radii, weights = np.polynomial.legendre.leggauss(12)
    rng = np.random.default_rng(3)
    draws = [rng.standard_normal((2, 300, 300)) / np.sqrt(300) for _ in range(4)]
    moduli = np.abs(np.concatenate([np.linalg.eigvals(p @ q + q) for p, q in draws]))
    for end in (0.4, 1.0):
        r = 0.5 * end * (radii + 1)
        density = (a * b + b).eigenvalue_density(r)
        mass = float(0.5 * end * weights @ (2 * np.pi * r * density))
        assert mass == pytest.approx((moduli <= end).mean(), abs=0.01)


def test_eigenvalue_density_refuses_what_it_cannot():
    wide = gaussian("w", columns=2.0)
    with pytest.raises(ValueError, match="square"):
        wide.eigenvalue_density(0.5)
    with pytest.raises(ValueError, match="random matrix"):
        diagonal("d", [1.0, 2.0]).eigenvalue_density(0.5)
    assert isinstance(gaussian("a").eigenvalue_density(0.5), float)
