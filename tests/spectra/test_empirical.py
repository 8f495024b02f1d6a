import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from rmtsim.laws import MarchenkoPastur, Semicircle
from rmtsim.spectra import empirical, random_matrix


def test_kolmogorov_agrees_with_scipy_on_a_continuous_law():
    law = Semicircle()
    sample = law.sample(500, np.random.default_rng(0))
    expected = stats.kstest(sample, law.cdf).statistic
    assert empirical(sample).kolmogorov(law) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    "law", [Semicircle(), MarchenkoPastur(0.5), MarchenkoPastur(1.0), MarchenkoPastur(3.0)]
)
def test_wasserstein_agrees_with_adaptive_quadrature(law):
    values = np.sort(law.sample(7, np.random.default_rng(2))) * 1.1 + 0.05
    spectrum = empirical(values)
    ends = np.unique(
        [*values, *np.ravel(law.support), *(a for a, _ in law.atoms), *law.ppf(np.arange(1, 7) / 7)]
    )
    expected = sum(
        quad(lambda x: abs(law.cdf(x) - spectrum.cdf(x)), a, b, epsabs=1e-13)[0]
        for a, b in itertools.pairwise(ends)
    )
    assert spectrum.wasserstein(law) == pytest.approx(expected, abs=1e-9)


def test_wasserstein_of_a_shifted_law_is_the_shift():
    law = MarchenkoPastur(0.5)
    quantiles = law.ppf((np.arange(20000) + 0.5) / 20000)
    assert empirical(quantiles + 0.3).wasserstein(law) == pytest.approx(0.3, abs=1e-6)


def test_the_null_space_counts_as_the_atom():
    law = MarchenkoPastur(2.0)
    eigenvalues = np.linalg.eigvalsh(random_matrix(law, 200, np.random.default_rng(3)))
    assert (eigenvalues[:100] != 0).any()
    assert empirical(eigenvalues).kolmogorov(law) < 0.02
    # Half of the mass at minus one thousandth is not the null space.
    moved = np.where(np.abs(eigenvalues) < 1e-9, -1e-3, eigenvalues)
    assert empirical(moved).kolmogorov(law) == pytest.approx(0.5, abs=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize("distance", ["kolmogorov", "wasserstein"])
def test_true_law_is_kept_and_a_wrong_ratio_rejected(distance):
    # False-alarm level one per cent, fixed seed; the wrong law is ten per cent away in the ratio.
    rng = np.random.default_rng(20)
    true, wrong = MarchenkoPastur(0.5), MarchenkoPastur(0.55)
    spectrum = empirical(np.linalg.eigvalsh(random_matrix(true, 300, rng)))
    kept = spectrum.test(true, rng=rng, distance=distance, level=0.01)
    assert not kept.rejected
    assert kept.p_value > 0.01
    refused = spectrum.test(wrong, rng=rng, distance=distance, level=0.01)
    assert refused.rejected
    assert refused.p_value == pytest.approx(0.01)


@pytest.mark.thorough
def test_false_alarm_rate_of_the_independent_null_is_the_level():
    # 150 tests at level 0.1 under the null: binomial(150, 0.1), within 3.3 standard deviations of 15.
    law, rng = Semicircle(), np.random.default_rng(5)
    alarms = sum(
        empirical(law.sample(20, rng))
        .test(law, rng=rng, level=0.1, null="independent", replicates=9)
        .rejected
        for _ in range(150)
    )
    assert 3 <= alarms <= 27


def test_eigenvalues_are_far_closer_to_their_law_than_independent_draws():
    law, rng = MarchenkoPastur(0.5), np.random.default_rng(6)
    spectrum = empirical(np.linalg.eigvalsh(random_matrix(law, 200, rng)))
    matrix = spectrum.null_level(law, rng=rng, level=0.05)
    independent = spectrum.null_level(law, rng=rng, level=0.05, null="independent")
    assert matrix < independent / 3
    # The independent level is that of the exact Kolmogorov distribution, up to Monte Carlo error.
    exact = spectrum.null_level(law, rng=rng, level=0.05, null="independent", replicates=399)
    assert exact == pytest.approx(stats.kstwo.isf(0.05, 200), rel=0.1)


def test_bad_input():
    law, rng = Semicircle(), np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"eigenvalues=\[\]"):
        empirical([])
    with pytest.raises(ValueError, match="eigenvalues=nan at index 1"):
        empirical([0.0, np.nan])
    spectrum = empirical([[0.5, -0.5]])
    assert spectrum.size == 2
    assert spectrum.moment(2) == 0.25
    with pytest.raises(ValueError, match="distance='l2'"):
        spectrum.test(law, rng=rng, distance="l2")
    with pytest.raises(ValueError, match="null='gue'"):
        spectrum.test(law, rng=rng, null="gue")
    with pytest.raises(ValueError, match=r"level=1\.5"):
        spectrum.test(law, rng=rng, level=1.5)
    with pytest.raises(ValueError, match="replicates=10: expected at least 99"):
        spectrum.test(law, rng=rng, replicates=10)
