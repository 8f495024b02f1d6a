"""The minimum of (3.12) in closed form, against a scan in long precision and the floor (3.21)."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.papers.loglinear.theory import least_tradeoff, tradeoff, tradeoff_floor

ACTIVITY, ROOM = st.floats(-4, 4).map(lambda x: 10**x), st.floats(1e-3, 5)


@given(ACTIVITY, ROOM)
def test_least_against_a_scan(activity, room):
    scan = np.linspace(0, 1.2 * room, 2001)
    values = tradeoff(scan, activity, room)
    least = float(least_tradeoff(activity, room))
    assert least <= values.min() * (1 + 1e-12)
    assert least == pytest.approx(values.min(), rel=2e-3)
    assert tradeoff_floor(activity, room) <= least * (1 + 1e-12)


@pytest.mark.parametrize(("activity", "room"), [(0.05, 0.7), (0.6, 1.3), (7.0, 0.4)])
def test_least_to_many_digits(activity, room):
    with mpmath.workdps(50):
        k, x = mpmath.mpf(activity), mpmath.mpf(room)
        inside = (1 + k) / (2 * k * mpmath.exp(x))
        y = min(mpmath.mpf(1), max(mpmath.exp(-x), inside))
        exact = 1 - (1 + k) * y + k * mpmath.exp(x) * y**2
        assert float(least_tradeoff(activity, room)) == pytest.approx(float(exact), rel=1e-13)


def test_bad_input():
    with pytest.raises(ValueError, match="expected numbers >= 0"):
        least_tradeoff(-1.0, 1.0)
    with pytest.raises(ValueError, match="bulk_error"):
        tradeoff(-1.0, 1.0, 1.0)
