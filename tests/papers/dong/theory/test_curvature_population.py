"""Populations as atoms: their moments are those of the softmax, and of the gated curvatures by plain sampling."""

from __future__ import annotations

import numpy as np
import pytest

from rmtsim.papers.dong.theory.curvature_population import hidden_population, linear_population
from rmtsim.papers.dong.theory.softmax_moments import softmax_moment


@pytest.mark.parametrize("classes", [2, 5, 30])
def test_moments_of_the_linear_populations(classes):
    """E[p(1-p)] and E[p₁p₂]; second moments up to what averages over 512 cells leave out (3 % at 30 classes)."""
    diagonal, offdiagonal = (linear_population(classes, which) for which in (True, False))
    pair = softmax_moment((1, 1), classes)
    assert diagonal.mean() == pytest.approx((classes - 1) * pair, rel=3e-3)
    assert offdiagonal.mean() == pytest.approx(pair, rel=3e-3)
    square = softmax_moment((2,), classes) - 2 * softmax_moment((3,), classes) + softmax_moment((4,), classes)
    assert (diagonal**2).mean() == pytest.approx(square, rel=0.05)
    assert (offdiagonal**2).mean() == pytest.approx(softmax_moment((2, 2), classes), rel=0.05)


@pytest.mark.parametrize("diagonal", [True, False])
def test_hidden_populations_by_plain_sampling(diagonal):
    rng = np.random.default_rng(1)
    output = rng.standard_normal((4, 3)) / np.sqrt(3)
    atoms, weights = hidden_population(output, diagonal)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    z = rng.standard_normal((200_000, 3))
    p = np.exp(np.maximum(z, 0) @ output.T)
    p /= p.sum(axis=1, keepdims=True)
    i, j = (0, 0) if diagonal else (0, 1)
    values = p @ (output[:, i] * output[:, j]) - (p @ output[:, i]) * (p @ output[:, j])
    values *= (z[:, i] > 0) & (z[:, j] > 0)
    for power in (1, 2):
        error = (values**power).std() / np.sqrt(len(values))
        assert abs((atoms**power * weights).sum() - (values**power).mean()) < 5 * error
