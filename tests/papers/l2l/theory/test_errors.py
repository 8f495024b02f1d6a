"""Errors and objectives against 50-digit values, closed forms and identities."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.laws import MarchenkoPastur
from rmtsim.papers.l2l import theory as l2l
from rmtsim.papers.l2l.theory.spectrum import nodes
from tests.papers.l2l.theory import oracle

EPS = np.finfo(float).eps
RATIOS = st.floats(0.02, 30.0)
NOISES = st.floats(0.0, 10.0)

POINTS = [
    (0.3, 1, 1.0, 2.0),
    (0.1, 40, 1.0, 2.0),
    (0.3, 100_000, 1.0, 1.0),
    (1e-3, 100_000, 0.5, 1.0001),
    (0.36, 400, 1.0, 2.0),
    (2.0, 2, 1.0, 0.01),
    (1e-8, 100_000, 3.0, 100.0),
    (0.5, 99_999, 1.0, 1.0),
]


def conditioning(step, steps, ratio):
    """How much a relative change of ηλ at the upper edge is magnified by the power."""
    product = step * (1 + math.sqrt(ratio)) ** 2
    return max(1.0, 2 * steps * product / abs(product - 1)) if product > 1.5 else 1.0


@pytest.mark.thorough
@pytest.mark.parametrize("point", POINTS)
def test_expected_error_has_the_digits_of_a_50_digit_value(point):
    true = oracle.expected_error(*point)
    error = abs(l2l.expected_error(*point) / true - 1)
    assert error < 16 * EPS * conditioning(point[0], point[1], point[3])
    assert abs(l2l.log_expected_error(*point) - mpmath.log(true)) < 32 * EPS * conditioning(
        point[0], point[1], point[3]
    ) * max(1.0, abs(float(mpmath.log(true))))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "point", [(0.3, 40, 1.0, 2.0), (0.2, 100_000, 1.0, 4.0), (0.01, 1000, 2.0, 0.75), (0.5, 3, 1.0, 1.0)]
)
def test_training_excess_has_the_digits_of_a_50_digit_value_even_when_it_underflows(point):
    true = float(mpmath.log(oracle.training_excess(*point)))
    assert l2l.log_training_excess(*point) == pytest.approx(true, abs=64 * EPS * point[1])
    floor = l2l.training_floor(point[2], point[3])
    assert l2l.train_by_train(*point) == pytest.approx(floor + math.exp(true), rel=1e-12)


def test_a_constant_moved_by_one_per_cent_is_noticed():
    """The oracle with y replaced by 1.01 y in the variance term alone must disagree."""
    step, steps, noise, ratio = 0.1, 40, 1.0, 2.0
    shifted = float(oracle.expected_error(step, steps, noise * math.sqrt(1.01), ratio))
    assert abs(l2l.expected_error(step, steps, noise, ratio) / shifted - 1) > 1e-3


@settings(max_examples=40, deadline=None)
@given(RATIOS, st.integers(0, 6))
def test_nodes_reproduce_the_moments_of_the_law(ratio, k):
    law = nodes(ratio, 0.1, 1000)
    total = law.integral(law.values**k) + (law.atom if k == 0 else 0)
    assert total == pytest.approx(MarchenkoPastur(ratio).moment(k), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 2), NOISES, RATIOS)
def test_one_and_two_steps_are_polynomials_in_the_moments(step, noise, ratio):
    one = 1 - 2 * step + step**2 * (1 + ratio) + noise**2 * ratio * step**2
    assert l2l.expected_error(step, 1, noise, ratio) == pytest.approx(one, rel=1e-11, abs=1e-12)
    moments = [MarchenkoPastur(ratio).moment(k) for k in range(5)]
    two = sum(math.comb(4, k) * (-step) ** k * moments[k] for k in range(5))
    terms = 4 * step**2 * moments[1], -4 * step**3 * moments[2], step**4 * moments[3]
    two += noise**2 * ratio * sum(terms)
    size = sum(math.comb(4, k) * step**k * moments[k] for k in range(5)) + noise**2 * ratio * sum(
        map(abs, terms)
    )
    assert l2l.expected_error(step, 2, noise, ratio) == pytest.approx(two, abs=1e-12 * size)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.99), st.integers(1, 10_000), st.floats(0.1, 5), RATIOS)
def test_no_step_size_beats_optimal_ridge_and_descent_tends_to_the_minimiser(share, steps, noise, ratio):
    step = share * l2l.critical_step_limit(ratio)
    floor = l2l.ridge_error(noise, ratio)
    assert l2l.expected_error(step, steps, noise, ratio) >= floor * (1 - 1e-12)
    stieltjes = MarchenkoPastur(ratio).stieltjes(complex(-noise * noise * ratio, 0)).real
    assert floor == pytest.approx(noise * noise * ratio * stieltjes, rel=1e-10)


@pytest.mark.thorough
def test_flow_is_the_limit_of_many_small_steps():
    for noise, ratio, time in ((1.0, 2.0, 0.7), (0.5, 0.4, 2.0), (1.0, 1.0, 30.0)):
        flow = l2l.flow_error(time, noise, ratio)
        assert flow == pytest.approx(float(oracle.flow_error(time, noise, ratio)), rel=1e-13)
        gaps = [abs(l2l.expected_error(time / t, t, noise, ratio) - flow) for t in (1000, 2000)]
        assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.05)
        assert l2l.flow_error(0.0, noise, ratio) == pytest.approx(1)


@pytest.mark.parametrize("ratio", [0.3, 0.95, 1.2, 4.0])
def test_long_training_reaches_the_minimiser(ratio):
    step = 0.9 * l2l.critical_step_limit(ratio)
    reached = l2l.expected_error(step, 10**6, 1.3, ratio)
    assert reached == pytest.approx(l2l.erm_error(1.3, ratio), rel=1e-9)
    assert l2l.flow_error(1e6, 1.3, ratio) == pytest.approx(l2l.erm_error(1.3, ratio), rel=1e-9)


def test_divergence_is_infinite_only_beyond_the_range_of_floats():
    assert l2l.expected_error(1.0, 100_000, 1.0, 2.0) == math.inf
    assert math.isfinite(l2l.log_expected_error(1.0, 100_000, 1.0, 2.0))
    assert l2l.train_by_train(1.0, 100_000, 1.0, 2.0) == math.inf
    assert math.isfinite(l2l.expected_error(1.0, 200, 1.0, 2.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: l2l.expected_error(-0.1, 40, 1.0, 2.0), "step=-0.1"),
        (lambda: l2l.expected_error(0.1, 0, 1.0, 2.0), "steps=0"),
        (lambda: l2l.expected_error(0.1, 40, -1.0, 2.0), "noise=-1.0"),
        (lambda: l2l.expected_error(0.1, 40, 1.0, 0.0), "ratio=0.0"),
        (lambda: l2l.expected_error(math.nan, 40, 1.0, 2.0), "step=nan"),
        (lambda: l2l.compare(500, 500, 1000, 1.0, 40), "training=500"),
        (lambda: l2l.validation_time(0.0, 2.0), "noise=0.0"),
        (lambda: l2l.critical_step(40, 0.0, 2.0), "noise=0.0"),
        (lambda: l2l.flow_error(-1.0, 1.0, 2.0), "time=-1.0"),
        (lambda: l2l.wishart_moment(-1, 5, 5), "samples=5"),
        (lambda: l2l.sgd_limit(-1.0, 1.0, 1.0, 2.0), "rate=-1.0"),
    ],
)
def test_bad_input_is_one_clear_line(call, message):
    with pytest.raises(ValueError, match=message.replace(".", r"\.")) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert "expected" in str(caught.value)


def test_types_are_refused():
    with pytest.raises(TypeError, match="steps"):
        l2l.expected_error(0.1, 2.5, 1.0, 2.0)
    with pytest.raises(TypeError, match="noise"):
        l2l.expected_error(0.1, 2, "1", 2.0)
