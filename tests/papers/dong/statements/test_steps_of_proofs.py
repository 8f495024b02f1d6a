"""Steps of the proofs: given V, decoupled, classical; with naive loops and moved constants."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rmtsim.claims import find
from rmtsim.papers.dong.simulation import decoupled as decoupled_copies
from rmtsim.papers.dong.simulation import fixed_outputs, training_moments, two_hidden_layers
from rmtsim.papers.dong.statements import classical, given_output
from rmtsim.papers.dong.theory.curvature_population import hidden_population
from rmtsim.papers.dong.theory.hidden_given_output import hidden_energy_given_output
from rmtsim.verdicts import verify

POINT = [{"gamma": 0.7, "hidden": 4, "classes": 4, "output_seed": 9}]


@pytest.mark.parametrize("diagonal", [True, False])
def test_energy_given_output_is_that_of_the_population(diagonal):
    output = np.random.default_rng(4).standard_normal((6, 5)) / math.sqrt(5)
    atoms, weights = hidden_population(output, diagonal, atoms=8192)
    wanted = 0.7 * weights @ atoms**2 + (weights @ atoms) ** 2
    assert hidden_energy_given_output(output, 0.7, diagonal).value == pytest.approx(wanted, rel=2e-3)


def test_energy_given_output_by_plain_monte_carlo():
    rng = np.random.default_rng(5)
    output = rng.standard_normal((3, 3)) / math.sqrt(3)
    z = rng.standard_normal((200_000, 3))
    r = np.exp(np.maximum(z, 0) @ output.T)
    r /= r.sum(axis=1, keepdims=True)
    eta = r @ (output[:, 0] * output[:, 1]) - (r @ output[:, 0]) * (r @ output[:, 1])
    eta *= (z[:, 0] > 0) & (z[:, 1] > 0)
    error = 2 * np.square(eta).std() / math.sqrt(len(eta))
    wanted = 2.0 * np.square(eta).mean() + eta.mean() ** 2
    assert abs(hidden_energy_given_output(output, 2.0, False).value - wanted) < 4 * error


def test_energy_given_output_refuses_bad_input():
    with pytest.raises(ValueError, match="gamma"):
        hidden_energy_given_output(np.eye(2), 0.0, True)
    with pytest.raises(ValueError, match="two hidden neurons"):
        hidden_energy_given_output(np.ones((2, 1)), 1.0, False)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["dong.eq89", "dong.eq90"])
def test_expectations_given_output(name):
    (result,) = verify(name, points=POINT, budget=6)
    assert result.severity.relative < 0.15


def test_single_networks_meet_the_limit_given_output():
    rng = np.random.default_rng(1)
    point = POINT[0]
    values = [fixed_outputs.energy_of_one_network(150, rng, **point, block="diagonal") for _ in range(60)]
    limit = given_output.limit_given_output(**point, block="diagonal")
    assert np.mean(values) == pytest.approx(limit, abs=4 * np.std(values) / math.sqrt(60) + 0.03 * limit)


def test_whitened_inputs_and_entries_by_loops():
    found, decoupled = decoupled_copies.squared_entries(12, np.random.default_rng(2), 1.0, 3, 4)
    assert found.shape == decoupled.shape == (4,)
    rng = np.random.default_rng(2)
    first = rng.standard_normal((3, 12)) / math.sqrt(12)
    output = rng.standard_normal((4, 3)) / math.sqrt(3)
    white = rng.standard_normal((12, 3))
    wanted = np.zeros(2)
    counts = np.zeros(2)
    features = np.maximum(white, 0)
    p = np.exp(features @ output.T)
    p /= p.sum(axis=1, keepdims=True)
    for c, (k, el) in itertools.product(range(4), itertools.combinations_with_replacement(range(3), 2)):
        entry = sum(p[n, c] * (1 - p[n, c]) * features[n, k] * features[n, el] for n in range(12)) / 12
        wanted[int(k != el)] += (4 * entry) ** 2
        counts[int(k != el)] += 1
    assert decoupled[:2] == pytest.approx(wanted / counts)
    assert first.shape == (3, 12)


def test_gap_of_expectations_has_order_one_over_n():
    """N·Im δ_N is 0.075 at γ = 1, C = 5 (four sizes up to 80 agree): far below N^1/2, and not zero."""
    values = [decoupled_copies.expected_gap(10, np.random.default_rng(seed), 1.0, 5) for seed in range(400)]
    mean, error = np.mean(values).imag, np.std(np.imag(values)) / 20
    assert mean > 3 * error
    assert mean * 10 == pytest.approx(0.075, abs=4 * 10 * error)


@pytest.mark.parametrize("population", [classical.POSITIVE, classical.INDEFINITE])
@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_stated_law_solves_the_printed_equation(population, gamma):
    law = classical.stated_law(gamma, population)
    places, masses = map(np.array, population)
    s = law.values[:, None]
    right = 1 / ((masses * places / (1 + places * s)).sum(axis=1) / gamma - law.points)
    assert np.abs(law.values - right).max() < 1e-10


def test_squared_gap_by_quadrature():
    u = np.random.default_rng(3).random(7)
    pairs = [1 / 3 - max(a, b) + (a * a + b * b) / 2 for a, b in itertools.permutations(u, 2)]
    assert classical.squared_gap_to_uniform(u) == pytest.approx(np.mean(pairs))
    t = (np.arange(20000) + 0.5) / 20000
    a, b = u[:2]
    kernel = np.mean(((a <= t) - t) * ((b <= t) - t))
    assert kernel == pytest.approx(1 / 3 - max(a, b) + (a * a + b * b) / 2, abs=1e-4)


def test_a_moved_scale_of_the_log_normal_law_is_noticed(monkeypatch):
    rng = np.random.default_rng(0)
    right = np.mean([find("dong.prop3.lognormal.h1")(800, rng) for _ in range(20)])
    assert abs(right) < 1e-4
    monkeypatch.setattr(classical.math, "log", lambda x: np.log(1.05 * x))
    wrong = np.mean([find("dong.prop3.lognormal.h1")(800, rng) for _ in range(20)])
    assert wrong > 2e-4


def test_residuals_of_the_square_loss_never_pass_the_rank_bound():
    [values] = training_moments.trained(
        80, np.random.default_rng(0), 1, "mse", training_moments.residual_share
    )
    assert values.shape == (training_moments.MOMENTS + 1,)
    assert (values >= 1 - training_moments.HIDDEN / training_moments.CLASSES).all()
    assert values[-1] < values[0]


def test_first_layer_blocks_are_those_of_the_loss():
    """Against second differences of the loss itself, one pair of blocks."""
    rng = np.random.default_rng(6)
    inputs = rng.standard_normal((two_hidden_layers.DIMENSION, two_hidden_layers.DIMENSION))
    first = rng.standard_normal((two_hidden_layers.FIRST, two_hidden_layers.DIMENSION)) / math.sqrt(
        two_hidden_layers.DIMENSION
    )
    second = rng.standard_normal((5, two_hidden_layers.FIRST)) / math.sqrt(two_hidden_layers.FIRST)
    output = rng.standard_normal((3, 5)) / math.sqrt(5)

    def outputs(weights):
        return np.maximum(np.maximum(inputs @ weights.T, 0) @ second.T, 0) @ output.T

    base = outputs(first)

    def jacobian(neuron):
        columns = []
        for k in range(two_hidden_layers.DIMENSION):
            moved = first.copy()
            moved[neuron, k] += 1e-7
            columns.append((outputs(moved) - base).ravel() / 1e-7)
        return np.array(columns)

    # Piecewise linear outputs: the Hessian of the square loss is its Gauss-Newton part.
    jacobians = [jacobian(neuron) for neuron in range(two_hidden_layers.FIRST)]
    energies = np.array([[np.square(2 * a @ b.T / len(inputs)).sum() for b in jacobians] for a in jacobians])
    wanted = (energies.sum() - np.trace(energies)) / (two_hidden_layers.FIRST - 1) / np.trace(energies)
    assert two_hidden_layers.first_layer_ratio(5, 3, np.random.default_rng(6)) == pytest.approx(
        wanted, rel=1e-4
    )


def test_fan_out_alone_is_not_enough():
    """At two classes the ratio does not fall between m₂ = 16 and 128; with C growing too it does."""
    rng = np.random.default_rng(8)
    ratios = {
        (width, classes): np.mean(
            [two_hidden_layers.first_layer_ratio(width, classes, rng) for _ in range(400)]
        )
        for width, classes in ((16, 2), (128, 2), (128, 51))
    }
    assert ratios[128, 2] > 0.6 * ratios[16, 2] > 3 * ratios[128, 51]
