import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
from rmtsim.testing.strategies import ratios


@given(st.integers(2, 2000), ratios())
def test_shape_keeps_size_and_ratio(size, gamma):
    dimension, samples = proportional_shape(size, gamma)
    assert size <= min(dimension, samples) <= size + max(size // 25, 2)
    # Plain rounding would leave an error of up to 1/(2·larger side); the search never does worse.
    assert abs(dimension / samples / gamma - 1) <= 0.51 / max(dimension, samples) + 1e-12


def test_bad_gamma():
    with pytest.raises(ValueError, match=r"gamma=0\.0"):
        proportional_shape(10, 0.0)
