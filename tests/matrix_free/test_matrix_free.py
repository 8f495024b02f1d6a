"""Matrix-free spectra and traces against exact ones; standard errors that mean what they say."""

import math

import numpy as np
import pytest
from scipy.sparse import diags
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from rmtsim.matrix_free import _lanczos, operator_extremes, operator_spectrum, operator_trace
from rmtsim.matrix_free._lanczos import lanczos_quadrature, lanczos_quadratures


def rotated(values, seed=0):
    """A dense symmetric matrix with these eigenvalues and Haar eigenvectors."""
    q = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    return (q * values) @ q.T


VALUES = np.concatenate([np.linspace(-1, 1, 280), [3.0, 5.0]])
MATRIX = rotated(VALUES)


@pytest.mark.parametrize(
    "operator", [MATRIX, aslinearoperator(MATRIX), diags(VALUES)], ids=["dense", "operator", "sparse"]
)
def test_spectrum_against_eigenvalues(operator):
    found = operator_spectrum(operator, np.random.default_rng(1), exact_up_to=0, probes=30, steps=60)
    assert not found.exact
    for k in (1, 2, 4):
        estimate = found.moment(k)
        assert abs(estimate.value - (VALUES**k).mean()) < 4.5 * estimate.error
    inside = found.mass(-0.5, 0.5, 0.05)
    assert abs(inside.value - ((VALUES > -0.5) & (VALUES < 0.5)).mean()) < 4.5 * inside.error + 0.01
    assert found.range == pytest.approx((-1, 5), abs=1e-3)


def test_small_operators_are_exact():
    found = operator_spectrum(MATRIX, np.random.default_rng(1))
    np.testing.assert_allclose(found.eigenvalues, np.sort(VALUES), atol=1e-13)
    assert found.moment(2).error == 0
    top = operator_extremes(MATRIX, np.random.default_rng(2), count=2, which="top")
    np.testing.assert_allclose(top.values, [5, 3], atol=1e-7)


@pytest.mark.parametrize("method", ["hutchinson", "hutch++", "xtrace"])
def test_errors_are_calibrated_and_estimates_without_bias(method):
    """80 runs: no bias at 4.5 standard errors; stated errors near the true spread, XTrace's never below it by much."""
    rng = np.random.default_rng(3)
    values = 0.9 ** np.arange(120.0)
    matrix = rotated(values)
    runs = [operator_trace(matrix, rng, method=method, products=42) for _ in range(80)]
    misses = np.array([run.value - values.sum() for run in runs])
    assert abs(misses.mean()) < 4.5 * misses.std() / math.sqrt(80)
    spread = misses.std() / math.sqrt(np.mean([run.error**2 for run in runs]))
    assert (0.2 if method == "xtrace" else 0.75) < spread < 1.25


def test_sketches_beat_hutchinson_where_the_operator_decays():
    rng = np.random.default_rng(4)
    values = 0.9 ** np.arange(300.0)
    matrix = rotated(values)
    error = {
        method: math.sqrt(np.mean([(operator_trace(matrix, rng, method=method, products=60).value - values.sum()) ** 2
                                   for _ in range(15)]))
        for method in ("hutchinson", "hutch++", "xtrace")
    }  # fmt: skip
    assert error["hutch++"] < 0.6 * error["hutchinson"]
    assert error["xtrace"] < error["hutch++"]


def test_traces_of_special_operators():
    rng = np.random.default_rng(5)
    low = rotated(np.concatenate([[4.0, 2.0], np.zeros(98)]))
    for method in ("hutch++", "xtrace"):
        assert operator_trace(low, rng, method=method, products=30).value == pytest.approx(6, abs=1e-10)
    assert operator_trace(np.zeros((90, 90)), rng).value == 0
    assert operator_trace(np.diag([1.0, 2.0]), rng).error == 0
    same = [operator_trace(MATRIX, np.random.default_rng(6)) for _ in range(2)]
    assert same[0] == same[1]


@pytest.mark.parametrize(
    ("operator", "named"),
    [
        (np.ones((3, 4)), "square"),
        (np.triu(np.ones((60, 60))), "symmetric"),
        (LinearOperator((80, 80), matvec=lambda v: v * math.inf, dtype=float), "finite"),
    ],
)
def test_bad_operators(operator, named):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=named):
        operator_trace(operator, np.random.default_rng(0))
    with pytest.raises(TypeError, match="real"):
        operator_trace(aslinearoperator(1j * np.eye(100)), np.random.default_rng(0))
    with pytest.raises(ValueError, match="method="):
        operator_trace(np.eye(4), np.random.default_rng(0), method="quick")


def test_many_starts_share_each_product():
    """One product a step with all starts (and one that tries the symmetry); the nodes are those of single starts."""
    calls = []

    def matmat(block):
        calls.append(block.shape)
        return MATRIX @ block

    operator = LinearOperator(
        MATRIX.shape, matvec=lambda v: calls.append("one vector") or MATRIX @ v, matmat=matmat, dtype=float
    )
    found = operator_spectrum(operator, np.random.default_rng(5), exact_up_to=0, probes=3, steps=20)
    assert calls == [(282, 2)] + [(282, 3)] * 20
    rng = np.random.default_rng(5)
    rng.standard_normal((2, 282))
    for nodes, weights in zip(found.nodes, found.weights, strict=True):
        one, share = lanczos_quadrature(lambda v: MATRIX @ v, 282, rng.standard_normal(282), 20)
        np.testing.assert_allclose(nodes, one, atol=1e-12)
        np.testing.assert_allclose(weights, share, atol=1e-12)
    calls.clear()
    operator_trace(operator, np.random.default_rng(6), products=40)
    assert calls == [(282, 2), (282, 20), (282, 20)]


def test_groups_of_starts_do_not_change_the_answer(monkeypatch):
    whole = operator_spectrum(MATRIX, np.random.default_rng(7), exact_up_to=0, probes=5, steps=10)
    monkeypatch.setattr("rmtsim.matrix_free._estimates._AT_ONCE", 8 * 282 * 10 * 2)
    parts = operator_spectrum(MATRIX, np.random.default_rng(7), exact_up_to=0, probes=5, steps=10)
    np.testing.assert_allclose(parts.nodes, whole.nodes, atol=1e-12)


def test_starts_whose_krylov_spaces_end_early():
    values = np.repeat([1.0, 4.0], [300, 200])
    starts = np.zeros((2, 500))
    starts[0, 0] = starts[1, :] = 1.0
    (alone, sure), (both, shares) = lanczos_quadratures(lambda rows: rows * values, starts, 30)
    assert (alone.tolist(), sure.tolist()) == ([1.0], [1.0])
    np.testing.assert_allclose(both, [1, 4])
    np.testing.assert_allclose(shares, [0.6, 0.4])


def test_a_matrix_with_a_number_that_is_not_finite_is_named():
    matrix = np.eye(80)
    matrix[3, 4] = np.nan
    with pytest.raises(ValueError, match="operator=nan at index 3, 4"):
        operator_trace(matrix, 0)


def test_bases_of_large_operators_are_small(monkeypatch):
    """A basis and ARPACK's copy of it fit into the memory, and eigenvalues are those of a larger basis."""
    assert [_lanczos._basis(size, 2, "LA") for size in (10**4, 10**6, 10**7, 10**9)] == [40, 20, 10, 4]
    values = np.concatenate([np.linspace(0.0, 1.0, 398), [2.0, 3.0]])
    monkeypatch.setattr(_lanczos, "_BASIS_MEMORY", 16 * 400 * 6)
    assert _lanczos._basis(400, 2, "LA") == 6
    found = _lanczos.extreme_eigenvalues(
        lambda v: values * v, 400, np.random.default_rng(0), count=2, which="top"
    )
    np.testing.assert_allclose(found.values, [3.0, 2.0], rtol=1e-8)
