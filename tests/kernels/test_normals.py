"""The compiled normal numbers are NumPy's, bit for bit, and leave NumPy's state behind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim._internal import randomness as generators
from rmtsim._internal.randomness import FastNormals, stream
from rmtsim._kernels.normals import fill_double

PRECISIONS = st.sampled_from([np.float64, np.float32])
KERNELS = {"fill_single": "test_numbers_and_state_are_numpys"}


def both(seed):
    return FastNormals(np.random.PCG64DXSM(seed)), np.random.Generator(np.random.PCG64DXSM(seed))


def same(one, two):
    return one.tobytes() == two.tobytes() and one.shape == two.shape and one.dtype == two.dtype


@given(
    seed=st.integers(0, 2**64),
    halves=st.integers(0, 3),
    draws=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60), PRECISIONS), min_size=1, max_size=4),
)
def test_numbers_and_state_are_numpys(seed, halves, draws):
    ours, theirs = both(seed)
    for generator in (ours, theirs):
        generator.integers(0, 2**32, halves, dtype=np.uint32)  # an odd number leaves half a word over
    for rows, columns, dtype in draws:
        assert same(
            ours.standard_normal((rows, columns), dtype), theirs.standard_normal((rows, columns), dtype)
        )
    assert ours.bit_generator.state == theirs.bit_generator.state
    assert ours.integers(0, 2**32, dtype=np.uint32) == theirs.integers(0, 2**32, dtype=np.uint32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_far_tails_are_numpys(dtype):
    # Numbers beyond the last layer, |x| > 3.65, come once in 3800: some 500 of them.
    ours, theirs = both(7)
    drawn = ours.standard_normal(2_000_000, dtype)
    assert np.count_nonzero(np.abs(drawn) > 3.66) > 300
    assert same(drawn, theirs.standard_normal(2_000_000, dtype))


def test_arrays_that_are_given_are_filled():
    ours, theirs = both(3)
    whole, strided = np.empty((50, 50)), np.empty((50, 100))[:, ::2]
    assert ours.standard_normal(out=whole) is whole
    assert same(whole, theirs.standard_normal((50, 50)))
    with pytest.raises(ValueError, match="contiguous"):  # NumPy's own answer
        ours.standard_normal(out=strided)
    with pytest.raises(TypeError):
        ours.standard_normal(3000, dtype=np.int64)
    with pytest.raises(ValueError, match="size"):
        ours.standard_normal(2000, out=whole)
    assert isinstance(ours.standard_normal(), float)


def test_streams_draw_by_it_and_numpy_draws_where_the_trial_fails(monkeypatch):
    generator = stream(0, "demo", {}, 10, 0)
    assert isinstance(generator, FastNormals)
    monkeypatch.setattr(generators, "_as_numpy", lambda: False)
    monkeypatch.setattr(generators, "_fill", lambda *_: pytest.fail("the loop was used"))
    ours, theirs = both(1)
    assert same(ours.standard_normal(5000), theirs.standard_normal(5000))


def test_the_trial_notices_another_ziggurat(monkeypatch):
    def shifted(source, out, fill=generators._fill):
        fill(source, out)
        out[out.argmax()] *= 1 + np.finfo(out.dtype).eps

    assert generators._as_numpy()
    monkeypatch.setattr(generators, "_fill", shifted)
    assert not generators._as_numpy.__wrapped__()


def test_the_loop_without_a_generator():
    # The first number by hand: the state (1, 1), increment 1; one step of DXSM and one line of the ziggurat.
    words, out = np.array([0, 1, 0, 1, 0, 0], dtype=np.uint64), np.empty(1)
    fill_double(words, out)
    assert words[:2].tolist() == [0, 0xDA942042E4DD58B5 + 1]
    assert out[0] == 0.0  # a high half of 0 gives the word 0: layer 0, size 0
