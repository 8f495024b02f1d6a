"""Laws of the bulk: Wigner, Marchenko–Pastur, Wachter, Kesten–McKay, and rigidity of single eigenvalues."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Law, Plan, Rate, Simulated, claim, kolmogorov_distance
from rmtsim.ensembles import gaussian, jacobi_tridiagonal
from rmtsim.laws import KestenMcKay, MarchenkoPastur, Semicircle, Wachter
from rmtsim.papers.textbook.statements.parameters import RATIO, dense_eigenvalue_cost

FloatArray = NDArray[np.float64]
RIGID = Plan(
    sizes=(32, 64, 128, 256),
    size_name="n",
    cost=dense_eigenvalue_cost,
    exponents=(0.8, 1.0),
    because="counting functions of rigid spectra are within O(log n) of n·F: log n/n, between n^-0.8 and 1/n here",
)


def signs(rows: int, columns: int, rng: np.random.Generator) -> FloatArray:
    """Independent fair signs: entries far from Gaussian, so that universality is what is seen."""
    return np.asarray(rng.integers(0, 2, (rows, columns)) * 2.0 - 1.0, dtype=np.float64)


@claim(
    "textbook.wigner",
    at="Wigner 1955, 1958",
    standing="theorem",
    printed="Eigenvalues of a symmetric n×n matrix of fair signs/√n follow the semicircle on [−2, 2] (Kolmogorov "
    "distance).",
    states=Law(Semicircle(), within=0.01),
    plan=RIGID,
)
def wigner_eigenvalues(size: int, rng: np.random.Generator) -> FloatArray:
    """Eigenvalues of a symmetric matrix of signs."""
    upper = np.triu(signs(size, size, rng))
    return np.asarray(np.linalg.eigvalsh((upper + np.triu(upper, 1).T) / np.sqrt(size)))


@claim(
    "textbook.marchenko-pastur",
    at="Marchenko and Pastur 1967",
    standing="theorem",
    printed="Eigenvalues of (1/N) XXᵀ, X n×N of fair signs with n/N = y, follow the Marchenko–Pastur law of ratio y.",
    states=Law(0.0, within=0.01),
    over=(RATIO,),
    plan=RIGID,
    evidence=Simulated(
        theory="the distance between drawn eigenvalues and the law is the quantity that is stated"
    ),
)
def sample_covariance_distance(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Kolmogorov distance to the law of the ratio that rounding leaves."""
    samples = max(size, round(size / ratio))
    x = signs(size, samples, rng)
    values = np.asarray(np.linalg.eigvalsh(x @ x.T / samples), dtype=np.float64)
    return kolmogorov_distance(values, _marchenko_pastur(size, samples))


@functools.lru_cache(maxsize=256)
def _marchenko_pastur(size: int, samples: int) -> MarchenkoPastur:
    return MarchenkoPastur(size / samples)


@claim(
    "textbook.wachter",
    at="Wachter 1980",
    standing="theorem",
    printed="Eigenvalues of A(A + B)⁻¹, A and B Wishart of n₁ = 2p and n₂ = 3p samples, follow Wachter's law.",
    states=Law(Wachter(2.0, 3.0), within=0.01),
    plan=RIGID.but(size_name="p"),
)
def jacobi_eigenvalues(size: int, rng: np.random.Generator) -> FloatArray:
    """Eigenvalues of the Jacobi ensemble's tridiagonal form."""
    return jacobi_tridiagonal(size, 2 * size, 3 * size, rng).eigenvalues()


@claim(
    "textbook.kesten-mckay",
    at="Kesten 1959, McKay 1981",
    standing="theorem",
    printed="Eigenvalues of a random 4-regular graph follow the Kesten–McKay law.",
    states=Law(KestenMcKay(4), within=0.01),
    plan=RIGID,
)
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
    at="Erdős, Yau and Yin 2012",
    standing="theorem",
    printed="In the bulk of a GUE matrix no eigenvalue strays further than n^(−1+ε) from its classical location; "
    "tested at ε = 0.3 as the decay of max |λ_k − γ_k| over the middle half, in the mean.",
    states=Rate(0.7, "O", within=0.05),
    plan=RIGID.but(
        sizes=(16, 32, 64, 128, 256),
        exponents=(0.5, 1.0),
        because="the truth is log n/n: its local exponent 1 − 1/log n rises slowly from 0.75, above the stated 0.7",
    ),
    evidence=Simulated(theory="the distance from the semicircle's quantiles is the quantity that is stated"),
)
def largest_displacement(size: int, rng: np.random.Generator) -> float:
    """max over the middle half of |λ_k − γ_k|, γ_k the quantiles of the semicircle."""
    values = np.linalg.eigvalsh(gaussian(size, rng, beta=2))
    middle = slice(size // 4, size - size // 4)
    return float(np.abs(values - _classical_locations(size))[middle].max())
