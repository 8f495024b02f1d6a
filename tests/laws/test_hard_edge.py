"""The hard edge: Edelman's closed forms, simulated matrices, identities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special

from rmtsim.errors import ConvergenceError
from rmtsim.laws import ConditionNumber, HardEdge, StructuredNoise

POINTS = np.array([1e-8, 0.01, 0.5, 3.0, 10.0])


@pytest.mark.parametrize(
    ("beta", "exponent", "slope"),
    [(1, POINTS / 2 + np.sqrt(POINTS), 0.5 + 0.5 / np.sqrt(POINTS)), (2, POINTS, np.ones(5))],
)
def test_square_matrices_in_closed_form(beta, exponent, slope):
    law = HardEdge(beta)
    np.testing.assert_allclose(law.cdf(POINTS), -np.expm1(-exponent), rtol=1e-11)
    np.testing.assert_allclose(law.sf(POINTS), np.exp(-exponent), rtol=1e-10)
    np.testing.assert_allclose(law.density(POINTS), slope * np.exp(-exponent), rtol=1e-9)
    np.testing.assert_allclose(law.ppf(law.cdf(POINTS)), POINTS, rtol=1e-9)
    x = np.array([0.5, 3.0, 20.0])
    edelman = np.exp(-2 / x**2 - 2 / x) if beta == 1 else np.exp(-4 / x**2)
    np.testing.assert_allclose(ConditionNumber(beta).cdf(x), edelman, atol=1e-13)
    assert ConditionNumber(beta).cdf(0.0) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("beta", [1, 2])
def test_simulated_rectangles(beta):
    rng = np.random.default_rng(beta)
    n, draws = 30, 400
    noise = rng.standard_normal((draws, n, n + 1))
    if beta == 2:
        noise = (noise + 1j * rng.standard_normal((draws, n, n + 1))) / np.sqrt(2)
    values = np.sort(n * np.linalg.svd(noise, compute_uv=False)[:, -1] ** 2)
    # Corrections of order 1/n: the mean moves by about 1.5/n.
    law = HardEdge(beta, excess=1)
    distance = np.abs(law.cdf(values * n / (n + 1)) - (np.arange(draws) + 0.5) / draws).max()
    assert distance < 1.63 / np.sqrt(draws)
    assert law.mean() == pytest.approx(2.0 if beta == 1 else np.e, rel=1e-11)


def test_parameters_outside_their_range():
    for arguments in ({"beta": 3}, {"beta": 5}, {"excess": -1}, {"excess": 41}, {"k": 0}):
        with pytest.raises(ValueError, match=next(iter(arguments))):
            HardEdge(**arguments)
    with pytest.raises(ValueError, match=r"q=1\.5"):
        HardEdge(1).ppf(1.5)


def test_quaternion_square_matrices_in_closed_form():
    t = np.array([0.01, 0.5, 3.0, 10.0])
    law = HardEdge(4)
    root = 2 * np.sqrt(t)
    np.testing.assert_allclose(law.sf(t), np.exp(-2 * t) * np.cosh(root), rtol=0, atol=1e-14)
    slope = np.exp(-2 * t) * (2 * np.cosh(root) - 2 * np.sinh(root) / root)
    np.testing.assert_allclose(law.pdf(t), slope, rtol=1e-9)
    np.testing.assert_allclose(law.ppf(law.cdf(t)), t, rtol=1e-9)
    with pytest.raises(ConvergenceError, match="below the absolute accuracy"):
        law.ppf(1e-14)


def test_every_second_real_eigenvalue_is_a_quaternion_one():
    # Forrester and Rains 2001: XX* of real (2n, 2n + 2e) and quaternion (n, n + e) matrices, in which 4t is t.
    t = np.array([0.3, 2.0, 9.0])
    for excess in (0, 1):
        real, quaternion = HardEdge(1, 2 * excess, k=2), HardEdge(4, excess)
        np.testing.assert_allclose(real.cdf(4 * t), quaternion.cdf(t), atol=1e-13)
        np.testing.assert_allclose(4 * real.pdf(4 * t), quaternion.pdf(t), atol=1e-12)
    np.testing.assert_allclose(HardEdge(1, 2, k=6).cdf(4 * t * 9), HardEdge(4, 1, k=3).cdf(9 * t), atol=1e-13)


@pytest.mark.thorough
def test_third_smallest_complex_singular_value():
    # The second and third smallest eigenvalue of complex matrices with one column more.
    rng = np.random.default_rng(5)
    n, draws = 40, 400
    noise = rng.standard_normal((draws, n, n + 1)) + 1j * rng.standard_normal((draws, n, n + 1))
    values = np.sort((n + 1) * np.linalg.svd(noise / np.sqrt(2), compute_uv=False)[:, -3] ** 2)
    law = HardEdge(2, excess=1, k=3)
    assert np.abs(law.cdf(values) - (np.arange(draws) + 0.5) / draws).max() < 1.63 / np.sqrt(draws)
    # The density is the slope of the cdf.
    x = np.array([5.0, 12.0, 30.0])
    np.testing.assert_allclose(law.pdf(x), (law.cdf(x + 1e-4) - law.cdf(x - 1e-4)) / 2e-4, rtol=1e-7)


def test_large_excess_keeps_its_mass():
    # √s of the smallest eigenvalue lies above the order of the Bessel function: no tail may be cut there.
    law = HardEdge(2, excess=40)
    assert 400 < law.median() < 800
    assert law.sf(400.0) > 0.9
    assert law.cdf(700.0) + law.sf(700.0) == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("beta", [1, 2])
def test_condition_numbers_have_edelmans_laws(beta):
    law = ConditionNumber(beta)
    x = np.array([0.7, 3.0, 20.0])
    exact = np.exp(-2 / x**2 - 2 / x) if beta == 1 else np.exp(-4 / x**2)
    density = exact * ((2 * x + 4) / x**3 if beta == 1 else 8 / x**3)
    np.testing.assert_allclose(law.cdf(x), exact, rtol=1e-11)
    np.testing.assert_allclose(law.pdf(x), density, rtol=1e-9)
    np.testing.assert_allclose(law.isf(law.sf(x)), x, rtol=1e-9)
    np.testing.assert_allclose(law.ppf(exact), x, rtol=1e-9)
    assert law.var() == np.inf
    assert (law.cdf(-1.0), law.pdf(0.0), law.sf(np.inf)) == (0, 0, 0)
    if beta == 2:
        assert law.mean() == pytest.approx(2 * np.sqrt(np.pi), rel=1e-10)


def test_second_moment_of_a_condition_number():
    # For β = 2 and one column more the survival function of t is exp(-t)·I₀(2√t), and the second moment is E[4/t].
    def density(t):
        root = np.sqrt(t)
        return np.exp(-t) * (special.i0(2 * root) - special.i1(2 * root) / root)

    truth = integrate.quad(lambda t: 4 / t * density(t), 0, 80, epsabs=1e-12)[0]
    assert ConditionNumber(2, excess=1).moment(2) == pytest.approx(truth, rel=1e-8)


def test_simulated_condition_numbers():
    rng = np.random.default_rng(11)
    n, draws = 50, 500
    values = np.sort(np.linalg.cond(rng.standard_normal((draws, n, n))) / n)
    law = ConditionNumber()
    assert np.abs(law.cdf(values) - (np.arange(draws) + 0.5) / draws).max() < 1.63 / np.sqrt(draws)


def test_mutual_information_of_structured_noise():
    law = StructuredNoise(0.5, rows=[1.0, 4.0], columns=[0.5, 1.5])
    low, high = law.support[0]
    angle = np.pi * (np.arange(200) + 0.5) / 200
    x = low + (high - low) * np.sin(angle / 2) ** 2
    weights = law.density(x) * np.sin(angle) * (high - low) * np.pi / 400
    for snr in (0.1, 3.0, 1e3):
        assert law.mutual_information(snr) == pytest.approx(weights @ np.log1p(snr * x), rel=1e-10)
    rng = np.random.default_rng(0)
    p, n, draws = 40, 80, 500
    noise = np.sqrt(np.repeat([1.0, 4.0], p // 2)[:, None] * np.repeat([0.5, 1.5], n // 2) / n)
    noise = noise * rng.standard_normal((draws, p, n))
    values = np.linalg.slogdet(np.eye(p) + 2.0 * noise @ np.swapaxes(noise, 1, 2))[1]
    # A variance from 500 normal draws has a relative error of 6 %.
    assert values.var() == pytest.approx(law.mutual_information_variance(2.0), rel=0.2)
    assert values.mean() / p == pytest.approx(law.mutual_information(2.0), abs=0.01)
    assert law.mutual_information_variance(2.0, beta=2) == pytest.approx(
        law.mutual_information_variance(2.0) / 2
    )


@pytest.mark.parametrize("beta", [1, 2, 4])
def test_moments_are_integrals_of_the_survival_function(beta):
    law = HardEdge(beta)
    for k in (1, 2):
        integral, _ = integrate.quad(
            lambda t, k=k: 2 * k * t ** (2 * k - 1) * law.sf(t * t), 0, 40, limit=200
        )
        assert law.moment(k) == pytest.approx(integral, rel=1e-10)
    assert HardEdge(2).moment(2) == pytest.approx(2.0, rel=1e-12)  # an exponential variable
