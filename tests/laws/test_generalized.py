import math
import pickle

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats
from scipy.integrate import quad

from rmtsim.laws import GeneralizedMarchenkoPastur, MarchenkoPastur
from rmtsim.laws._critical import critical_points
from rmtsim.spectra import empirical, random_matrix
from rmtsim.testing.strategies import fractions, populations, powers_of_ten, ratios, upper_points
from tests import law_oracle as oracle

quick = settings(derandomize=True, deadline=None, max_examples=40)
near_one = powers_of_ten(-2, 2)

CASES = [
    (10.0, [1.0, 3.0, 7.0], [1 / 3, 1 / 3, 1 / 3]),
    (0.1, [1.0, 3.0, 7.0], [1 / 3, 1 / 3, 1 / 3]),
    (0.5, [-1.0, 1.0], [0.5, 0.5]),
    (1.7, [-2.0, 0.0, 0.3, 5.0], [0.3, 0.2, 0.4, 0.1]),
    (0.5, [-0.25, -0.1, -0.01], [0.2, 0.5, 0.3]),
    (0.4, [1.0, 1000.0], [0.999, 0.001]),
    (1.0, [1.0, 2.0], [0.5, 0.5]),
    (1.0, [-1.0, 2.0], [0.5, 0.5]),
    (0.75, [0.0, 1.0, 4.0], [0.25, 0.5, 0.25]),
    (2.0, [1.0, 1.1, 1.2, -1.0], [0.1, 0.2, 0.3, 0.4]),
]


def inside(law, shares):
    return np.concatenate([lower + (upper - lower) * np.asarray(shares) for lower, upper in law.support])


@pytest.mark.parametrize("case", CASES)
def test_density_and_edges_against_polynomial_roots(case):
    law = GeneralizedMarchenkoPastur(*case)
    edges = [float(edge) for edge in oracle.generalized_edges(*case)]
    scale = max(map(abs, edges))
    np.testing.assert_allclose(np.ravel(law.support), edges, rtol=1e-13, atol=1e-30 * scale)
    for x in inside(law, [1e-6, 0.03, 0.5, 0.8, 0.999999]):
        # An ulp of an edge moves the density by a relative ulp/(2·distance).
        distance = min(abs(x - edge) for edge in edges)
        allowed = 1e-13 + 16 * np.finfo(float).eps * scale / distance
        assert oracle.relative_error(law.density(x), oracle.generalized_density(*case, x)) < allowed


@pytest.mark.parametrize("case", CASES)
def test_mass_and_moments_agree_with_quadrature_of_the_density(case):
    law = GeneralizedMarchenkoPastur(*case)

    def integral(power):
        total = sum(mass * location**power for location, mass in law.atoms)
        for (lower, upper), _ in zip(law.support, law._masses, strict=True):
            # In x = lower + width sin²(θ/2) both edges are smooth, hard ones included.
            def integrand(theta, lower=lower, width=upper - lower):
                x = lower + width * math.sin(theta / 2) ** 2
                return law.density(x) * x**power * 0.5 * width * math.sin(theta)

            total += quad(integrand, 0, math.pi, limit=400, epsabs=1e-11 * scale**power, epsrel=1e-11)[0]
        return total

    scale = max(abs(end) for ends in law.support for end in ends)
    assert integral(0) == pytest.approx(1, abs=1e-8)
    for k in (1, 2, 8):
        assert law.moment(k) == pytest.approx(integral(k), rel=1e-8, abs=1e-10 * scale**k)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES)
def test_moments_against_fifty_digits(case):
    law = GeneralizedMarchenkoPastur(*case)
    ratio, atoms, weights = case
    with oracle.mp.workdps(50):
        exact = [
            oracle.mp.mpf(ratio) ** (j - 1)
            * sum(oracle.mp.mpf(w) * oracle.mp.mpf(t) ** j for t, w in zip(atoms, weights, strict=True))
            for j in range(1, 21)
        ]
        moments = oracle.free_moments(exact)
        sizes = oracle.free_moments([abs(value) for value in exact])
    for k in range(21):
        assert abs(float(moments[k]) - law.moment(k)) <= 1e-13 * float(sizes[k])


@quick
@given(near_one, populations(), upper_points())
def test_stieltjes_solves_its_equation_in_the_upper_half_plane(ratio, population, z):
    atoms, weights = map(np.array, population)
    law = GeneralizedMarchenkoPastur(ratio, atoms, weights)
    s = law.stieltjes(z)
    assert s.imag > 0
    terms = weights * atoms / (1 + ratio * s * atoms)
    error = abs(s * (terms.sum() - z) - 1)
    # Conditioning: a pole 1 + ratio·s·t that nearly vanishes magnifies the rounding of s.
    size = (
        abs(s) * (np.sum(np.abs(terms) * (1 + np.abs(ratio * s * atoms / (1 + ratio * s * atoms)))) + abs(z))
        + 1
    )
    assert error <= 64 * np.finfo(float).eps * size
    assert law.stieltjes(z.conjugate()) == s.conjugate()


@quick
@given(near_one, populations(), upper_points())
def test_stieltjes_against_polynomial_roots(ratio, population, z):
    law = GeneralizedMarchenkoPastur(ratio, *population)
    assert oracle.relative_error(law.stieltjes(z), oracle.generalized_stieltjes(ratio, *population, z)) < 1e-9


@quick
@given(near_one, populations(8))
def test_mass_is_one_and_the_cdf_monotone(ratio, population):
    law = GeneralizedMarchenkoPastur(ratio, *population)
    assert law.continuous_mass + sum(mass for _, mass in law.atoms) == pytest.approx(1, abs=1e-13)
    points = np.sort(np.concatenate([inside(law, np.linspace(0, 1, 41)), [-1e9, 0.0, 1e9]]))
    cdf = law.cdf(points)
    assert (np.diff(cdf) >= -1e-13).all()
    assert cdf[0] == 0
    assert cdf[-1] == 1


@quick
@given(near_one, populations(8), fractions())
def test_ppf_inverts_the_cdf(ratio, population, q):
    law = GeneralizedMarchenkoPastur(ratio, *population)
    x = law.ppf(q)
    if x == 0 and law.atoms:
        assert law.cdf(-1e-300) <= q <= law.cdf(0.0)
    else:
        assert law.cdf(x) == pytest.approx(q, abs=1e-8)


@quick
@given(near_one, populations(5), fractions())
def test_cdf_is_the_integral_of_the_density(ratio, population, share):
    law = GeneralizedMarchenkoPastur(ratio, *population)
    lower, upper = max(law.support, key=lambda ends: ends[1] - ends[0])
    a = lower + 0.98 * share * (upper - lower)
    b = a + 0.01 * (upper - lower)
    value, error = quad(law.density, a, b, limit=200, epsabs=1e-11, epsrel=1e-10)
    assert law.cdf(b) - law.cdf(a) == pytest.approx(value, abs=1e-9 + error)


@quick
@given(near_one, populations(), powers_of_ten(-280, 280))
def test_scaling_the_population_scales_the_law(ratio, population, factor):
    atoms, weights = population
    law = GeneralizedMarchenkoPastur(ratio, atoms, weights)
    scaled = GeneralizedMarchenkoPastur(ratio, np.array(atoms) * factor, weights)
    np.testing.assert_allclose(np.array(scaled.support), np.array(law.support) * factor, rtol=1e-9, atol=0)
    x = law.ppf(0.37)
    assert scaled.cdf(x * factor) == pytest.approx(law.cdf(x), abs=1e-6)
    reflected = GeneralizedMarchenkoPastur(ratio, -np.array(atoms), weights)
    np.testing.assert_allclose(
        np.array(reflected.support), -np.array(law.support)[::-1, ::-1], rtol=1e-12, atol=0
    )


@quick
@given(ratios(), powers_of_ten(-6, 6), fractions(), upper_points())
def test_a_single_atom_is_marchenko_pastur(ratio, variance, share, z):
    law, closed = GeneralizedMarchenkoPastur(ratio, [variance]), MarchenkoPastur(ratio, variance)
    np.testing.assert_allclose(law.support, closed.support, rtol=1e-11)
    ((lower, upper),) = closed.support
    x = lower + share * (upper - lower)
    assert law.density(x) == pytest.approx(closed.density(x), rel=1e-10)
    assert law.cdf(x) == pytest.approx(closed.cdf(x), abs=1e-11)
    assert law.atoms == closed.atoms
    assert law.stieltjes(variance * z) == pytest.approx(closed.stieltjes(variance * z), rel=1e-9)
    assert law.moment(7) == pytest.approx(closed.moment(7), rel=1e-13)


@pytest.mark.parametrize("gamma", [0.05, 0.25, 0.5, 1.0, 3.0])
@pytest.mark.parametrize(("weights", "factor"), [((0.5, 0.5), 2), ((0.75, 0.25), 4)])
def test_zero_one_populations_of_dong_proposition_6(gamma, weights, factor):
    law = GeneralizedMarchenkoPastur(gamma, [0, 1], weights)
    closed = MarchenkoPastur(factor * gamma, 1 / factor)
    x = inside(closed, np.linspace(0.01, 0.99, 9))
    np.testing.assert_allclose(law.density(x), closed.density(x), rtol=1e-12)
    np.testing.assert_allclose(law.cdf(x), closed.cdf(x), atol=1e-13)
    np.testing.assert_allclose(law.support, closed.support, rtol=1e-12)
    np.testing.assert_allclose(np.ravel(law.atoms), np.ravel(closed.atoms), rtol=1e-14)


@pytest.mark.parametrize("case", CASES)
def test_real_points_off_the_support_are_limits_from_above(case):
    law = GeneralizedMarchenkoPastur(*case)
    ends = np.ravel(law.support)
    reach = np.abs(ends).max()
    gaps = [
        (ends[0] - reach, ends[0]),
        *zip(ends[1:-1:2], ends[2::2], strict=True),
        (ends[-1], ends[-1] + reach),
    ]
    for lower, upper in gaps:
        points = lower + (upper - lower) * np.array([1e-4, 0.3, 0.6, 0.9999])
        points = points[(points != 0) & (points > lower) & (points < upper)]
        real = law.stieltjes(points)
        assert real.dtype == float
        near = law.stieltjes(points + 1e-12j * np.minimum(points - lower, upper - points))
        np.testing.assert_allclose(real, near.real, rtol=1e-9)


def test_the_atom_appears_in_the_stieltjes_transform():
    law = GeneralizedMarchenkoPastur(3.0, [-1, 0, 2], [0.25, 0.5, 0.25])
    ((location, mass),) = law.atoms
    assert (location, mass) == (0.0, pytest.approx(5 / 6, rel=1e-15))
    for z in (1e-12, -1e-12, 1e-200j):
        assert -z * law.stieltjes(z) == pytest.approx(mass, rel=1e-9)


def test_issue_example_and_interval_counts():
    law = GeneralizedMarchenkoPastur(10, [1, 3, 7])
    assert len(law.support) == 3
    assert law.support[0][0] == pytest.approx(6.004, abs=5e-4)
    assert law.atoms == ((0.0, 0.9),)
    for ratio in (0.1, 1.0, 3.0, 4.0, 6.0, 1e4):
        count = len(oracle.generalized_edges(ratio, [1, 3, 7], [1 / 3, 1 / 3, 1 / 3])) // 2
        assert len(GeneralizedMarchenkoPastur(ratio, [1, 3, 7]).support) == count


def test_nearly_touching_intervals():
    # The gap of the population {1, 3} opens where the least value of F between its poles equals the ratio.
    lengths = (1 ** (2 / 3) * 0.5 ** (1 / 3), 3 ** (2 / 3) * 0.5 ** (1 / 3))
    closing = sum(lengths) ** 3 / 4
    for factor, count in ((1 - 1e-9, 1), (1 - 1e-6, 1), (1 + 1e-9, 2), (1 + 1e-6, 2)):
        law = GeneralizedMarchenkoPastur(closing * factor, [1, 3])
        assert len(law.support) == count
        assert law.continuous_mass == pytest.approx(1 / law.ratio, rel=1e-12)
        x = inside(law, [0.1, 0.9, 0.999])
        assert (law.boundary_value(x).residual < 1e-13).all()
    # At the pinch the density of the merged interval is small, positive, and the oracle's.
    law = GeneralizedMarchenkoPastur(closing * (1 - 1e-6), [1, 3])
    x = 5.4626
    expected = oracle.generalized_density(law.ratio, [1, 3], [0.5, 0.5], x)
    assert oracle.relative_error(law.density(x), expected) < 1e-9


def test_a_speck_of_weight_far_away():
    law = GeneralizedMarchenkoPastur(0.5, [1, 1e3], [1 - 1e-12, 1e-12])
    assert len(law.support) == 2
    assert law._masses[1] == pytest.approx(2e-12, rel=1e-12)
    lower, upper = law.support[1]
    edges = oracle.generalized_edges(0.5, [1, 1e3], [1 - 1e-12, 1e-12])
    np.testing.assert_allclose(law.support[1], [float(edge) for edge in edges[2:]], rtol=1e-14)
    x = 0.5 * (lower + upper)
    exact = oracle.generalized_density(0.5, [1, 1e3], [1 - 1e-12, 1e-12], x)
    assert oracle.relative_error(law.density(x), exact) < 1e-6


def test_ten_thousand_atoms():
    rng = np.random.default_rng(0)
    atoms = rng.uniform(-1, 2, 10_000)
    law = GeneralizedMarchenkoPastur(0.5, atoms)
    x = inside(law, np.linspace(0.01, 0.99, 12))
    value = law.boundary_value(x)
    assert (value.residual < 1e-13).all()
    # The defining equation itself, evaluated without the solver's anchors.
    s = value.stieltjes
    right = 1 / ((atoms / (1 + 0.5 * s[:, None] * atoms)).mean(axis=1) - x)
    np.testing.assert_allclose(s, right, rtol=1e-11)
    assert law.moment(2) == pytest.approx(0.5 * np.mean(atoms**2) + np.mean(atoms) ** 2, rel=1e-13)


def test_pole_of_order_one_third_inside_the_support():
    law = GeneralizedMarchenkoPastur(1.0, [-1, 1])
    assert law.density(0.0) == math.inf
    assert law.cdf(0.0) == pytest.approx(0.5, abs=1e-14)
    # Near zero z ≈ -v³, so the density is sin(π/3)/(π |x|^(1/3)).
    x = np.array([-1e-9, 1e-12, 1e-30])
    np.testing.assert_allclose(
        law.density(x) * np.abs(x) ** (1 / 3), math.sin(math.pi / 3) / math.pi, rtol=1e-5
    )


def test_population_of_zeros():
    law = GeneralizedMarchenkoPastur(0.5, [0.0])
    assert law.support == ()
    assert law.atoms == ((0.0, 1.0),)
    assert law.cdf([-1, 0, 1]).tolist() == [0, 1, 1]
    assert law.ppf(0.5) == 0
    assert law.density(0.3) == 0
    assert law.stieltjes(2j) == -1 / 2j
    assert law.stieltjes(1e-308j) == pytest.approx(1e308j, rel=1e-14)
    assert law.moment(0) == 1
    assert law.moment(3) == 0


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_scales(scale):
    law, unit = GeneralizedMarchenkoPastur(0.5, [-scale, 2 * scale]), GeneralizedMarchenkoPastur(0.5, [-1, 2])
    np.testing.assert_allclose(np.array(law.support) / scale, unit.support, rtol=1e-14)
    q = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(law.cdf(law.ppf(q)), q, atol=1e-12)
    assert law.stieltjes(1j * scale) * scale == pytest.approx(unit.stieltjes(1j), rel=1e-13)
    assert law.stieltjes(1e307j) == pytest.approx(-1 / 1e307j, rel=1e-6)
    denormal = GeneralizedMarchenkoPastur(2.0, [5e-324, 1e-323])
    assert denormal.cdf(denormal.support[-1][1]) == 1
    assert denormal.atoms == ((0.0, 0.5),)
    with pytest.raises(OverflowError, match="rescale the population"):
        _ = GeneralizedMarchenkoPastur(0.5, [1.5e308]).support


def test_constructors_agree_on_the_uniform_population():
    by_density = GeneralizedMarchenkoPastur.from_density(0.5, lambda t: np.full_like(t, 0.5), 1.0, 3.0)
    by_distribution = GeneralizedMarchenkoPastur.from_distribution(0.5, stats.uniform(1, 2))
    by_sample = GeneralizedMarchenkoPastur.from_sample(0.5, 1 + 2 * (np.arange(4000) + 0.5) / 4000)
    x = by_density.ppf(np.linspace(0.05, 0.95, 7))
    np.testing.assert_allclose(by_distribution.density(x), by_density.density(x), rtol=1e-9)
    np.testing.assert_allclose(by_sample.density(x), by_density.density(x), rtol=1e-5)
    # Free cumulants ratio^(k-1) ∫ tᵏ dν with ∫ t³ = 10.
    m1, m2, m3 = 2.0, 13 / 3, 10.0
    assert by_density.moment(3) == pytest.approx(0.25 * m3 + 3 * 0.5 * m2 * m1 + m1**3, rel=1e-11)


def test_outliers_follow_baik_ben_arous_peche_for_a_unit_population():
    ratio = 4.0
    law, c = GeneralizedMarchenkoPastur(ratio, [1.0]), 1 / ratio
    assert law.outlier(1 + math.sqrt(c)) is None
    assert law.outlier(1.0) is None
    assert law.outlier(0.9) is None
    for spike in (1.6, 3.0, 0.3):
        outlier = law.outlier(spike)
        assert outlier.location == pytest.approx(ratio * spike * (1 + c / (spike - 1)), rel=1e-14)
        classical = (1 - c / (spike - 1) ** 2) / (1 + c / (spike - 1))
        assert outlier.squared_cosine == pytest.approx(classical, rel=1e-13)
    ((lower, upper),) = law.support
    assert law.outlier(1.6).location > upper
    assert law.outlier(0.3).location < lower


@pytest.mark.parametrize(("atoms", "spike"), [([1.0, 2.0], 6.0), ([-1.0, 1.0], 4.0), ([-1.0, 1.0], -3.5)])
def test_outliers_of_simulated_matrices(atoms, spike):
    # Fluctuations are of order n^(-1/2) ≈ 0.03 relative; the bounds are about four standard deviations.
    ratio, d = 0.8, 1000
    rng = np.random.default_rng(11)
    columns = round(d / ratio)
    law = GeneralizedMarchenkoPastur(ratio, atoms)
    lam = np.append(law.population.quantiles(columns - 1), spike)
    X = rng.standard_normal((d, columns))
    values, vectors = np.linalg.eigh((X * lam) @ X.T / columns)
    k = -1 if spike > 0 else 0
    outlier = law.outlier(spike)
    assert values[k] == pytest.approx(outlier.location, rel=0.13)
    projected = np.sqrt(np.abs(lam)) * (X.T @ vectors[:, k])
    assert projected[-1] ** 2 / np.sum(projected**2) == pytest.approx(outlier.squared_cosine, abs=0.08)
    column = X[:, -1] / np.linalg.norm(X[:, -1])
    assert (column @ vectors[:, k]) ** 2 == pytest.approx(outlier.column_squared_cosine, abs=0.08)


@pytest.mark.thorough
@pytest.mark.parametrize(("ratio", "atoms"), [(0.5, [-1, 0.5, 2]), (2.0, [1, 3, 7]), (1.5, [-1, 1])])
def test_sampled_matrices_follow_the_law_at_a_one_per_cent_false_alarm_level(ratio, atoms):
    rng = np.random.default_rng(7)
    law = GeneralizedMarchenkoPastur(ratio, atoms)
    spectrum = empirical(np.linalg.eigvalsh(random_matrix(law, 200, rng)))
    assert not spectrum.test(law, rng=rng, level=0.01).rejected
    wrong = GeneralizedMarchenkoPastur(1.1 * ratio, atoms)
    assert spectrum.test(wrong, rng=rng, level=0.01).rejected


def test_sample_equality_and_shapes():
    law = GeneralizedMarchenkoPastur(0.5, [3, 1, 1])
    same = GeneralizedMarchenkoPastur(0.5, [1, 3], [2 / 3, 1 / 3])
    assert law == same
    assert hash(law) == hash(same)
    assert law != GeneralizedMarchenkoPastur(0.5, [1, 3])
    assert "2 atoms" in repr(law)
    draws = law.sample((3, 40), np.random.default_rng(0))
    assert draws.shape == (3, 40)
    assert stats.kstest(draws.ravel(), law.cdf).pvalue > 0.001
    assert law.density(np.ones((2, 3, 1))).shape == (2, 3, 1)
    assert type(law.density(1.0)) is float
    unsorted = np.array([2.0, 0.5, 1.0, 0.5])
    np.testing.assert_array_equal(law.density(unsorted), [law.density(x) for x in unsorted])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0.0, [1]), ValueError, r"ratio=0.0: expected a finite number > 0"),
        ((0.5, []), ValueError, r"atoms=\[\]"),
        ((0.5, [1, math.nan]), ValueError, r"atoms=nan at index 1"),
        ((0.5, [1, math.inf]), ValueError, r"atoms=inf"),
        ((0.5, ["1"]), TypeError, r"atoms="),
        ((0.5, [1, 2], [0.5, 0.4]), ValueError, r"weights: they sum to 0.9, off by -0.1"),
        ((0.5, [1, 2], [1.5, -0.5]), ValueError, r"weights=-0.5: expected numbers >= 0"),
        ((0.5, [1, 2], [1.0]), ValueError, r"weights: 1 of them for 2 atoms"),
        ((0.5, [1, 2], [math.nan, 1]), ValueError, r"weights=nan"),
        ((0.5, [1, 1e-200]), ValueError, r"atoms=1e-200"),
    ],
)
def test_bad_populations_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        GeneralizedMarchenkoPastur(*arguments)


def test_bad_arguments_are_named():
    law = GeneralizedMarchenkoPastur(10, [1, 3, 7])
    with pytest.raises(ValueError, match=r"z=10\.0: on the support"):
        law.stieltjes([15.0, 10.0])
    with pytest.raises(ValueError, match=r"z=0\.0: on the support"):
        law.stieltjes(0.0)
    with pytest.raises(ValueError, match=r"x=15\.0: expected a point inside"):
        law.boundary_value(15.0)
    with pytest.raises(ValueError, match=r"t=nan"):
        law.outlier(math.nan)
    with pytest.raises(ValueError, match=r"upper=1\.0"):
        GeneralizedMarchenkoPastur.from_density(0.5, np.ones_like, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"integral over \[0, 2\] is 2"):
        GeneralizedMarchenkoPastur.from_density(0.5, np.ones_like, 0.0, 2.0)
    with pytest.raises(TypeError, match="distribution="):
        GeneralizedMarchenkoPastur.from_distribution(0.5, 3)
    with pytest.raises(ValueError, match=r"sample=\[\]"):
        GeneralizedMarchenkoPastur.from_sample(0.5, [])


def test_every_small_population_is_handled_without_help():
    # Newton's first guess may fail; the rescue may not. Populations over eight decades, ratios over six.
    rng = np.random.default_rng(1)
    for _ in range(40):
        atoms = rng.choice([-1, 1], 5) * 10 ** rng.uniform(-4, 4, 5)
        weights = rng.dirichlet(np.full(5, 0.3))
        law = GeneralizedMarchenkoPastur(10 ** rng.uniform(-3, 3), atoms, weights / weights.sum())
        points = [x for x in inside(law, [0.001, 0.5, 0.999]) if x not in np.ravel(law.support)]
        value = law.boundary_value(points)
        assert (value.residual < 1e-13).all()
        assert (value.stieltjes.imag > 0).all()


def test_points_just_above_the_axis():
    law = GeneralizedMarchenkoPastur(10, [1, 3, 7])
    for x in (100.5, 15.0, -3.0):
        s = law.stieltjes(complex(x, 1e-300))
        assert s.real == pytest.approx(law.stieltjes(x), rel=1e-13)
        assert s.imag > 0
    assert law.stieltjes(10 + 1e-300j).imag == pytest.approx(math.pi * law.density(10.0), rel=1e-12)
    with pytest.raises(OverflowError, match="Stieltjes"):
        law.stieltjes(5e-324j)


def test_laws_can_be_pickled_and_refuse_changes():
    law = GeneralizedMarchenkoPastur(10, [1, 3, 7])
    copy = pickle.loads(pickle.dumps(law))
    assert copy == law
    assert copy.density(10.0) == law.density(10.0)
    with pytest.raises(AttributeError):
        law.ratio = 2.0
    with pytest.raises(ValueError, match="read-only"):
        law.population.poles[0] = 2.0


def test_intervals_narrower_than_rounding_keep_their_mass():
    law = GeneralizedMarchenkoPastur(1e-100, [1.0, 2.0])
    assert law.support == ((1.5, 1.5),)
    assert law.cdf([1.4, 1.5, 1.6]).tolist() == [0, 1, 1]
    assert law.ppf(0.3) == 1.5
    with pytest.raises(OverflowError, match="order=40"):
        GeneralizedMarchenkoPastur(1e10, [1.0]).moment(40)


def test_small_ratios_near_zero_and_small_shares():
    # Here z is near zero while v is thousands of population units away.
    law, closed = GeneralizedMarchenkoPastur(1.65e-6, [0.88]), MarchenkoPastur(1.65e-6, 0.88)
    z = complex(-0.0035, 2.3e-5)
    assert law.stieltjes(z) == pytest.approx(closed.stieltjes(z), rel=1e-14)
    # A rank of one in 10^17: the share equals the ratio, and all mass is accounted for.
    law = GeneralizedMarchenkoPastur(5e-18, [0.0, 1.0], [1.0, 5e-18])
    assert law.continuous_mass == 1.0
    assert law.atoms == ()


def test_a_pinch_lies_where_the_map_is_least_steep():
    """Between two poles whose gap is just closed: where Σ w t²/(v - t)³ = 0, in forty digits."""
    poles, weights = [0.3, 1.0], [0.5, 0.5]
    with mpmath.workdps(40):
        least = mpmath.findroot(
            lambda v: mpmath.fsum(w * t * t / (v - t) ** 3 for w, t in zip(weights, poles, strict=True)), 0.6
        )
        level = mpmath.fsum(w * (t / (least - t)) ** 2 for w, t in zip(weights, poles, strict=True))
    law = GeneralizedMarchenkoPastur(float(level / 1.1), poles, weights=weights)
    assert len(law.support) == 1
    (pinch,) = np.ldexp(critical_points(law._map)[1].location, law.population.exponent)
    assert pinch == pytest.approx(float(least), rel=1e-13)
