"""Strategies: what they draw is valid and covers the special cases; what they shrink to is readable."""

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from rmtsim import verify
from rmtsim.laws import GeneralizedMarchenkoPastur
from rmtsim.testing import strategies


@given(strategies.laws())
def test_laws_have_mass_one(law):
    assert law.continuous_mass + sum(mass for _, mass in law.atoms) == pytest.approx(1, abs=1e-9)


@given(strategies.near_cusps())
@settings(max_examples=10)
def test_near_cusps_lie_between_one_interval_and_two(model):
    ratio, atoms, weights = model
    counts = {
        len(GeneralizedMarchenkoPastur(ratio * factor, atoms, weights).support) for factor in (0.8, 1.25)
    }
    assert counts == {1, 2}


@given(strategies.symmetric_matrices(spectrum=[3.0, -1.0, 2.0]))
def test_matrices_have_the_given_spectrum(matrix):
    np.testing.assert_allclose(np.linalg.eigvalsh(matrix), [-1, 2, 3], atol=1e-13)
    assert (matrix == matrix.T).all()


@given(strategies.ensembles(), st.integers(1, 6), strategies.seeds())
def test_ensembles_draw_square_matrices(ensemble, size, seed):
    matrix = ensemble.draw(size, np.random.default_rng(seed))
    assert matrix.shape == (size, size)
    if ensemble.hermitian:
        np.testing.assert_allclose(matrix, matrix.conj().T, atol=1e-12)


@given(strategies.self_energies())
def test_self_energies_preserve_positivity(energy):
    assert np.linalg.eigvalsh(energy(np.eye(energy.size))).min() > -1e-12


@pytest.mark.thorough
def test_special_cases_occur():
    find(strategies.populations(), lambda population: 0.0 in population[0] and min(population[0]) < 0)
    find(
        strategies.populations(),
        lambda population: max(population[0]) > 50 * abs(min(population[0], key=abs)) > 0,
    )
    find(strategies.spiked_data(), lambda case: 0 < case.detectable < len(case.spikes))
    find(strategies.laws(), lambda law: len(law.support) > 1)


def test_counterexamples_are_readable():
    assert find(strategies.ratios(), lambda ratio: ratio > 1) in (4.0, 10.0)
    atoms, weights = find(strategies.populations(), lambda population: min(population[0]) < 0)
    assert (atoms, weights) == ([-1.0], [1.0])
    matrix = find(strategies.symmetric_matrices(), lambda a: np.linalg.eigvalsh(a).min() < 0)
    assert matrix.tolist() == [[-1.0]]
    smallest = find(strategies.architectures(), lambda architecture: len(architecture.layers) == 2)
    assert [(layer.inputs, layer.outputs) for layer in smallest.layers] == [(1, 1), (1, 1)]


def test_options_narrow_the_choice():
    @given(strategies.populations(signed=False, zero=False))
    def positive(population):
        assert min(population[0]) > 0

    @given(strategies.ratios(2.0, 3.0))
    def in_range(ratio):
        assert 2 <= ratio <= 3

    positive()
    in_range()


@pytest.mark.parametrize("true", [True, False])
def test_claims_of_known_truth_are_judged_right(true):
    @given(strategies.claims(true=true))
    @settings(max_examples=4)
    def judged(known):
        (result,) = verify(known.claim, level=1e-6, budget=2)
        assert str(result.verdict) in ("INCONCLUSIVE", "CONFIRMED" if known.true else "REFUTED")

    judged()
