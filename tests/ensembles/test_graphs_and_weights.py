"""Regular graphs, weighted sample covariances and matrices without symmetry against what defines them."""

import numpy as np
import pytest

from rmtsim.ensembles import elliptic, ginibre, regular_graph, weighted_wishart


def test_weighted_wishart_has_the_trace_of_its_weights():
    matrix = weighted_wishart(200, np.full(400, 3.0), np.random.default_rng(2))
    # Mean of 80 000 squares: a relative standard error of 0.5 %.
    assert np.trace(matrix) / 200 == pytest.approx(3.0, rel=0.015)
    assert np.array_equal(matrix, matrix.T)


def test_weighted_wishart_in_blocks_is_the_product():
    weights = np.linspace(-1, 2, 5000)
    rng = np.random.default_rng(0)
    drawn = [rng.standard_normal((3, size)) for size in (2048, 2048, 904)]
    whole = np.concatenate(drawn, axis=1)
    found = weighted_wishart(3, weights, np.random.default_rng(0))
    np.testing.assert_allclose(found, (whole * weights) @ whole.T / 5000, atol=1e-13)


@pytest.mark.parametrize(("size", "degree"), [(5, 4), (6, 3), (7, 2), (8, 5)])
def test_vertices_have_the_degree(size, degree):
    adjacency = regular_graph(size, degree, np.random.default_rng(1))
    assert adjacency.sum(axis=0).tolist() == [degree] * size
    assert np.array_equal(adjacency, adjacency.T)


@pytest.mark.parametrize("correlation", [-1.0, -0.5, 0.0, 0.8, 1.0])
def test_elliptic_entries(correlation):
    n = 400
    h = elliptic(n, np.random.default_rng(3), correlation=correlation, variance=2.0)
    upper = np.triu_indices(n, 1)
    # 79 800 pairs of normal numbers: relative standard errors of a variance and of a covariance below 0.5 %.
    assert n * np.mean(h[upper] ** 2) == pytest.approx(2.0, rel=0.025)
    assert n * np.mean(h[upper] * h.T[upper]) == pytest.approx(2.0 * correlation, abs=0.05)


@pytest.mark.parametrize(("beta", "kind", "side"), [(1, "f", 5), (2, "c", 5), (4, "c", 10)])
def test_ginibre_kinds(beta, kind, side):
    h = ginibre(5, np.random.default_rng(0), beta=beta)
    assert h.dtype.kind == kind
    assert h.shape == (side, side)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: regular_graph(5, 3, rng), "size=5: expected an even number"),
        (lambda rng: regular_graph(2, 6, rng), "size=2: expected at least 3 vertices"),
        (lambda rng: weighted_wishart(3, [], rng), "expected one number a sample, at least one"),
        (lambda rng: elliptic(3, rng, correlation=1.5), r"correlation=1.5: expected a number in \[-1, 1\]"),
        (lambda rng: ginibre(3, rng, beta=3), "beta=3: expected 1, 2 or 4"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))
