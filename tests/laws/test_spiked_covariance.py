"""The spiked covariance: population on the features, against BBP's closed form, simulation and the free product."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.laws import Discrete, GeneralizedMarchenkoPastur, MarchenkoPastur, SpikedCovariance, free_product
from rmtsim.spectra import random_matrix


@settings(deadline=None, max_examples=60)
@given(ratio=st.floats(0.01, 20), spike=st.floats(1.001, 1e6), variance=st.floats(1e-3, 1e3))
def test_bbp_in_closed_form(ratio, spike, variance):
    law = SpikedCovariance(ratio, [spike * variance], variance)
    with mpmath.workdps(50):
        y, ell = mpmath.mpf(ratio), mpmath.mpf(spike * variance) / mpmath.mpf(variance)
        place = ell * (1 + y / (ell - 1)) * variance
        slope = 1 - y / (ell - 1) ** 2
        cosine = slope / (1 + y / (ell - 1))
    if spike < 1 + np.sqrt(ratio) * (1 - 1e-9):
        assert law.outliers == ()
    elif spike > 1 + np.sqrt(ratio) * (1 + 1e-6):
        (outlier,) = law.outliers
        assert outlier.location == pytest.approx(float(place), rel=1e-12)
        assert outlier.alignment == pytest.approx(float(cosine), abs=1e-9)
        assert outlier.score_alignment == pytest.approx(float(slope), abs=1e-9)
        assert law.location(law.spike_of(outlier.location)) == pytest.approx(outlier.location, rel=1e-9)


def test_the_issue_s_example():
    """σ² = 3, a spike 8σ², ratio 1/3: BBP says 25.14; with Λ on the samples another number comes out."""
    variance = 3.0
    (outlier,) = SpikedCovariance(1 / 3, [8 * variance], variance).outliers
    assert outlier.location == pytest.approx(8 * variance * (1 + (1 / 3) / 7))
    on_samples = GeneralizedMarchenkoPastur(1 / 3, [variance]).outlier(8 * variance)
    assert on_samples.location < 0.5 * outlier.location


@pytest.mark.parametrize(
    "ratio", [2.5, pytest.param(0.2, marks=pytest.mark.slow), pytest.param(0.9, marks=pytest.mark.slow)]
)
def test_the_law_is_the_free_product(ratio):
    law = SpikedCovariance(ratio, population=[1.0, 4.0], weights=[0.7, 0.3], entry_variance=2.0)
    free = free_product(MarchenkoPastur(ratio), Discrete([2.0, 8.0], [0.7, 0.3]))
    if ratio == 2.5:  # the free product's own cdf takes seconds
        x = np.linspace(0.1, law.support[-1][1] * 0.98, 15)
        np.testing.assert_allclose(law.cdf(x), free.cdf(x), atol=1e-6)
        np.testing.assert_allclose(law.density(x), free.density(x), atol=1e-6)
    assert law.stieltjes(-1.5) == pytest.approx(free.stieltjes(-1.5), rel=1e-9)
    for k in range(5):
        assert law.moment(k) == pytest.approx(free.moment(k), rel=1e-9)
    q = np.linspace(0.61, 0.99, 9)
    np.testing.assert_allclose(law.cdf(law.ppf(q)), q, atol=1e-10)


def test_simulated_outliers_of_a_population():
    """Twenty matrices of 200 features: mean location within 3 standard errors and 1 %."""
    law = SpikedCovariance(0.5, [20.0], population=[1.0, 3.0])
    rng = np.random.default_rng(0)
    pairs = [np.linalg.eigh(random_matrix(law, 200, rng)) for _ in range(20)]
    tops = np.array([values[-1] for values, _ in pairs])
    cosines = np.array([vectors[0, -1] ** 2 for _, vectors in pairs])
    (outlier,) = law.outliers
    assert abs(tops.mean() - outlier.location) < 3 * tops.std() / np.sqrt(20) + 0.01 * outlier.location
    assert cosines.mean() == pytest.approx(outlier.alignment, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ratio": -1}, "ratio=-1"),
        ({"ratio": 1, "spikes": [-3]}, "spikes=-3"),
        ({"ratio": 1, "population": [0.0, 1]}, "population=0"),
        ({"ratio": 1, "weights": [1.0]}, "together with population"),
        ({"ratio": 1, "population": [1, 2], "weights": [1.0]}, "as many"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        SpikedCovariance(**arguments)


def test_methods_refuse_what_has_no_answer():
    law = SpikedCovariance(0.25, population=[1.0, 2.0])
    with pytest.raises(ValueError, match="outside the population"):
        law.location(1.5)
    with pytest.raises(ValueError, match="above the bulk"):
        law.spike_of(1.0)
    assert law.outlier(1.5) is None


@pytest.mark.parametrize("ratio", [0.4, 2.5])
def test_the_stieltjes_transform_is_that_of_the_density(ratio):
    """Several population values go through the companion matrix: its transform against ∫ dμ(x)/(x - z)."""
    law = SpikedCovariance(ratio, population=[1.0, 4.0], weights=[0.7, 0.3])
    for z in (-1.5, 0.7 + 2.0j):
        total = sum(mass / (place - z) for place, mass in law.atoms)
        for low, high in law.support:
            x = low + (high - low) * np.sin(0.5 * np.pi * (np.arange(4000) + 0.5) / 4000) ** 2
            weights = np.pi / 4000 * np.sqrt((x - low) * (high - x))
            total = total + np.sum(weights * law.density(x) / (x - z))
        assert law.stieltjes(z) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("ratio", [0.1, 0.6, 3.0])
def test_the_threshold_is_where_the_slope_vanishes(ratio):
    for population in ([1.0], [1.0, 2.5]):
        law = SpikedCovariance(ratio, population=population, entry_variance=1.7)
        step = 1e-4 * law.threshold
        near = [law.location(law.threshold + k * step) for k in (-1, 0, 1)]
        assert near[1] < min(near[0], near[2])  # ψ has its least value there


def test_the_slope_behind_an_outlier_on_the_samples_side():
    """column_squared_cosine is z'(t)/ratio, by differences of the locations themselves."""
    law = GeneralizedMarchenkoPastur(2.0, [1.0, 3.0], [0.6, 0.4])
    t, h = 9.0, 1e-4
    slope = (law.outlier(t + h).location - law.outlier(t - h).location) / (2 * h)
    assert law.outlier(t).column_squared_cosine == pytest.approx(slope / law.ratio, rel=1e-7)
