"""Two declared powers that are too near to be separated, and rates with large corrections."""

from __future__ import annotations

import numpy as np

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._examinations.conclude import lasting_spread
from rmtsim.verdicts._models.stability import paired, reconciling
from rmtsim.verdicts._needs import Lack

SIZES = (40, 80, 160, 320, 640)
X = 40 / np.array(SIZES)


def _means(values: np.ndarray, half: float) -> MeanSet:
    return MeanSet(SIZES, values, axes=np.full(len(SIZES), half))


def test_a_limit_that_two_near_powers_allow_is_not_excluded() -> None:
    means = _means(1 + 0.3 * X**0.5 + 0.3 * X ** (2 / 3), 1e-3)
    anything = (-np.inf, np.inf)
    (need,) = paired(means, (0.5, 2 / 3), anything, lambda ends: not ends[0] <= 1 <= ends[1])
    assert need.lack is Lack.PAIR
    assert need.exponents == (0.5, 2 / 3)
    assert paired(means, (0.5, 2 / 3), anything, lambda ends: not ends[0] <= 2 <= ends[1]) == ()
    # Exponents that are clearly apart are a pair in the models already.
    assert paired(means, (0.5, 1.0), anything, lambda ends: False) == ()


def test_a_correction_of_four_times_the_power_is_named() -> None:
    logs = _means(np.log(X * (1 + 4 * X)), 1e-3)
    found = reconciling(logs, (1.0,), lambda ends: not ends[0] <= 1 <= ends[1])
    assert found is not None
    assert 2.5 <= found <= 6
    assert reconciling(logs, (1.0,), lambda ends: not ends[0] <= 0.2 <= ends[1]) is None


def test_a_limit_that_is_random_in_part_keeps_its_spread() -> None:
    spreads = [float(np.sqrt(0.05**2 + 0.02 / n)) for n in (20, 100, 400, 1600, 6400)]
    assert lasting_spread((20, 100, 400, 1600, 6400), spreads, [1000] * 5)
    assert not lasting_spread(SIZES, (X**0.2).tolist(), [1000] * 5)
