"""Anytime-valid intervals: closed forms, and coverage under peeking with fixed seeds and stated error levels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from rmtsim.verdicts._evidence.moments import Moments
from rmtsim.verdicts._evidence.sequences import (
    FIRST_LOOK,
    bernstein_interval,
    event_interval,
    joint_axes,
    stage_widths,
    tail_widening,
)

LEVEL = 0.05


def _peeking_misses(draw, truth, runs=150, first=64, last=4096):
    """Runs in which some look, after every 64 replicates, misses the truth."""
    rng = np.random.default_rng(1)
    widths = stage_widths(first, last)
    misses = 0
    for _ in range(runs):
        values = draw(rng, last)
        moments, missed = Moments(), False
        for start in range(0, last, 64):
            moments = moments.updated(values[start : start + 64])
            if moments.count >= first:
                (radius,) = joint_axes(
                    [moments.count],
                    [moments.deviation if moments.varies else 0.0],
                    [moments.skewness],
                    LEVEL,
                    widths[:, None],
                    [moments.reach],
                )
                missed |= abs(moments.mean - truth) > radius
        misses += missed
    return misses


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "draw", "truth"),
    [
        ("normal", lambda rng, n: rng.standard_normal(n), 0.0),
        ("lognormal", lambda rng, n: rng.lognormal(size=n), math.exp(0.5)),
        ("pareto", lambda rng, n: rng.pareto(3.0, n), 0.5),
        ("bounded", lambda rng, n: rng.beta(0.5, 0.5, n), 0.5),
        ("rare 0.003", lambda rng, n: 2.0 * (rng.random(n) < 0.003), 0.006),
        ("rare 0.01", lambda rng, n: 2.0 * (rng.random(n) < 0.01), 0.02),
        ("two points", lambda rng, n: 1.0 * (rng.random(n) < 0.1), 0.1),
        (
            "contaminated",
            lambda rng, n: rng.exponential(size=n) * np.where(rng.random(n) < 0.01, 100.0, 1.0),
            1.99,
        ),
        ("lognormal 2", lambda rng, n: rng.lognormal(0.0, 2.0, n), math.exp(2.0)),
        ("lognormal 3", lambda rng, n: rng.lognormal(0.0, 3.0, n), math.exp(4.5)),
        ("pareto 2.5", lambda rng, n: rng.pareto(2.5, n), 1 / 1.5),
        ("pareto 1.5", lambda rng, n: rng.pareto(1.5, n), 2.0),
    ],
)
def test_mixture_sequence_under_peeking(name, draw, truth):
    # 13 or more misses of 150 would have probability 0.04 at a miss rate of five per cent.
    assert _peeking_misses(draw, truth) <= 12


@pytest.mark.thorough
@pytest.mark.parametrize("height", [10.0, 30.0, 100.0])
def test_jumps_of_a_hundredth_are_met_before_the_first_look(height):
    """A jump can be noticed only after it occurs; one of frequency 1/100 has occurred by the first evaluation."""

    def draw(rng, n):
        return rng.standard_normal(n) + height * (rng.random(n) < 0.01)

    assert _peeking_misses(draw, 0.01 * height, first=FIRST_LOOK) <= 12


def test_a_plain_interval_fails_the_same_test():
    rng = np.random.default_rng(1)
    values = rng.standard_normal((300, 4096))
    ends = np.arange(64, 4097, 64)
    means = np.cumsum(values, axis=1)[:, ends - 1] / ends
    assert (np.abs(means) > 1.96 / np.sqrt(ends)).any(axis=1).mean() > 0.2


def test_the_t_mixture_tends_to_the_normal_mixture():
    n, width = 10**7, 10**6
    (axis,) = joint_axes([n], [2.0], [0.0], LEVEL, np.array([[float(width)]]))
    # The radius of Robbins' normal mixture after variance n: √((n + w)(log(1 + n/w) + 2 log(1/level))).
    radius = math.sqrt((n + width) * (math.log(1 + n / width) + 2 * math.log(1 / LEVEL)))
    assert axis == pytest.approx(2 * radius / n, rel=1e-3)


def test_the_radius_is_where_the_e_process_crosses():
    """The defining equation of one size: log E(mean ± radius) = log(1/level)."""
    n, width, deviation = 50, 20.0, 1.3
    (radius,) = joint_axes([n], [deviation], [0.0], LEVEL, np.array([[width]]))
    total = math.log(1 / LEVEL) + 0.5 * math.log1p(n / width)
    growth, ratio = math.exp(2 * total / n), width / (n + width)
    z = math.sqrt((growth - 1) / (1 - ratio * growth) * (n - 1))
    square, gap = deviation**2 * (n - 1), z * deviation / math.sqrt(n)
    log_e = 0.5 * math.log(ratio) + n / 2 * math.log((square + n * gap**2) / (square + n * ratio * gap**2))
    assert log_e == pytest.approx(math.log(1 / LEVEL))
    assert radius == pytest.approx(gap * (1 + 2 * math.sqrt(6 / n) * (2 * z**2 + 1) / (6 * math.sqrt(n) * z)))


@pytest.mark.parametrize("share", [3e-4, 0.003, 0.05, 0.5])
@pytest.mark.parametrize("z", [2.0, 4.7])
def test_the_tail_charge_restores_the_exponent(share, z):
    """Its definition: the least exponent of a miss by the widened radius, unseen values at twice the reach, is z²/2."""
    n = 10**6
    reach = math.sqrt(share * n)
    factor = float(tail_widening(np.array(reach), np.array(float(n)), np.array(z))) * (1 - share)
    weights = np.linspace(0, z**2, 400_001)
    cost = weights + 0.5 * np.maximum(0, factor * z - weights * 2 * reach / math.sqrt(n)) ** 2
    assert cost.min() == pytest.approx(z**2 / 2, rel=1e-4)


def test_tails_up_to_the_exponential_are_not_charged():
    assert tail_widening(np.array(7.5), np.array(1000.0), np.array(4.7)) == 1.0


def test_sizes_with_too_few_replicates_are_open():
    axes = joint_axes([1, 3, 1000], [math.inf, 1.0, 1.0], [0, 0, 0], 0.001, np.ones((1, 3)) * 100)
    assert np.isinf(axes).tolist() == [True, True, False]


def test_many_replicates_leave_a_small_axis_and_no_warning():
    # A level above one (weak e-values) and 10⁸ replicates: the exponent is below rounding of 1 + x.
    axis = joint_axes([1e8], [1.0], [0.3], 1e6, np.array([[3e7]]))[0]
    assert 0 < axis < 1e-4


@settings(derandomize=True, deadline=None, max_examples=50)
@given(trials=st.integers(1, 2000), share=st.floats(0, 1), level=st.floats(1e-6, 0.3))
def test_event_interval_solves_its_equation(trials, share, level):
    successes = round(share * trials)
    low, high = event_interval(successes, trials, level)
    assert 0 <= low <= successes / trials <= high <= 1
    for end in {low, high} - {0.0, 1.0}:
        likelihood = special.xlogy(successes, end) + special.xlog1py(trials - successes, -end)
        log_e = special.betaln(successes + 1, trials - successes + 1) - likelihood
        slope = abs(successes / end - (trials - successes) / (1 - end))
        error = 1e-5 + 2e-14 * slope  # the solver's tolerance of an end is 1e-14
        assert log_e == pytest.approx(math.log(1 / level), abs=error)


def test_extreme_levels_leave_an_end_open():
    assert event_interval(499, 500, 1e-14)[1] == 1.0
    assert event_interval(1, 500, 1e-305)[0] == 0.0


@pytest.mark.thorough
def test_event_sequence_under_peeking():
    rng = np.random.default_rng(2)
    misses = 0
    for _ in range(200):
        counts = np.cumsum(rng.random(600) < 0.9)
        intervals = [event_interval(int(counts[t - 1]), t, LEVEL) for t in range(1, 600, 7)]
        misses += not all(low <= 0.9 <= high for low, high in intervals)
    assert misses <= 16  # 17 or more have probability 0.03 at five per cent


def test_bernstein_sequence_under_peeking():
    rng = np.random.default_rng(3)
    misses = sum(
        not (ends[0] <= 0.8 <= ends[1])
        for ends in (bernstein_interval(rng.beta(8, 2, 2000), LEVEL, 0.0, 1.0) for _ in range(300))
    )
    assert misses <= 22  # the interval is the running intersection, so one look sees all misses


def test_bernstein_scales_with_the_bounds():
    values = np.random.default_rng(4).random(500)
    low, high = bernstein_interval(values, LEVEL, 0.0, 1.0)
    other = bernstein_interval(3 * values - 1, LEVEL, -1.0, 2.0)
    assert other == pytest.approx((3 * low - 1, 3 * high - 1))


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20), min_size=1, max_size=5))
def test_moments_do_not_depend_on_the_split(batches):
    folded = Moments()
    for batch in batches:
        folded = folded.updated(np.array(batch))
    whole = Moments().updated(np.concatenate([np.array(batch) for batch in batches]))
    assert folded.count == whole.count
    assert folded.mean == pytest.approx(whole.mean, abs=1e-9)
    assert folded.second == pytest.approx(whole.second, rel=1e-9, abs=1e-6)
    assert folded.third == pytest.approx(whole.third, rel=1e-7, abs=1e-2)
