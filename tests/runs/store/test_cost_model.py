import math

import numpy as np
import pytest

from rmtsim.runs._identity.environment import this_environment
from rmtsim.runs._pools.pool import Costs, groups
from rmtsim.runs._store.cost_model import fit_costs, fit_power_law
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import Measured
from tests.runs.helpers import keys


def test_power_law_in_two_variables_is_recovered():
    points = [{"size": float(n), "classes": float(c)} for n in (10, 20, 40) for c in (2, 8)]
    law = fit_power_law([3e-6 * p["size"] ** 2 * p["classes"] ** 0.5 for p in points], points)
    assert law.exponents == pytest.approx({"size": 2.0, "classes": 0.5})
    assert law({"size": 100, "classes": 4}) == pytest.approx(3e-6 * 1e4 * 2)
    assert law.spread == pytest.approx(1.0)
    with pytest.raises(ValueError, match="classes: its value is needed"):
        law({"size": 100})


def test_variables_that_vary_together_are_not_separated():
    points = [{"size": float(n), "twin": 2.0 * n, "constant": 3.0} for n in (10, 20, 40)]
    assert set(fit_power_law([1.0, 2.0, 4.0], points).exponents) == {"size"}
    assert fit_power_law([1.0], points[:1]) is None


def test_costs_are_fitted_from_the_store(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        for key in keys(batches=3, sizes=(100, 200, 400, 800)):
            measured = Measured(np.zeros(64), 1e-6 * key.size**2 * 64, 1000.0 * key.size**2)
            store.put(key, measured, this_environment())
        (fit,) = fit_costs(store)
    assert fit.seconds.exponents["size"] == pytest.approx(2.0)
    assert fit.seconds({"size": 10_000}) == pytest.approx(100.0)
    assert fit.memory({"size": 10_000}) == pytest.approx(1e11)
    assert (fit.batches, fit.sizes) == (12, (100, 800))


def test_small_batches_share_a_message_and_long_ones_go_first():
    expected = [0.001] * 5000 + [5.0, 7.0]
    made = groups(expected, target=1.0, workers=2)
    assert made[0] == [5001]
    assert made[1] == [5000]
    assert sorted(index for message in made for index in message) == list(range(5002))
    assert len(made) < 20
    assert all(sum(expected[index] for index in message) <= 1.0 + 1e-9 for message in made[2:])


def test_little_work_is_spread_over_the_workers():
    assert len(groups([0.01] * 16, target=1.0, workers=2)) >= 8


def test_messages_are_not_shorter_than_the_least():
    made = groups([1 / 64] * 96, target=1.0, workers=500, least=0.25)
    assert [len(message) for message in made] == [16] * 6
    assert sorted(index for message in made for index in message) == list(range(96))


def test_expectations_learn():
    costs = Costs()
    key = keys()[0]
    nominal = costs.seconds(key)
    for _ in range(20):
        costs.learn(key, 10 * nominal)
    assert math.isclose(costs.seconds(key), 10 * nominal, rel_tol=1e-6)
