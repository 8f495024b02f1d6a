"""Laws of the bulk: Wigner, Marchenko–Pastur, Wachter, Kesten–McKay, and rigidity of single eigenvalues."""

from __future__ import annotations

import functools

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim.claims import Law, Plan, Rate, claim, kolmogorov_distance
from rmtsim.ensembles import gaussian, jacobi_tridiagonal
from rmtsim.laws import KestenMcKay, MarchenkoPastur, Semicircle, Wachter
from rmtsim.papers.textbook.statements.parameters import RATIO, dense_eigenvalue_cost

RIGID = Plan(
    sizes=(32, 64, 128, 256),
    size_name="n",
    cost=dense_eigenvalue_cost,
    exponents=(0.8, 1.0),
    because="counting functions of rigid spectra are within O(log n) of n·F: log n/n, between n^-0.8 and 1/n here",
)


def signs(rows: int, columns: int, rng: np.random.Generator) -> FloatArray:
    """Independent fair signs: entries far from Gaussian, which tests universality."""
    return np.asarray(rng.integers(0, 2, (rows, columns)) * 2.0 - 1.0, dtype=np.float64)


@claim("textbook.wigner", states=Law(Semicircle(), within=0.01), plan=RIGID)
def wigner_eigenvalues(size: int, rng: np.random.Generator) -> FloatArray:
    """Eigenvalues of a symmetric matrix of signs."""
    upper = np.triu(signs(size, size, rng))
    return np.asarray(np.linalg.eigvalsh((upper + np.triu(upper, 1).T) / np.sqrt(size)))


@claim("textbook.marchenko-pastur", states=Law(0.0, within=0.01), over=(RATIO,), plan=RIGID)
def sample_covariance_distance(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Kolmogorov distance to the law with the ratio of the rounded shape."""
    samples = max(size, round(size / ratio))
    x = signs(size, samples, rng)
    values = np.asarray(np.linalg.eigvalsh(x @ x.T / samples), dtype=np.float64)
    return kolmogorov_distance(values, _marchenko_pastur(size, samples))


@functools.lru_cache(maxsize=256)
def _marchenko_pastur(size: int, samples: int) -> MarchenkoPastur:
    return MarchenkoPastur(size / samples)


@claim("textbook.wachter", states=Law(Wachter(2.0, 3.0), within=0.01), plan=RIGID.but(size_name="p"))
def jacobi_eigenvalues(size: int, rng: np.random.Generator) -> FloatArray:
    """Eigenvalues of the Jacobi ensemble's tridiagonal form."""
    return jacobi_tridiagonal(size, 2 * size, 3 * size, rng).eigenvalues()


@claim("textbook.kesten-mckay", states=Law(KestenMcKay(4), within=0.01), plan=RIGID)
def graph_eigenvalues(size: int, rng: np.random.Generator) -> FloatArray:
    """Adjacency eigenvalues of two random permutations and their inverses (short cycles included)."""
    adjacency = np.zeros((size, size))
    rows = np.arange(size)
    for _ in range(2):
        columns = rng.permutation(size)
        np.add.at(adjacency, (rows, columns), 1.0)
        np.add.at(adjacency, (columns, rows), 1.0)
    return np.asarray(np.linalg.eigvalsh(adjacency))


@functools.lru_cache(maxsize=64)
def _classical_locations(size: int) -> FloatArray:
    return np.asarray(Semicircle().ppf((np.arange(size) + 0.5) / size))


@claim(
    "textbook.rigidity",
    states=Rate(0.7, "O", within=0.05),
    plan=RIGID.but(sizes=(16, 32, 64, 128, 256), exponents=(0.5, 1.0)),
)
def largest_displacement(size: int, rng: np.random.Generator) -> float:
    """max over the middle half of |λ_k − γ_k|, γ_k the quantiles of the semicircle."""
    values = np.linalg.eigvalsh(gaussian(size, rng, beta=2))
    middle = slice(size // 4, size - size // 4)
    return float(np.abs(values - _classical_locations(size))[middle].max())
