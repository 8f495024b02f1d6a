"""Compiled loops against their NumPy twins over random shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._kernels.softmax import softmax_columns
from rmtsim.networks._softmax import softmax
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import curvature_rows, pair_energy, scale_blocks


def naive_softmax(logits):
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def random_problem(seed, count, classes, units):
    rng = np.random.default_rng(seed)
    logits = rng.standard_normal((count, classes)) * rng.choice([0.1, 1.0, 30.0])
    return (
        rng,
        logits,
        rng.standard_normal((classes, units)),
        (rng.random((count, units)) < 0.6).astype(float),
    )


shapes = given(
    seed=st.integers(0, 10**6), count=st.integers(1, 9), classes=st.integers(2, 7), units=st.integers(1, 8)
)


@shapes
@settings(max_examples=40, deadline=None, derandomize=True)
def test_softmax_compiled_and_not(seed, count, classes, units):
    _, logits, _, _ = random_problem(seed, count, classes, units)
    columns = logits.T.copy(order="C")
    softmax_columns(columns)
    wanted = naive_softmax(logits)
    assert np.allclose(columns.T, wanted, rtol=1e-14, atol=0)
    assert np.allclose(softmax(logits), wanted, rtol=1e-14, atol=0)


def test_softmax_of_huge_logits_neither_overflows_nor_loses_its_sum():
    logits = np.array([[1e4, -1e4, 0.0], [-745.0, -745.0, -745.0], [1e308, 1e308, -1e308]])
    wanted = [[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]]
    assert np.allclose(softmax(logits), wanted, rtol=1e-15)
    columns = logits.T.copy(order="C")
    softmax_columns(columns)
    assert np.allclose(columns.T, wanted, rtol=1e-15)


@shapes
@settings(max_examples=40, deadline=None, derandomize=True)
def test_curvature_rows_have_the_gram_matrix_of_the_curvature(seed, count, classes, units):
    """Per input x: the sum of outer products of its c-1 rows is D JᵀA J D, entry by entry."""
    _, logits, jacobian, active = random_problem(seed, count, classes, units)
    p = naive_softmax(logits)
    out = np.full((count * (classes - 1), units), np.nan)
    curvature_rows(jacobian, p, active, out)
    for x in range(count):
        rows = out[x * (classes - 1) : (x + 1) * (classes - 1)]
        gated = jacobian * active[x]
        exact = gated.T @ (np.diag(p[x]) - np.outer(p[x], p[x])) @ gated
        assert np.allclose(rows.T @ rows, exact, rtol=1e-10, atol=1e-13 * np.abs(jacobian).max() ** 2)


def numpy_curvature_rows(jacobian, p, active):
    """The twin: one class after the other, all inputs at once."""
    tails = np.cumsum(p[:, ::-1], axis=1)[:, ::-1]
    mean = np.broadcast_to(jacobian[-1], active.shape).copy()
    rows = np.empty((len(p), p.shape[1] - 1, active.shape[1]))
    for a in range(p.shape[1] - 2, -1, -1):
        share = np.divide(p[:, a], tails[:, a], out=np.zeros(len(p)), where=tails[:, a] > 0)
        difference = jacobian[a] - mean
        rows[:, a] = np.sqrt(share * tails[:, a + 1])[:, None] * difference * active
        mean += share[:, None] * difference
    return rows.reshape(-1, active.shape[1])


@shapes
@settings(max_examples=40, deadline=None, derandomize=True)
def test_curvature_rows_equal_their_twin(seed, count, classes, units):
    _, logits, jacobian, active = random_problem(seed, count, classes, units)
    p = naive_softmax(logits)
    out = np.full((count * (classes - 1), units), np.nan)
    curvature_rows(jacobian, p, active, out)
    np.testing.assert_allclose(out, numpy_curvature_rows(jacobian, p, active), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "p", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.5, 0.3], [0.0, 0.4, 0.6]]
)
def test_curvature_rows_factor_the_curvature_even_on_the_edge_of_the_simplex(p):
    out = np.empty((2, 3))
    curvature_rows(np.eye(3), np.array([p]), np.ones((1, 3)), out)
    assert np.allclose(out.T @ out, np.diag(p) - np.outer(p, p), atol=1e-16)


@shapes
@settings(max_examples=40, deadline=None, derandomize=True)
def test_pair_energy_is_the_weighted_sum_over_blocks(seed, count, classes, units):
    rng = np.random.default_rng(seed)
    ranks = classes - 1
    gram = rng.standard_normal((count * ranks, units * ranks))
    inner = rng.standard_normal((count, units))
    out = np.array([2.5])
    pair_energy(gram, inner, ranks, out)
    blocks = np.sum(gram.reshape(count, ranks, units, ranks) ** 2, axis=(1, 3))
    assert out[0] == pytest.approx(
        2.5 + np.sum(inner**2 * blocks), rel=1e-12
    )  # it adds, so that pieces can be summed


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**32))
def test_scaled_blocks(rows, columns, ranks, seed):
    rng = np.random.default_rng(seed)
    gram, inner = rng.standard_normal((rows * ranks, columns * ranks)), rng.standard_normal((rows, columns))
    expected = gram * np.kron(inner, np.ones((ranks, ranks)))
    scale_blocks(gram, inner, ranks)
    np.testing.assert_array_equal(gram, expected)
