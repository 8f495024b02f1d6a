"""OMP beside scikit-learn's and a naive one; exhaustion beside least squares on every support."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.sparse.simulation import (
    best_codes,
    draw_codes,
    draw_dictionary,
    draw_measurements,
    explained_energy,
    orthogonal_matching_pursuit,
    sparse_losses,
)

KERNELS = {"matching_pursuit": "test_agrees_with_a_naive_pursuit"}


def naive_pursuit(row, matrix, sparsity):
    support, residual = [], row
    for _ in range(sparsity):
        scores = np.abs(matrix.T @ residual)
        scores[support] = -1
        support.append(int(scores.argmax()))
        coefficients = np.linalg.lstsq(matrix[:, support], row, rcond=None)[0]
        residual = row - matrix[:, support] @ coefficients
    code = np.zeros(matrix.shape[1])
    code[support] = coefficients
    return code, support


def problem(seed, dimension=20, atoms=50, sparsity=4, noise=0.2, count=30):
    rng = np.random.default_rng(seed)
    matrix = draw_dictionary(dimension, atoms, rng)
    return draw_measurements(matrix, draw_codes(count, atoms, sparsity, rng), noise, rng), matrix


@pytest.mark.parametrize("sparsity", [1, 2, 5, 12])
def test_agrees_with_scikit_learn(sparsity):
    linear = pytest.importorskip("sklearn.linear_model")
    rows, matrix = problem(sparsity, sparsity=min(sparsity, 5))
    found = orthogonal_matching_pursuit(rows, matrix, sparsity)
    theirs = linear.orthogonal_mp(matrix, rows.T, n_nonzero_coefs=sparsity).T
    np.testing.assert_allclose(found.codes, theirs, atol=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_agrees_with_a_naive_pursuit(seed, sparsity):
    rows, matrix = problem(seed, dimension=9, atoms=14, count=3)
    matrix *= np.random.default_rng(seed).uniform(0.5, 2.0, 14)  # columns need not be normalised
    found = orthogonal_matching_pursuit(rows, matrix, sparsity)
    for row, code, support in zip(rows, found.codes, found.supports, strict=True):
        expected, order = naive_pursuit(row, matrix, sparsity)
        assert support.tolist() == order
        np.testing.assert_allclose(code, expected, atol=1e-9)


def test_ends_early_where_nothing_is_left():
    found = orthogonal_matching_pursuit(np.eye(3)[:1], np.eye(3), 3)
    assert found.supports.tolist() == [[0, -1, -1]]
    assert found.codes.tolist() == [[1, 0, 0]]
    twice = orthogonal_matching_pursuit([[1.0, 2.0]], [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 3)
    assert np.isfinite(twice.codes).all()
    np.testing.assert_allclose(twice.codes @ [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0]])
    assert not orthogonal_matching_pursuit(np.zeros((2, 3)), np.eye(3), 2).codes.any()


@pytest.mark.parametrize("sparsity", [1, 2, 3])
def test_exhaustion_finds_the_best_support(sparsity):
    rows, matrix = problem(3, dimension=6, atoms=8, count=5)
    best = np.full(len(rows), np.inf)
    for support in combinations(range(8), sparsity):
        part = matrix[:, support]
        rest = rows.T - part @ np.linalg.lstsq(part, rows.T, rcond=None)[0]
        best = np.minimum(best, (rest**2).sum(axis=0))
    np.testing.assert_allclose(sparse_losses(rows, matrix, sparsity), best, atol=1e-12)
    found = best_codes(rows, matrix, sparsity)
    np.testing.assert_allclose(((rows - found.codes @ matrix.T) ** 2).sum(axis=1), best, atol=1e-12)


def test_exhaustion_with_equal_columns():
    matrix = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    energy, _ = explained_energy([[3.0, 4.0]], matrix, 2)
    assert energy == pytest.approx(25.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: orthogonal_matching_pursuit(np.ones((1, 3)), np.eye(3), 4), "sparsity=4"),
        (lambda: orthogonal_matching_pursuit(np.ones((1, 3)), np.eye(3), 0), "sparsity=0"),
        (
            lambda: orthogonal_matching_pursuit(np.ones((1, 2)), np.eye(3), 1),
            r"measurements of shape \(1, 2\)",
        ),
        (lambda: orthogonal_matching_pursuit([[1.0, np.nan]], np.eye(2), 1), "measurements=nan"),
        (lambda: orthogonal_matching_pursuit(np.ones((1, 2)), np.zeros((2, 2)), 1), "column 0 is zero"),
        (lambda: explained_energy(np.ones((1, 9)), np.ones((9, 400)), 6), "to exhaust"),
    ],
)
def test_bad_input_is_one_clear_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
