"""Analytical non-linear shrinkage: close to the oracle, better than the sample, invariant, refusals."""

import numpy as np
import pytest

from rmtsim.spectra import shrink_covariance


def draw(dimension, samples, seed):
    """Population of three levels, as in the literature: a fifth at 1, two fifths at 3, two fifths at 10."""
    rng = np.random.default_rng(seed)
    population = np.repeat(
        [1.0, 3.0, 10.0], [dimension // 5, 2 * dimension // 5, dimension - 3 * (dimension // 5)]
    )
    return population, rng.standard_normal((samples, dimension)) * np.sqrt(population)


@pytest.mark.parametrize(("dimension", "samples"), [(100, 300), (200, 100)])
def test_gain_over_the_sample_is_near_the_oracles(dimension, samples):
    """PRIAL: share of the possible gain; the paper reports above 95 % at these sizes, here 90 % is asked for."""
    lost, best, plain = 0.0, 0.0, 0.0
    for seed in range(4):
        population, data = draw(dimension, samples, seed)
        truth = np.diag(population)
        found = shrink_covariance(data, centre=False)
        sample = data.T @ data / samples
        vectors = np.linalg.eigh(sample)[1]
        oracle = np.einsum("ij,i,ij->j", vectors, population, vectors)
        lost += np.linalg.norm(found.covariance - truth) ** 2
        plain += np.linalg.norm(sample - truth) ** 2
        best += np.linalg.norm((vectors * oracle) @ vectors.T - truth) ** 2
        assert np.linalg.eigvalsh(found.covariance)[0] > 0
    assert (plain - lost) / (plain - best) > 0.9


def test_units_and_rotations_do_not_matter():
    _, data = draw(30, 90, 1)
    found = shrink_covariance(data)
    q = np.linalg.qr(np.random.default_rng(2).standard_normal((30, 30)))[0]
    np.testing.assert_allclose(
        shrink_covariance(3 * data @ q).covariance, 9 * q.T @ found.covariance @ q, rtol=1e-7, atol=1e-9
    )
    np.testing.assert_allclose(shrink_covariance(data + 5.0).covariance, found.covariance, atol=1e-9)
    assert found.samples == 89
    np.testing.assert_allclose(np.linalg.eigvalsh(found.covariance), np.sort(found.eigenvalues), rtol=1e-10)


@pytest.mark.parametrize(
    ("data", "named"),
    [(np.ones((5, 3)), "5 rows"), (np.ones((40, 3)), "full rank"), (np.full((40, 3), np.nan), "nan")],
)
def test_bad_data(data, named):
    with pytest.raises(ValueError, match=named):
        shrink_covariance(data)
