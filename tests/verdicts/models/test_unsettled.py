"""Curves that declared series describe badly at the sizes measured: none of them is refuted at its own limit."""

import math

import numpy as np
import pytest

from rmtsim import claim, verify
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.analysis import analyse_limit
from rmtsim.verdicts._models.richardson import cautious_ends
from rmtsim.verdicts._models.stability import better_power, moving
from rmtsim.verdicts._needs import Lack
from tests.verdicts.calibration.curves import CURVES, attempt

SIZES = (40, 80, 160, 320, 640)
Y = np.sqrt(40 / np.array(SIZES, dtype=float))


def _means(values, error):
    return MeanSet(SIZES, np.asarray(values), axes=np.full(len(SIZES), 4.5 * error))


@pytest.mark.parametrize("error", [3e-3, 1e-3, 3e-4])
def test_the_interval_holds_the_limit_of_a_series_that_diverges_at_the_largest_size(error):
    found = analyse_limit(_means(1 / (1 + 8 * Y), error), (0.5,), declared=True)
    assert found.interval[0] <= 1 <= found.interval[1]


def test_a_misfit_of_four_standard_errors_needs_a_further_term():
    straight = 1 + 0.3 * Y
    bent = straight + 4e-3 * np.array([0, 0, 1, 0, 0])
    assert analyse_limit(_means(straight, 1e-3), (0.5,), declared=True).needed == 1
    assert analyse_limit(_means(bent, 1e-3), (0.5,), declared=True).needed > 1


def test_a_free_exponent_is_used_only_where_none_is_declared():
    means = _means(1 + 0.3 * Y, 1e-3)
    declared, guessed = (analyse_limit(means, (0.5,), declared=known) for known in (True, False))
    assert not any(row.name.startswith("free") for row in declared.rows)
    assert guessed.interval[0] <= declared.interval[0] < declared.interval[1] <= guessed.interval[1]


def test_values_that_still_move_are_in_reach_of_what_lies_ahead():
    found = analyse_limit(_means(np.exp(-4.4 * Y), 2e-3), (0.5,), declared=True)
    (need,) = moving(found, (0.5,), (0.99, 1.01))
    assert need.lack is Lack.MOVING
    # Behind the last value nothing is in reach, nor far ahead of it.
    assert not moving(found, (0.5,), (0.0, 0.1))
    assert not moving(found, (0.5,), (50.0, 50.1))


def test_settled_values_are_refuted_as_before():
    found = analyse_limit(_means(1 + 0.3 * Y + 0.3 * Y**2, 1e-3), (0.5,), declared=True)
    assert not moving(found, (0.5,), (0.9, 0.92))


@pytest.mark.parametrize("where", [100, 300, 700])
@pytest.mark.parametrize("power", [2.0, 3.0])
def test_a_refutation_of_a_computed_transition_is_out_of_reach(where, power):
    values = [1 / (1 + (where / n) ** power) for n in SIZES]
    low, high = cautious_ends(SIZES, values, [1e-14] * len(SIZES), (1.0,))
    assert low <= 1 <= high


def test_a_computed_oscillation_is_not_refuted():
    def value(size):
        return 1 + math.cos(1.9 * math.log(size) + 1) * (40 / size) ** 0.45

    (result,) = verify(
        claim("o", value, limit=1.0, tolerance=0.01, sizes=SIZES, accuracy=1e-12, exponents=(0.45,))
    )
    assert str(result.verdict) == "INCONCLUSIVE"


@pytest.mark.parametrize(
    "name",
    [
        "exp(-cy), c = 1…5, p = 1/2",
        "1/(1 + ay), a = 0.5…8, p = 1/2",
        "transition 1/(1 + (n₀/n)^k), n₀ = 60…900",
    ],
)
def test_unsettled_curves_are_not_refuted(name):
    assert name in CURVES
    found = [attempt(name, "true", seed, budget=10.0) for seed in range(6)]
    assert not any(each.wrong and not each.warned for each in found)


@pytest.mark.parametrize("variant", ["true", "off"])
def test_clear_curves_are_decided(variant):
    found = [attempt("two declared powers", variant, seed, budget=20.0) for seed in range(8)]
    assert not any(each.wrong for each in found)
    assert sum(str(each.verdict) != "INCONCLUSIVE" for each in found) >= (3 if variant == "true" else 6)


@pytest.mark.parametrize(("declared", "found"), [((1.0,), True), ((0.5,), False)])
def test_a_power_that_describes_the_means_better_than_the_declared_ones_is_found(declared, found):
    means = _means(1 + 0.1 * Y + 0.19 * Y**2, 2.5e-4)
    power = better_power(analyse_limit(means, declared, declared=True), declared, (-math.inf, math.inf))
    assert (power is not None) == found
    assert power is None or 0.4 < power < 0.65
