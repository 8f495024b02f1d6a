"""Two independent models: overlaps are formed, and their average over orders of the units has the mean it should."""

import itertools

import numpy as np
import pytest

from rmtsim.papers.wu.simulation.eigenspaces import overlap
from rmtsim.papers.wu.statements import two_models


@pytest.fixture
def spaces(monkeypatch):
    rng = np.random.default_rng(4)
    found = [np.linalg.qr(rng.standard_normal((5, 2)))[0] for _ in range(2)]
    monkeypatch.setattr(two_models, "top_spaces", lambda *arguments: found)
    return found


def test_average_over_all_orders_of_the_units_has_a_closed_form(spaces):
    """1 + (s₁/k - 1)(s₂/k - 1)/(m - 1) with s = 1ᵀP1 (docs/papers/wu/index.md), here over all 120 orders."""
    brute = np.mean(
        [overlap(spaces[0], spaces[1][list(order)]) for order in itertools.permutations(range(5))]
    )
    sums = [float(np.sum(basis.sum(axis=0) ** 2)) / 2 for basis in spaces]
    assert brute * 5 / 2 == pytest.approx(1 + (sums[0] - 1) * (sums[1] - 1) / 4, rel=1e-12)


def test_the_claim_averages_overlaps_that_it_forms(spaces):
    rng = np.random.default_rng(0)
    values = [two_models.mean_overlap(5, rng, alpha=0.3, classes=3, fraction=0.4) for _ in range(200)]
    sums = [float(np.sum(basis.sum(axis=0) ** 2)) / 2 for basis in spaces]
    expected = 1 + (sums[0] - 1) * (sums[1] - 1) / 4
    assert np.mean(values) == pytest.approx(expected, abs=4 * np.std(values) / np.sqrt(200))
    assert np.std(values) > 0


def test_squared_deviations_are_averaged_over_orders_and_pairs(spaces):
    """Against all 120 orders of the one pair there is; a squared mean in place of a mean square would be a tenth."""
    rng = np.random.default_rng(0)
    values = [two_models.squared_deviation_of_overlap(5, rng, 0.3, 3, 0.4) for _ in range(200)]
    squares = [
        (overlap(spaces[0], spaces[1][list(order)]) * 5 / 2 - 1) ** 2
        for order in itertools.permutations(range(5))
    ]
    assert np.mean(values) == pytest.approx(np.mean(squares), abs=4 * np.std(values) / np.sqrt(200))
    assert np.std(values) < np.std(squares) / 2


def test_overlaps_of_layers_have_mean_one_where_units_are_exchangeable():
    """At a width of 40 the deviation is a few hundredths; without the factor m/k it would be 0.05."""
    rng = np.random.default_rng(1)
    values = [two_models.mean_overlap_of_layers(40, rng, 0.3, 3) for _ in range(3)]
    assert np.mean(values) == pytest.approx(0.95, abs=0.04)
