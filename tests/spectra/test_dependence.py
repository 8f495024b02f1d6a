"""Dependent rows and columns: found, removed where they are autoregressive, and otherwise a reason for no rank."""

import numpy as np
import pytest

from rmtsim.spectra import spectrum
from rmtsim.spectra._dependence import _Rest, equal_columns, lag_dependence, whitened

SHAPE = (60, 30)


def autoregressive(rng, memory, shape=SHAPE):
    z = rng.standard_normal(shape)
    for row in range(1, shape[0]):
        z[row] = memory * z[row - 1] + np.sqrt(1 - memory**2) * z[row]
    return z


@pytest.mark.parametrize("kind", ["gaussian", "t3", "rows", "complex"])
@pytest.mark.parametrize("removed", [0, 3])
def test_scores_are_standard(kind, removed):
    """300 draws of independent entries, with smooth components added and removed: mean 0 and variance 1 at each lag."""
    scores = []
    smooth = np.linalg.qr(np.vander(np.linspace(-1, 1, SHAPE[0]), 3))[0]
    for seed in range(300):
        rng = np.random.default_rng([1, seed])
        noise = rng.standard_t(3, SHAPE) if kind == "t3" else rng.standard_normal(SHAPE)
        if kind == "complex":
            noise = noise + 1j * rng.standard_normal(SHAPE)
        if kind == "rows":
            noise *= np.linspace(0.3, 3, SHAPE[0])[:, None]
        if removed:
            noise = noise + 1e3 * smooth @ rng.standard_normal((3, SHAPE[1]))
        rest = _Rest(noise, removed)
        scores.append([rest.lag(axis, lag)[0] for axis in (0, 1) for lag in (1, 3)])
    assert np.abs(np.mean(scores, axis=0)).max() < 4.5 / np.sqrt(300)
    assert np.std(scores, axis=0) == pytest.approx(np.ones(4), abs=0.2)


@pytest.mark.parametrize("memory", [-0.6, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("axis", [0, 1])
def test_autoregressive_noise_is_whitened(memory, axis):
    rng = np.random.default_rng(5)
    data = autoregressive(rng, memory, (80, 50))
    found = whitened(data if axis == 0 else data.T, lambda _: 0)
    assert found.correlations[axis] == pytest.approx(memory, abs=0.07)
    assert lag_dependence(found.data, 0) == ""
    assert lag_dependence(data if axis == 0 else data.T, 0) != ""


@pytest.mark.thorough
@pytest.mark.parametrize("memory", [0.3, 0.8])
def test_rank_of_a_signal_in_autoregressive_noise(memory):
    """A component is found and counted once; noise alone has none in at least 10 of 12 draws."""
    counts, signals = [], []
    for seed in range(12):
        rng = np.random.default_rng([2, seed])
        noise = autoregressive(rng, memory)
        component = np.outer(rng.standard_normal(SHAPE[0]), rng.standard_normal(SHAPE[1]))
        counts.append(spectrum(noise).rank)
        signals.append(spectrum(noise + component).rank)
    assert sum(count in (0, None) for count in counts) >= 10
    assert sum(count == 1 for count in signals) >= 9


def test_other_dependence_gives_no_rank():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((120, 40))
    moving = noise[2:] + noise[:-2]
    found = spectrum(moving)
    assert found.rank is None
    assert "correlated" in found.reason
    mixed = (
        rng.standard_normal((120, 40))
        @ np.linalg.qr(rng.standard_normal((40, 40)))[0]
        @ np.diag(np.repeat([1.0, 3.0], 20))
    )
    turned = mixed @ np.linalg.qr(rng.standard_normal((40, 40)))[0]
    assert spectrum(turned).rank is None


def test_equal_columns_are_named():
    data = np.random.default_rng(0).standard_normal((60, 20))
    data[:, 7] = data[:, 3]
    assert "columns 3 and 7 are equal" in spectrum(data).reason
    sparse = (np.random.default_rng(1).random((20, 12)) < 0.05) * 1.0
    assert equal_columns(sparse) == ""


def test_interval():
    rng = np.random.default_rng(3)
    data = rng.standard_normal((100, 40))
    data[:, 0] *= 4
    found = spectrum(data)
    low, high = found.rank_interval
    assert low == found.rank == 1
    assert 1 <= high <= 4
    assert found.to_dict()["rank_interval"] == [low, high]
    covered = 0
    for seed in range(40):
        z = np.random.default_rng([4, seed]).standard_normal((40, 20))
        z[:, 0] *= 3
        low, high = spectrum(z).rank_interval
        covered += low <= 1 <= high
    assert covered >= 34


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("complex_", [False, True])
def test_correlations_that_differ_from_pair_to_pair(turned, complex_):
    """Pairs of columns with correlations ±0.4: their sum vanishes, the sum of squares does not."""
    rng = np.random.default_rng(11)
    data = rng.standard_normal((200, 60)) + complex_ * 1j * rng.standard_normal((200, 60))
    assert lag_dependence(data.T if turned else data, 0) == ""
    signs = np.tile([0.4, -0.4], 15)
    data[:, 1::2] = signs * data[:, 0::2] + np.sqrt(1 - signs**2) * data[:, 1::2]
    words = lag_dependence(data.T if turned else data, 0)
    assert words.startswith("rows" if turned else "columns")
    assert "at lag 1 by 0.2" in words
    assert "root mean square" in words
    found = spectrum(data.T if turned else data, kind="covariance")
    assert found.rank is None


def test_scores_of_pairs_have_their_level():
    """The score of the squares is standard normal to the accuracy of its approximation, components removed or not."""
    scores = []
    for seed in range(150):
        rng = np.random.default_rng([12, seed])
        rest = _Rest(rng.standard_t(5, (60, 40)), seed % 3)
        scores += [rest.lag(axis, lag)[2] for axis in (0, 1) for lag in (1, 2)]
    assert np.mean(scores) == pytest.approx(0, abs=0.15)
    assert np.std(scores) == pytest.approx(1, abs=0.1)
    assert np.mean(np.array(scores) > 1.645) < 0.08
