"""Gaussian matrices with the covariance of a self-energy."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim._internal.randomness import RandomSource
from rmtsim.laws.self_energy._base import SelfEnergy
from rmtsim.laws.self_energy._block import Block
from rmtsim.laws.self_energy._function import FromFunction
from rmtsim.laws.self_energy._gaussian import GaussianSum
from rmtsim.laws.self_energy._kronecker import Kronecker
from rmtsim.laws.self_energy._profile import VarianceProfile, Wigner


def gaussian_matrix(self_energy: SelfEnergy, rng: RandomSource, copies: int = 1) -> Matrix:
    """Centred Gaussian Hermitian matrix W with a given covariance.

    Parameters
    ----------
    self_energy : SelfEnergy
        S[R] = E[W R W]. A class of your own has a method ``draw(rng, copies)``.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness.
    copies : int, optional
        b ≥ 1: every entry becomes an independent b×b random block, so that the spectrum tends to the law of the
        Matrix Dyson equation as b grows. For :class:`~rmtsim.laws.self_energy.Block` it is N, the unit of the sides
        of the blocks.

    Returns
    -------
    ndarray
        Real symmetric, or complex Hermitian if the self-energy is complex.

    Raises
    ------
    TypeError
        If no matrices are known for this self-energy.
    ValueError
        If ``copies`` is not accepted, or the matrix does not fit in memory.

    Examples
    --------
    >>> from rmtsim.laws.self_energy import Wigner
    >>> gaussian_matrix(Wigner(2), np.random.default_rng(0), copies=3).shape
    (6, 6)
    """
    rng = validate.generator("rng", rng)
    if not isinstance(self_energy, SelfEnergy):
        raise TypeError(f"self_energy: expected a SelfEnergy, not {type(self_energy).__name__}")
    copies = validate.integer("copies", copies, meaning="random blocks for each entry")
    if not isinstance(self_energy, Block):
        validate.memory(32.0 * (self_energy.size * copies) ** 2, "the matrix")
    return _drawn(self_energy, rng, copies)


@singledispatch
def _drawn(self_energy: SelfEnergy, rng: np.random.Generator, copies: int) -> Matrix:
    own = getattr(self_energy, "draw", None)
    if own is None:
        raise TypeError(
            f"self_energy: no matrices are known for a {type(self_energy).__name__}; "
            "give the class a method draw(rng, copies)"
        )
    return np.asarray(own(rng, copies))


@_drawn.register
def _(energy: FromFunction, rng: np.random.Generator, copies: int) -> Matrix:
    if copies != 1:
        raise ValueError(f"copies={copies}: a bare function can be drawn at its own size only")
    if energy.draw is None:
        raise ValueError(
            "draw: this self-energy is a bare function; pass draw=rng -> matrix to sample from it"
        )
    return np.asarray(energy.draw(rng))


@_drawn.register
def _(energy: Wigner, rng: np.random.Generator, copies: int) -> Matrix:
    """Variance v/n off the diagonal, on it v/n (2v/n with the transpose term)."""
    return _independent(energy.diagonal, rng, copies)


@_drawn.register
def _(energy: VarianceProfile, rng: np.random.Generator, copies: int) -> Matrix:
    return _independent(energy.profile, rng, copies)


def _independent(profile: NDArray[np.float64], rng: np.random.Generator, copies: int) -> Matrix:
    deviation = np.sqrt(np.kron(profile, np.full((copies, copies), 1 / copies)))
    upper = np.triu(rng.standard_normal(deviation.shape)) * deviation
    return np.asarray(upper + np.triu(upper, 1).T)


@_drawn.register
def _(energy: GaussianSum, rng: np.random.Generator, copies: int) -> Matrix:
    """Σ gₖ Bₖ with standard Gaussian gₖ; Σ Bₖ ⊗ Gₖ with Wigner matrices Gₖ if there are copies."""
    if copies == 1:
        return np.asarray(np.tensordot(rng.standard_normal(len(energy.matrices)), energy.matrices, axes=1))
    total: Any = 0.0
    for item in energy.matrices:
        normal = rng.standard_normal((copies, copies))
        total = total + np.kron(item, (normal + normal.T) / np.sqrt(2 * copies))
    return np.asarray(total)


@_drawn.register
def _(energy: Kronecker, rng: np.random.Generator, copies: int) -> Matrix:
    """(L^½ X C^½ + C^½ Xᵀ L^½)/√(2n) with Gaussian X, complex if a factor is."""
    side = energy.size * copies
    normal: Matrix = rng.standard_normal((side, side))
    if not energy.real:
        normal = (normal + 1j * rng.standard_normal((side, side))) / np.sqrt(2)
    if energy.transpose and copies > 1:
        # Symmetric blocks carry the transpose term to the limit.
        blocks = normal.reshape(energy.size, copies, energy.size, copies)
        normal = ((blocks + blocks.transpose(0, 3, 2, 1)) / np.sqrt(2)).reshape(side, side)
    left, right = (np.kron(_root(factor), np.eye(copies)) for factor in (energy.left, energy.right))
    half = left @ normal @ right
    return np.asarray((half + half.conj().T) / np.sqrt(2 * side))


def _root(matrix: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0))) @ vectors.conj().T)


@_drawn.register
def _(energy: Block, rng: np.random.Generator, copies: int) -> Matrix:
    """Real Gaussian blocks with sides round(weights·N), N = ``copies``."""
    sides = energy.sides(copies)
    starts = np.concatenate([[0], np.cumsum(sides)])
    validate.memory(16.0 * starts[-1] ** 2, "the matrix")
    out = np.zeros((starts[-1], starts[-1]), dtype=np.float64 if energy.real else np.complex128)

    def add(coefficient: Any, variable: Matrix) -> None:
        for i, j in np.argwhere(coefficient):
            rows, columns = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
            out[rows, columns] += coefficient[i, j] * variable

    for item in energy.hermitian:
        i, _ = np.argwhere(item)[0]
        normal = rng.standard_normal((sides[i], sides[i]))
        add(item, (normal + normal.T) / np.sqrt(2 * copies))
    for item in energy.general:
        i, j = np.argwhere(item)[0]
        variable = rng.standard_normal((sides[i], sides[j])) / np.sqrt(copies)
        add(item, variable)
        add(item.conj().T, variable.T)
    return out
