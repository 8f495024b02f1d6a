"""Displays of appendices C, E, F and G: cheap verdicts are as known."""

import mpmath
import numpy as np
import pytest

from rmtsim import verify
from rmtsim.claims import find


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("liu.eq52", "CONFIRMED"),
        ("liu.eq59", "CONFIRMED"),
        ("liu.eq60", "REFUTED"),
        ("liu.sec-e.block", "REFUTED"),
        ("liu.sec-e.block/corrected", "CONFIRMED"),
        ("liu.eq61", "CONFIRMED"),
        ("liu.eq62", "REFUTED"),
        ("liu.eq70", "CONFIRMED"),
        ("liu.eq73", "CONFIRMED"),
        ("liu.eq75", "CONFIRMED"),
        ("liu.eq79", "CONFIRMED"),
        ("liu.sec-g1.mixed", "REFUTED"),
        ("liu.sec-g1.mixed/corrected", "CONFIRMED"),
    ],
)
def test_cheap_verdicts(name, verdict):
    assert str(verify(name, budget=0.3)[0].verdict) == verdict


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("liu.thm3.2.ball", {"radius": -1.0}, "radius=-1.0"),
        ("liu.thm3.2.ball", {"activation": 9}, "activation=9"),
        ("liu.eq60", {"depth": 0}, "depth=0"),
        ("liu.eq88", {"length": 0.0}, "length=0.0"),
    ],
)
def test_bad_parameters_are_one_clear_line(name, changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        find(name).point(changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", range(4))
def test_the_counterexample_to_equation_60_has_its_closed_form(seed):
    """Parallel chains: (1 + σ'(z₂)w)/(1 + 2w² + 4w⁴), e^(-z₁) = σ''(z₂)w², z₂ = wσ(z₁), solved here with 30 digits."""
    gain = mpmath.mpf(np.random.default_rng(seed).uniform(0.1, 0.25))  # what the sampler draws first

    def slope(z):
        return 1 / (1 + mpmath.exp(-z))

    def second(z):
        return gain * mpmath.log1p(mpmath.exp(z))

    with mpmath.workdps(30):
        z = mpmath.findroot(
            lambda z: mpmath.exp(-z) - slope(second(z)) * (1 - slope(second(z))) * gain**2, 5.0
        )
        exact = float((1 + slope(second(z)) * gain) / (1 + 2 * gain**2 + 4 * gain**4))
    found = {
        form: find(name)(3, np.random.default_rng(seed), activation="softplus", depth=2, weights="chains")
        for form, name in (("printed", "liu.eq60"), ("corrected", "liu.eq60/corrected"))
    }
    assert found["printed"] == pytest.approx(exact, rel=1e-6)
    assert found["printed"] > 1.01
    assert found["corrected"] < 0.2
