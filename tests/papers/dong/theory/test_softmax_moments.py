import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.papers.dong.theory.softmax_moments import softmax_moment
from rmtsim.testing.strategies import class_counts
from tests import oracle

EPS = np.finfo(float).eps
scales = st.floats(0.01, 4.0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("powers", "classes"),
    [
        ((1, 1), 2),
        ((2, 2), 2),
        ((2, 1, 1), 3),
        ((4,), 7),
        ((2, 2), 1000),
        ((1, 1), 10**6),
        ((2, 1, 1), 10**6),
    ],
)
def test_matches_high_precision(powers, classes):
    exact = oracle.softmax_moment(powers, classes)
    assert abs(softmax_moment(powers, classes) / exact - 1) < 1e-12


@pytest.mark.thorough
@given(class_counts(), scales)
def test_first_and_second_moments_sum_to_one(classes, scale):
    second = softmax_moment((2,), classes, scale=scale)
    mixed = softmax_moment((1, 1), classes, scale=scale)
    assert math.isclose(classes * second + classes * (classes - 1) * mixed, 1, rel_tol=100 * EPS)


@pytest.mark.thorough
@given(class_counts(), scales)
def test_marginalising_one_class(classes, scale):
    # Σ_j p_j = 1 inside any moment: E[p₁³] + (C-1) E[p₁²·…] splits E[p₁²].
    third = softmax_moment((3,), classes, scale=scale)
    mixed = softmax_moment((2, 1), classes, scale=scale)
    assert math.isclose(
        third + (classes - 1) * mixed, softmax_moment((2,), classes, scale=scale), rel_tol=100 * EPS
    )


@given(class_counts())
def test_variance_identity_of_the_issue(classes):
    # E[p₁(1-p₁)] = (C-1) E[p₁p₂]
    left = 1 / classes - softmax_moment((2,), classes)
    assert math.isclose(left, (classes - 1) * softmax_moment((1, 1), classes), rel_tol=100 * EPS * 3)


def test_small_scale_is_uniform():
    assert math.isclose(softmax_moment((2, 2), 5, scale=1e-7), 5.0**-4, rel_tol=1e-12)


def test_agrees_with_monte_carlo_within_five_standard_errors():
    logits = np.random.default_rng(1).standard_normal((200_000, 7))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    values = p[:, 0] ** 2 * p[:, 1]
    error = values.std() / math.sqrt(values.size)
    assert abs(values.mean() - softmax_moment((2, 1), 7)) < 5 * error


@pytest.mark.parametrize(
    ("exponents", "classes", "scale", "message"),
    [
        ((1,), 1, 1.0, r"classes=1: expected an integer in \[2"),
        ((1,), True, 1.0, "classes=True"),
        ((1,), 2.0, 1.0, "classes=2.0"),
        ((-1,), 2, 1.0, r"exponents\[0\]=-1"),
        ((1, 1, 1), 2, 1.0, "at most classes=2"),
        ((20, 20), 5, 1.0, "sum <= 32"),
        ((1, 1), 5, 0.0, "scale=0.0"),
        ((1, 1), 5, 5.0, "scale=5.0"),
        ((1, 1), 5, math.nan, "scale=nan"),
    ],
)
def test_bad_input(exponents, classes, scale, message):
    with pytest.raises((ValueError, TypeError), match=message):
        softmax_moment(exponents, classes, scale=scale)
