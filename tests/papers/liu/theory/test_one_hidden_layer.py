"""Limits of one hidden layer against 30-digit values and naive loops."""

import mpmath
import numpy as np
import pytest

from rmtsim.networks import activation
from rmtsim.papers.liu import theory as liu

NAMES = ("tanh", "sigmoid", "softplus", "gelu", "swish", "sin")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_derivatives_agree_with_those_of_the_networks(name, order):
    z = np.linspace(-8, 8, 101)
    simulated = activation(name).derivative(z, order)
    assert np.allclose(liu.derivative(name, z, order), simulated, rtol=1e-12, atol=1e-14)


def test_kernel_limit_of_tanh_to_many_digits():
    with mpmath.workdps(30):
        truth = mpmath.quad(
            lambda w: mpmath.sech(1.5 * w) ** 4 * mpmath.npdf(w), [-20, -5, -1, 0, 1, 5, 20]
        ) * mpmath.mpf("2.25")
    assert liu.kernel_limit("tanh", 1.5) == pytest.approx(float(truth), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_constants_bound_and_are_reached(name):
    z = np.random.default_rng(3).normal(0, 3, 20_000)
    for order, constant in ((1, liu.lipschitz_constant(name)), (2, liu.curvature_bound(name))):
        largest = np.abs(liu.derivative(name, z, order)).max()
        assert constant * 0.999 < largest <= constant * (1 + 1e-12)


def test_unknown_activation_is_named():
    with pytest.raises(ValueError, match="activation='cosh': expected one of tanh"):
        liu.kernel_limit("cosh", 1.0)


@pytest.mark.parametrize("x", [0.5, 2.0])
def test_the_factor_of_the_criterion_does_not_see_the_size_of_the_input_but_in_its_argument(x):
    """sup|sin''| = 1 over E cos²(wx) = (1 + e^{-2x²})/2."""
    wanted = 2 / (1 + np.exp(-2 * x**2))
    assert liu.criterion_constant("sin", x) == pytest.approx(wanted, rel=1e-9)
