"""Populations from sample eigenvalues: limits of the sums, known populations inside bands, refusals."""

import json

import numpy as np
import pytest

from rmtsim import ConvergenceError, spectrum
from rmtsim.cli import main
from rmtsim.laws import SpikedCovariance
from rmtsim.spectra import deconvolve
from rmtsim.spectra._chebyshev import expected_sums
from rmtsim.spectra._population_fit import fitted_population
from rmtsim.spectra._sum_limits import SumLimits


def toeplitz(dimension):
    angle = np.pi * (np.arange(dimension) + 0.5) / dimension
    return np.sort(0.75 / (1.25 - np.cos(angle)))


POPULATIONS = {
    "one": np.ones(120),
    "two": np.repeat([1.0, 4.0], 60),
    "three": np.repeat([1.0, 3.0, 10.0], 40),
    "toeplitz": toeplitz(120),
}


def sampled(population, samples, seed):
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((samples, len(population))) * np.sqrt(population)
    return np.linalg.svd(data, compute_uv=False) ** 2 / samples


def limits_of(law, dimension, samples, order=6, beta=1, wide=1.0):
    (low, _), (_, high) = law.support[0], law.support[-1]
    middle, half = 0.5 * (low + high), 0.5 * wide * (high - low)
    return SumLimits(law, dimension, samples, (middle - half, middle + half), order, beta)


@pytest.mark.parametrize("beta", [1, 2])
@pytest.mark.parametrize(("dimension", "samples"), [(150, 450), (450, 150), (200, 200)])
def test_equal_variances_have_the_closed_forms(dimension, samples, beta):
    """Means of docs/your-own-spectrum.md, covariance k/(2β) on the diagonal; contours about a hard edge too."""
    law = SpikedCovariance(dimension / samples)
    found = limits_of(law, dimension, samples, beta=beta)
    least, most = sorted((dimension, samples))
    np.testing.assert_allclose(
        found.means, expected_sums(least, least / most, np.zeros(0), beta, 6), atol=1e-8 * least
    )
    np.testing.assert_allclose(found.covariance, np.diag(np.arange(1, 7) / (2 * beta)), atol=1e-8)


def test_a_spike_lowers_the_rest_as_the_closed_form_says():
    """d − r features and N − r samples with a^{-k}/2 lost (to 1/N) against d − r features and N with the contour."""
    dimension, samples, spike = 400, 1200, 6.0
    law = SpikedCovariance((dimension - 1) / samples)
    found = limits_of(law, dimension - 1, samples)
    change, implied = found.spiked(law.location(spike))
    assert implied == pytest.approx(spike)
    low, high = law.support[0]
    smaller = SpikedCovariance((dimension - 1) / (samples - 1), entry_variance=(samples - 1) / samples)
    other = SumLimits(smaller, dimension - 1, samples - 1, (low, high), 6)
    root = (spike - 1) / np.sqrt((dimension - 1) / samples)
    np.testing.assert_allclose(
        found.means + change, other.means - 0.5 * root ** -np.arange(1.0, 7.0), atol=0.02
    )


@pytest.mark.parametrize("ratio", [0.3, 2.0])
def test_influence_is_the_derivative_of_the_means(ratio):
    samples, share = 300, 1e-5
    dimension = int(ratio * samples)
    places, shares = np.array([1.0, 3.0]), np.array([0.6, 0.4])
    law = SpikedCovariance(ratio, (), 1.0, places, shares)
    base = limits_of(law, dimension, samples, wide=1.02)
    moved_law = SpikedCovariance(
        ratio, (), 1.0, [1.0, 2.0, 3.0], [0.6 * (1 - share), share, 0.4 * (1 - share)]
    )
    moved = SumLimits(moved_law, dimension, samples, base.interval, 6, 2)
    still = SumLimits(law, dimension, samples, base.interval, 6, 2)
    slope = (moved.means - still.means) / share
    answers = base.influence(np.array([2.0, 1.0, 3.0]))
    np.testing.assert_allclose(
        slope, answers[:, 0] - answers[:, 1:] @ shares, rtol=1e-3, atol=1e-3 * dimension
    )


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("samples", [360, 80])
def test_known_populations_lie_in_the_bands(name, samples):
    truth = POPULATIONS[name]
    found = deconvolve(sampled(truth, samples, 5), samples=samples, dimension=120, level=0.01)
    assert found.explained
    assert found.explains(truth)
    assert found.contains(truth)
    for order in (1, 2):
        interval = found.moment(order)
        assert interval.lower <= np.mean(truth**order) <= interval.upper
        assert interval.lower <= interval.value <= interval.upper
    point = 1.8
    share = found.cdf(point)
    assert share.lower - 1e-9 <= np.mean(truth <= point) <= share.upper + 1e-9


def test_wrong_populations_do_not_explain():
    found = deconvolve(sampled(POPULATIONS["two"], 360, 1), samples=360)
    for wrong in ([2.5], [1.0, 4.4], [0.5, 1.5, 4.0, 4.0], [1.0, 1.0, 4.0]):
        assert not found.explains(wrong)
        assert not found.contains(wrong)


def test_two_masses_are_found_and_narrow_with_size():
    widths = []
    for factor in (1, 4):
        truth = np.repeat([1.0, 8.0], 60 * factor)
        found = deconvolve(sampled(truth, 480 * factor, 3), samples=480 * factor)
        middle = found.cdf(2.8)
        widths.append(middle.upper - middle.lower)
        low, high = found.quantile(0.25), found.quantile(0.75)
        assert low.lower < 1 < low.upper < 2.8 < high.lower < 8 < high.upper
    assert widths[1] < 0.5 * widths[0] < 0.1


def test_units_scale_along_and_the_stated_spikes_leave_the_population():
    truth = np.concatenate([np.ones(118), [14.0, 9.0]])
    values = sampled(truth, 360, 2)
    one, other = (deconvolve(scale * values, samples=360, outliers=2) for scale in (1.0, 1e9))
    np.testing.assert_allclose(other.places, 1e9 * one.places, rtol=1e-6)
    assert other.moment(1).upper == pytest.approx(1e9 * one.moment(1).upper, rel=1e-5)
    np.testing.assert_allclose(one.spikes, [14.0, 9.0], rtol=0.25)
    assert one.contains([1.0])
    # Without naming them no population of a bulk below the largest eigenvalue is one value.
    assert not deconvolve(values, samples=360).explains([1.0])


def test_a_bulk_narrower_than_any_populations_has_none():
    """Four times as many samples as stated: even equal values would spread the sample eigenvalues further."""
    found = deconvolve(sampled(np.ones(200), 1600, 0), samples=400)
    assert found.p_value < 1e-6
    assert not found.explained
    assert "NO POPULATION" in found.report()
    with pytest.raises(ValueError, match="no population explains"):
        found.moment(1)


def test_eigenvalues_over_many_scales_are_refused_in_words():
    rng = np.random.default_rng(0)
    with pytest.raises(ConvergenceError, match="named as outliers"):
        deconvolve(np.exp(1.5 * rng.standard_normal((400, 1))) ** 2 * rng.standard_normal((400, 200)))


@pytest.mark.thorough
def test_spectrum_with_an_estimated_population():
    truth = np.concatenate([np.repeat([1.0, 2.0], [80, 37]), [25.0, 16.0, 15.0]])
    found = spectrum(sampled(truth, 480, 4), samples=480, population="estimate")
    assert found.rank == 3
    assert found.fits
    assert found.population is not None
    np.testing.assert_allclose([o.spike for o in found.outliers], [25, 16, 15], rtol=0.3)
    assert found.sigma**2 == pytest.approx(np.mean(truth[:-3]), rel=0.03)
    assert "population estimated" in found.report()
    assert json.loads(json.dumps(found.to_dict()))["population"]["shares"]
    assert not spectrum(sampled(truth, 480, 4), samples=480).fits


def test_an_exact_spectrum_gives_its_population_back():
    """Quantiles of the law itself, no noise: χ² next to nothing and the two values."""
    law = SpikedCovariance(0.25, population=[1.0, 5.0])
    values = np.asarray(law.ppf((np.arange(200) + 0.5) / 200))
    fit = fitted_population(np.sort(values)[::-1], np.zeros(0), 200, 800, beta=2)
    assert fit.statistic < 0.1
    assert fit.contains(np.array([1.0, 5.0]), np.array([0.5, 0.5]), 0.5)


def test_refusals(tmp_path, capsys):
    values = sampled(np.ones(30), 90, 0)
    for arguments, words in (
        ({"outliers": 25}, "outliers"),
        ({"level": 0.5}, "level"),
        ({"beta": 3}, "beta"),
        ({"samples": 20}, "at most 20"),
    ):
        with pytest.raises(ValueError, match=words):
            deconvolve(values, **{"samples": 90, **arguments})
    found = deconvolve(values, samples=90)
    for share in (0.0, 1.0, -2.0):
        with pytest.raises(ValueError, match="share"):
            found.quantile(share)
    with pytest.raises(ValueError, match="finite"):
        found.average(lambda t: np.where(t > 1, np.inf, 0))
    with pytest.raises(ValueError, match="expected numbers or 'estimate'"):
        spectrum(values, samples=90, population="guess")
    with pytest.raises(ValueError, match="population: expected together with a sample covariance"):
        spectrum(values, kind="wigner", population="estimate")
    np.save(tmp_path / "eigs.npy", values)
    assert main(["spectrum", str(tmp_path / "eigs.npy"), "--samples", "90", "--population", "guess"]) == 2
    assert "or estimate" in capsys.readouterr().err
    path = str(tmp_path / "eigs.npy")
    assert main(["spectrum", path, "--samples", "90", "--population", "estimate", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["population"]["cdf_lower"]


def test_the_highest_edge_bounds_that_of_the_truth():
    truth = np.sort(np.resize([1.0, 4.0], 60))
    found = deconvolve(sampled(truth, 180, 1), samples=180)
    fit, unit = found._fit, found.unit
    edge = SpikedCovariance(1 / 3, (), 1.0, truth).support[-1][1]
    assert found.contains(truth)
    assert edge <= fit.highest_edge(0.05) * unit
    # A wider set has a higher edge, and every population of the narrow one lies in the wide one.
    assert fit.highest_edge(0.1) <= fit.highest_edge(0.001)
    best = SpikedCovariance(1 / 3, (), 1.0, *fit.atoms).support[-1][1]
    assert best <= fit.highest_edge(0.05) < 1.5 * best


def test_a_smooth_population_is_not_cut_short(monkeypatch):
    """The best population ends below three null eigenvalues; some that explain the rest do not."""
    angle = np.pi * (np.arange(60) + 0.5) / 60
    truth = np.sort(0.75 / (1.25 - np.cos(angle)))
    data = np.random.default_rng([277, 0, 60, 180, 8]).standard_normal((180, 60)) * np.sqrt(truth)
    values = np.linalg.svd(data, compute_uv=False) ** 2 / 180
    assert spectrum(values, samples=180, population="estimate").rank == 0
    monkeypatch.setattr("rmtsim.spectra._estimated._edge_error", lambda fit, level: 0.0)
    assert spectrum(values, samples=180, population="estimate").rank > 0
