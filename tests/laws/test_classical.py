"""Arcsine, Kesten–McKay, Wachter, free Poisson: 50-digit integrals of the printed densities, equations, matrices."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from rmtsim.laws import (
    Arcsine,
    Discrete,
    KestenMcKay,
    MarchenkoPastur,
    Semicircle,
    Wachter,
    free_poisson,
    free_sum,
)
from rmtsim.spectra import empirical, random_matrix

quick = settings(derandomize=True, deadline=None, max_examples=40)

LAWS = (
    Arcsine(),
    Arcsine(0.3),
    KestenMcKay(2),
    KestenMcKay(3),
    KestenMcKay(40),
    Wachter(2.0, 3.0),
    Wachter(0.5, 0.8),
    Wachter(1.0, 1.7),
    Wachter(1.0, 1.0),
    Wachter(30.0, 1.2),
)


def printed(law):
    """Density as printed, lower and upper end, in mpmath's digits; nothing of the package but the parameters."""
    pi, sqrt = mpmath.pi, mpmath.sqrt
    if isinstance(law, Arcsine):
        r = mpmath.mpf(law.radius)
        return (lambda x: 1 / (pi * sqrt((r - x) * (r + x)))), -r, r
    if isinstance(law, KestenMcKay):
        d = mpmath.mpf(law.degree)
        end = 2 * sqrt(d - 1)
        return (lambda x: d * sqrt((end - x) * (end + x)) / (2 * pi * (d**2 - x**2))), -end, end
    alpha, beta = mpmath.mpf(law.first), mpmath.mpf(law.second)
    total = alpha + beta
    a, b = (((sqrt(alpha * (total - 1)) + s * sqrt(beta)) / total) ** 2 for s in (-1, 1))
    return (lambda x: total * sqrt((x - a) * (b - x)) / (2 * pi * x * (1 - x))), a, b


def integral(law, function, upto):
    """∫ function·density from the lower end, in an angle that makes all ends smooth."""
    density, low, high = printed(law)
    width = high - low
    angle = 2 * mpmath.asin(mpmath.sqrt((mpmath.mpf(upto) - low) / width)) if upto is not None else mpmath.pi

    def along(t):
        x = low + width * mpmath.sin(t / 2) ** 2
        return function(x) * density(x) * width * mpmath.sin(t) / 2

    return mpmath.quad(along, mpmath.linspace(0, angle, 4), method="gauss-legendre")


@pytest.mark.thorough
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_accuracy_table(law):
    """Density, cdf, transform, quantiles and moments against 50-digit values of the printed density."""
    with mpmath.workdps(50):
        density, low, high = printed(law)
        below = sum(mass for place, mass in law.atoms if place <= low)
        for end, exact in zip(law.support[0], (low, high), strict=True):
            assert abs(end - exact) <= 2.3e-16 * max(1, abs(exact))
        for share in (0.004, 0.6):
            x = float(low + share * (high - low))
            truth = integral(law, lambda _: mpmath.mpf(1), x)
            assert abs(law.density(x) / density(mpmath.mpf(x)) - 1) < 1e-13
            assert abs(law.cdf(x) - below - truth) < 2e-15 * max(1, getattr(law, "degree", 1))
            assert law.ppf(law.cdf(x)) == pytest.approx(x, rel=1e-9)
        for z in (0.3 + 0.4j, -1.5 + 0.3j, 7.0 + 2.0j):
            at = mpmath.mpc(z)
            truth = integral(law, lambda x, at=at: 1 / (x - at), None)
            truth += sum(mass / (place - at) for place, mass in law.atoms)
            assert abs(law.stieltjes(z) / complex(truth) - 1) < 1e-13
            assert law.stieltjes(z.conjugate()) == law.stieltjes(z).conjugate()
        for k in (1, 2, 3, 8):
            truth = integral(law, lambda x, k=k: x**k, None) + sum(
                mass * place**k for place, mass in law.atoms
            )
            scale = max(abs(float(low)), abs(float(high))) ** k
            assert abs(law.moment(k) - truth) < 1e-14 * scale
        assert law.moment(0) == 1
        assert law.continuous_mass + sum(mass for _, mass in law.atoms) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("law", [KestenMcKay(3), Wachter(2.0, 3.0), Arcsine()], ids=str)
def test_tails_keep_their_digits(law):
    with mpmath.workdps(50):
        low = printed(law)[1]
        x = float(low) + 1e-7
        assert abs(law.cdf(x) / integral(law, lambda _: mpmath.mpf(1), x) - 1) < 1e-10
        assert law.sf(-x if x < 0 else law.support[0][1] - 1e-7) > 0


@quick
@given(st.floats(0.1, 20), st.floats(0.95, 20), st.floats(-3, 3), st.floats(1e-6, 3))
def test_wachter_solves_its_equation_and_reflects(first, second, x, y):
    law, mirrored = Wachter(first, second), Wachter(second, first)
    z = complex(x, y)
    s = law.stieltjes(z)
    line = (2 - first - second) * z + first - 1
    terms = (z * (1 - z) * s**2, -line * s, first + second - 1)
    assert abs(sum(terms)) < 1e-12 * sum(map(abs, terms))
    assert s.imag > 0
    assert s == pytest.approx(-mirrored.stieltjes(1 - z), rel=1e-9)
    inside = law.support[0][0] + 0.3 * (law.support[0][1] - law.support[0][0])
    assert law.cdf(inside) == pytest.approx(mirrored.sf(1 - inside), abs=1e-12)


def test_limits_join_the_laws():
    x = np.linspace(-1.9, 1.9, 21)
    np.testing.assert_allclose(KestenMcKay(2).density(x), Arcsine().density(x), rtol=1e-13)
    np.testing.assert_allclose(KestenMcKay(2).cdf(x), Arcsine().cdf(x), rtol=1e-13)
    wide = KestenMcKay(10**10).scaled(1 / math.sqrt(10**10 - 1))
    np.testing.assert_allclose(wide.cdf(x), Semicircle().cdf(x), atol=1e-9)
    # Many samples in B: A(A + B)⁻¹ is A over n₂, Marchenko–Pastur of ratio 1/α.
    far = Wachter(2.0, 1e6).scaled((2.0 + 1e6) / 2.0)
    y = np.linspace(0.2, 2.7, 9)
    np.testing.assert_allclose(far.cdf(y), MarchenkoPastur(0.5).cdf(y), atol=3e-6)
    coins = free_sum(Discrete([-1.0, 1.0]), Discrete([-1.0, 1.0]))
    np.testing.assert_allclose(coins.cdf(x), Arcsine().cdf(x), atol=1e-8)


def test_free_poisson_has_constant_cumulants():
    law = free_poisson(2.5, 0.4)
    kappa = [2.5 * 0.4**j for j in range(5)]
    m = [law.moment(k) for k in range(4)]
    assert m[1] == pytest.approx(kappa[1], rel=1e-14)
    assert m[2] - m[1] ** 2 == pytest.approx(kappa[2], rel=1e-13)
    assert m[3] - 3 * m[1] * m[2] + 2 * m[1] ** 3 == pytest.approx(kappa[3], rel=1e-12)
    assert free_poisson(2.5, -0.4).moment(3) == pytest.approx(-law.moment(3), rel=1e-14)


@pytest.mark.parametrize(
    "law", [Arcsine(), KestenMcKay(3), KestenMcKay(4), Wachter(0.5, 0.9), Wachter(3.0, 2.0)], ids=str
)
def test_matrices_follow_the_law(law):
    """Kolmogorov distance at n = 600: a few 1/n for rigid spectra; atoms exactly."""
    values = np.linalg.eigvalsh(random_matrix(law, 600, np.random.default_rng(3)))
    values[np.abs(values) < 1e-10] = 0.0
    values[np.abs(values - 1) < 1e-10] = 1.0
    order = np.sort(values)
    middles = (order[1:] + order[:-1]) / 2
    share = np.arange(1, 600) / 600
    apart = np.diff(order) > 1e-9
    assert np.abs(law.cdf(middles) - share)[apart].max() < 0.02
    assert empirical(values).moment(2) == pytest.approx(law.moment(2), rel=0.05)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Arcsine(0.0), "radius=0"),
        (lambda: KestenMcKay(1), "degree=1"),
        (lambda: Wachter(0.4, 0.6), "sum > 1"),
        (lambda: Wachter(-1.0, 3.0), "first=-1"),
        (lambda: free_poisson(1.0, 0.0), "jump=0"),
        (lambda: free_poisson(-1.0), "rate=-1"),
        (lambda: random_matrix(KestenMcKay(3), 5, np.random.default_rng(0)), "n=5"),
    ],
)
def test_bad_parameters(make, named):
    with pytest.raises(ValueError, match=named):
        make()
    with pytest.raises(TypeError, match="degree"):
        KestenMcKay(2.5)


def test_transform_of_a_regular_tree_is_an_integral_of_its_density():
    law, z = KestenMcKay(4), 0.3 + 0.7j
    end = law.support()[1]

    def part(name):
        # x = end·sin t removes the square roots at both ends.
        def integrand(t):
            x = end * np.sin(t)
            return float(getattr(law.pdf(x) / (x - z), name)) * end * np.cos(t)

        return integrate.quad(integrand, -np.pi / 2, np.pi / 2)[0]

    assert law.stieltjes(z) == pytest.approx(part("real") + 1j * part("imag"), rel=1e-9)
