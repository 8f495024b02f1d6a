"""The full Hessian with both terms against differences of the loss itself."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from rmtsim.curvature._differentiation import hessian_by_differences
from rmtsim.papers.wu.simulation import full_hessian
from rmtsim.papers.wu.simulation.full_hessian import FullHessian, full_hessian_approximation
from rmtsim.papers.wu.simulation.gauss_newton import full_approximation
from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond


def small(seed=0, units=3, classes=3, count=4, dimension=None):
    rng = np.random.default_rng(seed)
    network = draw_network(units, 0.3, classes, rng)
    return network, respond(network, draw_inputs(count, network.weights[0].shape[1], rng)), rng


def dense(hessian):
    return np.stack([hessian.product(column) for column in np.eye(hessian.size)], axis=1)


def test_products_are_those_of_the_second_derivatives_of_the_loss():
    network, response, rng = small()
    labels = rng.integers(3, size=4)
    units, d = network.weights[0].shape
    inputs = [[mpmath.mpf(float(v)) for v in row] for row in response.inputs.values]

    def loss(theta):
        total = mpmath.mpf(0)
        first, last = units * d, units * (d + 1)
        for x, label in zip(inputs, labels, strict=True):
            pre = [mpmath.fdot(theta[i * d : (i + 1) * d], x) + theta[first + i] for i in range(units)]
            hidden = [max(value, mpmath.mpf(0)) for value in pre]
            logits = []
            for a in range(3):
                row = theta[last + a * units : last + (a + 1) * units]
                logits.append(mpmath.fdot(row, hidden) + theta[last + 3 * units + a])
            total += mpmath.log(mpmath.fsum(mpmath.exp(z) for z in logits)) - logits[label]
        return total / len(inputs)

    first, last = network.weights
    point = np.concatenate([first.ravel(), np.zeros(units), last.ravel(), np.zeros(3)])
    truth = hessian_by_differences(loss, point)
    found = dense(FullHessian(network.weights[-1], response, np.eye(3)[labels]))
    assert np.allclose(found, truth, atol=1e-14)


def test_eigenpairs_and_approximation_are_those_of_the_dense_matrix():
    network, response, _ = small(1, units=5, count=30)
    hessian = FullHessian(network.weights[-1], response)
    matrix = dense(hessian)
    assert np.allclose(matrix, matrix.T, atol=1e-15)
    space = hessian.top(2)
    values, vectors = np.linalg.eigh(matrix)
    assert np.allclose(space.values, values[::-1][:2], rtol=1e-9)
    assert space.residual < 1e-6
    columns, sigma = hessian.approximate(2)
    overlap, ratio = full_hessian_approximation(network.weights[-1], response)
    basis = np.linalg.qr(columns)[0]
    assert overlap == pytest.approx(np.sum((vectors[:, -2:].T @ basis) ** 2) / 2, abs=1e-7)
    assert ratio == pytest.approx(np.mean(values[::-1][:2] / (sigma * np.sum(columns**2, axis=0))), rel=1e-7)


def test_without_residuals_it_is_the_gauss_newton_part():
    """Labels equal to the network's confidence take the H-term away: then the Gram side gives the same numbers."""
    network, response, _ = small(2, units=6, count=40)
    hessian = FullHessian(network.weights[-1], response, response.confidence)
    space = hessian.top(2)
    columns, sigma = hessian.approximate(2)
    basis = np.linalg.qr(columns)[0]
    overlap, ratio = full_approximation(network.weights[-1], response)
    assert np.sum((space.basis.T @ basis) ** 2) / 2 == pytest.approx(overlap, abs=1e-6)
    assert np.mean(space.values / (sigma * np.sum(columns**2, axis=0))) == pytest.approx(ratio, rel=1e-6)


def test_few_inputs_are_taken_in_a_basis_of_their_span(monkeypatch):
    """Six inputs of dimension thirteen: the same eigenvalues and approximation, from inner products alone too."""
    network, response, _ = small(3, units=7, count=6)
    assert response.inputs.dimension == 13
    kept = replace(
        response, inputs=replace(response.inputs, values=None, gram=response.inputs.inner(response.inputs))
    )
    reduced = [full_hessian_approximation(network.weights[-1], each) for each in (response, kept)]
    values = FullHessian(network.weights[-1], response).top(2).values
    monkeypatch.setattr(full_hessian, "_coordinates", lambda inputs: np.asarray(inputs.values))
    whole = FullHessian(network.weights[-1], response)
    assert whole.size == 7 * 14 + 3 * 8
    assert values == pytest.approx(whole.top(2).values, rel=1e-8)
    for each in reduced:
        assert each == pytest.approx(full_hessian_approximation(network.weights[-1], response), rel=1e-6)


def test_refusals():
    network, response, _ = small()
    with pytest.raises(ValueError, match=r"labels: shape \(2, 3\), expected \(4, 3\)"):
        FullHessian(network.weights[-1], response, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="count=0"):
        FullHessian(network.weights[-1], response).top(0)
