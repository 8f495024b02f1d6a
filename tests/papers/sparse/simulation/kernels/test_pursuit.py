"""Best supports and extreme eigenvalues against all subsets in NumPy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.sparse.simulation.kernels.pursuit import best_supports, extreme_eigenvalues

seeds = st.integers(0, 2**32)


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 7), st.integers(0, 3), seeds)
def test_supports_by_exhaustion(dimension, sparsity, atoms, count, seed):
    sparsity = min(sparsity, atoms)
    rng = np.random.default_rng(seed)
    matrix, rows = rng.standard_normal((dimension, atoms)), rng.standard_normal((count, dimension))
    gram, correlations = matrix.T @ matrix, rows @ matrix
    energies, supports = np.empty(count), np.full((count, sparsity), -1)
    best_supports(gram, correlations, sparsity, energies, supports)
    sets = [list(chosen) for chosen in combinations(range(atoms), sparsity)]
    for row, energy, support in zip(rows, energies, supports, strict=True):
        explained = [
            np.square(matrix[:, s] @ np.linalg.lstsq(matrix[:, s], row, rcond=1e-9)[0]).sum() for s in sets
        ]
        assert energy == pytest.approx(max(explained), rel=1e-8, abs=1e-10)
        assert explained[sets.index(support.tolist())] == pytest.approx(max(explained), rel=1e-8, abs=1e-10)
    ends = np.array([np.linalg.svd(gram[np.ix_(s, s)], compute_uv=False)[[-1, 0]] for s in sets])
    low, high = extreme_eigenvalues(gram, sparsity)
    assert (low, high) == pytest.approx((ends[:, 0].min(), ends[:, 1].max()), abs=1e-12 * ends.max())
