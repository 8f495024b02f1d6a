"""Finite-C functions against brute-force Monte Carlo, with fixed seeds and errors of 4.5 standard errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rmtsim.papers.dong.theory import hidden_finite as dong_hidden_finite
from rmtsim.papers.dong.theory import hidden_limits as dong_hidden
from rmtsim.papers.dong.theory.softmax_curvature import (
    curvature_means,
    curvature_moments,
    curvature_second_moments,
)
from rmtsim.papers.dong.theory.softmax_overlap import OverlapGeometry, curvature_product, probability_products


def close(value, samples, sigmas=4.5):
    return abs(samples.mean() - value) < sigmas * samples.std() / math.sqrt(samples.size)


def softmax(logits):
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("variance", "classes"), [(0.5, 5), (2.0, 2), (1.0, 3), (3.0, 40)])
def test_moments_of_the_weighted_covariance(variance, classes):
    rng = np.random.default_rng(1)
    u = rng.standard_normal((100_000, classes)) * math.sqrt(variance)
    r = softmax(u)
    mean = (r * u).sum(axis=1)
    spread = ((r * u**2).sum(axis=1) - mean**2) / variance
    trace = 1 - (r**2).sum(axis=1)
    square = (r**2).sum(axis=1) - 2 * (r**3).sum(axis=1) + (r**2).sum(axis=1) ** 2
    slope = (r**2 * (u - mean[:, None]) ** 2).sum(axis=1) / variance
    found = curvature_moments(variance, classes)
    assert close(found.both, spread**2)
    assert close(found.mixed, spread * trace)
    assert close(found.trace, trace**2)
    assert close(found.deviation, (spread - trace) ** 2)
    assert close(found.slope, slope)
    assert close(found.square, square)


@pytest.mark.parametrize(("hidden", "classes"), [(3, 2), (4, 7), (8, 30)])
def test_single_input_moments_over_networks(hidden, classes):
    rng = np.random.default_rng(2)
    draws = 60_000
    z = rng.standard_normal((draws, hidden))
    v = rng.standard_normal((draws, classes, hidden)) / math.sqrt(hidden)
    r = softmax((v @ np.maximum(z, 0.0)[:, :, None])[:, :, 0])

    def covariance(i, j):
        product = (r * v[:, :, i] * v[:, :, j]).sum(axis=1)
        return product - (r * v[:, :, i]).sum(axis=1) * (r * v[:, :, j]).sum(axis=1)

    xi = (z[:, 0] > 0) * covariance(0, 0)
    eta = (z[:, :2] > 0).all(axis=1) * covariance(0, 1)
    second, first = curvature_second_moments(hidden, classes), curvature_means(hidden, classes)
    assert close(second[0], xi**2)
    assert close(second[1], eta**2)
    assert close(first[0], xi)
    assert close(first[1], eta)


@pytest.mark.parametrize(
    ("hidden", "classes", "parallel"), [(3, 2, False), (4, 5, False), (5, 30, True), (8, 30, False)]
)
def test_products_at_two_inputs(hidden, classes, parallel):
    rng = np.random.default_rng(3)
    s, t = np.abs(rng.standard_normal((2, hidden)))
    t = 0.7 * s if parallel else t
    v = rng.standard_normal((50_000, classes, hidden)) / math.sqrt(hidden)
    p, q = softmax(v @ s), softmax(v @ t)

    def covariance(weights, i, j):
        product = (weights * v[:, :, i] * v[:, :, j]).sum(axis=1)
        return product - (weights * v[:, :, i]).sum(axis=1) * (weights * v[:, :, j]).sum(axis=1)

    geometry = OverlapGeometry(s, t)
    for pair in ((0, 1), (0, 0)):
        values = hidden**2 * covariance(p, *pair) * covariance(q, *pair)
        assert close(curvature_product(geometry, classes, pair), values)
    one, two = probability_products(geometry, classes)
    assert close(one, classes**2 * (p * (1 - p) * q * (1 - q)).mean(axis=1))
    both = ((p * q).sum(axis=1) ** 2 - (p**2 * q**2).sum(axis=1)) / (classes * (classes - 1))
    assert close(two, classes**4 * both)


@pytest.mark.thorough
def test_finite_class_functions_match_the_gaussian_pre_activation_model():
    """h and q at m = 6, C = 12 by brute force: V drawn, many z for each, all pairs of z."""
    hidden, classes, gamma, rng = 6, 12, 0.8, np.random.default_rng(4)
    rows = []
    for _ in range(1500):
        v = rng.standard_normal((classes, hidden)) / math.sqrt(hidden)
        z = rng.standard_normal((60, hidden))
        s = np.maximum(z, 0.0)
        p = softmax(s @ v.T)
        mean = p @ v
        cov = np.einsum("nc,ci,cj->nij", p, v, v) - mean[:, :, None] * mean[:, None, :]
        cov *= (z > 0)[:, :, None] * (z > 0)[:, None, :]
        shared = (cov.sum(axis=0) ** 2 - (cov**2).sum(axis=0)) / (60 * 59)
        h = gamma * (cov**2).mean(axis=0) + shared
        gram = (s @ s.T) ** 2
        np.fill_diagonal(gram, 0.0)
        own = p * (1 - p)
        pairs = (p @ p.T) ** 2 - (p**2) @ (p**2).T
        rows.append(
            (
                np.trace(h) / hidden,
                (h.sum() - np.trace(h)) / (hidden * (hidden - 1)),
                (gram * (own @ own.T)).sum() / (60 * 59 * classes),
                (gram * pairs).sum() / (60 * 59 * classes * (classes - 1)),
            )
        )
    table = np.array(rows)
    found = (
        dong_hidden_finite.hidden_ce_diagonal(gamma, hidden, classes),
        dong_hidden_finite.hidden_ce_offdiagonal(gamma, hidden, classes),
        dong_hidden_finite.output_ce_diagonal(hidden, classes),
        dong_hidden_finite.output_ce_offdiagonal(hidden, classes),
    )
    for column, estimate in zip(table.T, found, strict=True):
        error = math.hypot(column.std() / math.sqrt(len(column)), estimate.error)
        assert abs(column.mean() - estimate.value) < 4.5 * error
        assert estimate.error < 0.005 * estimate.value
    printed = dong_hidden_finite.printed_hidden_ce_offdiagonal(gamma, hidden, classes)
    assert abs(table[:, 1].mean() - printed) > 5 * table[:, 1].std() / math.sqrt(len(table))


@pytest.mark.parametrize("hidden", [5, 8])
def test_finite_class_functions_approach_their_limits(hidden):
    classes, gamma = 10**8, 0.4
    assert dong_hidden_finite.hidden_ce_diagonal(gamma, hidden, classes).value == pytest.approx(
        dong_hidden.hidden_ce_diagonal_limit(gamma, hidden), rel=1e-3
    )
    assert classes * dong_hidden_finite.hidden_ce_offdiagonal(gamma, hidden, classes).value == pytest.approx(
        dong_hidden.hidden_ce_offdiagonal_limit(gamma, hidden), rel=3e-3
    )
    assert classes**2 * dong_hidden_finite.output_ce_diagonal(hidden, classes).value == pytest.approx(
        dong_hidden.output_ce_diagonal_limit(hidden), rel=1e-3
    )


def test_values_repeat():
    first = dong_hidden_finite.output_ce_diagonal(5, 50)
    dong_hidden_finite.output_ce_diagonal.cache_clear()
    assert dong_hidden_finite.output_ce_diagonal(5, 50) == first
