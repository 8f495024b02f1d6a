"""Compiled eigenvectors and eigenvalues against plain NumPy: the same iteration, and the dense solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.wu.simulation.eigenspaces import iterated_eigenspace, top_eigenspace, top_eigenvalues
from rmtsim.papers.wu.simulation.kernels.subspace import row_span, top_ritz_values, top_subspace


def plain_subspace(matrix, start, count, powers, tolerance, rounds):
    moved, bound, values, residual = start, 0.0, np.zeros(count), np.inf
    for _ in range(rounds):
        if bound > 1e-3 * values[-1]:
            ratio = max(2 * values[-1] / bound - 1, 1)
            wanted = np.log(residual / max(tolerance, 1e-300)) / max(np.arccosh(ratio), 0.1)
            degree = min(powers, 1 + int(wanted))
            shifted = 2 / bound * matrix - np.eye(len(matrix))
            older, moved = moved, shifted @ moved
            for _ in range(degree - 1):
                older, moved = moved, 2 * shifted @ moved - older
        else:
            for _ in range(powers):
                moved = matrix @ moved
        basis = np.linalg.qr(moved)[0]
        moved = matrix @ basis
        small, mixing = np.linalg.eigh(basis.T @ moved)
        kept, values = mixing[:, ::-1][:, :count], small[::-1][:count]
        vectors, bound = basis @ kept, small[0]
        residual = np.linalg.norm(moved @ kept - vectors * values, axis=0).max() / abs(values[0])
        if residual <= tolerance:
            break
    return vectors, values, residual


def with_a_gap(size, count, rng):
    """A positive semi-definite matrix with ``count`` eigenvalues in [2, 3] and the others below 1/2."""
    basis = np.linalg.qr(rng.standard_normal((size, size)))[0]
    values = np.concatenate([rng.uniform(0, 0.5, size - count), rng.uniform(2, 3, count)])
    return (basis * values) @ basis.T


@pytest.mark.thorough
@settings(max_examples=40)
@given(st.integers(12, 60), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32))
def test_block_iteration(size, count, powers, seed):
    rng = np.random.default_rng(seed)
    matrix, start = with_a_gap(size, count, rng), rng.standard_normal((size, count + 4))
    # A tolerance out of reach: both make the same number of rounds.
    vectors, values, residual = top_subspace(matrix, start, count, powers, 0.0, 5)
    wanted, wanted_values, _ = plain_subspace(matrix, start, count, powers, 0.0, 5)
    np.testing.assert_allclose(values, wanted_values, rtol=1e-11)
    np.testing.assert_allclose(vectors @ vectors.T, wanted @ wanted.T, atol=1e-9)
    error = np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max() / values[0]
    assert abs(residual - error) <= 1e-14
    assert residual < 1e-3


@pytest.mark.thorough
@settings(max_examples=40)
@given(st.integers(40, 90), st.integers(1, 4), st.integers(0, 2**32))
def test_ritz_values(size, count, seed):
    rng = np.random.default_rng(seed)
    matrix = with_a_gap(size, count, rng)
    values, residual = top_ritz_values(matrix, rng.standard_normal(size), count, 1e-9, size - 1)
    assert residual <= 1e-9
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[-count:], rtol=1e-10)


@pytest.mark.thorough
def test_an_invariant_space_is_said_to_have_failed():
    matrix = np.diag([1.0, 1.0, 2.0] * 20)
    assert top_ritz_values(matrix, np.ones(60), 3, 1e-9, 59)[1] == np.inf
    np.testing.assert_allclose(top_eigenvalues(matrix, 3), [2, 2, 2])


def test_without_a_gap_the_dense_solver_answers():
    matrix = np.diag(1 - 1e-9 * np.arange(60.0))
    space = top_eigenspace(matrix, 2)
    np.testing.assert_allclose(space.values, [1, 1 - 1e-9], rtol=1e-14)
    assert abs(space.basis[0, 0]) > 0.99


@settings(max_examples=40)
@given(st.integers(16, 60), st.integers(1, 3), st.integers(1, 4), st.integers(0, 2**32))
def test_a_near_start_changes_the_way_and_not_the_answer(size, count, near, seed):
    rng = np.random.default_rng(seed)
    matrix = with_a_gap(size, count, rng)
    wanted = np.linalg.eigh(matrix)[1][:, ::-1][:, :count]
    for start in (
        wanted[:, :near] + 0.1 * rng.standard_normal((size, min(near, count))),
        np.zeros((size, near)),
    ):
        space = iterated_eigenspace(matrix, count, start)
        assert space.residual <= 1e-9
        np.testing.assert_allclose(space.basis @ space.basis.T, wanted @ wanted.T, atol=1e-8)
        assert (np.diff(space.values) <= 0).all()


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(1, 20), st.integers(0, 2**32))
def test_row_span(classes, units, seed):
    weights = np.random.default_rng(seed).standard_normal((classes, units))
    basis = row_span(weights)
    # A pseudo-inverse gives the projection on the row span without any basis.
    centred = weights - weights.mean(axis=0)
    np.testing.assert_allclose(basis @ basis.T, np.linalg.pinv(centred) @ centred, atol=1e-7)
    np.testing.assert_allclose(basis.T @ basis, np.eye(min(units, classes - 1)), atol=1e-12)
