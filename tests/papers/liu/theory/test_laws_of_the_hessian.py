"""Laws of √m‖H‖ and infinitely wide limits: against dense Hessians, naive counts and 20-digit values."""

import mpmath
import numpy as np
import pytest

from rmtsim.networks import fully_connected
from rmtsim.papers.liu import theory as liu


def test_exceedance_against_a_naive_count():
    rng = np.random.default_rng(5)
    w, v = rng.standard_normal((2, 200_000))
    a, b = v * -2 * np.tanh(w) / np.cosh(w) ** 2, np.cosh(w) ** -2.0
    norms = np.abs(a) / 2 + np.sqrt(a**2 / 4 + b**2)
    for level in (0.5, 1.0, 2.0):
        stated = liu.trained_hessian_exceedance("tanh", 1.0, level)
        error = np.sqrt(stated * (1 - stated) / len(w))
        assert abs((norms > level).mean() - stated) < 5 * error


def test_median_solves_its_equation():
    for log_width in (1.0, 10.0, 300.0):
        s = liu.trained_hessian_median("gelu", 2.0, log_width)
        tail = liu.trained_hessian_exceedance("gelu", 2.0, s)
        assert np.log(-np.log1p(-tail)) + log_width == pytest.approx(np.log(np.log(2)), abs=1e-8)


def test_quantiles_against_the_largest_of_many_blocks():
    rng = np.random.default_rng(6)
    w, v = rng.standard_normal((2, 4000, 50))
    a, b = v * -2 * np.tanh(w) / np.cosh(w) ** 2, np.cosh(w) ** -2.0
    largest = (np.abs(a) / 2 + np.sqrt(a**2 / 4 + b**2)).max(axis=1)
    for p in (0.1, 0.5, 0.9):
        s = liu.trained_hessian_quantile("tanh", 1.0, np.log(50), p)
        assert abs((largest <= s).mean() - p) < 4 * np.sqrt(p * (1 - p) / 4000)
        assert abs((largest <= 1.03 * s).mean() - p) > 4 * np.sqrt(p * (1 - p) / 4000)


def test_a_logarithm_is_a_power_between_two_widths():
    low, high = 100.0, 1e6
    assert (high / low) ** liu.logarithm_as_power(low, high) == pytest.approx(np.log(high) / np.log(low))


def test_median_grows_like_the_root_of_the_logarithm():
    ratio = liu.trained_hessian_median("tanh", 1.0, 590.0) / np.sqrt(2 * 590.0)
    assert ratio == pytest.approx(liu.hessian_constant("tanh", 1.0), rel=0.03)


def test_tangent_kernel_limit_against_nested_integrals():
    with mpmath.workdps(20):
        mean = lambda f, q: mpmath.quad(lambda t: f(t * mpmath.sqrt(q)) * mpmath.npdf(t), [-12, -3, 0, 3, 12])  # noqa: E731
        q1 = mean(lambda z: mpmath.tanh(z) ** 2, 1)
        x1 = mean(lambda z: mpmath.sech(z) ** 4, 1)
        q2 = mean(lambda z: mpmath.tanh(z) ** 2, q1)
        x2 = mean(lambda z: mpmath.sech(z) ** 4, q1)
        truth = q2 + x2 * (q1 + x1)
    assert liu.tangent_kernel_limit("tanh", 2) == pytest.approx(float(truth), rel=1e-11)
    assert liu.tangent_kernel_limit("tanh", 2, variance=1.03) != pytest.approx(float(truth), rel=1e-3)


def test_gradient_variances_of_a_wide_network():
    limit = liu.wide_limit("tanh", 2)
    network = fully_connected((3, 1500, 1500, 1), "tanh", parametrisation="ntk").sample(
        np.random.default_rng(2)
    )
    norms = [float((each**2).sum()) for each in network.activation_gradients(np.ones((1, 3)))[:-1]]
    assert norms == pytest.approx(limit.gradients, rel=0.12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: liu.wide_limit("tanh", 0), "depth=0"),
        (lambda: liu.wide_limit("cosh", 1), "activation='cosh'"),
        (lambda: liu.wide_limit("tanh", 1, -1.0), "variance=-1"),
        (lambda: liu.trained_hessian_median("tanh", 1.0, 1e4), "log_width=10000"),
        (lambda: liu.trained_hessian_quantile("tanh", 1.0, 5.0, 1.0), "probability=1"),
        (lambda: liu.logarithm_as_power(10, 10), "smallest=10"),
        (lambda: liu.hessian_deficit_rate("identity", 1.0), "activation='identity'"),
        (lambda: liu.hessian_deficit_rate("tanh", 0.0), "x=0"),
        (lambda: liu.expectation(np.square, -1.0), "variance=-1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
