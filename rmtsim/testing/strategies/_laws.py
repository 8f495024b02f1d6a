"""Spectral laws, populations near a cusp, self-energies."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rmtsim.laws import (
    Arcsine,
    Discrete,
    GeneralizedMarchenkoPastur,
    KestenMcKay,
    MarchenkoPastur,
    Semicircle,
    SpectralLaw,
    Wachter,
)
from rmtsim.laws.self_energy import GaussianSum, Kronecker, SelfEnergy, VarianceProfile, Wigner
from rmtsim.testing.strategies._numbers import populations, powers_of_ten, ratios


def laws(*, atoms: bool = True) -> st.SearchStrategy[SpectralLaw]:
    """Spectral laws: semicircle, Marchenko–Pastur with any population, arcsine, Kesten–McKay, Wachter, discrete.

    Parameters
    ----------
    atoms : bool, optional
        Whether laws that consist of atoms only occur.

    Returns
    -------
    SearchStrategy of SpectralLaw
        Shrinks towards the semicircle law of variance 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import laws
    >>> find(laws(), lambda law: True)
    Semicircle(entry_variance=1.0)
    """
    scales = powers_of_ten(-2, 2)
    found: list[st.SearchStrategy[SpectralLaw]] = [
        st.builds(Semicircle, entry_variance=scales),
        st.builds(MarchenkoPastur, ratio=ratios(1e-2, 1e2), entry_variance=scales),
        st.builds(Arcsine, radius=scales),
        st.builds(KestenMcKay, st.integers(3, 20)),
        st.builds(Wachter, st.floats(0.2, 5), st.floats(1.1, 5)),
        st.builds(
            lambda ratio, population: GeneralizedMarchenkoPastur(ratio, *population),
            ratios(1e-2, 1e2),
            populations(),
        ),
    ]
    if atoms:
        found.append(populations().map(lambda population: Discrete(*population)))
    return st.one_of(found)


def _splitting_ratio(atoms: list[float], weights: list[float]) -> float:
    """Ratio at which the bulk of two atoms splits: the least Σ w t²/(v − t)² between them.

    The minimum lies where (v − t₁)/(t₂ − v) is the cube root of w₁t₁²/(w₂t₂²).
    """
    (low, high), (first, second) = atoms, weights
    a, b = (first * low**2) ** (1 / 3), (second * high**2) ** (1 / 3)
    return float((a + b) ** 3 / (high - low) ** 2)


@st.composite
def near_cusps(draw: st.DrawFn) -> tuple[float, list[float], list[float]]:
    """Generalised Marchenko–Pastur laws whose bulk is about to split: the ratio at which a gap opens, times 1 ± 10⁻ᵏ.

    Returns
    -------
    SearchStrategy of (float, list of float, list of float)
        Ratio, atoms and weights of the population. Shrinks towards the atoms 1 and 4 with equal weights.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import near_cusps
    >>> ratio, atoms, weights = find(near_cusps(), lambda model: True)
    >>> atoms, weights, round(ratio, 3)
    ([1.0, 4.0], [0.5, 0.5], 2.665)
    """
    atoms = [1.0, float(draw(st.integers(4, 40)))]
    weights = [share := draw(st.just(0.5) | st.floats(0.2, 0.8)), 1 - share]
    ratio = _splitting_ratio(atoms, weights)
    distance = 10.0 ** -draw(st.integers(1, 10))
    return ratio * (1 + draw(st.sampled_from([1, -1])) * distance), atoms, weights


@st.composite
def self_energies(draw: st.DrawFn, most: int = 4) -> SelfEnergy:
    """Self-energies of real symmetric matrices: Wigner, variance profile, Gaussian sum, Kronecker.

    Parameters
    ----------
    most : int, optional
        Largest size.

    Returns
    -------
    SearchStrategy of SelfEnergy
        Shrinks towards that of a 1 × 1 Wigner matrix.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import self_energies
    >>> find(self_energies(), lambda energy: energy.size == 2).size
    2
    """
    size = draw(st.integers(1, most))
    kind = draw(st.sampled_from(["wigner", "profile", "sum", "kronecker"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if kind == "wigner":
        return Wigner(size, draw(powers_of_ten(-2, 2)), transpose=True)
    x = rng.standard_normal((3, size, size))
    symmetric = (x + np.swapaxes(x, 1, 2)) / np.sqrt(2 * size)
    if kind == "profile":
        return VarianceProfile(np.abs(symmetric[0]), transpose=True)
    if kind == "sum":
        return GaussianSum(symmetric)
    return Kronecker(x[0] @ x[0].T, x[1] @ x[1].T, transpose=True)
