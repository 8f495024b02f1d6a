"""Intervals for limits and rates over the family of finite-size models."""

import math

import numpy as np
import pytest

from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.analysis import analyse_limit, analyse_rate, limit_breakdown
from rmtsim.verdicts._models.slow import SLOWEST_PLAUSIBLE

SIZES = (10, 20, 40, 80)
VALUES = 1 + 0.5 / np.array(SIZES) + np.array([0.001, -0.002, 0.001, 0.0])
AXES = np.array([0.004, 0.004, 0.006, 0.01])


def test_an_open_side_leaves_an_open_interval():
    means = MeanSet((10, 20, 40), np.zeros(3), low=np.full(3, -math.inf), high=np.array([3.0, 2.0, 1.0]))
    low, high = analyse_limit(means, (1.0,)).interval
    assert math.isinf(low)
    assert math.isinf(high)  # a steep negative correction hides any limit


def test_a_model_that_misses_the_set_is_ruled_out():
    steep = MeanSet(SIZES, 1 + np.array(SIZES) ** -0.5, axes=np.full(4, 1e-4))
    rows = {row.name: row for row in analyse_limit(steep, (0.5, 1.0)).rows}
    assert rows["1, one term"].interval is None
    low, high = rows["0.5, one term"].interval
    assert low < 1 < high


def test_the_edge_of_the_spectrum_needs_two_thirds():
    """Exact means 2 - 1.2 n^-2/3 (1 + 1.5 n^-2/3): a fit in 1/n is confidently wrong, the family is not."""
    sizes = (40, 80, 160, 320, 640)
    n = np.array(sizes, dtype=float)
    means = MeanSet(sizes, 2 - 1.2 * n ** (-2 / 3) * (1 + 1.5 * n ** (-2 / 3)), axes=np.full(5, 3e-4))
    naive = np.polyfit(1 / n, means.values, 1)[1]
    assert naive < 1.99
    low, high = analyse_limit(means, (0.5, 2 / 3, 1.0)).interval
    assert 1.99 < low < 2 < high < 2.01


@pytest.mark.parametrize("second", [-2.0, -1.26, 0.9, 2.0])
@pytest.mark.parametrize("axis", [1e-2, 1e-3, 1e-5])
def test_a_second_term_of_any_size_is_in_the_union(second, axis):
    """5(n^-1/2 - 6.3/n) and its like: a single free exponent passes too, and must not shadow the two terms."""
    sizes = (40, 80, 160, 320, 640)
    x = (np.array(sizes) / 40) ** -0.5
    means = MeanSet(sizes, 1 + 0.8 * (x + second * x**2), axes=np.full(5, axis))
    low, high = analyse_limit(means, (0.5, 2 / 3, 1.0)).interval
    assert low <= 1 <= high


@pytest.mark.parametrize(
    ("quantity", "exponent", "limit"),
    [(lambda n: n / (n - 11), 1.0, 1.0), (lambda n: 1 / (np.sqrt(n) + 10), 0.5, 0.0)],
)
@pytest.mark.parametrize("axis", [1e-3, 1e-5, 1e-7])
def test_geometric_tails(quantity, exponent, limit, axis):
    sizes = (20, 40, 80, 160, 320)
    means = MeanSet(sizes, quantity(np.array(sizes, dtype=float)), axes=np.full(5, axis))
    low, high = analyse_limit(means, (exponent,)).interval
    assert low <= limit <= high


def test_the_unit_of_size_does_not_matter():
    values, axes = np.array([1.5, 1.31, 1.22, 1.14, 1.1]), np.full(5, 0.004)
    plain, scaled = (
        analyse_limit(MeanSet(tuple(unit * n for n in (20, 40, 80, 160, 320)), values, axes=axes), (0.5, 1.0))
        for unit in (1, 1000)
    )
    assert plain.interval == pytest.approx(scaled.interval, rel=1e-9)
    zone = lambda ends: ends[1] < 1.02  # noqa: E731
    slow = [
        limit_breakdown(
            MeanSet(tuple(unit * n for n in (20, 40, 80, 160, 320)), values, axes=axes), (1.0,), plain, zone
        )
        for unit in (1, 1000)
    ]
    assert slow[0] == pytest.approx(slow[1])


def test_where_every_model_is_impossible_nothing_is_known():
    """A distance of 0.10 at the largest size, falling ever faster: no model ends at a distance of zero or more."""
    sizes = (100, 200, 400, 800)
    means = MeanSet(sizes, np.array([0.40, 0.30, 0.20, 0.10]), axes=np.full(4, 1e-4))
    found = analyse_limit(means, (0.5, 1.0), (0.0, math.inf))
    assert not found.described
    assert found.interval == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("slow", "limit"),
    [
        (lambda n: 1 / np.log(n), 0.0),
        (lambda n: n**-0.1, 0.0),
        (lambda n: np.log(n) / np.sqrt(n), 0.0),
        (lambda n: 1 - np.log(np.log(n)) / (4 * np.log(n)), 1.0),
    ],
)
@pytest.mark.parametrize("axis", [1e-2, 1e-3, 1e-4])
def test_slow_corrections_break_a_verdict_down(slow, limit, axis):
    """What no finite set of sizes can decide: INCONCLUSIVE, or with a plausible breakdown point."""
    sizes = (40, 80, 160, 320, 640)
    means = MeanSet(sizes, slow(np.array(sizes, dtype=float)), axes=np.full(5, axis))
    found = analyse_limit(means, (0.5, 2 / 3, 1.0))
    if found.interval[0] > limit + 0.01 or found.interval[1] < limit - 0.01:
        stands = lambda ends: ends[0] > limit + 0.01 or ends[1] < limit - 0.01  # noqa: E731
        assert limit_breakdown(means, (0.5, 2 / 3, 1.0), found, stands) > SLOWEST_PLAUSIBLE


def test_rates_recover_the_exponent_and_bound_it_when_means_vanish():
    n = np.array(SIZES, dtype=float)
    clear = analyse_rate(MeanSet(SIZES, 3 / n, axes=0.01 / n), (1.0,))
    assert clear.interval[0] < 1 < clear.interval[1]
    lost = analyse_rate(MeanSet(SIZES, 3 / n, axes=np.array([0.01, 0.2, 0.1, 0.1])), (1.0,))
    assert math.isinf(lost.interval[1])
    assert lost.interval[0] < 1


@pytest.mark.parametrize("exponent", [0.5, 2 / 3, 1.0])
@pytest.mark.parametrize("second", [-0.158, 0.07, 0.19])
def test_precise_means_find_their_own_exponent(exponent, second):
    """Second terms off every grid point: refinement must find them before a wrong exponent looks best."""
    sizes = (20, 40, 80, 160, 320)
    x = (np.array(sizes) / 20) ** -exponent
    for axis in (1e-3, 1e-4, 1e-5):
        means = MeanSet(sizes, 1 - 0.15 * (x + second * x**2), axes=np.full(5, axis))
        low, high = analyse_limit(means, (0.5, 2 / 3, 1.0)).interval
        assert low <= 1 <= high


@pytest.mark.parametrize(
    ("first", "second"), [(0.5, 1.0), (0.5, 1.5), (2 / 3, 7 / 6), (2 / 3, 5 / 3), (1.0, 1.5)]
)
def test_second_exponents_other_than_the_double(first, second):
    """A quantity such as √(c/n)·(1 + b/n) steps by one, not by its own exponent; its limit 0 must be in reach."""
    sizes = (40, 80, 160, 320)
    x = np.array(sizes) / 40
    for axis in (1e-2, 1e-4, 1e-6):
        means = MeanSet(sizes, 0.3 * (x**-first + 0.08 * x**-second), axes=axis * x**-first)
        found = analyse_limit(means, (0.5, 2 / 3, 1.0))
        assert found.needed <= 2
        assert found.interval[0] <= 0 <= found.interval[1]
