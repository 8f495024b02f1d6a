"""Compiled descents on least squares against their closed form and a plain loop."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.l2l.simulation.kernels.least_squares import stochastic_descent, truncated_descent

seeds = st.integers(0, 2**32)


@settings(max_examples=60)
@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 30), st.sampled_from([0.5, 3.0, np.inf]), seeds)
def test_truncated_descent(count, many, steps, threshold, seed):
    rng = np.random.default_rng(seed)
    values, fitted, rates = rng.gamma(1.0, 1.0, count), rng.standard_normal(count), rng.uniform(0, 2, many)
    weights, stopped = np.empty((many, count)), np.empty(many, dtype=np.int64)
    truncated_descent(values, fitted, rates, steps, threshold, weights, stopped)
    for rate, found, when in zip(rates, weights, stopped, strict=True):
        path = (1 - (1 - rate * values) ** np.arange(1, steps + 1)[:, None]) * fitted
        beyond = np.flatnonzero(np.linalg.norm(path, axis=1) >= threshold)
        first = beyond[0] + 1 if beyond.size else 0
        assert when == first
        np.testing.assert_allclose(found, path[first - 1], rtol=1e-10, atol=1e-12 * np.abs(path).max())


@settings(max_examples=60)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 20), st.sampled_from([0.5, 3.0, np.inf]), seeds)
def test_stochastic_descent(samples, dimension, steps, threshold, seed):
    rng = np.random.default_rng(seed)
    design, labels = rng.standard_normal((samples, dimension)), rng.standard_normal(samples)
    order, weights, lengths = (
        rng.integers(samples, size=steps),
        rng.standard_normal(dimension),
        np.zeros(steps),
    )
    w, wanted, first = weights.copy(), np.zeros(steps), 0
    for step, n in enumerate(order):
        w = w - 0.2 * (design[n] @ w - labels[n]) * design[n]
        wanted[step] = w @ w
        if wanted[step] >= threshold**2:
            first = step + 1
            break
    assert stochastic_descent(design, labels, order, 0.2, threshold, weights, lengths) == first
    np.testing.assert_allclose(weights, w, rtol=1e-9, atol=1e-12 * max(1.0, np.abs(w).max()))
    np.testing.assert_allclose(lengths, wanted, rtol=1e-9)
