"""Analytical non-linear shrinkage: close to the oracle, better than the sample, invariant, refusals."""

import mpmath
import numpy as np
import pytest

from rmtsim.spectra import shrink_covariance
from rmtsim.spectra._shrinkage import _kernel_hilbert


def draw(dimension, samples, seed):
    """Population of three levels, as in the literature: a fifth at 1, two fifths at 3, two fifths at 10."""
    rng = np.random.default_rng(seed)
    population = np.repeat(
        [1.0, 3.0, 10.0], [dimension // 5, 2 * dimension // 5, dimension - 3 * (dimension // 5)]
    )
    return population, rng.standard_normal((samples, dimension)) * np.sqrt(population)


@pytest.mark.parametrize(("dimension", "samples"), [(100, 300), (200, 100)])
def test_gain_over_the_sample_is_near_the_oracles(dimension, samples):
    """PRIAL: share of the possible gain; the paper reports above 95 % at these sizes, here 90 % is required."""
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


def test_kernel_against_fifty_digits():
    """The Hilbert transform of the kernel, also where the closed form cancels."""

    def exact(x):
        with mpmath.workdps(60):
            x, root = mpmath.mpf(x), mpmath.sqrt(5)
            logarithm = mpmath.log(abs((root - x) / (root + x)))
            return -3 * x / (10 * mpmath.pi) + 3 * (1 - x * x / 5) * logarithm / (4 * root * mpmath.pi)

    for x in (0.1, 1.0, 2.0, 3.0, 4.47, 4.48, 20.0, 1e3, -1e8, 1e12):
        assert _kernel_hilbert(np.array([x]))[0] == pytest.approx(float(exact(x)), rel=2e-14)
    root = np.sqrt(5.0)
    assert _kernel_hilbert(np.array([root]))[0] == pytest.approx(-3 * root / (10 * np.pi), rel=1e-14)


@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("samples", [99, 100, 101])
def test_as_many_samples_as_features(samples, centre):
    """The smallest eigenvalues are tiny beside the others; the loss stays near that of the best eigenvalues."""
    lost = best = plain = 0.0
    for seed in range(6):
        population, data = draw(100, samples, seed)
        truth = np.diag(population)
        sample = data.T @ data / samples
        vectors = np.linalg.eigh(sample)[1]
        oracle = np.einsum("ij,i,ij->j", vectors, population, vectors)
        lost += np.linalg.norm(shrink_covariance(data, centre=centre).covariance - truth) ** 2
        best += np.linalg.norm((vectors * oracle) @ vectors.T - truth) ** 2
        plain += np.linalg.norm(sample - truth) ** 2
    assert lost < 1.2 * best
    assert lost < 0.4 * plain
