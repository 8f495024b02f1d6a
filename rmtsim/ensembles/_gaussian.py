"""The Gaussian ensembles GOE, GUE, GSE, dense and tridiagonal, with spikes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim.ensembles._entries import any_beta, dyson_index, gaussian_entries, spike_values
from rmtsim.ensembles._tridiagonal import Tridiagonal

__all__ = ["gaussian", "gaussian_tridiagonal"]


def gaussian(
    size: int, rng: np.random.Generator, *, beta: int = 1, variance: float = 1.0, spikes: ArrayLike = ()
) -> NDArray[Any]:
    """A matrix of density ∝ exp(-(βn/4v) tr H²): E|h_ij|² = v/n off the diagonal, 2v/(βn) on it.

    The spectrum fills [-2√v, 2√v], v = ``variance``. β = 4 comes as a 2n×2n complex matrix with eigenvalues in pairs.
    ``spikes`` are added to the first diagonal entries (GOE + diag(θ, 0, …)); beyond √v one leaves the bulk.

    >>> gaussian(3, np.random.default_rng(0), beta=4).shape
    (6, 6)
    >>> bool(np.linalg.eigvalsh(gaussian(200, np.random.default_rng(0), spikes=[3.0]))[-1] > 3.0)
    True
    """
    size = validate.integer("size", size, meaning="rows of the matrix")
    beta = dyson_index(beta)
    variance = validate.positive_number("variance", variance, meaning="n times an entry's variance")
    added = spike_values(spikes, size, positive=False)
    entries = gaussian_entries(size, size, beta, rng)
    matrix = (entries + entries.conj().T) * math.sqrt(variance / (2 * size))
    places = np.arange(len(added))
    for first in (0, size) if beta == 4 else (0,):
        matrix[places + first, places + first] += added
    return np.asarray(matrix)


def gaussian_tridiagonal(
    size: int, rng: np.random.Generator, *, beta: float = 1.0, variance: float = 1.0, spike: float = 0.0
) -> Tridiagonal:
    """A tridiagonal matrix with the eigenvalues of :func:`gaussian`, any β > 0 (Dumitriu and Edelman 2002).

    Diagonal N(0, 2v/(βn)), off-diagonals √(v/(βn)) χ_{β(n-1)}, …, χ_β; ``spike`` is added to the first entry.

    >>> t = gaussian_tridiagonal(10**5, np.random.default_rng(0))
    >>> bool(abs(t.largest(1)[0] - 2) < 0.01)
    True
    """
    size = validate.integer("size", size, meaning="rows of the matrix")
    rng = validate.generator("rng", rng)
    beta = any_beta(beta)
    variance = validate.positive_number("variance", variance, meaning="n times an entry's variance")
    spike = validate.finite_number("spike", spike, meaning="added to the first entry")
    validate.memory(48.0 * size, f"a tridiagonal matrix of {size} rows")
    unit = math.sqrt(variance / size)
    diagonal = rng.standard_normal(size) * (unit * math.sqrt(2 / beta))
    diagonal[0] += spike
    degrees = beta * np.arange(size - 1, 0, -1)
    return Tridiagonal(diagonal, np.sqrt(rng.chisquare(degrees) / beta) * unit)
