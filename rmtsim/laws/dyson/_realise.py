"""Draws of the ensemble behind a law: at its own size, inflated, or as a Schur complement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal import validate
from rmtsim.laws.self_energy._base import Matrix
from rmtsim.laws.self_energy._block import Block

if TYPE_CHECKING:
    from rmtsim.laws.dyson._law import MatrixDyson

__all__ = ["realise"]


def realise(law: MatrixDyson, n: int | None, rng: np.random.Generator) -> Matrix:
    """A + W for the law's mean and covariance; see :meth:`MatrixDyson.matrix`."""
    energy = law.self_energy
    if isinstance(energy, Block):
        return _blocks(law, energy, n, rng)
    size = energy.size if n is None else validate.integer("n", n, meaning="side of the matrix")
    copies, rest = divmod(size, energy.size)
    if rest:
        raise ValueError(f"n={size}: expected a multiple of {energy.size}, the size of the self-energy")
    validate.memory(16.0 * size**2, f"a {size}×{size} matrix")
    fluctuation = energy.draw(rng) if copies == 1 else energy.draw(rng, copies)
    return np.kron(law._full_mean, np.eye(copies)) + fluctuation


def _blocks(law: MatrixDyson, energy: Block, n: int | None, rng: np.random.Generator) -> Matrix:
    share = float(energy.weights[list(energy.spectral)].sum())
    side = 100 * len(energy.spectral) if n is None else validate.integer("n", n, meaning="side of the matrix")
    count = max(1, round(side / share))
    sides = energy.sides(count)
    starts = np.concatenate([[0], np.cumsum(sides)])
    visible = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in energy.spectral])
    if n is not None and len(visible) != side:
        raise ValueError(
            f"n={side}: the block weights {energy.weights.tolist()} give {len(visible)} at the nearest size"
        )
    full = energy.draw(rng, count)
    mean = law._full_mean
    for i, j in np.argwhere(mean):
        rows = np.arange(starts[i], starts[i + 1])
        full[rows, np.arange(starts[j], starts[j + 1])] += mean[i, j]
    hidden = np.setdiff1d(np.arange(starts[-1]), visible)
    top = full[np.ix_(visible, visible)]
    if not len(hidden):
        return np.asarray(top)
    side_part = full[np.ix_(visible, hidden)]
    rest = np.linalg.solve(full[np.ix_(hidden, hidden)], side_part.conj().T)
    result: Matrix = top - side_part @ rest
    return np.asarray(result + result.conj().T) / 2
