import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim._internal.randomness import canonical, stream
from rmtsim.testing.strategies import seeds

keys = st.tuples(
    seeds(),
    st.sampled_from(["dong.a", "dong.b"]),
    st.fixed_dictionaries({"gamma": st.sampled_from([0.5, 1.0]), "classes": st.integers(2, 4)}),
    st.integers(1, 9),
    st.integers(0, 9),
)


@given(keys, keys)
def test_streams_are_equal_exactly_when_keys_are(first, second):
    a, b = (stream(*key).integers(2**63, size=2).tolist() for key in (first, second))
    assert (a == b) == (first == second)


def test_parameter_order_does_not_matter():
    assert canonical({"a": 1, "b": 2.5}) == canonical({"b": 2.5, "a": 1})


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0"])
def test_bad_seed(seed):
    with pytest.raises((ValueError, TypeError), match="seed="):
        stream(seed, "x", {}, 1, 0)
