"""Norms and projections in compiled loops against matrices formed by NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.wu.simulation.kernels.gate_counts import add_counts, packed_gates
from rmtsim.papers.wu.simulation.kernels.two_layer_norms import (
    independent_energy,
    independent_hessians,
    mean_curvatures,
    output_energy,
    output_hessians,
    projections,
    sandwiches,
    unit_averages,
)


def draw(units, classes, inputs, seed):
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((classes, units))
    active = (rng.random((inputs, units)) < 0.5).astype(float)
    return weights, active, rng.dirichlet(np.ones(classes), inputs), rng.standard_normal((inputs, classes))


def halves(array):
    middle = len(array) // 2
    return array[:middle], array[middle : 2 * middle]


def curvature(p):
    return np.diag(p.mean(axis=0)) - p.T @ p / len(p)


def output_hessian(weights, active, p):
    total = 0.0
    for gates, row in zip(active, p, strict=True):
        total = total + (weights * gates).T @ (np.diag(row) - np.outer(row, row)) @ (weights * gates)
    return total / len(p)


def independent_hessian(weights, active, mean):
    return active.T @ active / len(active) * (weights.T @ mean @ weights)


sizes = given(st.integers(1, 9), st.integers(2, 5), st.integers(2, 9), st.integers(0, 2**32))


def matrices(weights, active, confidence):
    """E[A], M and M* on both halves."""
    means = np.array([curvature(p) for p in halves(confidence)])
    pairs = list(zip(halves(active), halves(confidence), strict=True))
    output = [output_hessian(weights, gates, p) for gates, p in pairs]
    return means, output, [independent_hessian(weights, pairs[k][0], means[1 - k]) for k in range(2)]


def check(units, classes, inputs, seed):
    weights, active, confidence, _ = draw(units, classes, inputs, seed)
    means, output, independent = matrices(weights, active, confidence)
    scale = np.abs(weights).max() ** 4 * units**2
    found = np.empty_like(means)
    mean_curvatures(confidence, found)
    np.testing.assert_allclose(found, means, rtol=1e-11, atol=1e-15)
    found = np.empty((2, 2, units, units))
    output_hessians(weights, active, confidence, found[0])
    independent_hessians(weights, active, means, found[1])
    np.testing.assert_allclose(found, [output, independent], rtol=1e-10, atol=1e-14 * scale)
    for value, (first, second) in (
        (output_energy(weights, active, confidence), output),
        (independent_energy(weights, active, means), independent),
    ):
        assert value == pytest.approx(np.sum(first * second), rel=1e-10, abs=1e-13 * scale)
    gates = sandwiches(weights, active)
    for given_curvature, kind in ((None, output), (means, independent)):
        wanted = [weights @ matrix @ weights.T for matrix in kind]
        found = np.empty((2, classes, classes))
        projections(gates, confidence, given_curvature, found)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-13 * scale)


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@sizes
def test_matrices_energies_and_projections(units, classes, inputs, seed):
    check(units, classes, inputs, seed)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("units", "classes", "inputs"),
    [(32, 4, 40), (33, 2, 131), (70, 3, 20), (97, 4, 300)],
)
def test_sizes_of_more_than_one_block_or_word(units, classes, inputs):
    check(units, classes, inputs, 1)


@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(1, 200), st.integers(0, 2**32))
def test_joint_activations_are_counts_of_bits(units, inputs, seed):
    active = (np.random.default_rng(seed).random((inputs, units)) < 0.5).astype(float)
    packed, counts = packed_gates(active), np.zeros((units, units), dtype=np.int64)
    for unit in range(units):
        add_counts(packed, unit, counts[unit])
    np.testing.assert_array_equal(counts, active.T @ active)


@settings(max_examples=60)
@sizes
def test_averages_over_units(units, classes, inputs, seed):
    weights, active, _, logits = draw(units, classes, inputs, seed)
    columns = np.square(weights - weights.mean(axis=0)).sum(axis=0) / (classes - 1)
    first, second = (gates.mean(axis=0) for gates in halves(active))
    ones, twos = (z.mean(axis=0) for z in halves(logits))
    wanted = (
        columns @ (first + second) / 2,
        columns @ (first * second),
        columns.sum(),
        (ones - ones.mean()) @ twos / (classes - 1),
    )
    assert unit_averages(weights, active, logits) == pytest.approx(wanted, rel=1e-10, abs=1e-13)
