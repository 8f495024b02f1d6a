from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.dong.theory.orthant import orthant_moment, relu_exponential


def oracle(power, coupling):
    """Polar coordinates: the radial integral is elementary, the angular one by 30-digit quadrature."""
    with mpmath.workdps(30):
        rho, k = mpmath.mpf(coupling), power

        def angular(t):
            product = mpmath.sin(t) * mpmath.cos(t)
            return product**k * mpmath.gamma(k + 1) * 2**k / (1 - 2 * rho * product) ** (k + 1)

        return float(mpmath.quad(angular, [0, mpmath.pi / 4, mpmath.pi / 2]) / (2 * mpmath.pi))


@pytest.mark.parametrize("power", [0, 1, 2])
@pytest.mark.parametrize(
    "coupling", [-1 + 1e-12, -0.999999, -0.9, -0.3, 0.0, 1 / 12, 1 / 8, 1 / 3, 0.4, 2 / 3, 0.95]
)
def test_elementary_forms_match_quadrature_to_twelve_digits(power, coupling):
    assert orthant_moment(power, coupling) == pytest.approx(oracle(power, coupling), rel=1e-12)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.floats(-0.9, 0.9), st.integers(0, 1))
def test_each_power_is_the_derivative_of_the_one_before(coupling, power):
    step = 1e-6
    slope = (orthant_moment(power, coupling + step) - orthant_moment(power, coupling - step)) / (2 * step)
    assert slope == pytest.approx(orthant_moment(power + 1, coupling), rel=1e-6, abs=1e-9)


def test_the_exponential_moment_is_one_without_coupling():
    assert relu_exponential(0.0) == 1.0
    assert relu_exponential(0.1) > 1.0


@pytest.mark.parametrize("coupling", [1.0, 1.5, -1.0])
def test_divergent_integrals_are_refused(coupling):
    with pytest.raises(ValueError, match=r"coupling=.*expected a number in \(-1, 1\)"):
        orthant_moment(0, coupling)


def test_other_powers_are_refused():
    with pytest.raises(ValueError, match="power=3"):
        orthant_moment(3, 0.1)
    assert math.isfinite(orthant_moment(2, 0.999))
