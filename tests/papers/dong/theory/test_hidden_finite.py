"""Functions at finite C: the methods agree where more than one applies; squares and averages by plain sampling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rmtsim.papers.dong.theory import hidden_finite as finite
from rmtsim.papers.dong.theory.softmax_curvature import curvature_means, curvature_second_moments


def _forget():
    for cached in (
        finite._shared_diagonal,
        finite._shared_offdiagonal,
        finite.output_ce_diagonal,
        finite.output_ce_offdiagonal,
    ):
        cached.cache_clear()


@pytest.mark.parametrize(
    ("hidden", "points"),
    [
        (8, 8),
        *(
            pytest.param(hidden, points, marks=pytest.mark.slow)
            for hidden, points in ((5, 8), (5, 128), (8, 128))
        ),
    ],
)
def test_few_and_many_points_agree_at_ten_thousand_classes(monkeypatch, hidden, points):
    """From 10⁴ and 10⁵ classes on fewer points are used; either number must give the same function there."""
    usual = finite.hidden_ce_offdiagonal(0.1, hidden, 10**4), finite.hidden_ce_diagonal(0.1, hidden, 10**4)
    monkeypatch.setattr(finite, "_points", lambda hidden, classes: points)
    _forget()
    other = finite.hidden_ce_offdiagonal(0.1, hidden, 10**4), finite.hidden_ce_diagonal(0.1, hidden, 10**4)
    _forget()
    for one, two in zip(usual, other, strict=True):
        assert abs(one.value - two.value) < 5 * math.hypot(one.error, two.error) + 1e-12 * one.value


@pytest.mark.parametrize("classes", [9_999, 10_000])
def test_the_output_layer_does_not_jump_where_its_tilt_does(classes):
    near = 9_900 if classes == 9_999 else 10_100
    for function, power in ((finite.output_ce_diagonal, 2), (finite.output_ce_offdiagonal, 4)):
        here, there = function(6, classes), function(6, near)
        ratio = here.value / there.value * (classes / near) ** power
        error = math.hypot(here.error / here.value, there.error / there.value)
        assert abs(ratio - 1) < 5 * error + 2e-4


@pytest.fixture(scope="module")
def drawn():
    """ξ and η at pairs of inputs that share V: (pairs of inputs × V draws), m = 4, C = 6."""
    rng, m, c, count = np.random.default_rng(3), 4, 6, 60_000
    v = rng.standard_normal((count, c, m)) / math.sqrt(m)
    result = {}
    for name in ("one", "two"):
        z = rng.standard_normal((count, m))
        logits = np.einsum("ncm,nm->nc", v, np.maximum(z, 0))
        p = np.exp(logits)
        p /= p.sum(axis=1, keepdims=True)
        means = np.einsum("nc,ncm->nm", p, v)
        xi = np.einsum("nc,nc->n", p, v[:, :, 0] ** 2) - means[:, 0] ** 2
        eta = np.einsum("nc,nc->n", p, v[:, :, 0] * v[:, :, 1]) - means[:, 0] * means[:, 1]
        result[name] = xi * (z[:, 0] > 0), eta * (z[:, :2] > 0).all(axis=1)
    return result


@pytest.mark.thorough
@pytest.mark.parametrize("which", [0, 1])
def test_both_terms_by_plain_sampling(drawn, which):
    """h = γE[λ²] + E[λ(z)λ(z')]: a plain average over V and two inputs, nothing else."""
    gamma = 0.7
    one, two = drawn["one"][which], drawn["two"][which]
    values = gamma * (one**2 + two**2) / 2 + one * two
    error = values.std() / math.sqrt(values.size)
    function = (finite.hidden_ce_diagonal, finite.hidden_ce_offdiagonal)[which]
    assert abs(values.mean() - function(gamma, 4, 6).value) < 4.5 * error
    # The printed form differs by the variance of E[λ|V].
    printed = (finite.printed_hidden_ce_diagonal, finite.printed_hidden_ce_offdiagonal)[which]
    means = gamma * ((one**2 + two**2) / 2).mean() + (one.mean() + two.mean()) ** 2 / 4
    assert abs(means - printed(gamma, 4, 6)) < 4.5 * (
        error + 2 * one.std() * abs(one.mean()) / math.sqrt(one.size)
    )


@pytest.mark.parametrize("gamma", [0.2, 3.0])
def test_what_the_paper_prints_is_made_of_its_own_moments(gamma):
    """(91), (92): γ times a second moment plus a mean times itself, for every method that computes them."""
    second, mean = curvature_second_moments(4, 6), curvature_means(4, 6)
    diagonal, offdiagonal = (
        finite.printed_hidden_ce_diagonal(gamma, 4, 6),
        finite.printed_hidden_ce_offdiagonal(gamma, 4, 6),
    )
    assert diagonal == pytest.approx(gamma * second[0] + mean[0] * mean[0], rel=1e-12)
    assert offdiagonal == pytest.approx(gamma * second[1] + mean[1] * mean[1], rel=1e-12)
