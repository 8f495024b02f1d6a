"""Displays of appendices C, E, F and G: cheap verdicts are as known."""

import pytest

from rmtsim import verify
from rmtsim.claims import find


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("liu.eq52", "CONFIRMED"),
        ("liu.eq59", "CONFIRMED"),
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
