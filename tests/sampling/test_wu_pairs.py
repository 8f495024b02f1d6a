"""Exact means over random layers against integrals and brute force."""

import dataclasses

import mpmath
import numpy as np
import pytest

from rmtsim.sampling import energy_distances as wu_distances
from rmtsim.sampling.activation_pairs import hidden_deviations, pair_means
from rmtsim.sampling.last_layers import last_layers
from rmtsim.sampling.relu_network import draw_inputs, draw_network, draw_response, draw_responses, respond


def batch(rows):
    rows = np.asarray(rows, dtype=float)
    network = draw_network(2, 0.0, 2, np.random.default_rng(0))
    assert rows.shape[1] == network.first.shape[1]
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
    values = np.array([hidden_deviations(draw_response(12, 0.4, 2, 8, rng)[1]) for _ in range(2000)])
    assert (np.abs(values.mean(axis=0)) < 4 * values.std(axis=0) / np.sqrt(2000)).all()


def test_logit_distance_is_the_mean_over_last_layers():
    rng = np.random.default_rng(4)
    _, response = draw_response(30, 0.3, 3, 24, rng)
    hidden = response.hidden[-1]
    exact = wu_distances.logit_energy_distance(hidden, 3, 0.12)
    draws = [
        wu_distances.energy_distance(z, rng.standard_normal(z.shape) * np.sqrt(0.12))
        for z in last_layers(hidden, 3, 3000, rng)
    ]
    assert exact == pytest.approx(np.mean(draws), abs=4 * np.std(draws) / np.sqrt(3000))
    scale = wu_distances.logit_scale(3, 30)
    lengths = np.linalg.norm(last_layers(np.ones((1, 30)), 3, 4000, rng)[:, 0], axis=1) / np.sqrt(30)
    assert scale == pytest.approx(lengths.mean(), abs=4 * lengths.std() / np.sqrt(4000))


def test_responses_without_inner_products_have_the_same_law_and_say_what_they_lack():
    rng = np.random.default_rng(5)
    plain, short = (
        [
            np.prod(draw_responses(20, 0.6, 2, 4, rng, inner=inner)[0][1].hidden[0][:2], axis=0).mean()
            for _ in range(600)
        ]
        for inner in (True, False)
    )
    error = np.hypot(np.std(plain), np.std(short)) / np.sqrt(600)
    assert np.mean(plain) == pytest.approx(np.mean(short), abs=4 * error)
    # Of inputs drawn in slices of columns nothing is kept but their sums.
    inputs = dataclasses.replace(draw_responses(20, 0.6, 2, 4, rng, inner=False)[0][1].inputs, values=None)
    with pytest.raises(ValueError, match="neither values nor inner products"):
        inputs.inner(inputs)
    with pytest.raises(ValueError, match="neither values nor inner products"):
        _ = inputs.squares


def test_squares_are_the_diagonal_of_the_inner_products():
    x = draw_inputs(5, 9, np.random.default_rng(0))
    network = draw_network(3, 1.0, 2, np.random.default_rng(1))
    inputs = respond(network, x).inputs
    assert np.allclose(inputs.squares, np.diag(x @ x.T), rtol=1e-14)
