"""Eigenspaces against the dense solver, and overlaps freed from sampling error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.papers.wu.simulation.eigenspaces import (
    corrected_overlap,
    factored_eigenspace,
    overlap,
    top_eigenspace,
)


def test_block_iteration_agrees_with_the_dense_solver():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((200, 5))
    matrix = root @ root.T + 0.1 * np.diag(rng.random(200))
    fast = top_eigenspace(matrix, 3)
    slow = top_eigenspace(matrix, 3, extra=1)
    assert np.allclose(fast.values, slow.values[:3], rtol=1e-9)
    assert overlap(fast.basis, slow.basis) == pytest.approx(1, abs=1e-9)


def test_eigenvalues_inside_the_bulk_are_those_of_the_dense_solver():
    rng = np.random.default_rng(3)
    root = rng.standard_normal((120, 300))
    matrix = root @ root.T / 300
    space = top_eigenspace(matrix, 2, extra=2)
    assert np.allclose(space.values, np.linalg.eigvalsh(matrix)[::-1][:4], rtol=1e-10)
    assert space.residual < 1e-8


def test_corrected_overlap_removes_the_sampling_bias():
    """Two spaces of known overlap, each seen through independent noise: the plain overlap is low, this is not."""
    rng = np.random.default_rng(1)
    n, k, noise = 300, 3, 0.02
    u = np.linalg.qr(rng.standard_normal((n, k)))[0]
    v = np.linalg.qr(u + 0.03 * rng.standard_normal((n, k)))[0]
    truth = overlap(u, v)
    plain, corrected = [], []
    for _ in range(60):
        seen = [np.linalg.qr(space + noise * rng.standard_normal((n, k)))[0] for space in (u, u, v, v)]
        plain.append(overlap(seen[0], seen[2]))
        corrected.append(corrected_overlap((seen[0], seen[1]), (seen[2], seen[3])))
    assert abs(np.mean(plain) - truth) > 0.1
    assert abs(np.mean(corrected) - truth) < 0.02


@given(st.integers(2, 12), st.integers(1, 20), st.integers(1, 3), st.integers(0, 2**32))
def test_the_side_of_the_rows_gives_the_same_space(rows, further, count, seed):
    root = np.random.default_rng(seed).standard_normal((rows, rows + further))
    root[: min(count, rows)] *= 30  # a gap after the wanted space
    count = min(count, rows)
    found, wanted = factored_eigenspace(root, count), top_eigenspace(root.T @ root, count)
    np.testing.assert_allclose(found.values, wanted.values, rtol=1e-9)
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(count), atol=1e-10)
    assert overlap(found.basis, wanted.basis) == pytest.approx(1, abs=1e-9)
    defect = np.linalg.norm(root.T @ (root @ found.basis) - found.basis * found.values, axis=0).max()
    assert defect <= (1e-12 + found.residual) * found.values[0]


def test_an_eigenvalue_of_zero_is_not_divided_by():
    row = np.array([[1.0, 2.0, 2.0]])
    space = factored_eigenspace(np.vstack([row, row]), 2)
    np.testing.assert_allclose(space.values, [18.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(space.basis.T @ space.basis, np.eye(2), atol=1e-12)
