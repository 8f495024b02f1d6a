"""Divergence of one lowered word: 50 digits, a loop over the words, the bounds around it."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.papers.loglinear.theory import lowered_word_bound, lowered_word_divergence


@given(st.floats(-12, -0.01), st.floats(-8, 2.3))
def test_divergence_to_rounding(log_p, log_s):
    p, s = 10**log_p, 10**log_s
    with mpmath.workdps(60):
        exact = mpmath.mpf(s) * p + mpmath.log(1 - mpmath.mpf(p) * (1 - mpmath.exp(-mpmath.mpf(s))))
        assert lowered_word_divergence(p, s) == pytest.approx(float(exact), rel=1e-9)
        bound = mpmath.mpf(p) * (mpmath.mpf(s) - 1 + mpmath.exp(-mpmath.mpf(s)))
        assert lowered_word_bound(p, s) == pytest.approx(float(bound), rel=1e-9)
    assert lowered_word_divergence(p, s) <= lowered_word_bound(p, s) * (1 + 1e-9)


def test_divergence_is_that_of_the_distributions():
    logits = np.array([0.3, -1.0, 2.0, 0.7])
    lowered = logits - np.array([0.0, 1.5, 0.0, 0.0])
    p, q = (np.exp(z) / np.exp(z).sum() for z in (logits, lowered))
    naive = sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    assert lowered_word_divergence(p[1], 1.5) == pytest.approx(naive, rel=1e-12)


@pytest.mark.parametrize(("p", "s"), [(0.0, 1.0), (1.0, 1.0), (0.5, -1.0), (math.nan, 1.0)])
def test_bad_input(p, s):
    with pytest.raises(ValueError, match="expected"):
        lowered_word_divergence(p, s)
