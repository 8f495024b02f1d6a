"""Energies of the first of two hidden layers, against plain averages over drawn weights and inputs."""

import numpy as np
import pytest

from rmtsim.papers.dong.theory import fan_out


@pytest.mark.parametrize(("i", "j"), [(0, 1), (2, 2)])
def test_wedge_moments_are_those_of_gaussian_draws(i, j):
    rng = np.random.default_rng(3)
    s, t = np.array([[0.3, 1.0, 0.0, 2.0]]), np.array([[1.5, 0.2, 0.8, 0.0]])
    draws = rng.standard_normal((200_000, 4))
    inside = (draws @ s[0] > 0) & (draws @ t[0] > 0)
    a, b = draws[:, i], draws[:, j]
    for found, values in zip(
        fan_out.wedge_moments(s, t, i, j), (a * a, b * b, a * b, a * a * b * b), strict=True
    ):
        seen = inside * values
        assert abs(found[0] - seen.mean()) < 4.5 * seen.std() / np.sqrt(len(seen))


def test_a_narrow_wedge_loses_its_moments():
    s = np.array([[1.0, 0.0]])
    kii, kjj, kij, fourth = fan_out.wedge_moments(s, np.array([[-1.0, 1e-9]]), 0, 1)
    assert max(abs(x[0]) for x in (kii, kjj, kij, fourth)) < 1e-8


def test_energies_are_means_over_weights_and_two_inputs():
    # The formula's own averages, drawn: two Gaussian pre-activations, rows of W₂, rows of V.
    rng = np.random.default_rng(5)
    gamma, hidden, width, classes, draws = 0.7, 3, 2, 2, 60_000
    inputs = rng.standard_normal((draws, 2, hidden))
    second = rng.standard_normal((draws, width, hidden)) / np.sqrt(hidden)
    output = rng.standard_normal((draws, classes, width)) / np.sqrt(width)
    gates = np.einsum("dni,dki->dnk", np.maximum(inputs, 0), second) > 0
    jacobians = np.einsum("dck,dnk,dki->dnci", output, gates, second) * (inputs > 0)[:, :, None, :]
    for function, i, j in ((fan_out.first_layer_diagonal, 0, 0), (fan_out.first_layer_offdiagonal, 0, 1)):
        one, two = np.einsum("dnc,dnc->dn", jacobians[..., i], jacobians[..., j]).T
        values = 4 * (gamma * (one**2 + two**2) / 2 + one * two)
        estimate = function(gamma, hidden, width, classes)
        assert abs(estimate.value - values.mean()) < 4.5 * values.std() / np.sqrt(draws)
        assert estimate.error < 1e-3 * estimate.value


@pytest.mark.parametrize(
    ("arguments", "word"), [((0.0, 4, 5, 5), "gamma"), ((1.0, 1, 5, 5), "hidden"), ((1.0, 4, 0, 5), "width")]
)
def test_bad_arguments_are_named(arguments, word):
    with pytest.raises(ValueError, match=word):
        fan_out.first_layer_offdiagonal(*arguments)


def _wedge(first, second, own):
    """(fourth moment, second moments) for two first-layer activations of two neurons, at these angles, by integrals."""
    low, high = max(first, second) - np.pi / 2, min(first, second) + np.pi / 2
    psi, weight = np.polynomial.legendre.leggauss(24)
    psi, weight = low + (high - low) * (psi + 1) / 2, weight * (high - low) / 2
    x, y = np.cos(psi), np.cos(psi) if own else np.sin(psi)
    # E r² = 2 and E r⁴ = 8 of a plane Gaussian, whose angle has the density 1/(2π).
    kii, kjj, kij = ((weight @ f) / np.pi for f in (x * x, y * y, x * y))
    return 4 * (weight @ (x * x * y * y)) / np.pi, kii**2 if own else kii * kjj + kij**2


@pytest.mark.parametrize("own", [False, True])
def test_averages_for_two_neurons_are_integrals_over_two_angles(own):
    nodes, weights = np.polynomial.legendre.leggauss(24)
    nodes, weights = (nodes + 1) / 2, weights / 2
    # Both neurons open: an angle uniform in the quadrant. One open: it lies on the first axis half of the time.
    atoms = [(np.pi / 2 * u, w) for u, w in zip(nodes, weights, strict=True)]
    if own:
        atoms = [(0.0, 0.5), *((a, w / 2) for a, w in atoms)]
    # A kink where the angles meet costs the rule less than 1e-3.
    total = np.zeros(2)
    for a, w in atoms:
        for b, v in atoms:
            total += w * v * np.array(_wedge(a, b, own))
    chance = 1 / 4 if own else 1 / 16
    means = fan_out._means(2)
    found = (means.fourth_own, means.second_own) if own else (means.fourth_off, means.second_off)
    for values, expected in zip(found, chance * total, strict=True):
        assert values.mean() == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("own", [False, True])
def test_the_part_proportional_to_gamma_is_a_mean_over_one_input(own):
    # Averages over V and over the gates of the first layer are exact, the rest is drawn.
    hidden, width, classes, draws = 2, 24, 5, 40_000
    rng = np.random.default_rng(11)
    rows = rng.standard_normal((draws, width, hidden)) / np.sqrt(hidden)
    active = np.abs(rng.standard_normal((draws, 1, hidden)))
    if own:  # the other neuron is open half of the time
        active[::2, :, 1] = 0.0
    rows *= (rows * active).sum(axis=2, keepdims=True) > 0
    a, b = rows[..., 0], rows[..., 0 if own else 1]
    product, sizes = (a * b).sum(axis=1) ** 2, (a * a).sum(axis=1) * (b * b).sum(axis=1)
    values = 4 * (1 / 2 if own else 1 / 4) * classes * ((classes + 1) * product + sizes) / width**2
    function = fan_out.first_layer_diagonal if own else fan_out.first_layer_offdiagonal
    slope = function(2.0, hidden, width, classes).value - function(1.0, hidden, width, classes).value
    error = values.std() / np.sqrt(draws)
    assert error < 0.0065 * slope
    assert abs(slope - values.mean()) < 4.5 * error
