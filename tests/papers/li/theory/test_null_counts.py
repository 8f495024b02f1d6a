"""Tails and counts under independence against 50 digits, Student's t, and plain loops."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from rmtsim.papers.li.theory import (
    correlation_p_values,
    correlation_tail,
    discoveries,
    family_threshold,
    null_count,
    null_triples,
    product_mean_tail,
    threshold_for_count,
)
from rmtsim.papers.li.theory.null_skewness import _kurtosis, _skewness_tail, _tail


@pytest.mark.parametrize(("threshold", "samples"), [(0.4, 157), (0.1, 10), (0.9, 5), (0.6, 400)])
def test_tail_of_a_correlation(threshold, samples):
    # The density of r is proportional to (1 - r²)^{(n-4)/2}.
    with mpmath.workdps(50):
        power = mpmath.mpf(samples - 4) / 2

        def density(r):
            return (1 - r * r) ** power

        expected = mpmath.quad(density, [threshold, 1]) / mpmath.quad(density, [0, 1])
    assert correlation_tail(threshold, samples) == pytest.approx(float(expected), rel=1e-11)
    student = threshold * math.sqrt((samples - 2) / (1 - threshold**2))
    assert correlation_tail(threshold, samples) == pytest.approx(
        2 * stats.t.sf(student, samples - 2), rel=1e-8
    )


@pytest.mark.thorough
def test_tail_of_a_mean_of_products():
    # One product has density K₀(|x|)/π; n = 2 gives (Q₁ - Q₂)/4 of two exponentials, a Laplace law of scale ½.
    with mpmath.workdps(16):
        one = 2 * mpmath.quad(lambda x: mpmath.besselk(0, x), [1, 3, 10, 60]) / mpmath.pi
    assert product_mean_tail(1.0, 1) == pytest.approx(float(one), rel=1e-8)
    for at in (0.2, 1.0, 4.0):
        assert product_mean_tail(at, 2) == pytest.approx(math.exp(-2 * at), rel=1e-8)
    # A variance-gamma law in general, by its Bessel density.
    n, at = 41, 0.7
    with mpmath.workdps(16):
        order = mpmath.mpf(n - 1) / 2

        def density(s):
            return (
                (s / 2) ** order
                * mpmath.besselk(order, s)
                / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(n) / 2))
            )

        expected = 2 * mpmath.quad(density, [at * n, 1.3 * at * n, 2 * at * n, 5 * at * n])
    assert product_mean_tail(at, n) == pytest.approx(float(expected), rel=1e-7)


def test_counts_and_thresholds_invert_each_other():
    for count in (0.5, 21.0, 1000.0):
        assert null_count(100, 157, threshold_for_count(100, 157, count)).mean == pytest.approx(
            count, rel=1e-9
        )
    assert correlation_tail(family_threshold(10, 157, 0.05), 157) * 100 * 99 / 2 == pytest.approx(
        0.05, rel=1e-9
    )


def test_mean_and_deviation_of_the_count():
    rng = np.random.default_rng(5)
    counts = []
    for _ in range(400):
        r = np.corrcoef(rng.standard_normal((40, 25)), rowvar=False)
        counts.append(2 * (np.abs(r[np.triu_indices(25, 1)]) > 0.3).sum())
    expected = null_count(5, 40, 0.3)
    assert abs(np.mean(counts) - expected.mean) < 4 * expected.deviation / 20
    # The deviation of 400 values is known to about 3.5 %; 3 per cent of the mean would move it by half of that.
    assert np.std(counts) == pytest.approx(expected.deviation, rel=0.15)
    assert abs(np.mean(counts) - 1.2 * expected.mean) > 4 * expected.deviation / 20


def test_discoveries_against_a_loop():
    rng = np.random.default_rng(0)
    for _ in range(30):
        p = rng.random(20) ** 3
        ordered = sorted(p)
        expected = max((k + 1 for k in range(20) if ordered[k] <= 0.1 * (k + 1) / 20), default=0)
        assert discoveries(p, 0.1) == expected
    assert discoveries(np.ones(4)) == 0
    assert discoveries([]) == 0
    assert correlation_p_values([-1.0, 1.0], 10).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: correlation_tail(1.2, 10), "threshold=1.2"),
        (lambda: correlation_tail(0.2, 2), "samples=2"),
        (lambda: family_threshold(10, 157, 0.0), "level=0"),
        (lambda: threshold_for_count(2, 10, 12), "count=12"),
        (lambda: correlation_p_values([1.5], 10), "from -1 to 1"),
        (lambda: discoveries([0.5, 2.0]), "from 0 to 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_triples_of_independent_entries_by_simulation():
    """Triples of one, two and three different entries, counted in draws of 49 entries at a threshold that many pass."""
    rng = np.random.default_rng(0)
    n, entries, threshold = 60, 49, 0.5
    counts = []
    for _ in range(60):
        x = rng.standard_normal((n, entries))
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        large = np.abs(np.einsum("ia,ib,ic->abc", x, x, x, optimize=True) / n) > threshold
        same = int(np.einsum("aaa->", large.astype(int)))
        two = 3 * (int(np.einsum("aab->", large.astype(int))) - same)
        counts.append((same, two, int(large.sum()) - same - two))
    means, errors = np.mean(counts, axis=0), np.std(counts, axis=0) / len(counts) ** 0.5
    found = null_triples(7, n, threshold)
    # Approximate laws: a tenth, and three standard errors.
    for expected, mean, error in zip((found.one, found.two, found.three), means, errors, strict=True):
        assert abs(mean - expected) < 0.1 * expected + 3 * error
    assert found.mean == pytest.approx(found.one + found.two + found.three)


def test_triples_need_observations():
    with pytest.raises(ValueError, match="samples"):
        null_triples(10, 5, 0.4)


def test_every_triple_passes_a_threshold_of_nothing():
    found = null_triples(3, 400, 1e-12)
    assert (found.one, found.two, found.three) == pytest.approx((9, 3 * 9 * 8, 9 * 8 * 7), rel=1e-6)
    assert found.mean == pytest.approx(9**3, rel=1e-6)


def test_laws_of_one_sample_against_the_tests_of_scipy():
    """The transformations of D'Agostino and of Anscombe and Glynn, as scipy's tests of normality have them."""
    sample = np.random.default_rng(2).standard_normal(157) ** 2
    for scale in (0.1, 0.3):
        mild = np.arcsinh(scale * sample)
        assert _skewness_tail(abs(stats.skew(mild)), 157) == pytest.approx(
            stats.skewtest(mild).pvalue, rel=1e-9
        )
    for data in (np.arcsinh(0.3 * sample), np.random.default_rng(3).uniform(size=157)):
        normal = stats.kurtosistest(data).statistic
        b2 = stats.kurtosis(data, fisher=False)
        assert _kurtosis(np.array([normal]), 157)[0] == pytest.approx(b2, rel=1e-9)


def test_tail_of_a_scaled_correlation():
    for variance in (0.25, 1.0, 4.0):
        found = _tail(0.2, np.array([variance]), 40)[0]
        assert found == pytest.approx(correlation_tail(0.2 / variance**0.5, 40), rel=1e-12)
