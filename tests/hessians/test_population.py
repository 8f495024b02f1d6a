"""Intervals for the population: tasks whose population Hessian is known. More of them: studies/hessian_coverage.py."""

import numpy as np
import pytest

from rmtsim.hessians import _left_out, examine, hessian, spectra
from rmtsim.hessians._measured import interval, skewed_interval

BATCHES, SAMPLES, SIZE = 10, 40, 20


def _operator(rng, population):
    x = rng.standard_normal((BATCHES, SAMPLES, SIZE)) * np.sqrt(population)
    return hessian([lambda v, m=each.T @ each / SAMPLES: m @ v for each in x], size=SIZE)


@pytest.mark.parametrize("spike", [6.0, 1.0], ids=["separated", "not separated"])
def test_top_eigenvalue_and_trace_cover(spike):
    population = np.ones(SIZE)
    population[3] = spike
    repetitions, top, trace, in_sample, estimate = 120, 0, 0, 0.0, 0.0
    for seed in range(repetitions):
        operator = _operator(np.random.default_rng([seed, 1]), population)
        found = operator.eigenvalues(1)
        assert found.separated == (spike > 1,)
        assert found.held_out[0] < found.values[0]
        top += found.population[0].low <= spike <= found.population[0].high
        each = operator.trace().population
        trace += each.low <= population.sum() <= each.high
        in_sample += found.values[0] / spike / repetitions
        estimate += found.population[0].value / spike / repetitions
    # 0.95 less three standard deviations of 120 repetitions.
    assert top >= 0.89 * repetitions
    assert trace >= 0.89 * repetitions
    share = 0.3 if spike > 1 else 0.8
    assert abs(estimate - 1) < share * (in_sample - 1), (
        "the correction takes most of the bias away if separated"
    )


def test_intervals_of_skewed_means():
    """Means of twelve values of gamma laws, whose symmetric intervals miss on one side."""
    repetitions, hits, symmetric, below = 2000, 0, 0, 0
    weights = np.full(12, 1 / 12)
    for values in np.random.default_rng(1).gamma(1.5, 1.0, (repetitions, 12)):
        mean, error = values.mean(), values.std(ddof=1) / np.sqrt(12)
        found = skewed_interval(mean, error, weights, values, 11)
        mirrored = skewed_interval(-mean, error, weights, -values, 11)
        assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), rel=1e-12)
        hits += found.low <= 1.5 <= found.high
        below += found.high < 1.5
        plain = interval(mean, error, 11)
        symmetric += plain.low <= 1.5 <= plain.high
    assert symmetric < 0.93 * repetitions, "or the law is not skewed enough to show anything"
    assert hits >= 0.94 * repetitions
    assert below <= 0.035 * repetitions


def test_only_the_far_end_is_bent():
    values = np.linspace(0.8, 1.2, 10)
    weights, error = np.full(10, 0.1), values.std(ddof=1) / np.sqrt(10)
    found, plain = skewed_interval(1.0, error, weights, values, 9), interval(1.0, error, 9)
    assert found.low == plain.low
    skew, bend = 4 * error, 4 * error / 3
    far = (found.high - 1.0) / error
    quantile = (plain.high - 1.0) / error
    assert (np.exp(-2 * bend * far) - 1) / (2 * bend) + skew / 6 == pytest.approx(-quantile, rel=1e-12)
    centred = skewed_interval(0.0, 1.0, weights, np.linspace(-1.0, 1.0, 10), 9)
    assert (centred.low, centred.high) == pytest.approx((-quantile, quantile), rel=1e-12)


def _units(power):
    """Intervals of eigenvalue and trace of six batches, in units of a power of two."""
    unit = np.ldexp(1.0, power)
    matrices = [np.diag([5.0, 2.0, 1.0]) * factor for factor in (0.9, 1.0, 1.1, 1.2, 0.95, 1.05)]
    operator = hessian([lambda v, m=m: unit * (m @ v) for m in matrices], size=3)
    found = operator.eigenvalues(1).population[0], operator.trace().population
    return [number / unit for each in found for number in (each.low, each.high)]


@pytest.mark.parametrize("power", [-900, 900])
def test_intervals_do_not_depend_on_units(power):
    """Also where squares are no doubles."""
    usual = _units(0)
    assert usual[0] < usual[1]
    np.testing.assert_allclose(_units(power), usual, rtol=1e-12)


def test_skewed_values_are_marked():
    weights = np.full(10, 0.1)
    even = np.linspace(0.9, 1.1, 10)
    assert skewed_interval(1.0, 0.02, weights, even, 9).trustworthy
    assert not skewed_interval(1.0, 0.3, weights, even, 9).trustworthy, (
        "the error is too large beside the value"
    )
    one = np.ones(10)
    one[3] = 5.0
    assert not skewed_interval(1.4, 0.4 / 3, weights, one, 9).trustworthy, "one value has all the spread"
    assert skewed_interval(0.0, 0.0, weights, np.zeros(10), 9) == interval(0.0, 0.0, 9)


@pytest.mark.parametrize("which", ["top", "bottom"])
def test_eigenvalues_without_a_fold_are_close_for_large_operators(which, monkeypatch):
    population = np.linspace(0.5, 2.0, SIZE)
    population[[0, -1]] = 0.05, 9.0
    operator = _operator(np.random.default_rng(2), population)
    group = operator.groups("model")[0]
    found = operator.eigenvalues(3, which=which)
    exact = _left_out.values_without(operator, group, found.values, found.vectors, which, 2)
    monkeypatch.setattr(_left_out, "_SMALL", 0)
    ritz = _left_out.values_without(operator, group, found.values, found.vectors, which, 2)
    moved = np.abs(exact - found.values[:2]).max(axis=0)
    assert np.abs(ritz - exact).max(axis=0)[0] < 0.1 * moved[0]


def test_bottom_eigenvalues_and_samples_needed():
    population = np.full(SIZE, 2.0)
    population[0] = 0.2
    found = _operator(np.random.default_rng(0), population).eigenvalues(1, which="bottom")
    assert found.values[0] < found.held_out[0]
    assert found.population[0].low <= 0.2 <= found.population[0].high
    assert found.samples_needed() is None, "functions say nothing about samples"
    trace = _operator(np.random.default_rng(0), population).trace()
    assert trace.samples_needed() is None


def test_large_operators_are_estimated():
    """Beyond 1000 parameters nothing is formed: the same numbers from Lanczos and probes."""
    rng = np.random.default_rng(3)
    size = 1100
    diagonal = np.concatenate([[30.0, 20.0], np.linspace(-1.0, 2.0, size - 2)])
    shifts = 0.05 * rng.standard_normal(6)
    operator = hessian([lambda v, s=s: diagonal * v + s * v for s in shifts], size=size)
    mean = float(shifts.mean())
    found = examine(operator, {"a": np.arange(50), "b": np.arange(50, size)}, count=2, tolerance=0.2)
    np.testing.assert_allclose(found.ends[0].values, np.array([30.0, 20.0]) + mean, rtol=1e-6)
    np.testing.assert_allclose(found.ends[1].values[0], -1.0 + mean, rtol=1e-3)
    wanted = float(diagonal.sum() + size * mean)
    assert abs(found.trace.value - wanted) <= 5 * found.trace.error + 1e-9
    assert found.trace.population.low < float(diagonal.sum()) < found.trace.population.high
    (spectrum,) = found.spectra
    moment = spectrum.moment(2)
    assert abs(moment.value - np.square(diagonal + mean).mean()) < 5 * moment.error
    assert found.blocks.ratio.value < 1e-20
    with pytest.raises(ValueError, match="expected more than"):
        spectrum.log_determinant(0.5)
    exact = np.log(diagonal + mean + 2.0).sum()
    determinant = spectrum.log_determinant(2.0)
    assert abs(determinant.value - exact) < 5 * determinant.error
    (block,) = spectra(operator, {"a": np.arange(50)})
    np.testing.assert_allclose(block.eigenvalues, np.sort(diagonal[:50] + mean), atol=1e-12)
    assert spectrum.plot().axes and found.ends[0].plot().axes and found.plot().axes  # noqa: PT018


def test_one_batch_has_no_population():
    found = examine(hessian(np.diag(np.arange(1.0, 9.0))), [[0, 1], [2, 3]], count=1)
    assert found.ends[0].population is None
    assert found.trace.population is None
    assert found.blocks.population is None
    assert "unknown (one batch" in str(found)
