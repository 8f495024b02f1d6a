"""Anchor errors against the normal equations of exact Gaussian moments, spherical means against 50 digits."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

from rmtsim.papers.loglinear import theory


@pytest.mark.parametrize(
    ("rank", "mean", "spread", "level"), [(6, 1.0, 0.3, 10.0), (2, 3.0, 0.7, -1.0), (3, 0.0, 0.2, 4.0)]
)
def test_anchor_error_solves_the_normal_equations(rank, mean, spread, level):
    # E[h²] - bᵀM⁻¹b with h = level + ½σ²Σ_{i≤r} v_i², all moments of Gaussian coordinates written out.
    sigma, m = 1.3, np.zeros(rank)
    m[0] = mean
    half = 0.5 * sigma**2
    second = m**2 + spread**2
    fourth = m**4 + 6 * m**2 * spread**2 + 3 * spread**4
    third = m**3 + 3 * m * spread**2
    total = second.sum()
    square = level**2 + 2 * level * half * total + half**2 * (total**2 + np.sum(fourth - second**2))
    cross = level * m + half * (m * (total - second) + third)
    moment = np.outer(m, m) + spread**2 * np.eye(rank)
    expected = square - cross @ np.linalg.solve(moment, cross)
    assert theory.anchor_error(rank, sigma, mean, spread, level) == pytest.approx(expected, rel=1e-10)
    centred = (
        square - (level + half * total) ** 2 - np.sum((cross - m * (level + half * total)) ** 2) / spread**2
    )
    assert theory.intercept_error(rank, sigma, spread) == pytest.approx(centred, rel=1e-8)


@pytest.mark.parametrize(("d", "length"), [(2, 0.3), (6, 0.8), (40, 1.5)])
def test_spherical_mean_to_many_digits(d, length):
    with mpmath.workdps(50):
        kappa = 0.7 * mpmath.sqrt(d) * length
        first = mpmath.hyp0f1(mpmath.mpf(d) / 2, kappa**2 / 4)
        second = mpmath.hyp0f1(mpmath.mpf(d) / 2, kappa**2)
        assert theory.spherical_log_mean(d, 0.7, length) == pytest.approx(float(mpmath.log(first)), rel=1e-10)
        variance = theory.spherical_variance(d, 0.7, length)
        assert variance == pytest.approx(float(second - first**2), rel=1e-8)


def test_spherical_intercept_error_is_the_variance_without_degrees_zero_and_one():
    # Gegenbauer coefficients of e^{κt} under the law of one coordinate of a uniform point, d = 5.
    nodes, weights = np.polynomial.legendre.leggauss(80)
    weights = weights * (1 - nodes**2)
    weights /= weights.sum()
    kappa = 0.7 * np.sqrt(5) * 0.9
    values = np.exp(kappa * nodes)
    mean, slope = weights @ values, 5 * weights @ (values * nodes)
    rest = values - mean - slope * nodes
    expected = weights @ rest**2 / mean**2
    assert theory.spherical_intercept_error(5, 0.7, 0.9) == pytest.approx(expected, rel=1e-10)


def test_spherical_tends_to_gaussian_and_bulk_to_its_integral():
    assert theory.spherical_variance(400, 1.0, 0.8) == pytest.approx(
        theory.gaussian_variance(1.0, 0.8), rel=0.02
    )
    cut = 1.2815515655446004
    integral = quad(lambda z: np.exp(0.8 * z - z * z / 2) / np.sqrt(2 * np.pi), -12, cut)[0]
    assert theory.bulk_level(1.0, 0.8, 0.1) == pytest.approx(np.log(integral), rel=1e-8)


def test_bad_input():
    with pytest.raises(ValueError, match="share"):
        theory.bulk_level(1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="spread"):
        theory.anchor_error(2, 1.0, 0.0, 0.0, 1.0)
    with pytest.raises(OverflowError, match="range of doubles"):
        theory.spherical_log_mean(2000, 1e-3, 1e-3)


def test_variance_over_gaussian_words_is_that_of_a_lognormal():
    from scipy.stats import lognorm

    assert theory.gaussian_variance(0.5, 1.6) == pytest.approx(lognorm(0.8).var(), rel=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: theory.intercept_error(rank=2, deviation=1e300, spread=1.0),
        lambda: theory.anchor_error(rank=2, deviation=1e300, mean=0.0, spread=1.0, level=0.0),
        lambda: theory.anchor_error(rank=2, deviation=1.0, mean=0.0, spread=1.0, level=1e300),
    ],
)
def test_errors_beyond_doubles_name_the_parameters(call):
    with pytest.raises(OverflowError, match=r"deviation=.*spread=.*range of\s+doubles"):
        call()
