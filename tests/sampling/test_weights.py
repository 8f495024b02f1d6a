"""Statistics of Gaussian weights: shortcuts have the law of the long way."""

import numpy as np
import pytest
from scipy import stats

from rmtsim.sampling.relu_network import input_dimension
from rmtsim.sampling.weights import gram_deviation, largest_entry, projection_deviation


def test_bidiagonal_model_has_the_law_of_the_gram_matrix():
    rng = np.random.default_rng(2)
    fast = [gram_deviation(12, 0.5, rng) for _ in range(400)]
    slow = []
    for _ in range(400):
        w = rng.standard_normal((12, input_dimension(12, 0.5))) / np.sqrt(input_dimension(12, 0.5))
        slow.append(np.abs(np.linalg.eigvalsh(w @ w.T) - 1).max())
    assert stats.ks_2samp(fast, slow).pvalue > 0.001


def test_projection_deviation_is_the_matrix_norm():
    rng = np.random.default_rng(3)
    value = projection_deviation(20, 3, np.random.default_rng(3), 1)[0]
    w = rng.standard_normal((1, 3, 20))[0] / np.sqrt(20)
    q = np.linalg.qr(w.T)[0]
    assert value == pytest.approx(np.sum((w.T @ w - q @ q.T) ** 2), rel=1e-10)


def test_largest_entry_has_the_law_of_the_largest_of_all_entries():
    """Against entries drawn one by one; a Kolmogorov–Smirnov test at level 1e-3."""
    rng = np.random.default_rng(5)
    short = largest_entry(6, 30, rng, 4000)
    drawn = np.abs(rng.standard_normal((4000, 180))).max(axis=1) / np.sqrt(30)
    assert stats.ks_2samp(short, drawn).pvalue > 1e-3
