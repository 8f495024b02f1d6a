"""The Hessians of wu against loops over inputs, dense matrices and each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.errors import ConvergenceError
from rmtsim.hessian import eigenspaces as wu_subspace
from rmtsim.hessian import gauss_newton as wu_full
from rmtsim.hessian import layer_hessian as wu_layer
from rmtsim.hessian import output_hessian as wu_output
from rmtsim.hessian.two_layer import draw_trial
from rmtsim.sampling.relu_network import draw_inputs, draw_network, draw_response, respond


def small(seed, units=7, classes=3, count=24, alpha=0.3, depth=2):
    rng = np.random.default_rng(seed)
    network = draw_network(units, alpha, classes, rng, depth=depth)
    return network, respond(network, draw_inputs(count, network.first.shape[1], rng))


def curvatures(response):
    return [np.diag(p) - np.outer(p, p) for p in response.confidence]


def dense_layer(network, response):
    total = 0
    for x, on, a in zip(response.inputs.values, response.active[-1], curvatures(response), strict=True):
        d = np.diag(on)
        total = total + np.kron(d @ network.last.T @ a @ network.last @ d, np.outer(x, x))
    return total / len(response.logits)


@given(seed=st.integers(0, 10**6), units=st.integers(2, 12), classes=st.integers(2, 5))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_output_hessians_are_the_loops(seed, units, classes):
    network, response = small(seed, units, classes)
    w = network.last
    naive = sum(
        np.diag(on) @ w.T @ a @ w @ np.diag(on)
        for on, a in zip(response.active[-1], curvatures(response), strict=True)
    ) / len(response.logits)
    assert np.allclose(wu_output.output_hessian(w, response), naive, rtol=1e-12, atol=1e-14)
    mean = sum(curvatures(response)) / len(response.logits)
    assert np.allclose(wu_output.mean_curvature(response), mean, rtol=1e-12, atol=1e-15)
    # D' independent of A: the mean over all pairs of inputs.
    pairs = (
        sum(
            np.diag(on) @ w.T @ a @ w @ np.diag(on)
            for on in response.active[-1]
            for a in curvatures(response)
        )
        / len(response.logits) ** 2
    )
    star = wu_output.independent_output_hessian(w, response.active[-1], mean)
    assert np.allclose(star, pairs, rtol=1e-11, atol=1e-14)


def test_output_hessian_is_the_same_in_pieces(monkeypatch):
    network, response = small(0, units=20, count=50)
    whole = wu_output.output_hessian(network.last, response)
    monkeypatch.setattr(wu_output, "_CHUNK_BYTES", 8 * 20 * 3 * 7)
    assert np.allclose(wu_output.output_hessian(network.last, response), whole, rtol=1e-13)


@pytest.mark.parametrize("layer", [1, 2, 3, 4])
def test_deep_output_hessian_is_the_loop(layer):
    network, response = small(3, units=6, count=20, depth=4)
    total = 0
    for index, a in enumerate(curvatures(response)):
        g = np.eye(network.classes)
        for position in range(3, layer - 1, -1):
            g = g @ network.weights[position] @ np.diag(response.active[position - 1][index])
        total = total + g.T @ a @ g
    found = wu_output.deep_output_hessian(network.weights[1:], response, layer)
    assert np.allclose(found, total / 20, rtol=1e-12, atol=1e-15)


def test_last_layer_hessian_and_its_kronecker_approximation():
    _, response = small(5, units=4, count=15)
    full, product = wu_output.last_layer_hessian(response)
    naive = sum(
        np.kron(a, np.outer(y, y)) for a, y in zip(curvatures(response), response.hidden[-1], strict=True)
    )
    assert np.allclose(full, naive / 15, atol=1e-15)
    mean = wu_output.mean_curvature(response)
    assert np.allclose(product, np.kron(mean, response.hidden[-1].T @ response.hidden[-1] / 15), atol=1e-15)


@pytest.mark.parametrize("dense", [True, False])
def test_layer_eigenpairs_are_those_of_the_matrix(monkeypatch, dense):
    if not dense:
        monkeypatch.setattr(wu_layer, "_DENSE", 0)
    network, response = small(1, units=5, count=30)
    hessian = wu_layer.LayerHessian(network.last, response)
    matrix = dense_layer(network, response)
    space = hessian.top(2, extra=1)
    values, vectors = np.linalg.eigh(matrix)
    assert np.allclose(space.values, values[::-1][:3], rtol=1e-8)
    basis = np.stack([space.matricized(index).ravel() for index in range(2)], axis=1)
    assert np.allclose(basis.T @ basis, np.eye(2), atol=1e-7)
    assert wu_subspace.overlap(basis, vectors[:, -2:]) == pytest.approx(1, abs=1e-7)
    assert space.residual < 1e-7
    singular = np.linalg.svd(space.matricized(0), compute_uv=False)
    assert np.allclose(space.singular_values(0)[: len(singular)], singular, atol=1e-7)


def test_layer_norms_and_projections_are_those_of_the_matrix():
    network, response = small(2, units=5, count=20)
    first, second = response.halves()
    layers = [wu_layer.LayerHessian(network.last, half) for half in (first, second)]
    matrices = [dense_layer(network, half) for half in (first, second)]
    assert wu_layer.product_energy(*layers) == pytest.approx(np.sum(matrices[0] * matrices[1]), rel=1e-11)
    d = response.inputs.dimension
    v = np.kron(network.last, np.ones((1, d)) / np.sqrt(d))
    assert np.allclose(layers[0].projected(), v @ matrices[0] @ v.T, rtol=1e-11)
    x = np.full((d, d), 1 / (2 * np.pi)) + (np.pi - 1) / (2 * np.pi) * np.eye(d)
    outputs = [wu_output.output_hessian(network.last, half) for half in (first, second)]
    gaps = [matrix - np.kron(m, x) for matrix, m in zip(matrices, outputs, strict=True)]
    found = wu_layer.decoupling_energy(*layers, *outputs)
    assert found == pytest.approx(np.sum(gaps[0] * gaps[1]), rel=1e-9)


def test_rayleigh_quotient_is_that_of_the_matrix():
    network, response = small(4, units=5, count=20)
    first, second = response.halves()
    space = wu_layer.LayerHessian(network.last, first).top(1)
    vector = space.matricized(0).ravel()
    expected = vector @ dense_layer(network, second) @ vector
    found = wu_layer.rayleigh_quotient(space, wu_layer.LayerHessian(network.last, second))
    assert found == pytest.approx(expected, rel=1e-10)


def test_full_hessian_approximation_is_that_of_the_matrix():
    network, response = small(7, units=4, count=12)
    w, total, output = network.last, 0, 0
    for x, on, y, a in zip(
        response.inputs.values, response.active[-1], response.hidden[-1], curvatures(response), strict=True
    ):
        g = [w @ np.diag(on), np.eye(3)]
        f = np.hstack([np.kron(g[0], np.append(x, 1)), np.kron(g[1], np.append(y, 1))])
        total, output = total + f.T @ a @ f / 12, output + np.hstack(g).T @ a @ np.hstack(g) / 12
    values, vectors = np.linalg.eigh(total)
    sigma, u = np.linalg.eigh(output)
    means = [
        np.append(response.inputs.values.mean(axis=0), 1),
        np.append(response.hidden[-1].mean(axis=0), 1),
    ]
    approx = np.stack(
        [np.concatenate([np.kron(u[:4, -i], means[0]), np.kron(u[4:, -i], means[1])]) for i in (1, 2)], axis=1
    )
    q, _ = np.linalg.qr(approx)
    overlap, ratio = wu_full.full_approximation(w, response)
    assert overlap == pytest.approx(wu_subspace.overlap(q, vectors[:, -2:]), abs=1e-7)
    expected = np.mean([values[-i] / (sigma[-i] * np.sum(approx[:, i - 1] ** 2)) for i in (1, 2)])
    assert ratio == pytest.approx(expected, rel=1e-6)


def test_block_iteration_agrees_with_the_dense_solver():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((200, 5))
    matrix = root @ root.T + 0.1 * np.diag(rng.random(200))
    fast = wu_subspace.top_eigenspace(matrix, 3)
    slow = wu_subspace.top_eigenspace(matrix, 3, extra=1)
    assert np.allclose(fast.values, slow.values[:3], rtol=1e-9)
    assert wu_subspace.overlap(fast.basis, slow.basis) == pytest.approx(1, abs=1e-9)


def test_corrected_overlap_removes_the_sampling_bias():
    """Two spaces of known overlap, each seen through independent noise: the plain overlap is low, this is not."""
    rng = np.random.default_rng(1)
    n, k, noise = 300, 3, 0.02
    u = np.linalg.qr(rng.standard_normal((n, k)))[0]
    v = np.linalg.qr(u + 0.03 * rng.standard_normal((n, k)))[0]
    truth = wu_subspace.overlap(u, v)
    plain, corrected = [], []
    for _ in range(60):
        seen = [np.linalg.qr(space + noise * rng.standard_normal((n, k)))[0] for space in (u, u, v, v)]
        plain.append(wu_subspace.overlap(seen[0], seen[2]))
        corrected.append(wu_subspace.corrected_overlap((seen[0], seen[1]), (seen[2], seen[3])))
    assert abs(np.mean(plain) - truth) > 0.1
    assert abs(np.mean(corrected) - truth) < 0.02


@pytest.mark.parametrize("classes", [2, 6])
def test_few_inputs_never_look_like_a_refutation(classes):
    """48 inputs bias plain overlaps low by several per cent; the corrected ones stay within Theorem 4.1's tolerance.

    Twelve networks of width 256, α = 0.3: the mean deficit of the true overlap is below 0.002 there.
    """
    rng = np.random.default_rng(5)
    plain, corrected = [], []
    for _ in range(12):
        trial = draw_trial(256, 0.3, classes, 48, rng)
        first, second = trial.layer_spaces
        plain.append(wu_layer.layer_overlap(first, second))
        corrected.append(trial.layer_overlap())
    assert np.mean(plain) < 0.95
    assert np.mean(corrected) == pytest.approx(1, abs=0.005)


def test_trial_statistics_are_near_their_limits():
    """Fixed seed, width 400: three standard deviations (measured over seeds) around the predicted limits."""
    from rmtsim.predict.wu import limits as wu_limits

    trial = draw_trial(400, 0.4, 4, 200, np.random.default_rng(2))
    assert trial.corrected(trial.output_space, trial.independent_space) == pytest.approx(1, abs=0.003)
    assert trial.corrected(trial.independent_space, (trial.rows, trial.rows)) == pytest.approx(
        wu_limits.row_space_overlap(), abs=0.04
    )
    assert trial.layer_overlap() == pytest.approx(1, abs=0.01)
    assert trial.output_gap() < 0.1


def test_refusals_name_what_is_wrong():
    network, response = small(1)
    with pytest.raises(ValueError, match="count=72: expected fewer than 48"):
        wu_layer.LayerHessian(network.last, response).top(72)
    with pytest.raises(ValueError, match="layer=9"):
        wu_output.deep_output_hessian(network.weights[1:], response, 9)
    _, many = draw_response(40, 0.9, 3, 16, np.random.default_rng(0))
    space = wu_layer.LayerHessian(np.eye(3, 40), many).top(1)
    with pytest.raises(ValueError, match="only inner products were kept"):
        space.matricized(0)


def test_unconverged_eigenpairs_are_never_returned(monkeypatch):
    import scipy.sparse.linalg

    monkeypatch.setattr(wu_layer, "_DENSE", 0)
    network, response = small(1, units=12, count=60)
    hessian = wu_layer.LayerHessian(network.last, response)

    def refuse(*arguments, **options):
        raise scipy.sparse.linalg.ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", refuse)
    with pytest.raises(ConvergenceError, match="0 converged"):
        hessian.top(2)
