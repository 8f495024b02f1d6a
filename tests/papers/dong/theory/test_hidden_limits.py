"""Limits of Theorem 2: literal formulas of the paper, and averages over Gaussians in the plane."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from rmtsim.papers.dong.theory import hidden_limits as limits
from tests.oracle import quadrant_integral


def quadrant(power, coefficient, m):
    """(1/2π)∫∫ of (67), as printed."""
    with mpmath.workdps(25):
        return float(quadrant_integral(power, mpmath.mpf(coefficient) / m))


@pytest.mark.parametrize("m", [3, 5, 8, 12, 31])
def test_printed_constants_are_those_of_the_paper(m):
    printed = limits.printed_constants(m)
    assert printed.a11 == pytest.approx(quadrant(1, 1, m), rel=1e-12)
    assert printed.a12 == pytest.approx(quadrant(2, 1, m), rel=1e-12)
    assert printed.a21 == pytest.approx(quadrant(1, 2, m), rel=1e-12)
    assert printed.a22 == pytest.approx(quadrant(2, 2, m), rel=1e-12)
    # 1/(8π) is a quarter of 1/(2π).
    assert printed.b1 == pytest.approx(0.75 + quadrant(0, 1, m) / 4, rel=1e-12)
    assert printed.b2 == pytest.approx(0.75 + quadrant(0, 2, m) / 4, rel=1e-12)
    assert limits.constants(m).b1 == pytest.approx(0.75 + quadrant(0, 1, m), rel=1e-12)


@pytest.mark.parametrize("m", [3, 8, 12])
def test_printed_limits_are_those_of_the_paper(m):
    gamma, c = 0.7, limits.printed_constants(m)
    printed = gamma * (m - 1) ** 2 / (2**m * (m - 2) ** 3 * m) * (math.sqrt(m / (m - 2)) + 1) ** (m - 2)
    assert limits.printed_hidden_ce_offdiagonal_limit(gamma, m) == pytest.approx(printed, rel=1e-13)
    assert limits.printed_output_ce_diagonal_limit(m) == pytest.approx(
        m * c.a12 * c.b1 ** (m - 1) + m * (m - 1) * c.a11**2 * c.b1 ** (m - 2), rel=1e-14
    )
    assert limits.printed_output_ce_offdiagonal_limit(m) == pytest.approx(
        m * c.a22 * c.b2 ** (m - 1) + m * (m - 1) * c.a21**2 * c.b2 ** (m - 1), rel=1e-14
    )


@pytest.mark.parametrize("m", [9, 14])
def test_corrected_output_limits_are_the_gaussian_averages(m):
    """C² q_ii → E[(s·s')² e^{s·s'/m}]: here by plain Monte Carlo, which has finite variance for m > 8."""
    rng = np.random.default_rng(5)
    s, t = np.maximum(rng.standard_normal((2, 400_000, m)), 0.0)
    product = np.einsum("nk,nk->n", s, t)
    for order, limit in ((1, limits.output_ce_diagonal_limit(m)), (2, limits.output_ce_offdiagonal_limit(m))):
        values = product**2 * np.exp(order * product / m)
        assert abs(values.mean() - limit) < 4.5 * values.std() / math.sqrt(values.size)


def test_corrected_hidden_limit_is_the_gaussian_average():
    m, gamma, rng = 10, 0.3, np.random.default_rng(6)
    z, w = rng.standard_normal((2, 400_000, m))
    s, t = np.maximum(z, 0.0), np.maximum(w, 0.0)
    open_one, open_both = (z[:, :2] > 0).all(axis=1), ((z[:, :2] > 0) & (w[:, :2] > 0)).all(axis=1)
    single = open_one * np.prod(s[:, :2] ** 2 / m**2 + 1 / m, axis=1) * np.exp((s**2).sum(axis=1) / m)
    shared = open_both * np.prod(s[:, :2] * t[:, :2] / m**2 + 1 / m, axis=1) * np.exp((s * t).sum(axis=1) / m)
    values = gamma * single + shared
    error = values.std() / math.sqrt(values.size)
    assert abs(values.mean() - limits.hidden_ce_offdiagonal_limit(gamma, m)) < 4.5 * error
    assert abs(values.mean() - limits.printed_hidden_ce_offdiagonal_limit(gamma, m)) > 20 * error


def test_the_value_named_in_the_verdict_rules():
    assert limits.printed_hidden_ce_offdiagonal_limit(0.1, 8) == pytest.approx(0.0011, abs=5e-5)
    assert limits.hidden_ce_offdiagonal_limit(0.1, 8) == pytest.approx(0.0027, abs=5e-5)


def test_large_networks_do_not_overflow():
    assert 0 < limits.hidden_ce_offdiagonal_limit(1.0, 5000) < 1
    assert limits.constants(10**6).b2 == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("hidden", [2, 0, -1])
def test_too_few_neurons_are_refused(hidden):
    with pytest.raises(ValueError, match=f"hidden={hidden}"):
        limits.output_ce_offdiagonal_limit(hidden)
