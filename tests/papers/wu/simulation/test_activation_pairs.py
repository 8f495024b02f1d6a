"""Exact means over random first layers against integrals and brute force."""

import mpmath
import numpy as np
import pytest

from rmtsim.papers.wu.simulation.activation_pairs import hidden_deviations, pair_means
from rmtsim.papers.wu.simulation.relu_network import draw_network, respond
from rmtsim.papers.wu.simulation.response_batches import draw_response_batches


def batch(rows):
    rows = np.asarray(rows, dtype=float)
    network = draw_network(2, 0.0, 2, np.random.default_rng(0))
    assert rows.shape[1] == network.weights[0].shape[1]
    return respond(network, rows).inputs


@pytest.mark.parametrize(
    ("x", "y"), [([1.0, 0.5], [0.2, 2.0]), ([1.0, 1.0], [2.0, 2.0]), ([1.0, 0.0], [0.0, 3.0])]
)
def test_pair_means_are_the_gaussian_integrals(x, y):
    """With w ~ N(0, I/d): P(w·x ≥ 0, w·y ≥ 0) and E[max(w·x, 0) max(w·y, 0)] in polar coordinates of the plane."""
    both, product = pair_means(batch([x]), batch([y]))
    a, b = (np.arctan2(v[1], v[0]) for v in (x, y))
    low, high = max(a, b) - mpmath.pi / 2, min(a, b) + mpmath.pi / 2
    exact_both = (high - low) / (2 * mpmath.pi)
    angular = mpmath.quad(lambda t: mpmath.cos(t - a) * mpmath.cos(t - b), [low, high])
    # E r² = 2/d in the plane of x and y, here the whole space with d = 2.
    exact_product = np.hypot(*x) * np.hypot(*y) * angular / (2 * mpmath.pi)
    assert both == pytest.approx(float(exact_both), abs=1e-12)
    assert product == pytest.approx(float(exact_product), rel=1e-12)


def test_an_input_of_zeros_has_no_direction_and_does_no_harm():
    both, product = pair_means(batch([[0.0, 0.0]]), batch([[1.0, 1.0]]))
    assert both == 0.5
    assert product == 0.0


def test_hidden_deviations_have_mean_zero():
    """Widths of 12 units: means over 2000 networks within four standard errors of zero."""
    rng = np.random.default_rng(3)
    found = [hidden_deviations(part) for part in draw_response_batches(12, 0.4, 2, 8, rng, 2000)]
    values = np.concatenate([np.hstack(part) for part in found])
    assert values.shape == (2000, 2)
    assert (np.abs(values.mean(axis=0)) < 4 * values.std(axis=0) / np.sqrt(2000)).all()
