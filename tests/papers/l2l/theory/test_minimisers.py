"""Minimisers against the sign of a 50-digit slope, their limits, truncation, finite sizes, rules."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.l2l import theory as l2l
from rmtsim.papers.l2l.theory.spectrum import edges
from tests.papers.l2l.theory import oracle


@pytest.mark.thorough
@pytest.mark.parametrize("point", [(1, 1.0, 2.0), (40, 0.0, 0.5), (1000, 2.0, 4.0)])
def test_train_step_is_where_the_50_digit_slope_changes_sign(point):
    best = l2l.train_step(*point)
    margin = max(best.error, 1e-13)
    assert (
        oracle.train_slope(best.place - 4 * margin, *point)
        < 0
        < oracle.train_slope(best.place + 4 * margin, *point)
    )
    assert best.error < 1e-11


@pytest.mark.thorough
@pytest.mark.parametrize("point", [(1, 1.0, 2.0), (40, 0.2, 0.5), (2000, 3.0, 1.0)])
def test_validation_step_is_where_the_50_digit_slope_changes_sign(point):
    best = l2l.validation_step(*point)
    margin = max(best.error, 1e-14)
    assert (
        oracle.error_slope(best.place - 4 * margin, *point)
        < 0
        < oracle.error_slope(best.place + 4 * margin, *point)
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 300), st.floats(0.05, 5), st.floats(0.1, 8))
def test_validation_step_is_the_best_of_a_fine_grid(steps, noise, ratio):
    best = l2l.validation_step(steps, noise, ratio)
    grid = np.concatenate([np.geomspace(1e-7, 1, 200), np.linspace(0.1, 4, 100)]) / edges(ratio)[1]
    assert min(l2l.expected_error(float(step), steps, noise, ratio) for step in grid) >= best.value * (
        1 - 1e-12
    )


@pytest.mark.parametrize("ratio", [0.25, 1.0, 4 / 3, 4.0])
def test_train_step_tends_to_one_over_one_plus_ratio(ratio):
    limit = l2l.train_step_limit(ratio)
    gaps = [abs(l2l.train_step(t, 1.0, ratio).place / limit - 1) for t in (1000, 10_000, 100_000)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-3


@pytest.mark.thorough
def test_validation_time_is_the_limit_of_step_times_steps_and_known_for_large_noise():
    for noise, ratio in ((1.0, 4.0), (0.3, 0.5), (2.0, 1.0)):
        best = l2l.validation_time(noise, ratio)
        assert best.error < 1e-12 * max(1, best.place)
        gaps = [abs(t * l2l.validation_step(t, noise, ratio).place - best.place) for t in (500, 1000)]
        assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.1)
        step = 1e-6 * best.place
        slopes = [oracle.flow_error(best.place + sign * step, noise, ratio) for sign in (-1, 0, 1)]
        assert slopes[0] > slopes[1] < slopes[2]
    large = l2l.validation_time(100.0, 2.0)
    assert large.place == pytest.approx(1 / (100.0**2 * 2), rel=1e-3)
    assert 1 - large.value == pytest.approx(1 / (100.0**2 * 2), rel=1e-3)


@pytest.mark.parametrize(
    ("steps", "noise", "ratio"), [(3, 1.0, 2.0), (40, 1.0, 2.0), (41, 3.0, 0.5), (2000, 1.0, 4.0)]
)
def test_critical_step_is_where_some_norm_on_the_way_first_reaches_the_threshold(steps, noise, ratio):
    critical = l2l.critical_step(steps, noise, ratio)
    every = range(1, steps + 1) if steps < 100 else range(steps - 99, steps + 1)

    def longest(step):
        return max(l2l.log_weight_norm(step, tau, noise, ratio) for tau in every)

    goal = math.log(40 * noise)
    assert longest(critical * (1 - 1e-9)) < goal <= longest(critical * (1 + 1e-9))
    assert critical > l2l.critical_step_limit(ratio)


def test_critical_step_tends_to_two_over_the_upper_edge():
    gaps = [l2l.critical_step(t, 1.0, 2.0) / l2l.critical_step_limit(2.0) - 1 for t in (100, 1000, 10_000)]
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 1e-3


def wick_moment(order, n, d):
    """(1/d) E tr (XᵀX/n)^order by summing over all pairings of the 2·order Gaussian factors."""
    places = list(range(2 * order))  # factor 2j is X[s_j, a_j], factor 2j+1 is X[s_j, a_{j+1}]

    def pairings(rest):
        if not rest:
            yield []
            return
        first, *others = rest
        for k, second in enumerate(others):
            for tail in pairings(others[:k] + others[k + 1 :]):
                yield [(first, second), *tail]

    def components(links, count):
        parent = list(range(count))

        def find(i):
            while parent[i] != i:
                i = parent[i]
            return i

        for a, b in links:
            parent[find(a)] = find(b)
        return len({find(i) for i in range(count)})

    total = 0
    for pairing in pairings(places):
        samples = [(a // 2, b // 2) for a, b in pairing]
        columns = [(((a + 1) // 2) % order, ((b + 1) // 2) % order) for a, b in pairing]
        total += n ** components(samples, order) * d ** components(columns, order)
    return Fraction(total, d * n**order)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize(("n", "d"), [(7, 3), (2, 5), (1, 1)])
def test_wishart_moments_are_sums_over_pairings(order, n, d):
    assert l2l.wishart_moment(order, n, d) == pytest.approx(float(wick_moment(order, n, d)), rel=1e-15)


def test_finite_forms_tend_to_the_limit_at_rate_one_over_d():
    for ratio in (0.5, 2.0):
        for steps in (1, 2):
            gaps = [
                l2l.exact_error(0.2, steps, 1.0, round(d / ratio), d)
                - l2l.expected_error(0.2, steps, 1.0, ratio)
                for d in (1000, 2000)
            ]
            assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.01)
        gap = l2l.exact_erm_error(round(10_000 / ratio), 10_000, 1.0) - l2l.erm_error(1.0, ratio)
        assert 0 < gap < 1e-3


def test_inverse_wishart_moments_against_chi_square_integrals():
    """d = 1: H is a chi-square variable with n degrees of freedom over n."""
    for n, order in ((5, -1), (9, -2)):
        with mpmath.workdps(30):
            half = mpmath.mpf(n) / 2
            value = (
                mpmath.mpf(n) ** -order
                * mpmath.mpf(2) ** order
                * mpmath.gamma(half + order)
                / mpmath.gamma(half)
            )
        assert l2l.wishart_moment(order, n, 1) == pytest.approx(float(value), rel=1e-14)
    assert l2l.exact_erm_error(10, 10, 1.0) == math.inf
    assert l2l.exact_erm_error(10, 10, 0.0) == 0


def test_rule_and_comparison():
    rule = l2l.step_rule(250, 1000, 1.0, 40)
    assert rule.best_possible <= rule.error <= min(1, rule.converged)
    both = l2l.compare(500, 250, 1000, 1.0, 40)
    assert both.validation_error == rule.error
    assert both.train_error == pytest.approx(l2l.expected_error(both.train_step, 40, 1.0, 2.0))
    # With little noise all samples are worth more than a held-out half, with much noise the order turns.
    quiet, loud = (l2l.compare(500, 250, 1000, noise, 40) for noise in (0.1, 3.0))
    assert quiet.train_error < quiet.validation_error
    assert loud.train_error > loud.validation_error
