"""Norms of diagonal plus rank one against a dense eigenvalue solver."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.papers.liu.simulation.rank_one import rank_one_norms


@given(st.integers(1, 8), st.floats(-5, 5), st.integers(0, 2**32 - 1))
def test_equals_the_dense_norm(size, weight, seed):
    rng = np.random.default_rng(seed)
    d, g = rng.standard_normal((2, 3, size))
    d[0] = np.round(d[0])  # ties
    g[1, 0] = 0.0
    found = rank_one_norms(d, g, [weight] * 3)
    for k in range(3):
        exact = np.linalg.norm(np.diag(d[k]) + weight * np.outer(g[k], g[k]), 2)
        assert found[k] == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"expected \(batch, m\)"):
        rank_one_norms(np.ones((2, 3)), np.ones((2, 2)), [1.0, 1.0])
