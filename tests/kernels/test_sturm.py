"""Sturm counts and resolvents of tridiagonal matrices against dense eigenvalues."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._kernels.sturm import count_above, kth_largest, resolvent_trace

seeds = st.integers(0, 2**32)


@settings(max_examples=60)
@given(st.integers(1, 30), st.sampled_from([0.0, 1e-9, 1.0, 1e6]), seeds)
def test_eigenvalues_of_tridiagonal_matrices(size, coupling, seed):
    rng = np.random.default_rng(seed)
    diagonal, beside = rng.standard_normal(size), coupling * rng.standard_normal(size - 1)
    dense = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    wanted = np.linalg.eigvalsh(dense)[::-1]
    reach = 1 + 2 * np.abs(dense).sum()
    at = float(rng.standard_normal())
    assert count_above(diagonal, np.square(beside), at) == np.count_nonzero(wanted > at)
    for z in (at + 1e-3j, at + 2j, -at + 1e6j):
        trace = resolvent_trace(diagonal, np.square(beside), z)
        np.testing.assert_allclose(trace, (1 / (wanted - z)).sum(), rtol=1e-9 * max(1.0, coupling))
    for rank in {1, (size + 1) // 2, size}:
        found = kth_largest(diagonal, np.square(beside), rank, -reach, reach)
        assert found == pytest.approx(wanted[rank - 1], abs=1e-13 * reach)
