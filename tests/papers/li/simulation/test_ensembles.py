import numpy as np
import pytest

from rmtsim.papers.li.simulation import ensembles


@pytest.mark.parametrize(
    ("draw", "value", "second"),
    [
        (ensembles.wigner, 2.0, lambda n: 2.0 * (n + 1) / n),
        (ensembles.two_block, 0.3, lambda n: (1 + 0.1 + 2 * 0.3) / 4),
        (ensembles.deformed, 1.5, lambda n: 2.25 + (n + 1) / n),
        (ensembles.rectangular, 0.5, lambda n: 2 * 0.5 / 1.5),
    ],
)
def test_second_moments(draw, value, second):
    # E tr H²/n exactly, 400 draws, five standard errors.
    rng = np.random.default_rng(3)
    n = 20
    traces = [np.mean(np.linalg.eigvalsh(draw(n, value, rng)) ** 2) for _ in range(400)]
    assert abs(np.mean(traces) - second(n)) < 5 * np.std(traces) / np.sqrt(400)


def test_separable_covariance_of_entries():
    # Cov(W_ij, W_kl) = (L_ik L_jl + L_il L_jk)/n
    rng = np.random.default_rng(4)
    n, r = 4, 0.6
    draws = np.array([ensembles.separable(n, r, rng) for _ in range(20_000)])
    covariance = r ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    measured = np.einsum("a,ajk->jk", draws[:, 0, 1], draws) / len(draws)
    expected = (np.outer(covariance[0], covariance[1]) + np.outer(covariance[1], covariance[0])) / n
    np.testing.assert_allclose(measured, expected, atol=0.02)


def test_symmetric_and_banded():
    rng = np.random.default_rng(5)
    matrix = ensembles.banded(30, 0.1, rng)
    np.testing.assert_array_equal(matrix, matrix.T)
    with pytest.raises(TypeError, match="rng"):
        ensembles.banded(3, 0.1, 0.5)


@pytest.mark.parametrize("width", [1e-100, 1e160, 1e300])
def test_bands_of_any_width_are_finite(width):
    assert np.isfinite(ensembles.banded(4, width, np.random.default_rng(0))).all()
