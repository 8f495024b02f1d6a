import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from rmtsim.papers.dong.theory import linear as theory
from rmtsim.testing.strategies import class_counts, ratios
from tests import oracle


@pytest.mark.thorough
@pytest.mark.parametrize("classes", [2, 3, 50, 10**6])
def test_energies_against_definition_in_high_precision(classes):
    gamma = 0.37
    with mpmath.workdps(30):
        moment = oracle.softmax_moment
        # From p(1-p) = p - p², a route with cancellation that 30 digits can afford.
        square = moment((2,), classes) - 2 * moment((3,), classes) + moment((4,), classes)
        mean = mpmath.mpf(1) / classes - moment((2,), classes)
        diagonal = gamma * square + mean**2
        offdiagonal = gamma * moment((2, 2), classes) + moment((1, 1), classes) ** 2
    assert abs(theory.diagonal_energy(gamma, classes) / diagonal - 1) < 1e-11
    assert abs(theory.offdiagonal_energy(gamma, classes) / offdiagonal - 1) < 1e-11


@given(ratios())
@settings(max_examples=10)
def test_two_classes_have_equal_blocks(gamma):
    assert math.isclose(theory.ratio(gamma, 2), 1, rel_tol=1e-13)


@given(ratios(), class_counts())
@settings(max_examples=8)
def test_energies_are_linear_in_gamma(gamma, classes):
    for energy in (theory.diagonal_energy, theory.offdiagonal_energy):
        slope = energy(2.0, classes) - energy(1.0, classes)
        assert math.isclose(energy(gamma, classes), energy(1.0, classes) + (gamma - 1) * slope, rel_tol=1e-11)


@given(ratios())
@settings(max_examples=5)
def test_limits_are_approached_like_one_over_classes(gamma):
    for energy, power, limit in (
        (theory.diagonal_energy, 2, theory.diagonal_limit),
        (theory.offdiagonal_energy, 4, theory.offdiagonal_limit),
    ):
        gaps = [limit(gamma) - float(c) ** power * energy(gamma, c) for c in (10_000, 20_000, 40_000)]
        assert np.allclose([gaps[0] / gaps[1], gaps[1] / gaps[2]], 2, rtol=5e-3)


@pytest.mark.parametrize("gamma", [0.0, -1.0, math.inf, math.nan])
def test_bad_gamma(gamma):
    for function in (theory.diagonal_limit, theory.offdiagonal_limit, theory.ratio_limit):
        with pytest.raises(ValueError, match="gamma="):
            function(gamma)
    with pytest.raises(ValueError, match="gamma="):
        theory.ratio(gamma, 3)
