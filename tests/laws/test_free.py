"""Free convolutions against laws known in closed form, against each other, and against random matrices."""

import math

import mpmath
import numpy as np
import pytest

from rmtsim.laws import (
    Discrete,
    GeneralizedMarchenkoPastur,
    MarchenkoPastur,
    Semicircle,
    free_product,
    free_sum,
)
from rmtsim.laws._free.shifts import additive_shift, multiplicative_shift
from rmtsim.spectra import empirical, random_matrix

COIN = Discrete([-1.0, 1.0])


@pytest.fixture(scope="module")
def arcsine():
    return free_sum(COIN, COIN)


def test_two_coins_make_the_arcsine_law(arcsine):
    x = np.linspace(-1.999, 1.999, 41)
    assert np.allclose(arcsine.support, [(-2, 2)], atol=1e-12)
    assert np.allclose(arcsine.density(x) * np.pi * np.sqrt(4 - x**2), 1, rtol=1e-10)
    assert np.allclose(arcsine.cdf(x), 0.5 + np.arcsin(x / 2) / np.pi, atol=1e-12)
    assert [arcsine.moment(k) for k in range(7)] == pytest.approx([1, 0, 2, 0, 6, 0, 20])
    z = 0.3 + 0.2j
    assert abs(arcsine.stieltjes(z) + 1 / (np.sqrt(z - 2) * np.sqrt(z + 2))) < 1e-12


def test_semicircles_add_their_variances():
    law, truth = free_sum(Semicircle(1.0), Semicircle(2.5)), Semicircle(3.5)
    x = np.linspace(*truth.support[0], 33)[1:-1]
    assert np.allclose(law.support, truth.support, atol=1e-11)
    assert np.allclose(law.density(x), truth.density(x), rtol=1e-11)
    assert np.allclose(law.cdf(x), truth.cdf(x), atol=1e-12)
    assert np.allclose(law.ppf([0.1, 0.5]), truth.ppf([0.1, 0.5]), atol=1e-10)


@pytest.mark.parametrize("order", ["atoms first", "semicircle first"])
def test_a_gap_in_which_the_transform_vanishes(order):
    # In the middle of the gap s = 0 and one of the two subordinated points is at infinity; no band may be found there.
    # With semicircle S, s solves s = s_atoms(z + s): a cubic for two atoms.
    parts = (Discrete([-3.0, 3.0]), Semicircle())
    law = free_sum(*(parts if order == "atoms first" else parts[::-1]))
    assert len(law.support) == 2
    assert law.support[0][1] == pytest.approx(-law.support[1][0], abs=1e-11)
    for x in np.linspace(*law.support[1], 7)[1:-1]:
        roots = np.roots([1.0, 2 * x, x * x - 9 + 1, x])
        assert law.density(x) == pytest.approx(roots.imag.max() / np.pi, rel=1e-10)
    assert abs(law.stieltjes(0.0)) < 1e-15
    assert law.stieltjes(1e-9) == pytest.approx(1e-9 / 8, rel=1e-6)


def test_only_the_root_that_attracts_is_taken():
    # Between the bands the other point goes through infinity near 3.19, and real roots that repel have residuals of the
    # height at which edges are looked for.
    law = free_sum(COIN, Discrete([-1.0, 0.0, 5.0]))
    assert len(law.support) == 2
    assert sum(law._masses) == pytest.approx(1, abs=1e-12)
    eigenvalues = np.linalg.eigvalsh(random_matrix(law, 300, np.random.default_rng(5)))
    assert empirical(eigenvalues).kolmogorov(law) < 5 * math.log(300) / 300


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_any_two_populations_multiply(seed):
    rng = np.random.default_rng(seed)
    one, two = (Discrete(np.exp(rng.normal(size=3)), rng.dirichlet(np.ones(3))) for _ in range(2))
    law = free_product(one, two)
    levels = (np.arange(2000) + 0.5) / 2000
    assert np.mean(law.ppf(levels)) == pytest.approx(one.moment(1) * two.moment(1), rel=5e-3)


def test_free_poisson_laws_add_their_rates():
    # MP(c) is free Poisson of rate 1/c and jump c: two of rate 2 and jump ½ make rate 4 and jump ½.
    law, truth = free_sum(MarchenkoPastur(0.5), MarchenkoPastur(0.5)), MarchenkoPastur(0.25).scaled(2.0)
    assert np.allclose(law.support, truth.support, atol=1e-11)
    x = np.linspace(*truth.support[0], 17)[1:-1]
    assert np.allclose(law.density(x), truth.density(x), rtol=1e-10)


@pytest.mark.parametrize(
    ("ratio", "places", "weights"),
    [
        pytest.param(0.2, [1.0, 3.0, 10.0], [5, 3, 2], marks=pytest.mark.slow),
        (2.0, [1.0, 4.0], [1, 1]),
    ],
)
def test_marchenko_pastur_times_population_is_the_generalised_law(ratio, places, weights):
    law = free_product(MarchenkoPastur(ratio), Discrete(places, weights))
    # The companion: N × N instead of d × d, so 1/ratio of its columns, and as many zeros more or fewer.
    companion = GeneralizedMarchenkoPastur(
        1 / ratio, places, weights=np.array(weights) / sum(weights)
    ).scaled(ratio)
    assert np.allclose(law.support, companion.support, rtol=1e-10)
    x = np.concatenate([np.linspace(*band, 9)[1:-1] for band in law.support])
    assert np.allclose(law.density(x) * ratio, companion.density(x), rtol=1e-9)
    zero = dict(law.atoms).get(0.0, 0.0)
    assert zero == pytest.approx(max(0.0, 1 - 1 / ratio), abs=1e-12)
    m1, m2 = (np.average(np.array(places) ** k, weights=weights) for k in (1, 2))
    assert law.moment(1) == pytest.approx(m1)
    assert law.moment(2) == pytest.approx(m2 + ratio * m1**2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "law",
    [
        free_sum(MarchenkoPastur(3.0), Discrete([0.0, 1.0], [0.8, 0.2])),
        free_product(MarchenkoPastur(0.5), Discrete([0.0, 1.0], [0.4, 0.6])),
        free_sum(Semicircle(0.1), Discrete([0.0, 1.0, 5.0])),
    ],
    ids=["atoms meet", "projection", "three bands"],
)
def test_random_matrices_follow_the_law(law):
    n = 400
    eigenvalues = np.linalg.eigvalsh(random_matrix(law, n, np.random.default_rng(3)))
    # Eigenvalues are rigid: log n/n apart, with a constant of a few.
    assert empirical(eigenvalues).kolmogorov(law) < 5 * math.log(n) / n
    assert law.moment(2) == pytest.approx(np.mean(eigenvalues**2), rel=0.02)
    assert sum(law._masses) + sum(mass for _, mass in law.atoms) == pytest.approx(1, abs=1e-12)
    # The first law has a gap of 1e-5 of its range, narrower than any grid that would be tried first.
    assert len(law.support) == {1.2: 2, 0.6: 1, 2.0: 3}[round(law.moment(1), 9)]
    mean = sum(place * mass for place, mass in law.atoms) + _integral(law, lambda x: x)
    assert mean == pytest.approx(law.moment(1), abs=1e-7)


def _integral(law, function):
    """Gauss quadrature on forty pieces a band, in the angle: near-cusps are sharp."""
    t, w = np.polynomial.legendre.leggauss(16)
    total = 0.0
    for lower, upper in law.support:
        starts = np.linspace(-1, 1, 41)[:-1]
        angle = 0.5 * np.pi * (starts[:, None] + 0.025 * (t + 1)).ravel()
        x = 0.5 * (lower + upper) + 0.5 * (upper - lower) * np.sin(angle)
        jacobian = 0.25 * np.pi * (upper - lower) * np.cos(angle) * 0.025
        total += float(np.sum(np.tile(w, 40) * jacobian * function(x) * law.density(x)))
    return total


@pytest.mark.slow
def test_a_wrong_variance_would_be_noticed():
    law = free_sum(Semicircle(1.0), Semicircle(2.5 * 1.03))
    assert not np.allclose(law.support, Semicircle(3.5).support, rtol=1e-3)


def test_points_shift_and_scale():
    assert (
        free_sum(Discrete([2.0]), MarchenkoPastur(0.5)).support == MarchenkoPastur(0.5).shifted(2.0).support
    )
    assert (
        free_product(MarchenkoPastur(0.5), Discrete([3.0])).support
        == MarchenkoPastur(0.5).scaled(3.0).support
    )


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="second="):
        free_sum(COIN, 3.0)
    with pytest.raises(ValueError, match=r"first=.*expected a law on \[0, ∞\)"):
        free_product(COIN, MarchenkoPastur(1.0))
    with pytest.raises(ValueError, match="weights"):
        Discrete([1.0, 2.0], [1.0])


def test_atoms_that_meet_have_the_dimension_of_an_intersection():
    """Subspaces of dimensions 24 and 21 in general position of 30 meet in 15: eigenvalues of the sum and product."""
    first, second = Discrete([1.0, 2.0], [0.8, 0.2]), Discrete([3.0, 5.0], [0.7, 0.3])
    rng = np.random.default_rng(0)
    for law, place in ((free_sum(first, second), 4.0), (free_product(first, second), 3.0)):
        eigenvalues = np.linalg.eigvalsh(random_matrix(law, 30, rng))
        count = np.count_nonzero(np.abs(eigenvalues - place) < 1e-10)
        assert dict(law.atoms)[place] == pytest.approx(count / 30, abs=1e-12)


def _upper_root(a, b, c):
    root = mpmath.sqrt(b * b - 4 * a * c)
    return max(((-b + sign * root) / (2 * a) for sign in (1, -1)), key=lambda s: s.imag)


@pytest.mark.parametrize("size", [0.7, 40.0, 1e9])
def test_shifts_of_closed_laws_near_and_far(size):
    """-1/s - w = s for the semicircle, and s/(1 + ζs) = 1/(1 - c - cζs) for Marchenko and Pastur, in fifty digits."""
    c = 0.5
    for turn in (0.3, 1.2, 2.5):
        w = size * complex(math.cos(turn), math.sin(turn))
        found = additive_shift(Semicircle(1.0))(np.array([w]))[0]
        zeta = mpmath.mpc(w)
        with mpmath.workdps(50):
            # The roots of s² + ws + 1 and cζs² + (ζ + c - 1)s + 1 with positive imaginary part.
            plain = _upper_root(1, zeta, 1)
            s = _upper_root(c * zeta, zeta + c - 1, 1)
            moved = -mpmath.log(1 - c - c * zeta * s)
        assert abs(found - complex(plain)) < 1e-13 * abs(plain)
        found = multiplicative_shift(MarchenkoPastur(c))(np.array([np.log(w)]))[0]
        assert abs(found - complex(moved)) < 1e-13 * max(1.0, abs(moved))


def fuss_catalan(power, angle):
    """Point and density of the law of power free factors MP(1), in the parametrisation by 0 < angle < π/(power + 1)."""
    s = power
    top, one, rest = np.sin((s + 1) * angle), np.sin(angle), np.sin(s * angle)
    return top ** (s + 1) / (one * rest**s), one**2 * rest ** (s - 1) / (np.pi * top**s)


@pytest.mark.thorough
@pytest.mark.parametrize("power", [2, 3])
def test_products_of_square_wishart_matrices_are_fuss_catalan(power):
    """Density x^(-2/3) or x^(-3/4) at zero; moments C((s + 1)k, k)/(sk + 1)."""
    law = MarchenkoPastur(1.0)
    for _ in range(power - 1):
        law = free_product(law, MarchenkoPastur(1.0))
    assert law.support[0] == (0.0, pytest.approx((power + 1) ** (power + 1) / power**power, rel=1e-12))
    assert law.atoms == ()
    x, density = fuss_catalan(power, np.linspace(0.02, 0.98, 9) * np.pi / (power + 1))
    np.testing.assert_allclose(law.density(x), density, rtol=1e-11)
    # From the right the mass above x is an integral without the singularity.
    angles, weights = np.polynomial.legendre.leggauss(60)
    for angle in (0.3, 0.6):
        nodes = 0.5 * angle * (1 + angles)
        place, value = fuss_catalan(power, nodes)
        s = power
        slope = (s + 1) ** 2 / np.tan((s + 1) * nodes) - 1 / np.tan(nodes) - s**2 / np.tan(s * nodes)
        above = -np.sum(0.5 * angle * weights * value * place * slope)
        assert law.sf(fuss_catalan(power, angle)[0]) == pytest.approx(above, abs=1e-11)
    for k in range(1, 6):
        exact = math.comb((power + 1) * k, k) // (power * k + 1)
        assert law.moment(k) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    "other", [Semicircle(1.0).shifted(2.0), MarchenkoPastur(0.5), Semicircle().shifted(3.0)]
)
def test_products_with_a_square_wishart_matrix(other):
    """MP(1) ⊠ ν is compound free Poisson: s solves z = -1/s + ∫ t/(1 + ts) dν(t)."""
    law = free_product(MarchenkoPastur(1.0), other)
    assert law.support[0][0] == 0
    assert sum(law._masses) == pytest.approx(1, abs=1e-12)
    for z in (0.7 + 0.3j, 1e-3 + 1e-4j, 4.0 + 1j):
        s = law.stieltjes(z)
        g = other.stieltjes(-1 / s)
        assert abs(-1 / s + (1 - g / s) / s - z) < 1e-10 * abs(z)
