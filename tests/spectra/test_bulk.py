"""Bulk fits: identities of the Chebyshev means, errors at the statistical floor, levels by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.laws import MarchenkoPastur, Semicircle
from rmtsim.spectra._bulk import WignerBulk, WishartBulk
from rmtsim.spectra._chebyshev import chebyshev_sums, expected_sums, outer_root
from rmtsim.spectra._outliers import separate
from rmtsim.spectra._populated import PopulatedBulk, _Shape

NONE = np.array([])


def eigenvalues(d, n, rng, spikes=()):
    rows = rng.standard_normal((d, n))
    rows[: len(spikes)] *= np.sqrt(np.array(spikes))[:, None]
    return np.linalg.svd(rows, compute_uv=False) ** 2


@settings(deadline=None, max_examples=30)
@given(ratio=st.floats(0.01, 0.98), order=st.integers(1, 8))
def test_means_are_integrals_of_the_law(ratio, order):
    law, angle = MarchenkoPastur(ratio), np.pi * (np.arange(4000) + 0.5) / 4000
    x = 1 + ratio + 2 * np.sqrt(ratio) * np.cos(angle)
    weights = np.asarray(law.density(x)) * 2 * np.sqrt(ratio) * np.sin(angle) * np.pi / 4000
    integral = np.cos(np.outer(np.arange(1, order + 1), angle)) @ weights
    # β = 2 has no further term, so one eigenvalue's mean is the law's.
    np.testing.assert_allclose(expected_sums(1, ratio, NONE, 2, order), integral, atol=1e-9)


def test_means_of_the_semicircle():
    angle = np.pi * (np.arange(400) + 0.5) / 400
    weights = np.asarray(Semicircle().density(2 * np.cos(angle))) * 2 * np.sin(angle) * np.pi / 400
    np.testing.assert_allclose(
        expected_sums(1, None, NONE, 2, 6), np.cos(np.outer(np.arange(1, 7), angle)) @ weights, atol=1e-12
    )


@settings(deadline=None, max_examples=100)
@given(st.floats(1.0, 1e6))
def test_outer_root_inverts(u):
    root = outer_root(np.array([u, -u]))
    np.testing.assert_allclose(0.5 * (root + 1 / root), [u, -u], rtol=1e-14)
    assert (np.abs(root) >= 1).all()


def test_sums_agree_with_the_recurrence():
    u = np.random.default_rng(0).uniform(-1, 1, 20)
    before, now = np.ones(20), u
    for value in chebyshev_sums(u, 8):
        assert value == pytest.approx(now.sum(), abs=1e-12)
        before, now = now, 2 * u * now - before


@pytest.mark.parametrize(("d", "n"), [(40, 90), (90, 40)])
def test_contours_give_the_closed_form_for_equal_variances(d, n):
    # Two population values a hair apart go through the general machinery.
    shape = _Shape(d, n, np.array([1 - 1e-7, 1 + 1e-7]), np.array([0.5, 0.5]), 1)
    means, covariance, moved = shape.normal_limit(6)
    np.testing.assert_allclose(means, expected_sums(40, 40 / 90, NONE, 1, 6), atol=1e-5)
    np.testing.assert_allclose(covariance, np.diag(np.arange(1, 7) / 2), atol=1e-5)
    np.testing.assert_allclose(moved[1:], 0, atol=1e-4)
    for spike in (2.7, 9.0):
        root = (spike - 1) / np.sqrt(d / n)
        np.testing.assert_allclose(shape.lost(spike, 6), -0.5 * root ** -np.arange(1.0, 7), atol=1e-5)


def test_the_lost_part_is_what_simulation_loses():
    """Mean of Σ T_k over the bulk with one spike near the threshold, 500 matrices: 4 standard errors."""
    rng, d, n, spike = np.random.default_rng(1), 40, 80, 3.0
    bulk = WishartBulk(d, n)
    frame = bulk._frame(1.0, 1)
    sums = np.array(
        [chebyshev_sums(frame.points(np.sort(eigenvalues(d, n, rng, [spike]))[:-1]), 2) for _ in range(500)]
    )
    expected = expected_sums(d - 1, (d - 1) / (n - 1), np.array([(spike - 1) / np.sqrt((d - 1) / n)]), 1, 2)
    error = sums.std(axis=0) / np.sqrt(500)
    assert (np.abs(sums.mean(axis=0) - expected) < 4 * error + 0.1).all()
    # Without the spike's part it would be off by far more.
    without = expected_sums(d - 1, (d - 1) / (n - 1), NONE, 1, 2)
    assert abs(sums.mean(axis=0)[0] - without[0]) > 4 * error[0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("d", "n", "spikes", "runs"),
    [(30, 60, (), 600), (25, 250, (), 500), (60, 30, (25.0, 18.0), 250), (40, 80, (20.0,) * 8, 100)],
)
def test_level_and_floor(d, n, spikes, runs):
    """False outliers at level 0.05, the p-value of the fit at 0.05, σ beside the floor of Gaussian entries."""
    rng = np.random.default_rng(d * n)
    false = rejected = found = 0
    errors = []
    for _ in range(runs):
        values, bulk = eigenvalues(d, n, rng, spikes), WishartBulk(d, n)
        split = separate(values, bulk, 0.05)
        frame = bulk.fit(values, split.outliers)
        count = int(split.outliers.sum())
        false += count > len(spikes)
        found += count >= len(spikes)
        errors.append(frame.scale - 1)
        rejected += bulk.goodness(values, split.outliers, frame).p_value < 0.05
    # 0.05 plus three standard errors of the runs.
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert false / runs < limit
    assert rejected / runs < limit
    assert found == runs
    m, k = min(d, n), len(spikes)
    floor = 1 / np.sqrt(2 * (m - k) * (max(d, n) - k))
    assert np.sqrt(np.mean(np.square(errors))) < 1.25 * floor


def test_wigner_level_and_spikes():
    rng, runs, n = np.random.default_rng(3), 300, 50
    false = rejected = 0
    for _ in range(runs):
        rows = rng.standard_normal((n, n))
        values = np.sort(np.linalg.eigvalsh((rows + rows.T) / np.sqrt(2) + 5 * np.eye(n)))[::-1]
        bulk = WignerBulk(n)
        split = separate(values, bulk, 0.05, both=True)
        false += split.outliers.any()
        rejected += bulk.goodness(values, split.outliers, bulk.fit(values, split.outliers)).p_value < 0.05
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert false / runs < limit
    assert rejected / runs < limit


@pytest.mark.thorough
def test_populated_level():
    rng, runs, d, n = np.random.default_rng(4), 150, 60, 180
    variances = np.repeat([1.0, 4.0], 30)
    false = rejected = 0
    scales = []
    for _ in range(runs):
        values = (
            np.linalg.svd(np.sqrt(variances)[:, None] * rng.standard_normal((d, n)), compute_uv=False) ** 2
        )
        bulk = PopulatedBulk.of(variances, d, n, 1)
        split = separate(values, bulk, 0.05)
        frame = bulk.fit(values, split.outliers)
        false += split.outliers.any()
        rejected += bulk.goodness(values, split.outliers, frame).p_value < 0.05
        scales.append(frame.scale)
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert false / runs < limit
    assert rejected / runs < limit
    assert np.mean(scales) == pytest.approx(np.sqrt(2.5), rel=3e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("d", "n"), [(20, 40), (60, 60), (60, 600), (150, 300)])
def test_level_with_many_runs(d, n):
    """3000 null matrices: levels 0.05 and 0.01 of outliers and fit, three standard errors and a tenth."""
    rng, runs = np.random.default_rng(9), 3000
    tails, fits = [], []
    for _ in range(runs):
        values, bulk = eigenvalues(d, n, rng), WishartBulk(d, n)
        split = separate(values, bulk, 0.1)
        tails.append(split.log_tails[0] if split.outliers.any() else split.next_log_tail)
        none = np.zeros(values.shape, dtype=bool)
        fits.append(bulk.goodness(values, none, bulk.fit(values, none)).p_value)
    for level in (0.05, 0.01):
        limit = 1.1 * level + 3 * np.sqrt(level / runs)
        assert np.mean(np.exp(tails) < level) < limit
        assert np.mean(np.array(fits) < level) < limit
