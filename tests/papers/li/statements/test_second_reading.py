"""Printed forms that fail and their corrections: small, exact cases."""

import mpmath
import pytest

from rmtsim import verify

CHEAP = (
    "thm1.c.risk",
    "sec2.3.swish",
    "lemmaD.1",
    "corD.1.form",
    "lemmaD.2",
    "appE.2.entries",
    "appE.4.threshold",
)


@pytest.mark.parametrize("name", CHEAP)
def test_printed_is_refuted_and_corrected_confirmed(name):
    assert str(verify(f"li.{name}", budget=0.3)[0].verdict) == "REFUTED"
    assert str(verify(f"li.{name}/corrected", budget=1.0)[0].verdict) == "CONFIRMED"


@pytest.mark.parametrize("power", [0, 1, 2, 5])
def test_the_perturbation_of_the_lognormal_law_changes_no_moment(power):
    """E[x^k sin(2π ln x)] = 0 for integers k, x lognormal: in 30 digits."""
    with mpmath.workdps(30):
        value = mpmath.quad(
            lambda z: mpmath.exp(power * z - z**2 / 2) * mpmath.sin(2 * mpmath.pi * z),
            mpmath.linspace(-12, 20, 65),
        )
        assert abs(value) / mpmath.exp(mpmath.mpf(power) ** 2 / 2) < mpmath.mpf("1e-15")
