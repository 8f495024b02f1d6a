"""`rmtsim predict` of every limit of `dong` Theorem 2 at random parameter values, against mpmath quadrature.

The oracle integrates the definitions (Gaussian integrals over a line and over a quadrant) and shares nothing with the
closed forms of the package.
"""

from __future__ import annotations

import json

import mpmath
import numpy as np
import pytest

from rmtsim.claims._registry import all_claims, find
from rmtsim.cli import main
from tests.oracle import quadrant_integral

_RNG = np.random.default_rng(20261116)
POINTS = [
    (int(hidden), float(f"{gamma:.4g}"))
    for hidden, gamma in zip(
        [3, 4, 6, 17, *_RNG.integers(5, 60, 4)], [0.37, 3.3, *np.exp(_RNG.uniform(-3, 3, 6))], strict=True
    )
]


def half_line(function):
    """E[function(z); z > 0] for a standard Gaussian z."""
    return mpmath.quad(
        lambda z: function(z) * mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi), [0, 1, 4, 12, mpmath.inf]
    )


def oracle(m, gamma):
    """Stated value of every claim `dong.thm2.*`, from integrals."""
    with mpmath.workdps(25):
        g, one = mpmath.mpf(gamma), mpmath.mpf(1)
        i0, i1, i2 = (quadrant_integral(power, one / m) for power in range(3))
        j0, j1, j2 = (quadrant_integral(power, 2 * one / m) for power in range(3))
        single = half_line(lambda z: (z * z / m**2 + one / m) * mpmath.exp(z * z / m)) ** 2 * (
            mpmath.mpf(1) / 2 + half_line(lambda z: mpmath.exp(z * z / m))
        ) ** (m - 2)
        shared = (i1 / m**2 + i0 / m) ** 2 * (mpmath.mpf(3) / 4 + i0) ** (m - 2)
        wide, narrow = (1 + 2 * g) / (4 * m**2), (1 + 4 * g) / (16 * m**2)

        def output(first, second, base, last):
            return m * second * base ** (m - 1) + m * (m - 1) * first**2 * base**last

        quarter = mpmath.mpf(3) / 4
        return {
            "hidden-ce-diagonal": wide,
            "hidden-ce-offdiagonal": g * single,
            "hidden-ce-offdiagonal/corrected": g * single + shared,
            "hidden-mse-diagonal": wide,
            "hidden-mse-offdiagonal": narrow,
            "output-ce-diagonal": output(i1, i2, quarter + i0 / 4, m - 2),
            "output-ce-diagonal/corrected": output(i1, i2, quarter + i0, m - 2),
            "output-ce-offdiagonal": output(j1, j2, quarter + j0 / 4, m - 1),
            "output-ce-offdiagonal/corrected": output(j1, j2, quarter + j0, m - 2),
        }


@pytest.mark.parametrize(("hidden", "gamma"), POINTS)
def test_predictions_are_the_integrals(hidden, gamma):
    expected = oracle(hidden, gamma)
    stated = {claim.id.removeprefix("dong.thm2.") for claim in all_claims("dong") if "thm2" in claim.id}
    stated = {name for name in stated if not name.endswith(".join")}
    assert set(expected) == stated
    for name, value in expected.items():
        prediction = find(f"dong.thm2.{name}").prediction({"hidden": hidden, "gamma": gamma})
        assert prediction == pytest.approx(float(value), rel=1e-12), name


def test_the_command_prints_them(capsys):
    hidden, gamma = POINTS[3]
    name = "dong.thm2.output-ce-offdiagonal/corrected"
    arguments = ["predict", name, "--set", f"hidden={hidden}", "--set", f"gamma={gamma}", "--json"]
    assert main(arguments) == 0
    value = json.loads(capsys.readouterr().out)["value"]
    assert value == pytest.approx(float(oracle(hidden, gamma)[name.removeprefix("dong.thm2.")]), rel=1e-12)


@pytest.mark.parametrize(("hidden", "gamma"), POINTS[:2])
def test_proposition_seven_and_the_gates(hidden, gamma):
    wide, narrow = (1 + 2 * gamma) / (4 * hidden**2), (1 + 4 * gamma) / (16 * hidden**2)
    point = {"hidden": hidden, "gamma": gamma}
    assert find("dong.prop7.diagonal").prediction(point) == pytest.approx(wide, rel=1e-13)
    assert find("dong.prop7.offdiagonal").prediction(point) == pytest.approx(narrow, rel=1e-13)
    for classes in (2, 700):
        where = {**point, "classes": classes}
        total = classes * (classes + 2)
        assert find("dong.eq28.diagonal/corrected").prediction(where) == pytest.approx(
            4 * total * wide, rel=1e-13
        )
        assert find("dong.eq28.offdiagonal/corrected").prediction(where) == pytest.approx(
            4 * classes * narrow, rel=1e-13
        )
