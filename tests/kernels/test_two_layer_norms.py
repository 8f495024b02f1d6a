"""Norms and projections in compiled loops against matrices formed by NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.kernels.two_layer_norms import independent_energy, projections, unit_averages


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


@settings(max_examples=60)
@sizes
def test_energies_and_projections(units, classes, inputs, seed):
    weights, active, confidence, _ = draw(units, classes, inputs, seed)
    means = np.array([curvature(p) for p in halves(confidence)])
    pairs = list(zip(halves(active), halves(confidence), strict=True))
    matrices = [output_hessian(weights, gates, p) for gates, p in pairs]
    copies = [independent_hessian(weights, gates, means[1 - k]) for k, (gates, _) in enumerate(pairs)]
    scale = np.abs(weights).max() ** 4 * units**2
    assert independent_energy(weights, active, means) == pytest.approx(
        np.sum(copies[0] * copies[1]), rel=1e-10, abs=1e-13 * scale
    )
    found = np.empty((2, 2, classes, classes))
    projections(weights, active, confidence, means, *found)
    wanted = [[weights @ m @ weights.T for m in kind] for kind in (matrices, copies)]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-13 * scale)


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
