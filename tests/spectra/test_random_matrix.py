"""Matrices drawn for laws and self-energies have the stated moments; classes without an ensemble say so."""

import numpy as np
import pytest

from rmtsim.laws import Discrete, Semicircle, SpectralLaw, free_sum
from rmtsim.laws._free.compression import Compression
from rmtsim.laws._population import population
from rmtsim.laws.self_energy import Block, GaussianSum, Kronecker, SelfEnergy
from rmtsim.spectra import gaussian_matrix, random_matrix

DRAWN = {
    "sum": (GaussianSum([np.diag([1.0, 2.0]), [[0.0, 1.0], [1.0, 0.5]]]), 200),
    "blocks": (Block(hermitian=[[[1.0, 0.5], [0.5, 2.0]]]), 200),
    "general blocks": (Block(general=[[[0.0, 1.5], [0.0, 0.0]]]), 200),
    "real factors": (Kronecker(np.array([[2.0, 0.5], [0.5, 1.0]])), 200),
    "complex factors": (Kronecker(np.array([[2.0, 1j], [-1j, 1.5]])), 200),
}


@pytest.mark.parametrize("name", DRAWN)
def test_the_second_moment_of_a_draw_is_the_trace_of_the_self_energy(name):
    energy, copies = DRAWN[name]
    drawn = gaussian_matrix(energy, np.random.default_rng(7), copies)
    expected = np.trace(energy(np.eye(energy.size))).real / energy.size
    # tr W²/n moves by about 2/n from draw to draw; the diagonal of real matrices adds 1/copies of it.
    assert np.sum(np.abs(drawn) ** 2) / len(drawn) == pytest.approx(expected, rel=0.013)


@pytest.mark.parametrize("mass", [0.151, 0.149, 0.349, 0.551, 0.82])
def test_a_deterministic_sample_rounds_the_mass_of_an_atom_to_the_nearest_count(mass):
    diagonal = np.diag(random_matrix(Discrete([0.0, 1.0], [mass, 1 - mass]), 10, np.random.default_rng(0)))
    quantiles = population([0.0, 1.0], [mass, 1 - mass]).quantiles(10)
    for drawn in (diagonal, quantiles):
        assert np.count_nonzero(drawn == 0.0) == round(10 * mass)


def test_quantiles_of_symmetric_laws_cancel_in_the_trace():
    rng = np.random.default_rng(0)
    free = free_sum(Semicircle(1.0), Semicircle(2.0))
    assert np.trace(random_matrix(free, 12, rng)) == pytest.approx(0.0, abs=1e-9)
    whole = Compression(Semicircle(3.0), 1.0)
    assert np.trace(random_matrix(whole, 12, rng)) == pytest.approx(0.0, abs=1e-9)


class Identity(SelfEnergy):
    size = 2

    def _apply(self, batch, symmetric=False):
        return batch


class WithDraws(Identity):
    def draw(self, rng, copies):
        return rng.standard_normal() * np.eye(self.size * copies)


def test_a_self_energy_of_your_own_is_drawn_by_its_method():
    assert gaussian_matrix(WithDraws(), np.random.default_rng(0), 3).shape == (6, 6)
    with pytest.raises(TypeError, match=r"Identity; give the class a method draw\(rng, copies\)"):
        gaussian_matrix(Identity(), np.random.default_rng(0))
    with pytest.raises(TypeError, match="expected a SelfEnergy, not float"):
        gaussian_matrix(1.0, np.random.default_rng(0))


def test_a_law_without_an_ensemble_says_so():
    with pytest.raises(TypeError, match=r"a str; give the class a method matrix\(n, rng\)"):
        random_matrix("semicircle", 3, np.random.default_rng(0))
    assert not hasattr(SpectralLaw, "matrix")
