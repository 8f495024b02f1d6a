"""The Gauss–Newton part of the full Hessian against the matrix itself."""

import numpy as np
import pytest

from rmtsim.papers.wu.simulation.eigenspaces import overlap as overlap_of
from rmtsim.papers.wu.simulation.gauss_newton import full_approximation
from tests.papers.wu.simulation.small_networks import curvatures, small


def test_the_approximation_is_that_of_the_matrix():
    network, response = small(7, units=4, count=12)
    w, total, output = network.weights[-1], 0, 0
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
    overlap, ratio = full_approximation(w, response)
    assert overlap == pytest.approx(overlap_of(q, vectors[:, -2:]), abs=1e-7)
    expected = np.mean([values[-i] / (sigma[-i] * np.sum(approx[:, i - 1] ** 2)) for i in (1, 2)])
    assert ratio == pytest.approx(expected, rel=1e-6)
