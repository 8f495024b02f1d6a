"""Meta-gradients on one quadratic against 50 digits; SGD moments against enumeration of all sample orders."""

import itertools

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.papers.l2l import theory as l2l


def exact_gradient(values, coordinates, step, steps):
    with mpmath.workdps(50 + int(steps * 0.1)):
        eta = mpmath.mpf(step)
        pairs = [(mpmath.mpf(v), mpmath.mpf(c) ** 2) for v, c in zip(values, coordinates, strict=True)]
        top = mpmath.fsum(c * v * v * (1 - eta * v) ** (2 * steps - 1) for v, c in pairs)
        return -2 * top / mpmath.fsum(c * v * (1 - eta * v) ** (2 * steps) for v, c in pairs)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(0.05, 50), min_size=2, max_size=6, unique=True),
    st.floats(1e-3, 2),
    st.integers(1, 3000),
    st.integers(0, 2**32 - 1),
)
def test_scaled_meta_gradient_has_the_digits_of_a_50_digit_value(values, step, steps, seed):
    coordinates = np.random.default_rng(seed).standard_normal(len(values))
    true = exact_gradient(values, coordinates, step, steps)
    found = l2l.log_meta_gradient(values, coordinates, step, steps)
    largest = max(abs(1 - step * v) for v in values)
    size = 2 * max(values) / largest
    # Rounding of 1 - ηλ is magnified by the power 2t, and terms of both signs may cancel.
    spread = max(step * v / abs(1 - step * v) for v in values if abs(1 - step * v) > 0.3 * largest)
    assert abs(found - float(true)) < 1e-14 * max(1.0, size) * steps * (1 + spread)


def test_best_step_is_the_sign_change_and_lies_between_the_inverse_eigenvalues():
    values, coordinates = np.array([0.3, 2.0, 7.0]), np.array([0.5, 0.1, 0.8])
    for steps in (1, 5, 200, 10_000):
        best = l2l.best_step(values, coordinates, steps)
        assert 1 / 7 <= best <= 1 / 0.3
        assert exact_gradient(values, coordinates, best * (1 - 1e-10), steps) < 0
        assert exact_gradient(values, coordinates, best * (1 + 1e-10), steps) > 0


def test_plain_meta_gradient_is_exponential_in_the_steps():
    values, coordinates = [1.0, 4.0], [0.6, 0.8]
    for step, rho in ((0.1, 0.9), (0.45, 0.8), (0.7, 1.8)):
        logs = [l2l.meta_gradient_logarithm(values, coordinates, step, t) - np.log(t) for t in (4000, 4100)]
        assert (logs[1] - logs[0]) / 200 == pytest.approx(np.log(rho), rel=1e-10)


def test_bad_quadratics_are_refused():
    with pytest.raises(ValueError, match="eigenvalues"):
        l2l.log_meta_gradient([0.0, 1.0], [1.0, 1.0], 0.1, 3)
    with pytest.raises(ValueError, match="coordinates"):
        l2l.log_meta_gradient([1.0, 2.0], [1.0], 0.1, 3)
    with pytest.raises(ValueError, match="steps=0"):
        l2l.log_meta_gradient([1.0, 2.0], [1.0, 1.0], 0.1, 0)


@pytest.mark.parametrize(("n", "d"), [(2, 4), (3, 2), (3, 3)])
def test_sgd_moments_are_averages_over_all_orders_of_samples(n, d):
    rng = np.random.default_rng(n * 10 + d)
    x, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y = x @ w + rng.standard_normal(n)
    steps, step = 4, 0.3
    errors, losses = np.zeros(steps + 1), np.zeros(steps + 1)
    for order in itertools.product(range(n), repeat=steps):
        v = np.zeros(d)
        for tau in range(steps + 1):
            errors[tau] += np.sum((v - w) ** 2) / n**steps
            losses[tau] += np.sum((x @ v - y) ** 2) / (2 * n) / n**steps
            if tau < steps:
                v = v - step * (x[order[tau]] @ v - y[order[tau]]) * x[order[tau]]
    moments = l2l.sgd_moments(x, y, w, step, steps)
    np.testing.assert_allclose(moments.error, errors, rtol=1e-12)
    np.testing.assert_allclose(moments.loss, losses, rtol=1e-12)
    if n <= d:
        assert l2l.sgd_training_loss(x, y, step, steps) == pytest.approx(losses[-1], rel=1e-12)


def test_sgd_loss_after_an_enormous_number_of_tiny_steps_is_gradient_flow():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((3, 6))
    y = rng.standard_normal(3)
    values, vectors = np.linalg.eigh(x @ x.T / 3)
    flow = float(np.sum((vectors.T @ y) ** 2 * np.exp(-2 * 0.8 * values))) / 6
    assert l2l.sgd_training_loss(x, y, 0.8e-12, 10**12) == pytest.approx(flow, rel=1e-9)


def test_sgd_limit_without_noise_of_sgd_is_gradient_flow():
    for noise, ratio in ((1.0, 2.0), (0.5, 0.5), (1.0, 1.0)):
        error, loss = l2l.sgd_limit(1e-9, 1e9, noise, ratio)
        assert error == pytest.approx(l2l.flow_error(1.0, noise, ratio), rel=1e-7)
        assert loss == pytest.approx(l2l.train_by_train(1e-6, 10**6, noise, ratio), rel=1e-5)


def test_sgd_limit_solves_its_equation():
    """Loss by small Euler steps on other nodes."""
    rate, epochs, noise, ratio, count = 0.4, 1.5, 1.2, 2.0, 60_000
    theta = (np.arange(200) + 0.5) * np.pi / 200
    values = 1 + ratio + 2 * np.sqrt(ratio) * np.cos(theta)
    weights = 2 / 200 * np.sin(theta) ** 2 / values
    m, dt = values + noise**2 * ratio, epochs / count
    for _ in range(count):
        m = m + dt * (-2 * rate * values * m + rate**2 * values**2 * (weights @ m))
    assert l2l.sgd_limit(rate, epochs, noise, ratio)[1] == pytest.approx(weights @ m / 2, rel=1e-4)
