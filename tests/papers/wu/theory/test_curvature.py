"""The law of E[A] over weights: outliers of simulated output Hessians follow it."""

import numpy as np
import pytest
from scipy.special import ndtr

from rmtsim.papers.wu.simulation.output_hessian import output_hessian
from rmtsim.papers.wu.simulation.relu_network import draw_response
from rmtsim.papers.wu.theory.curvature import curvature_matrices, outlier_eigenvalues


@pytest.mark.thorough
def test_outliers_of_simulated_networks_follow_their_law():
    """Mean ordered eigenvalues of M over 60 networks of 400 units: four standard errors and 2 % for the next order."""

    rng = np.random.default_rng(8)
    found = []
    for _ in range(60):
        (weights,), response = draw_response(400, 0.3, 4, 600, rng)
        found.append(np.linalg.eigvalsh(output_hessian(weights, response))[::-1][:3])
    law = outlier_eigenvalues(4, 400)
    error = np.std(found, axis=0, ddof=1) / np.sqrt(60)
    assert np.all(np.abs(np.mean(found, axis=0) - law.mean(axis=0)) < 4 * error + 0.02 * law.mean(axis=0))
    assert np.std(found, axis=0) == pytest.approx(law.std(axis=0), rel=0.4)


def test_a_finite_width_spreads_the_outliers_around_their_limit():
    limit, wide, narrow = (outlier_eigenvalues(4, width).mean(axis=0) for width in (None, 10**8, 100))
    assert wide == pytest.approx(limit, rel=1e-3)
    assert narrow[0] > limit[0]
    assert narrow[-1] < limit[-1]
    assert narrow.sum() == pytest.approx(limit.sum(), rel=0.01)


def test_the_spread_at_a_finite_width_has_its_variance():
    """Σλ - Σlim = tr ÃN has the variance 2‖Ã‖² E π⁴/n at each of 8192 points; pooled to 0.9 %, held to 2 %."""
    width, squares = 10**4, []
    for classes in (2, 3, 4):
        moved = outlier_eigenvalues(classes, width).sum(axis=1) - outlier_eigenvalues(classes).sum(axis=1)
        energy = np.square(curvature_matrices(classes)).sum(axis=(1, 2))
        squares.append(np.mean(moved**2 * width / (2 * energy)))
    rng = np.random.default_rng(3)
    rates = ndtr(rng.standard_normal(10**6) / np.sqrt(np.pi - 1))
    assert np.mean(squares) == pytest.approx((rates**4).mean(), rel=0.02)
