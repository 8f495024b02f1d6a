"""Tails, moments of shifted laws, and populations replaced by rules."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from rmtsim.laws import GeneralizedMarchenkoPastur, MarchenkoPastur, MatrixDyson, Semicircle, SpectralLaw
from rmtsim.laws.self_energy import Wigner
from tests import law_oracle as oracle


def tail_mass(ratio, variance, x, upper):
    """Mass beyond x by quadrature in τ, distance = d τ², forty digits."""
    with mpmath.workdps(40):
        low, high = oracle.mp_edges(ratio, variance)
        y, v = mpmath.mpf(ratio), mpmath.mpf(variance)
        edge = high if upper else low
        d = abs(mpmath.mpf(x) - edge)

        def integrand(tau):
            s = d * tau * tau
            point = edge - s if upper else edge + s
            return mpmath.sqrt(s * (high - low - s)) / (2 * mpmath.pi * v * y * point) * 2 * tau * d

        knee = mpmath.sqrt(low / d) if low > 0 and not upper else mpmath.mpf(1)
        ends = sorted(
            {mpmath.mpf(0), mpmath.mpf(1), *(min(mpmath.mpf(1), knee * k) for k in (0.3, 1, 3, 30))}
        )
        return mpmath.re(mpmath.quad(integrand, ends))


@pytest.mark.parametrize("ratio", [1.0, 0.3, 0.999, 0.01, 2.5, 1.001])
def test_tails_of_marchenko_pastur_have_their_digits(ratio):
    law = MarchenkoPastur(ratio, 0.7)
    ((lower, upper),) = law.support
    for share in (1e-12, 1e-6, 1e-3, 0.02):
        x = upper - share * (upper - lower)
        assert oracle.relative_error(law.sf(x), tail_mass(ratio, 0.7, x, True)) < 1e-11
        if ratio <= 1:
            x = lower + share * (upper - lower)
            assert oracle.relative_error(law.cdf(x), tail_mass(ratio, 0.7, x, False)) < 1e-11


def test_quantile_of_a_hard_edge():
    # Near zero cdf = 2√x/π for ratio one, to relative order x.
    for q in (1e-15, 1e-60, 1e-100):
        assert MarchenkoPastur(1).ppf(q) == pytest.approx((math.pi * q / 2) ** 2, rel=1e-13)
        mirrored = MarchenkoPastur(1).scaled(-1.0)
        assert mirrored.isf(q) == pytest.approx(-((math.pi * q / 2) ** 2), rel=1e-13)
        general = GeneralizedMarchenkoPastur(1.0, [1.0])
        assert general.ppf(q) == pytest.approx((math.pi * q / 2) ** 2, rel=1e-12)


@pytest.mark.parametrize(
    "law",
    [
        MarchenkoPastur(0.5),
        MarchenkoPastur(3.0),
        Semicircle(2.0),
        GeneralizedMarchenkoPastur(10, [1, 3, 7]),
        GeneralizedMarchenkoPastur(0.5, [-1, 0, 2]),
        GeneralizedMarchenkoPastur(0.5, [-1, 1000], [1 - 1e-9, 1e-9]),
        MarchenkoPastur(3.0).scaled(-2.0).shifted(1.0),
    ],
    ids=repr,
)
def test_both_sides_agree(law):
    x = np.concatenate([lo + (up - lo) * np.array([0, 1e-9, 1e-4, 0.3, 0.99, 1]) for lo, up in law.support])
    np.testing.assert_allclose(law.cdf(x) + law.sf(x), 1, atol=2e-15)
    q = np.array([1e-12, 1e-7, 1e-3, 0.2, 0.5, 0.9])
    np.testing.assert_allclose(law.isf(q), law.ppf(1 - q), rtol=1e-7, atol=1e-14)
    top = law.isf(q)
    bulk = [value for value in top if not np.isin(value, [place for place, _ in law.atoms])]
    for level, value in zip(q, top, strict=True):
        if value in bulk and value not in np.ravel(law.support):
            # The last double of x limits what a tail level can say.
            slack = law.density(value) * np.spacing(abs(value)) * 4
            assert law.sf(value) == pytest.approx(level, rel=1e-11, abs=slack)
    assert law.isf(1.0) == law.ppf(0.0)
    assert law.isf(0.0) == law.ppf(1.0)
    np.testing.assert_allclose(np.exp(law.logcdf(x)), law.cdf(x), rtol=1e-13)
    points = np.sort(np.concatenate([law.ppf(np.linspace(0, 1, 60)), law.isf(10.0 ** -np.arange(1, 15))]))
    assert (np.diff(law.sf(points)) <= 1e-15).all()


def test_a_speck_above_everything_has_its_tail():
    law = GeneralizedMarchenkoPastur(0.5, [1, 1000], [1 - 1e-12, 1e-12])
    lower, upper = law.support[1]
    assert law.sf(0.5 * (law.support[0][1] + lower)) == pytest.approx(2e-12, rel=1e-14)
    middle = law.isf(1e-12)
    assert lower < middle < upper
    assert law.sf(middle) == pytest.approx(1e-12, rel=1e-3)  # the interval is a few hundred doubles wide
    assert law.logcdf(middle) == pytest.approx(-1e-12, rel=1e-3)


@pytest.mark.parametrize("shift", [-1.5, -1.0, 37.0, -1e4])
@pytest.mark.parametrize("scale", [1.0, -0.3])
def test_moments_of_shifted_laws(shift, scale):
    for law, cumulants in (
        (MarchenkoPastur(0.7, 1.3), lambda j: oracle.mp.mpf(1.3) ** j * oracle.mp.mpf(0.7) ** (j - 1)),
        (Semicircle(2.0), lambda j: oracle.mp.mpf(2 if j == 2 else 0)),
        (
            GeneralizedMarchenkoPastur(0.5, [1.0, -3.0]),
            lambda j: oracle.mp.mpf(0.5) ** (j - 1) * (1 + oracle.mp.mpf(-3) ** j) / 2,
        ),
    ):
        moved = law.scaled(scale).shifted(shift)
        with oracle.mp.workdps(120):
            a, b = oracle.mp.mpf(scale), oracle.mp.mpf(shift)
            if not isinstance(moved, type(law)) and moved.law is not law:
                continue  # folded into the law's own parameters, whose rounding is not this test's matter
            exact = oracle.free_moments([a**j * cumulants(j) + (b if j == 1 else 0) for j in range(1, 22)])
            for k in (1, 2, 5, 12, 21):
                assert oracle.relative_error(moved.moment(k), exact[k]) < 4e-16


def test_moments_of_a_shifted_dyson_law_and_by_quadrature():
    law = MatrixDyson(0.5, Wigner(2, 1.0))
    assert law.shifted(-0.5).moment(7) == pytest.approx(0, abs=1e-14)
    assert law.shifted(-0.5).moment(8) == pytest.approx(14, rel=1e-13)
    plain = MarchenkoPastur(0.5)
    for k in (3, 10):
        for shift in (-1.0, -2.3):
            general = SpectralLaw._affine_moment(plain, 2.0, shift, k)
            assert general == pytest.approx(plain._affine_moment(2.0, shift, k), rel=1e-12)


def test_rules_for_populations_are_refused_when_too_coarse():
    fine = GeneralizedMarchenkoPastur.from_distribution(0.5, stats.expon())
    assert 0 < fine.population_error < 1e-9
    with pytest.raises(ValueError, match=r"nodes=12: the density changes by .*more nodes"):
        GeneralizedMarchenkoPastur.from_distribution(0.5, stats.expon(), nodes=12)
    coarse = GeneralizedMarchenkoPastur.from_distribution(0.5, stats.expon(), nodes=30, tolerance=0.5)
    x = fine.ppf(np.linspace(0.05, 0.95, 19))
    true_error = np.abs(coarse.density(x) / fine.density(x) - 1).max()
    assert 0.2 * true_error < coarse.population_error < 20 * max(true_error, 1e-12)
    with pytest.raises(ValueError, match="discrete population"):
        GeneralizedMarchenkoPastur.from_distribution(0.5, stats.poisson(3.0), nodes=200)
    with pytest.raises(ValueError, match="tolerance"):
        GeneralizedMarchenkoPastur.from_distribution(0.5, stats.expon(), tolerance=0.0)
    assert GeneralizedMarchenkoPastur(0.5, [1.0]).population_error == 0.0
