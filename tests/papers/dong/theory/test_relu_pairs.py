import math

import numpy as np
import pytest
from scipy.stats import qmc

from rmtsim.papers.dong.theory import hidden_finite as dong_hidden_finite
from rmtsim.papers.dong.theory.orthant import orthant_moment, relu_exponential
from rmtsim.papers.dong.theory.relu_pairs import (
    _squared_overlap_pairs,
    quadrant_points,
    squared_overlap_average,
    tilted_neurons,
)


@pytest.mark.parametrize("coupling", [0.0, 0.2, 0.66])
@pytest.mark.parametrize("power", [0, 1])
def test_quadrant_points_have_the_moments_of_their_density(power, coupling):
    a, b = qmc.Sobol(2, scramble=True, rng=np.random.default_rng(1)).random(2**14).T
    x, y = quadrant_points(power, coupling, a, b)
    wanted = orthant_moment(power + 1, coupling) / orthant_moment(power, coupling)
    assert (x * y).mean() == pytest.approx(wanted, rel=3e-3)


def test_tilted_neurons_have_the_tilted_overlap():
    uniforms = qmc.Sobol(12, scramble=True, rng=np.random.default_rng(2)).random(2**14)
    s, t = tilted_neurons(0.25, uniforms)
    assert (s * t).sum(axis=1).mean() == pytest.approx(
        4 * orthant_moment(1, 0.25) / relu_exponential(0.25), rel=5e-3
    )


@pytest.mark.parametrize(("hidden", "rate", "coupling"), [(3, 0.3, 0.2), (5, 0.2, 0.3), (8, -0.1, 0.1)])
def test_squared_overlap_average_of_an_exponential(hidden, rate, coupling):
    """E[(s·s')² e^{a s·s'}] is closed, whatever law the inputs are drawn from."""
    mean, error = squared_overlap_average(
        hidden, coupling, lambda s, t: math.exp(rate * float(s @ t)), points=32, scrambles=8, seed=3
    )
    one, two, total = orthant_moment(1, rate), orthant_moment(2, rate), relu_exponential(rate)
    exact = hidden * two * total ** (hidden - 1) + hidden * (hidden - 1) * one**2 * total ** (hidden - 2)
    assert abs(mean - exact) < 5 * error
    assert error < 2e-3 * exact


@pytest.mark.thorough
@pytest.mark.parametrize(("hidden", "classes"), [(3, 2), (5, 7), (12, 5)])
def test_output_functions_are_known_to_a_thousandth(hidden, classes):
    """Claims compare simulations with them at 5 %: an error of a few per cent here would refute the truth."""
    for function in (dong_hidden_finite.output_ce_diagonal, dong_hidden_finite.output_ce_offdiagonal):
        estimate = function(hidden, classes)
        assert estimate.error < 1e-3 * estimate.value


def test_two_classes_have_one_curvature():
    """p₁(1 - p₁) = p₁p₂ when C = 2."""
    one = dong_hidden_finite.output_ce_diagonal(4, 2)
    two = dong_hidden_finite.output_ce_offdiagonal(4, 2)
    assert abs(one.value - two.value) < 5 * math.hypot(one.error, two.error)


def test_many_neurons_are_averaged_and_too_many_refused():
    """E[(s·s')²] = m/4 + m(m-1)/(4π²), beyond the columns of Sobol's sequence too."""
    mean, error = squared_overlap_average(8000, 0.0, lambda s, t: 1.0, points=8, scrambles=4, seed=0)
    assert mean == pytest.approx(8000 / 4 + 8000 * 7999 / (4 * math.pi**2), rel=1e-9)
    assert error < 1e-9 * mean
    for function in (dong_hidden_finite.output_ce_diagonal, dong_hidden_finite.output_ce_offdiagonal):
        with pytest.raises(ValueError, match=r"hidden=1000000: expected an integer in \[2, 20000\]"):
            function(10**6, 10)
    with pytest.raises(ValueError, match=r"hidden=1000000: expected an integer in \[3, 20000\]"):
        dong_hidden_finite.hidden_ce_offdiagonal(1.0, 10**6, 10)


@pytest.mark.parametrize("hidden", [2, 6])
@pytest.mark.parametrize("coupling", [0.0, 0.4])
def test_squared_overlaps_mix_one_and_two_neurons_in_their_shares(hidden, coupling):
    """(s·s')² = Σ (xy)² + Σ xy·x'y': m integrals of one kind, m(m-1) of the other; shares to the last grid point."""
    count = 4096
    uniforms = qmc.Sobol(3 * hidden + 1, scramble=True, rng=np.random.default_rng(4)).random(count)
    uniforms[:, -1] = (np.arange(count) + 0.5) / count
    plain, _ = tilted_neurons(coupling, uniforms[:, :-1])
    first, _ = _squared_overlap_pairs(hidden, coupling, uniforms)
    alone = np.mean(first[:, 1] == plain[:, 1])  # where only one neuron was drawn again
    base, one, two = relu_exponential(coupling), orthant_moment(1, coupling), orthant_moment(2, coupling)
    single, pair = hidden * two * base ** (hidden - 1), hidden * (hidden - 1) * one**2 * base ** (hidden - 2)
    assert alone == pytest.approx(single / (single + pair), abs=1.5 / count)
