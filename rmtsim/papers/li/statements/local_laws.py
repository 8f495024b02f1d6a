"""Claims of `li` on resolvents near the axis, test matrices and the error matrix D: Theorems 2(b), 2(c) and 4."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.claims import Corrected, Identity, Limit, Parameter, Plan, Rate, claim
from rmtsim.papers.li.statements.ensembles import LAWS, TWO_BLOCK, WIGNER
from rmtsim.papers.li.statements.theorems import (
    AGAINST_THE_SOLUTION,
    TRACE_PLAN,
    eigenvalue_cost,
)

Complex = NDArray[np.complex128]
PLACE = 0.5
"""Re z, in the bulk of every ensemble used here."""

RESOLVENT_PLAN = TRACE_PLAN.but(cost=lambda size: 2e-4 + 2e-9 * size**3)


def _resolvent(matrix: Array, z: complex) -> Complex:
    return np.asarray(np.linalg.inv(matrix - z * np.eye(len(matrix))), dtype=np.complex128)


# ---- Theorem 2(c) near the axis, and with a matrix B ---------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _stated(size: int, z: complex) -> complex:
    return complex(LAWS[WIGNER](1.0, size=size).stieltjes(z))


@claim(
    "li.thm2.c.local",
    corrected=Corrected(states=Rate(0.5, "O", within=0.05)),
    states=Rate(1.0, "O", within=0.05),
    plan=RESOLVENT_PLAN.but(exponents=(0.5, 1.0), cost=eigenvalue_cost),
    evidence=AGAINST_THE_SOLUTION,
)
def gap_near_the_axis(size: int, rng: np.random.Generator) -> float:
    """|(1/N) tr(G − M)| at Im z = N^(-1/2), a Wigner matrix."""
    z = complex(PLACE, size**-0.5)
    return abs(WIGNER.tridiagonal(size, rng, 1.0).mean_resolvent(z) - _stated(size, z))


@functools.lru_cache(maxsize=64)
def _stated_diagonal(size: int, z: complex) -> Complex:
    return np.asarray(np.diag(LAWS[TWO_BLOCK](0.2, size=size).solve(z).full()), dtype=np.complex128)


@claim(
    "li.thm2.c.matrix", states=Rate(1.0, "O", within=0.05), plan=RESOLVENT_PLAN, evidence=AGAINST_THE_SOLUTION
)
def half_trace_gap(size: int, rng: np.random.Generator, form: str) -> float:
    """|tr B(G − M)| for the two-block ensemble, B the projection on the first half; corrected: divided by N."""
    z = complex(PLACE, 0.5)
    half = size // 2
    found = np.diag(_resolvent(TWO_BLOCK.draw(size, 0.2, rng), z)) - _stated_diagonal(size, z)
    return float(abs(found[:half].sum())) / (size if form == "corrected" else 1)


GAMMA = Parameter(
    "gamma",
    "γ: Im z = N^(−1+γ)",
    0.5,
    lowest=0.05,
    highest=1.0,
    draw_range=(0.25, 0.75),
    assumption="the theorem asks for γ > 0",
)


PLACES: Array = np.linspace(-1.0, 1.0, 17)
"""Re z, in the bulk of the two-block ensemble, whose support ends at ±1.49."""


@functools.cache
def _sines(size: int) -> Array:
    """The orthogonal symmetric matrix of sines, which meets all entries of G."""
    count = np.arange(1, size + 1)
    return np.asarray(np.sqrt(2 / (size + 1)) * np.sin(np.pi * np.outer(count, count) / (size + 1)))


@functools.lru_cache(maxsize=64)
def _stated_traces(size: int, gamma: float) -> Complex:
    """tr BM, (B, places), for the three B of :func:`mean_gap`."""
    diagonals = np.array([_stated_diagonal(size, complex(place, size ** (gamma - 1))) for place in PLACES])
    half = diagonals[:, : size // 2].sum(axis=1)
    return np.stack([diagonals.sum(axis=1), half, diagonals @ np.diag(_sines(size))])


@claim(
    "li.thm2.c.heights",
    states=Rate(0.0, "O", within=0.05),
    over=(GAMMA,),
    points=({"gamma": 0.25}, {"gamma": 0.5}, {"gamma": 0.75}),
    plan=RESOLVENT_PLAN.but(
        exponents=(0.25, 0.5, 1.0),
        slowest=lambda gamma: min(gamma, 1 - gamma) if gamma < 1 else 1.0,
        cost=lambda size, gamma: 1.5e-4 + 6e-10 * size**3,
    ),
    evidence=AGAINST_THE_SOLUTION,
)
def mean_gap(size: int, rng: np.random.Generator, replicates: int, gamma: float) -> Array:
    """N Im z times the largest |(1/N) tr B(G − M)| over three B of norm one, the mean over seventeen Re z in the bulk.

    The two-block ensemble; B is the identity, the projection on the first half, and the matrix of sines. One
    eigendecomposition A = UΛUᵀ gives tr BG = Σ_k (UᵀBU)_kk/(λ_k − z) at every z, and distant z are nearly independent:
    their mean varies less than one of them at the price of one.
    """
    stated, sines = _stated_traces(size, gamma), _sines(size)
    height = size ** (gamma - 1)
    found = np.empty(replicates)
    for index in range(replicates):
        eigenvalues, vectors = np.linalg.eigh(TWO_BLOCK.draw(size, 0.2, rng))
        weights = np.stack(
            [
                np.ones(size),
                (vectors[: size // 2] ** 2).sum(axis=0),
                (vectors * (sines @ vectors)).sum(axis=0),
            ]
        )
        traces = weights @ (1 / (eigenvalues[:, None] - (PLACES + 1j * height)))
        found[index] = np.abs(traces - stated).max(axis=0).mean() * height
    return found


# ---- Theorem 2(b): bands, and what happens without Condition 4.5 ---------------------------------------------------


@claim("li.thm2.b", states=Identity(within=1e-6), plan=Plan(sizes=(2, 4), size_name="n", cost=0.2))
def mass_outside_bands(size: int, rng: np.random.Generator) -> float:
    """1 − the mass of bands of positive length."""
    from rmtsim.laws.dyson import MatrixDyson
    from rmtsim.laws.self_energy import VarianceProfile

    profile = rng.uniform(0.1, 2.0, (size, size))
    law = MatrixDyson(np.diag(rng.uniform(-3, 3, size)), VarianceProfile((profile + profile.T) / (2 * size)))
    mass = sum(float(law.cdf(high) - law.cdf(low)) for low, high in law.support if high > low)
    return abs(1 - mass)


@claim(
    "li.thm2.b.two-layers",
    states=Identity(within=1e-9),
    plan=Plan(sizes=(4, 16), size_name="rows of X", cost=3e-4),
)
def kernel_of_two_layers(size: int, rng: np.random.Generator) -> float:
    """Share of eigenvalues of [[0, X], [Xᵀ, 0]] at zero, X of p × q, less |p − q|/(p + q)."""
    rows, columns = size, int(rng.integers(size + 1, 3 * size))
    block = rng.standard_normal((rows, columns))
    matrix = np.block([[np.zeros((rows, rows)), block], [block.T, np.zeros((columns, columns))]])
    spectrum = np.abs(np.linalg.eigvalsh(matrix))
    share = float(np.mean(spectrum < 1e-10 * spectrum.max()))
    return abs(share - (columns - rows) / (columns + rows))


# ---- The error matrix D of (21), Theorem 4 -------------------------------------------------------------------------

HALVES = 16
"""Matrices B a draw: projections on halves of the coordinates, chosen at random."""


def traces_of_error(size: int, rng: np.random.Generator) -> Array:
    """|tr BD| of a Wigner matrix for sixteen B (rows) and seventeen z with Im z = ½ (columns).

    With A = UΛUᵀ and g = 1/(λ − z), D = 1 + (z + S[G])G = U diag(1 + (z + mean g)g + g²/N) Uᵀ.
    """
    eigenvalues, vectors = np.linalg.eigh(WIGNER.draw(size, 1.0, rng))
    z = PLACES + 0.5j
    green = 1 / (eigenvalues[:, None] - z)
    diagonal = 1 + (z + green.mean(axis=0)) * green + green**2 / size
    chosen = rng.permuted(np.tile(np.arange(size) < size // 2, (HALVES, 1)), axis=1)
    return np.asarray(np.abs((chosen @ vectors**2) @ diagonal))


def _error_matrix_of_signs(matrix: Array, z: complex) -> Complex:
    """D = 1 + (z + S[G])G, S[R] = (tr R/N) 1 + Rᵀ/N without the diagonal of Rᵀ/N."""
    size = len(matrix)
    green = _resolvent(matrix, z)
    energy = green.T / size
    energy = energy - np.diag(np.diag(energy)) + (np.trace(green) / size + z) * np.eye(size)
    return np.asarray(np.eye(size) + energy @ green, dtype=np.complex128)


def half_trace_of_error(size: int, rng: np.random.Generator, form: str) -> float:
    """|tr BD| of a Wigner matrix, B the projection on half of the coordinates; corrected: divided by N.

    The mean over four matrices, seventeen Re z in the bulk, Im z = ½, and sixteen such B, chosen at random.
    """
    traces = float(np.mean([traces_of_error(size, rng) for _ in range(4)]))
    return traces / size if form == "corrected" else traces


ERROR_PLAN = RESOLVENT_PLAN.but(cost=lambda size: 1.5e-4 + 5e-10 * size**3)
FOUR = ERROR_PLAN.but(cost=lambda size: 6e-4 + 2e-9 * size**3)
claim("li.thm4", half_trace_of_error, states=Rate(1.0, "O", within=0.05), plan=FOUR)
claim("li.eq25", half_trace_of_error, states=Rate(1.0, "O", within=0.05), plan=FOUR)


@claim(
    "li.eq21", states=Limit(0.0, within=0.005), plan=RESOLVENT_PLAN.but(sizes=(8, 32, 128), exponents=(1.0,))
)
def mean_error_of_signs(size: int, rng: np.random.Generator) -> float:
    """(1/N) Re tr D."""
    upper = np.triu(2.0 * rng.integers(0, 2, (size, size)) - 1.0)
    matrix = (upper + np.triu(upper, 1).T) / np.sqrt(size)
    return float(np.trace(_error_matrix_of_signs(matrix, complex(PLACE, 0.5))).real) / size
