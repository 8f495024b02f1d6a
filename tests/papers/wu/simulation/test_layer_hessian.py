"""The layer Hessian that is never formed against the matrix itself."""

import numpy as np
import pytest
import scipy.sparse.linalg

from rmtsim.errors import ConvergenceError
from rmtsim.papers.wu.simulation import layer_hessian, output_hessian
from rmtsim.papers.wu.simulation.eigenspaces import overlap
from rmtsim.papers.wu.simulation.relu_network import draw_response
from tests.papers.wu.simulation.small_networks import dense_layer, small


@pytest.mark.parametrize("dense", [True, False])
def test_layer_eigenpairs_are_those_of_the_matrix(monkeypatch, dense):
    if not dense:
        monkeypatch.setattr(layer_hessian, "_DENSE", 0)
    network, response = small(1, units=5, count=30)
    hessian = layer_hessian.LayerHessian(network.weights[-1], response)
    matrix = dense_layer(network, response)
    space = hessian.top(2, extra=1)
    values, vectors = np.linalg.eigh(matrix)
    assert np.allclose(space.values, values[::-1][:3], rtol=1e-8)
    basis = np.stack([space.matricized(index).ravel() for index in range(2)], axis=1)
    assert np.allclose(basis.T @ basis, np.eye(2), atol=1e-7)
    assert overlap(basis, vectors[:, -2:]) == pytest.approx(1, abs=1e-7)
    assert space.residual < 1e-7
    singular = np.linalg.svd(space.matricized(0), compute_uv=False)
    assert np.allclose(space.singular_values(0)[: len(singular)], singular, atol=1e-7)


def test_layer_norms_and_projections_are_those_of_the_matrix():
    network, response = small(2, units=5, count=20)
    first, second = response.halves()
    layers = [layer_hessian.LayerHessian(network.weights[-1], half) for half in (first, second)]
    matrices = [dense_layer(network, half) for half in (first, second)]
    assert layer_hessian.product_energy(*layers) == pytest.approx(
        np.sum(matrices[0] * matrices[1]), rel=1e-11
    )
    d = response.inputs.dimension
    v = np.kron(network.weights[-1], np.ones((1, d)) / np.sqrt(d))
    assert np.allclose(layers[0].projected(), v @ matrices[0] @ v.T, rtol=1e-11)
    x = np.full((d, d), 1 / (2 * np.pi)) + (np.pi - 1) / (2 * np.pi) * np.eye(d)
    outputs = [output_hessian.output_hessian(network.weights[-1], half) for half in (first, second)]
    gaps = [matrix - np.kron(m, x) for matrix, m in zip(matrices, outputs, strict=True)]
    found = layer_hessian.decoupling_energy(*layers, *outputs)
    assert found == pytest.approx(np.sum(gaps[0] * gaps[1]), rel=1e-9)


def test_rayleigh_quotient_is_that_of_the_matrix():
    network, response = small(4, units=5, count=20)
    first, second = response.halves()
    space = layer_hessian.LayerHessian(network.weights[-1], first).top(1)
    vector = space.matricized(0).ravel()
    expected = vector @ dense_layer(network, second) @ vector
    found = layer_hessian.rayleigh_quotient(space, layer_hessian.LayerHessian(network.weights[-1], second))
    assert found == pytest.approx(expected, rel=1e-10)


def test_refusals_name_what_is_wrong():
    network, response = small(1)
    with pytest.raises(ValueError, match="count=72: expected fewer than 48"):
        layer_hessian.LayerHessian(network.weights[-1], response).top(72)
    _, many = draw_response(40, 0.9, 3, 16, np.random.default_rng(0))
    space = layer_hessian.LayerHessian(np.eye(3, 40), many).top(1)
    with pytest.raises(ValueError, match="only inner products were kept"):
        space.matricized(0)


def test_unconverged_eigenpairs_are_never_returned(monkeypatch):
    monkeypatch.setattr(layer_hessian, "_DENSE", 0)
    network, response = small(1, units=12, count=60)
    hessian = layer_hessian.LayerHessian(network.weights[-1], response)

    def refuse(*arguments, **options):
        raise scipy.sparse.linalg.ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", refuse)
    with pytest.raises(ConvergenceError, match="0 converged"):
        hessian.top(2)
