"""Eigenspaces against the dense solver, and overlaps freed from sampling error."""

import numpy as np
import pytest

from rmtsim.hessian.eigenspaces import corrected_overlap, overlap, top_eigenspace


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
