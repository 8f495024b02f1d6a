"""Every kernel has a plain twin in the tests: those of small loops here, and where the others' are."""

import ast
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._internal.generators import FastNormals, state_words
from rmtsim._kernels.sturm import count_above, kth_largest, resolvent_trace
from rmtsim.papers.l2l.simulation.kernels.least_squares import stochastic_descent, truncated_descent
from rmtsim.papers.sparse.simulation.kernels.pursuit import best_supports, extreme_eigenvalues
from rmtsim.papers.wu.simulation.kernels.row_sums import normal_row_sums
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import scale_blocks
from rmtsim.papers.wu.simulation.kernels.two_layer import rectified_inputs

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "rmtsim" / "kernels"

REACHED_BY_WRAPPERS = {
    "hinge_gradients": "kernels/test_whole_batches.py::test_deep_relu_with_hinge",
    "linear_energies": "kernels/test_whole_batches.py::test_linear_models",
    "mean_energies": "kernels/test_whole_batches.py::test_one_hidden_layer",
    "hidden_cross_entropy": "kernels/test_whole_batches.py::test_one_hidden_layer",
    "hidden_square": "kernels/test_whole_batches.py::test_one_hidden_layer",
    "output_cross_entropy": "kernels/test_whole_batches.py::test_one_hidden_layer",
    "matching_pursuit": "dictionaries/test_decoding.py::test_agrees_with_a_naive_pursuit",
    "networks_on_inputs": "kernels/test_two_layer.py::test_responses",
    "fill_from_products": "sampling/test_response_batches.py::test_the_same_networks",
    "fill_from_weights": "sampling/test_response_batches.py::test_the_same_networks",
    "fill_single": "kernels/test_normals.py::test_numbers_and_state_are_numpys",
    # of several networks at once; those of one network, which are compared here, stand inside
    **dict.fromkeys(
        ("curvatures", "output_energies", "independent_energies", "projected", "averages", "formula_sums"),
        "hessian/test_two_layer_stack.py::test_a_stack_measures_what_its_networks_measure",
    ),
}
"""Kernels that no test of this folder calls by name, and the test that compares them with NumPy."""


def kernels():
    for path in sorted(SOURCES.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            compiled = isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list)
            if compiled and not node.name.startswith("_"):
                yield node.name


def names(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_every_kernel_has_a_twin():
    called = set().union(*(names(path) for path in HERE.glob("test_*.py")))
    for kernel in kernels():
        if kernel in called:
            continue
        assert kernel in REACHED_BY_WRAPPERS, f"{kernel}: no test compares it with plain NumPy"
        file, test = REACHED_BY_WRAPPERS[kernel].split("::")
        assert f"def {test}(" in (HERE.parent / file).read_text(encoding="utf-8"), (
            f"{kernel}: {file} has no {test}"
        )


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


@settings(max_examples=60)
@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 30), st.sampled_from([0.5, 3.0, np.inf]), seeds)
def test_truncated_descent(count, many, steps, threshold, seed):
    rng = np.random.default_rng(seed)
    values, fitted, rates = rng.gamma(1.0, 1.0, count), rng.standard_normal(count), rng.uniform(0, 2, many)
    weights, stopped = np.empty((many, count)), np.empty(many, dtype=np.int64)
    truncated_descent(values, fitted, rates, steps, threshold, weights, stopped)
    for rate, found, when in zip(rates, weights, stopped, strict=True):
        path = (1 - (1 - rate * values) ** np.arange(1, steps + 1)[:, None]) * fitted
        beyond = np.flatnonzero(np.linalg.norm(path, axis=1) >= threshold)
        first = beyond[0] + 1 if beyond.size else 0
        assert when == first
        np.testing.assert_allclose(found, path[first - 1], rtol=1e-10, atol=1e-12 * np.abs(path).max())


@settings(max_examples=60)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 20), st.sampled_from([0.5, 3.0, np.inf]), seeds)
def test_stochastic_descent(samples, dimension, steps, threshold, seed):
    rng = np.random.default_rng(seed)
    design, labels = rng.standard_normal((samples, dimension)), rng.standard_normal(samples)
    order, weights, lengths = (
        rng.integers(samples, size=steps),
        rng.standard_normal(dimension),
        np.zeros(steps),
    )
    w, wanted, first = weights.copy(), np.zeros(steps), 0
    for step, n in enumerate(order):
        w = w - 0.2 * (design[n] @ w - labels[n]) * design[n]
        wanted[step] = w @ w
        if wanted[step] >= threshold**2:
            first = step + 1
            break
    assert stochastic_descent(design, labels, order, 0.2, threshold, weights, lengths) == first
    np.testing.assert_allclose(weights, w, rtol=1e-9, atol=1e-12 * max(1.0, np.abs(w).max()))
    np.testing.assert_allclose(lengths, wanted, rtol=1e-9)


def two_generators(seed):
    return FastNormals(np.random.PCG64DXSM(seed)), np.random.Generator(np.random.PCG64DXSM(seed))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 20), seeds)
def test_sums_of_normal_rows(width, count, seed):
    ours, numpys = two_generators(seed)
    found = np.empty(count)
    with state_words(ours) as words:
        normal_row_sums(words, width, found)
    drawn = numpys.standard_normal((count, width))
    np.testing.assert_allclose(found, drawn.sum(axis=1), rtol=1e-13, atol=1e-13)
    assert ours.standard_normal() == numpys.standard_normal()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.integers(1, 60), seeds)
def test_rectified_inputs(count, columns, seed):
    ours, numpys = two_generators(seed)
    values, sums = np.empty((count, columns), dtype=np.float32), np.ones(count)
    with state_words(ours) as words:
        rectified_inputs(words, values, sums)
    expected = np.maximum(numpys.standard_normal((count, columns), dtype=np.float32), 0)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_allclose(sums, 1 + expected.sum(axis=1, dtype=np.float64), rtol=1e-13)
    assert ours.random() == numpys.random()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), seeds)
def test_scaled_blocks(rows, columns, ranks, seed):
    rng = np.random.default_rng(seed)
    gram, inner = rng.standard_normal((rows * ranks, columns * ranks)), rng.standard_normal((rows, columns))
    expected = gram * np.kron(inner, np.ones((ranks, ranks)))
    scale_blocks(gram, inner, ranks)
    np.testing.assert_array_equal(gram, expected)
