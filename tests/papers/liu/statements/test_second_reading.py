"""Printed forms that fail and their corrections: small, exact cases."""

import mpmath
import numpy as np
import pytest

from rmtsim import verify
from rmtsim.papers.liu.simulation.architectures import shallow

CHEAP = (
    "prop2.2.levels",
    "thm3.1.count",
    "lemmaF.4.first",
    "lemmaF.6.remainder",
    "lemmaF.6.index",
    "appH.shift",
)


@pytest.mark.parametrize("name", CHEAP)
def test_printed_is_refuted_and_corrected_confirmed(name):
    assert str(verify(f"liu.{name}", budget=0.3)[0].verdict) == "REFUTED"
    assert str(verify(f"liu.{name}/corrected", budget=1.0)[0].verdict) == "CONFIRMED"


def test_small_first_layers_make_a_bilinear_network():
    """‖H‖/K of the engine's network with all weights N(0, 1/m) is near 1/(2|x|), not near zero."""
    m = 200
    network = shallow(m, np.random.default_rng(0), "tanh", signs=False)
    small = network.with_parameters(network.parameters / np.concatenate((np.full(m, m**0.5), np.ones(m))))
    scale = np.concatenate((np.ones(m), np.full(m, m**0.5)))  # derivatives in v/√m, of variance 1/m
    norm = np.linalg.norm(small.hessian([[1.0]]) * np.outer(scale, scale), 2)
    assert norm / np.sum((small.gradient([[1.0]]) * scale) ** 2) == pytest.approx(0.5, abs=0.1)


def test_remainder_with_two_neurons_in_high_precision():
    """b = (1, -1), equal |W|: the printed remainder is zero, and the left side exceeds the first term."""
    with mpmath.workdps(30):
        slope = lambda z: mpmath.sech(z) ** 2  # noqa: E731
        w, own, others = mpmath.mpf(1), mpmath.mpf(1), (mpmath.mpf("0.5"), mpmath.mpf("0.5"))
        column = (w, -w)
        left = sum(
            c * slope(s + c * own / mpmath.sqrt(2)) * b
            for c, s, b in zip(column, others, (1, -1), strict=True)
        )
        first = sum(c * slope(s) * b for c, s, b in zip(column, others, (1, -1), strict=True))
        signed = sum(c**2 * b for c, b in zip(column, (1, -1), strict=True))
        assert signed == 0
        assert abs(left - first) > mpmath.mpf("0.05")
