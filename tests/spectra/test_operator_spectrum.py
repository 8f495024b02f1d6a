"""Operators beyond diagonalisation: ends, bulk and outliers beside eigenvalues that are known."""

import json

import numpy as np
import pytest
from scipy.sparse import diags, random_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from rmtsim import spectrum
from rmtsim.laws import Semicircle
from rmtsim.matrix_free._lanczos import converged_ends
from rmtsim.spectra import OperatorSpectrum

SIZE = 4200


def semicircle(outliers=()):
    values = np.asarray(
        Semicircle(2.25).ppf((np.arange(SIZE - len(outliers)) + 0.5) / (SIZE - len(outliers)))
    )
    return np.concatenate([values + 0.5, outliers])


def operator(values):
    return aslinearoperator(diags(values))


def probed(values, seed=0, **options):
    found = spectrum(operator(values), rng=np.random.default_rng(seed), **options)
    assert isinstance(found, OperatorSpectrum)
    return found


def test_a_semicircle_with_outliers_at_both_ends():
    found = probed(semicircle((4.6, 4.2, -3.4)), seed=1, name="known")
    np.testing.assert_allclose([o.eigenvalue for o in found.outliers], [4.6, 4.2, -3.4], atol=1e-6)
    assert all(o.log10_p < -10 for o in found.outliers)
    assert abs(found.centre - 0.5) < 4 * found.centre_error < 0.1
    assert abs(found.sigma * np.sqrt(SIZE) - 1.5) < 4 * found.sigma_error * np.sqrt(SIZE) < 0.05
    assert found.fits
    # θ + v/θ about the centre: what a signal θ does to a Wigner matrix of variance v.
    theta = found.outliers[0].spike - found.centre
    assert theta + SIZE * found.sigma**2 / theta == pytest.approx(4.6 - found.centre, rel=1e-9)
    for values, residuals in zip((found.top, found.bottom), found.residuals, strict=True):
        distance = np.abs(values[:, None] - semicircle((4.6, 4.2, -3.4))).min(axis=1)
        assert (distance <= residuals + 1e-12).all()
    assert found.complete == (True, True)
    assert "3 at level" in found.report()
    assert json.loads(json.dumps(found.to_dict()))["rank"] == 3
    assert found.plot().axes[0].get_xlabel() == "eigenvalue"


def test_noise_alone_has_no_outlier_and_the_fit_keeps_its_level():
    results = [probed(semicircle(), seed) for seed in range(2, 5)]
    assert sum(found.rank for found in results) == 0
    assert sum(not found.fits for found in results) <= 1
    assert "none at level" in results[0].report()


def test_another_bulk_does_not_fit_and_its_density_is_right():
    values = np.concatenate([np.linspace(0.0, 1.0, SIZE - 9), 3.0 + np.arange(9)])
    found = probed(values)
    assert not found.fits
    assert found.complete[0] is False
    assert "there may be more at the top" in found.report()
    assert "DOES NOT FIT" in found.report()
    estimate = found.density.cdf(0.3)
    # One of the nine is left in the bulk's operator.
    assert abs(estimate.value - 0.3) < 4 * estimate.error + 1e-3


def test_settled_ends_are_isolated_and_a_krylov_space_that_ends_is_exact():
    top, bottom = converged_ends(lambda v: np.array([1.0, 2.0, 5.0]) * v, 3, np.ones(3), 10, 2)
    np.testing.assert_allclose(top.values, [5, 2])
    np.testing.assert_allclose(bottom.values, [1, 2])
    same, _ = converged_ends(lambda v: 2 * v, 5, np.ones(5), 10, 3)
    np.testing.assert_allclose(same.values, [2.0])


def test_refusals():
    large = operator(semicircle())
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="rng=None"):
        spectrum(large)
    for options in (
        {"samples": 10},
        {"kind": "covariance"},
        {"centre": True},
        {"beta": 2},
        {"population": [1]},
    ):
        with pytest.raises(ValueError, match="expected"):
            spectrum(large, rng=rng, **options)
    with pytest.raises(TypeError, match="rng"):
        spectrum(large, rng=3.0)
    skew = LinearOperator((SIZE, SIZE), matvec=lambda v: np.roll(np.ravel(v), 1), dtype=float)
    with pytest.raises(ValueError, match="symmetric"):
        spectrum(skew, rng=rng)


@pytest.mark.parametrize(
    "values",
    [np.zeros(SIZE), np.ones(SIZE), np.repeat([-1.0, 1.0], SIZE // 2), np.eye(1, SIZE)[0], -np.ones(SIZE)],
    ids=["zero", "identity", "two values", "rank one", "negative"],
)
def test_degenerate_operators_have_no_bulk_that_fits(values):
    found = spectrum(operator(values), rng=np.random.default_rng(0))
    assert not found.fits
    assert found.report()


def test_sparse_matrices():
    half = random_array((SIZE, SIZE), density=1e-3, rng=np.random.default_rng(0))
    assert isinstance(spectrum(half + half.T, rng=np.random.default_rng(1)), OperatorSpectrum)
    assert spectrum(random_array((60, 40), density=0.5, rng=np.random.default_rng(0))).samples == 60


@pytest.mark.parametrize("power", [-1000, 1000])
def test_operators_beyond_the_range_of_squares_are_divided_by_a_power_of_two(power):
    values = semicircle()
    values[-1] = 5.0
    found = spectrum(operator(np.ldexp(values, power)), rng=np.random.default_rng(0))
    usual = spectrum(operator(values), rng=np.random.default_rng(0))
    assert found.scale != 1
    assert usual.scale == 1
    factor = np.ldexp(1.0, -power) * found.scale  # powers of two: exact
    np.testing.assert_allclose(factor * found.top, usual.top, rtol=1e-12)
    assert (found.rank, found.fits) == (usual.rank, usual.fits) == (1, True)
    assert "was divided by" in found.report()
