"""The hard edge: Edelman's closed forms, simulated matrices, identities."""

from __future__ import annotations

import numpy as np
import pytest

from rmtsim.laws import HardEdge, StructuredNoise

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
    np.testing.assert_allclose(law.condition_number_cdf(x), edelman, atol=1e-13)
    assert law.condition_number_cdf(0.0) == 0


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
    for arguments in ({"beta": 4}, {"excess": -1}, {"excess": 41}):
        with pytest.raises(ValueError, match=next(iter(arguments))):
            HardEdge(**arguments)
    with pytest.raises(ValueError, match=r"q=1\.5"):
        HardEdge(1).ppf(1.5)


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
