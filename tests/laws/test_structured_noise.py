"""Structured noise: reductions to known laws, fifty-digit solutions of the two equations, simulated matrices."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.linalg import toeplitz

from rmtsim.laws import (
    GeneralizedMarchenkoPastur,
    MarchenkoPastur,
    ProfileNoise,
    SpikedCovariance,
    StructuredNoise,
    free_product,
    stationary_spectrum,
)

LAW = StructuredNoise(0.5, rows=[1.0, 4.0], columns=[0.5, 1.5])
CLUSTERS = StructuredNoise(
    4.0, rows=[1.0, 1e4], columns=[1.0, 1e4], row_weights=[0.9975, 0.0025], column_weights=[0.98, 0.02]
)


def points(law, count=9):
    ends = [low + (high - low) * np.linspace(0.02, 0.98, count) for low, high in law.support]
    return np.concatenate(ends)


@pytest.mark.parametrize("ratio", [0.03, 0.3, 1.0, 2.5])
def test_white_noise_is_marchenko_pastur(ratio):
    law, known = StructuredNoise(ratio), MarchenkoPastur(ratio)
    np.testing.assert_allclose(law.support, known.support, rtol=1e-13, atol=1e-15)
    assert np.array(law.atoms) == pytest.approx(np.array(known.atoms), rel=1e-14)
    x = points(known)
    np.testing.assert_allclose(law.density(x), known.density(x), rtol=1e-12)
    np.testing.assert_allclose(law.cdf(x), known.cdf(x), atol=1e-14)
    np.testing.assert_allclose(law.ppf([0.7, 0.95]), known.ppf([0.7, 0.95]), rtol=1e-12)
    z = np.array([-1.0, 1 + 1j, 30.0, 0.5 - 0.01j])
    np.testing.assert_allclose(law.stieltjes(z), known.stieltjes(z), rtol=1e-12)
    for k in (1, 2, 5, 20):
        assert law.moment(k) == pytest.approx(known.moment(k), rel=1e-13)


def test_equal_columns_are_the_spiked_covariance_law():
    law, known = StructuredNoise(0.1, rows=[1.0, 6.0]), SpikedCovariance(0.1, population=[1.0, 6.0])
    np.testing.assert_allclose(law.support, known.support, rtol=1e-13)
    np.testing.assert_allclose(law._masses, [0.5, 0.5], rtol=1e-14)
    np.testing.assert_allclose(law.density(points(known)), known.density(points(known)), rtol=1e-12)
    np.testing.assert_allclose(law.cdf(points(known)), known.cdf(points(known)), atol=1e-14)


def test_equal_rows_are_the_generalised_law():
    atoms = [0.0, 1.0, 3.0, 7.0]
    law, known = StructuredNoise(2.0, columns=atoms), GeneralizedMarchenkoPastur(2.0, atoms)
    np.testing.assert_allclose(law.support, known.support, rtol=1e-12)
    assert law.atoms[0][1] == pytest.approx(known.atoms[0][1], rel=1e-14)
    np.testing.assert_allclose(law.density(points(known)), known.density(points(known)), rtol=1e-11)


def exact_density(law, rows, columns, x):
    """Density at x from the two equations in fifty digits, started at a root of low accuracy."""
    with mpmath.workdps(50):
        start = law._solve(law._scaled(np.array([x])))
        scale = 2.0**law.row_population.exponent, 2.0**law.column_population.exponent
        c, z = mpmath.mpf(law.ratio), mpmath.mpf(x)

        def equations(u, v):
            first = -c / z * mpmath.fsum(mpmath.mpf(w) * r / (1 + v * r) for r, w in rows)
            second = -1 / z * mpmath.fsum(mpmath.mpf(w) * t / (1 + u * t) for t, w in columns)
            return [u - first, v - second]

        guess = [mpmath.mpc(complex(start.u[0, 0])) / scale[1], mpmath.mpc(complex(start.v[0, 0])) / scale[0]]
        u, v = mpmath.findroot(equations, [g * (1 + mpmath.mpc(1e-4, -1e-4)) for g in guess])
        assert u.imag > 0
        assert v.imag > 0
        m = -1 / z * mpmath.fsum(mpmath.mpf(w) / (1 + v * r) for r, w in rows)
        return float(m.imag / mpmath.pi)


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.4, 0.97])
def test_density_against_fifty_digits(share):
    rows, columns = [(1.0, 0.5), (4.0, 0.5)], [(0.5, 0.5), (1.5, 0.5)]
    (low, high) = LAW.support[0]
    x = low + share * (high - low)
    assert LAW.density(x) == pytest.approx(
        exact_density(LAW, rows, columns, x), rel=1e-10 if share < 1e-3 else 1e-13
    )


def test_gap_in_which_both_sides_count():
    # Large rows and large columns: 0.01 n rows and 0.02 n columns, so 0.03 n eigenvalues lie above the bulk.
    shares = np.cumsum(CLUSTERS._masses[::-1])
    assert any(abs(share - 0.03 / 4) < 1e-12 for share in shares)
    rng = np.random.default_rng(1)
    n, p = 300, 1200
    rows, columns = np.ones(p), np.ones(n)
    rows[:3] = columns[:6] = 1e4
    noise = np.sqrt(rows[:, None] * columns / n) * rng.standard_normal((p, n))
    values = np.linalg.svd(noise, compute_uv=False) ** 2
    gap = next(low for (low, _), share in zip(CLUSTERS.support[::-1], shares, strict=True) if share > 0.0074)
    bulk = CLUSTERS.support[[low for low, _ in CLUSTERS.support].index(gap) - 1][1]
    assert np.sum(values > 0.5 * (gap + bulk)) == 9


def test_eigenvalues_of_simulated_noise():
    rng = np.random.default_rng(0)
    p, n = 300, 600
    rows, columns = np.repeat([1.0, 4.0], p // 2), np.repeat([0.5, 1.5], n // 2)
    noise = np.sqrt(rows[:, None] * columns / n) * rng.standard_normal((p, n))
    values = np.linalg.eigvalsh(noise @ noise.T)
    assert np.abs(LAW.cdf(values) - (np.arange(p) + 0.5) / p).max() < 0.012
    assert StructuredNoise.from_profile(rows, columns) == LAW


@pytest.mark.parametrize("entries", ["real", "complex"])
def test_outlier_of_simulated_signal(entries):
    rng = np.random.default_rng(2)
    p, n, theta = 500, 1000, 3.5

    def normal(*shape):
        if entries == "real":
            return rng.standard_normal(shape)
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) / np.sqrt(2)

    noise = np.sqrt(np.repeat([1.0, 4.0], p // 2)[:, None] * np.repeat([0.5, 1.5], n // 2) / n) * normal(p, n)
    a, b = normal(p), normal(n)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    left, values, right = np.linalg.svd(noise + theta * np.outer(a, b.conj()), full_matrices=False)
    found = LAW.outlier(theta)
    assert values[0] == pytest.approx(found.singular_value, rel=0.02)
    assert abs(left[:, 0].conj() @ a) ** 2 == pytest.approx(found.left_squared_cosine, abs=0.03)
    assert abs(right[0] @ b) ** 2 == pytest.approx(found.right_squared_cosine, abs=0.03)


def test_outlier_of_a_signal_on_the_noisy_rows():
    rng = np.random.default_rng(3)
    p, n, theta = 500, 1000, 4.0
    noise = np.sqrt(np.repeat([1.0, 4.0], p // 2)[:, None] * np.repeat([0.5, 1.5], n // 2) / n)
    noise = noise * rng.standard_normal((p, n))
    a, b = rng.standard_normal(p), rng.standard_normal(n)
    a[: p // 2] = 0
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    left, values, _ = np.linalg.svd(noise + theta * np.outer(a, b), full_matrices=False)
    found = LAW.outlier(theta, left=[0.0, 1.0])
    assert values[0] == pytest.approx(found.singular_value, rel=0.02)
    assert abs(left[:, 0] @ a) ** 2 == pytest.approx(found.left_squared_cosine, abs=0.03)
    assert abs(found.singular_value - LAW.outlier(theta).singular_value) > 0.1


@pytest.mark.parametrize(("ratio", "theta"), [(0.25, 1.0), (1.0, 1.5), (3.0, 8.0)])
def test_outlier_of_white_noise_in_closed_form(ratio, theta):
    law = StructuredNoise(ratio)
    found = law.outlier(theta)
    square = theta**2
    assert found.eigenvalue == pytest.approx((1 + square) * (ratio + square) / square, rel=1e-13)
    core = square**2 - ratio
    assert found.left_squared_cosine == pytest.approx(core / (square * (square + ratio)), rel=1e-12)
    assert found.right_squared_cosine == pytest.approx(core / (square * (square + 1)), rel=1e-12)
    assert law.threshold == pytest.approx(ratio**0.25, rel=1e-7)


def test_inverse_of_the_outlier_map():
    for theta in (1.0001 * LAW.threshold, 2.5, 40.0, 1e6):
        found = LAW.outlier(theta)
        back = LAW.spike_of(found.singular_value)
        assert back.spike == pytest.approx(theta, rel=1e-6 if theta < 2 else 1e-12)
        assert 0 < back.left_squared_cosine <= 1
        equal = LAW.outlier(theta, left=[0.5, 0.5], right=[0.5, 0.5])
        assert equal.singular_value == pytest.approx(found.singular_value, rel=1e-13)
    assert LAW.outlier(0.999 * LAW.threshold) is None
    with pytest.raises(ValueError, match=r"above the noise, which ends at 3\.2104"):
        LAW.spike_of(3.0)


def test_moments():
    assert LAW.moment(1) == pytest.approx(2.5, rel=1e-15)
    # ∫ r² (∫ t)² + c (∫ r)² ∫ t².
    assert LAW.moment(2) == pytest.approx(8.5 + 0.5 * 6.25 * 1.25, rel=1e-14)
    angle = np.pi * (np.arange(200) + 0.5) / 200
    low, high = LAW.support[0]
    x = low + (high - low) * np.sin(angle / 2) ** 2
    weights = LAW.density(x) * np.sin(angle) * (high - low) * np.pi / 400
    for k in (0, 3, 6):
        assert weights @ x**k == pytest.approx(LAW.moment(k), rel=1e-10)
    assert CLUSTERS.atoms[0][1] + sum(CLUSTERS._masses) == pytest.approx(1, abs=1e-15)


def test_scale_of_rows_and_columns():
    large = StructuredNoise(0.5, rows=[1e90, 4e90], columns=[0.5e-120, 1.5e-120])
    np.testing.assert_allclose(large.support, np.array(LAW.support) * 1e-30, rtol=1e-12)
    assert large.outlier(4e-15).singular_value == pytest.approx(
        LAW.outlier(4.0).singular_value * 1e-15, rel=1e-12
    )


def test_companion_has_the_same_nonzero_eigenvalues():
    other = LAW.companion
    np.testing.assert_allclose(np.array(other.support) * LAW.ratio, LAW.support, rtol=1e-13)
    x = points(LAW)
    np.testing.assert_allclose(other.density(x / LAW.ratio), LAW.density(x) * LAW.ratio**2, rtol=1e-11)


def test_hard_edge_at_zero():
    law = StructuredNoise(1.0, rows=[1.0, 3.0], columns=[0.2, 1.8])
    assert law.support[0][0] == 0
    assert law.density(0.0) == np.inf
    # Leading term √(∫dρ/r ∫dτ/t/x)/π; the next is smaller by a factor of order x.
    x = 10.0 ** np.arange(-200, -9, 10)
    np.testing.assert_allclose(law.density(x) * np.sqrt(x), np.sqrt((2 / 3) * (25 / 9)) / np.pi, rtol=1e-8)
    point = np.array([1e-5])
    newton = law._solve(law._scaled(point))
    exact = law._system.stieltjes(law._scaled(point) + 0j, newton.v, law._system.row_weights).imag / np.pi
    np.testing.assert_allclose(law.density(point), np.ldexp(exact, -law._exponent), rtol=1e-11)
    assert law.cdf(1e-12) == pytest.approx(2e-12 * law.density(1e-12), rel=1e-3)


def test_singular_values_of_square_noise_are_a_quarter_circle():
    law = StructuredNoise(1.0).singular_values()
    x = np.concatenate([[0.0], np.geomspace(1e-9, 1.99, 12)])
    np.testing.assert_allclose(law.density(x), np.sqrt(4 - x**2) / np.pi, rtol=1e-9)
    assert law.moment(1) == pytest.approx(8 / (3 * np.pi), rel=1e-12)
    assert law.moment(2) == 1.0
    # ∫ √(4 − x²)/(π(x + 2)) over [0, 2].
    assert law.stieltjes(-2.0) == pytest.approx(1 - 2 / np.pi, rel=1e-11)
    np.testing.assert_allclose(law.ppf(law.cdf(x)), x, atol=1e-11)


def test_autocorrelated_columns():
    n = 600
    law = StructuredNoise(0.5, columns=stationary_spectrum(ar=[0.6]))
    covariance = toeplitz(0.6 ** np.arange(n))
    finite = StructuredNoise.from_matrices(columns=covariance, ratio=0.5)
    for k in (1, 2, 3):
        assert law.moment(k) == pytest.approx(finite.moment(k), rel=0.02)
    rng = np.random.default_rng(4)
    noise = rng.standard_normal((300, n)) @ np.linalg.cholesky(covariance).T / np.sqrt(n)
    values = np.linalg.eigvalsh(noise @ noise.T)
    assert np.abs(law.cdf(values) - (np.arange(300) + 0.5) / 300).max() < 0.02
    same = stationary_spectrum(0.6 ** np.arange(80) * 1.0)
    np.testing.assert_allclose(same, stationary_spectrum(ar=[0.6]), rtol=1e-9)
    assert stationary_spectrum(ar=[0.3], ma=[0.4j], variance=2.0).mean() == pytest.approx(2.0)


def test_estimated_profiles():
    rng = np.random.default_rng(5)
    p, n = 200, 400
    rows, columns = rng.uniform(0.5, 2, p), rng.uniform(0.5, 2, n)
    noise = np.sqrt(rows[:, None] * columns) * rng.standard_normal((p, n))
    noise[7] = 0
    law = StructuredNoise.from_data(noise)
    true = StructuredNoise.from_profile(rows, columns)
    assert law.atoms == ((0.0, pytest.approx(1 / p)),)
    assert law.support[-1][1] == pytest.approx(true.support[-1][1], rel=0.04)
    flat = StructuredNoise.from_data(noise, rows="equal", columns="equal")
    assert flat.column_population.poles.size == 1


def test_edge_scaling_of_white_noise():
    n, p = 400, 100
    edge = StructuredNoise(p / n).edge_scaling(p)
    first = (np.sqrt(n) + np.sqrt(p)) * (n**-0.5 + p**-0.5) ** (1 / 3) / n
    assert edge.scale == pytest.approx(first, rel=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ratio": 0.0}, "ratio=0.0"),
        ({"ratio": 1.0, "rows": [1.0, -1.0]}, "rows=-1.0: expected numbers >= 0"),
        ({"ratio": 1.0, "columns": [0.0]}, "columns: all zero"),
        ({"ratio": 1.0, "rows": [1.0, 2.0], "row_weights": [0.5, 0.4]}, "row_weights: they sum to 0.9"),
        ({"ratio": 1.0, "rows": [1.0, 2.0], "row_weights": [1.0]}, "row_weights: 1 of them for 2"),
        ({"ratio": 1.0, "rows": [0.0, 2.0], "row_weights": [1.0, 0.0]}, "no weight on a positive value"),
        ({"ratio": 1.0, "rows": [np.nan]}, "rows"),
    ],
)
def test_parameters_outside_their_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        StructuredNoise(**arguments)


def test_calls_outside_their_range():
    with pytest.raises(ValueError, match="left: expected 2 numbers"):
        LAW.outlier(4.0, left=[0.2, 0.2])
    with pytest.raises(ValueError, match="not Hermitian"):
        StructuredNoise.from_matrices([[1.0, 2.0], [0.0, 1.0]], ratio=1.0)
    with pytest.raises(ValueError, match="smallest eigenvalue -1"):
        StructuredNoise.from_matrices([[1.0, 2.0], [2.0, 1.0]], ratio=1.0)
    with pytest.raises(ValueError, match="ratio=None"):
        StructuredNoise.from_matrices(np.eye(2))
    with pytest.raises(ValueError, match="stationary"):
        stationary_spectrum(ar=[1.0])
    with pytest.raises(ValueError, match="spectral density falls to"):
        stationary_spectrum([1.0, 0.9])
    with pytest.raises(ValueError, match="all entries are zero"):
        StructuredNoise.from_data(np.zeros((3, 3)))


def test_drawn_matrix_and_command():
    from rmtsim.cli import main
    from rmtsim.spectra import random_matrix

    values = np.linalg.eigvalsh(random_matrix(LAW, 200, np.random.default_rng(6)))
    assert np.abs(LAW.cdf(values) - (np.arange(200) + 0.5) / 200).max() < 0.02
    assert main(["law", "structured-noise", "--ratio", "0.5", "--rows", "1,4", "--columns", "0.5,1.5"]) == 0
    assert main(["law", "structured-noise", "--ratio", "0.5", "--rows", "1,-4"]) == 2


def test_low_rank_profile():
    flat = ProfileNoise(np.repeat([1.0, 4.0], 5)[:, None], np.repeat([0.5, 1.5], 10)[:, None])
    np.testing.assert_allclose(flat.support, LAW.support, rtol=1e-8)
    x = points(LAW, 4)
    np.testing.assert_allclose(flat.density(x), LAW.density(x), rtol=1e-12)
    rng = np.random.default_rng(7)
    rows, columns = rng.uniform(0.1, 2, (2, 2)), rng.uniform(0.1, 2, (2, 2))
    law = ProfileNoise(np.repeat(rows, 150, axis=0), np.repeat(columns, 300, axis=0))
    # The residual of the 2 + 2 equations, summed plainly.
    z = 1.3 + 0.2j
    found = law._system.follow(np.array([z]))
    u = -0.5 / z * sum(0.5 * r / (1 + found.v[0] @ r) for r in rows)
    v = -1 / z * sum(0.5 * t / (1 + found.u[0] @ t) for t in columns)
    np.testing.assert_allclose(found.u[0], u, rtol=1e-13)
    np.testing.assert_allclose(found.v[0], v, rtol=1e-13)
    with pytest.raises(ValueError, match="an entry has variance 0"):
        ProfileNoise([[1.0, 0.0]], [[0.0, 1.0]])
    with pytest.raises(ValueError, match="2 factors a column, but 1 a row"):
        ProfileNoise([[1.0]], [[0.0, 1.0]])


@pytest.mark.parametrize(("first", "second"), [(2.0, 2.0), (1.5, 1.5), (1.0, 1.0), (0.5, 3.0)])
def test_free_product_of_two_marchenko_pastur_laws(first, second):
    law = free_product(MarchenkoPastur(first), MarchenkoPastur(second))
    low, high = law.support[0]
    # S-transforms 1/(1 + cu) multiply: (1 + u)(1 + au)(1 + bu) = zu with u = -1 - zs.
    for x in low + (high - low) * np.array([1e-3, 0.1, 0.5, 0.9]):
        cubic = np.polymul(np.polymul([1.0, 1.0], [first, 1.0]), [second, 1.0])
        cubic[-2] -= x
        assert law.density(x) == pytest.approx(np.abs(np.roots(cubic).imag).max() / (np.pi * x), rel=1e-9)


def test_a_profile_with_more_rows_than_columns_has_its_zeros():
    """Of p rows and n < p columns, p - n eigenvalues are zero; one variance gives the law of Marchenko and Pastur."""
    law = ProfileNoise(np.ones((20, 1)), np.ones((10, 1)))
    plain = MarchenkoPastur(2.0)
    np.testing.assert_allclose(law.atoms, plain.atoms, rtol=1e-12)
    x = np.array([0.5, 2.0, 4.0])
    assert law.cdf(x) == pytest.approx(plain.cdf(x), abs=1e-7)


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_the_transform_next_to_a_hard_edge(side):
    """With equal sides both equations agree in leading order at zero; a generalised Marchenko–Pastur law has one."""
    values = [2.0, 1.2, 0.5]
    law, known = StructuredNoise(1.0, **{side: values}), GeneralizedMarchenkoPastur(1.0, values)
    t = 10.0 ** np.array([-40, -30, -20, -16, -12, -7])
    np.testing.assert_allclose(law.stieltjes(-t), known.stieltjes(-t), rtol=1e-14)
    np.testing.assert_allclose(law.stieltjes(t * (1 + 1j)), known.stieltjes(t * (1 + 1j)), rtol=1e-14)


def test_the_mean_singular_value_of_a_law_with_a_closing_gap():
    law = StructuredNoise(0.5, [1.0, 4.0], [0.5, 1.5])
    roots = law.singular_values()
    assert roots.mean() == pytest.approx(law.expect(math.sqrt), rel=1e-12)
    assert roots.stieltjes(1.5 + 0.2j) == pytest.approx(
        roots.expect(lambda x: (1 / (x - 1.5 - 0.2j)).real)
        + 1j * roots.expect(lambda x: (1 / (x - 1.5 - 0.2j)).imag)
    )


def test_cdf_beside_an_edge_is_the_integral_of_its_square_root():
    law = StructuredNoise(0.3, [1.0, 3.0], [0.5, 2.0])
    low = law.support()[0]
    x = low + 1e-12
    assert law.cdf(x) == pytest.approx(2 / 3 * law.pdf(x) * (x - low), rel=1e-9)


def test_the_companion_keeps_rows_and_columns_of_variance_zero():
    law = StructuredNoise(0.5, [0.0, 1.0, 2.0], [0.0, 1.0])
    # XᵀX has as many non-zero eigenvalues as XXᵀ: 2/3 of the rows, of which there are half as many as columns.
    assert law.atoms == (pytest.approx((0.0, 1 / 3)),)
    assert law.companion.atoms == (pytest.approx((0.0, 2 / 3)),)
    assert law.companion.moment(1) == pytest.approx(law.moment(1), rel=1e-12)
    assert law.companion.companion.support() == pytest.approx(law.support(), rel=1e-12)
