"""Energies of the hidden layer at a fixed V, against quadrature over the pre-activations."""

import numpy as np
import pytest
from scipy.integrate import dblquad, quad

from rmtsim.papers.dong.theory.hidden_given_output import hidden_energy_given_output


def _density(z):
    return np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


def _covariance(logits, one, two):
    r = np.exp(logits - logits.max())
    r /= r.sum()
    return r @ (one * two) - (r @ one) * (r @ two)


@pytest.mark.parametrize("gamma", [0.3, 4.0])
def test_one_neuron_against_a_single_integral(gamma):
    v = np.array([0.7, -1.1, 0.4])
    first, second = (
        quad(lambda z, p=power: _covariance(z * v, v, v) ** p * _density(z), 0, 12, epsabs=1e-13)[0]
        for power in (1, 2)
    )
    found = hidden_energy_given_output(v[:, None], gamma, True)
    assert found.value == pytest.approx(gamma * second + first**2, rel=1e-5, abs=6 * found.error)
    assert found.error < 1e-4 * found.value


def test_two_neurons_against_a_double_integral():
    weights = np.array([[0.9, -0.2], [-0.8, 0.7], [0.1, 1.0]])
    one, two = weights.T

    def moment(power):
        def integrand(y, x):
            return _covariance(weights @ [x, y], one, two) ** power * _density(x) * _density(y)

        return dblquad(integrand, 0, 9, 0, 9, epsabs=1e-9, epsrel=1e-9)[0]

    found = hidden_energy_given_output(weights, 0.5, False)
    assert found.value == pytest.approx(0.5 * moment(2) + moment(1) ** 2, rel=1e-4, abs=6 * found.error)
    assert found.error < 1e-3 * found.value
