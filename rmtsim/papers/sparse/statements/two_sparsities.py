"""Gain of 2k atoms over k: equations (A.3)-(A.7) for each measurement, and Lemma A.1.2."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Grid, Limit, Parameter, Plan, Relative, claim
from rmtsim.papers.sparse import theory
from rmtsim.papers.sparse.simulation import (
    best_codes,
    draw_codes,
    draw_dictionary,
    draw_near_isometry,
    explained_energy,
    isometry_constant,
    orthogonal_matching_pursuit,
)
from rmtsim.papers.sparse.statements.parameters import NOISE, SPARSITY

_BATCH = 8
"""Measurements per dictionary."""


def _drawn(size: int, rng: Generator, sparsity: int, noise: float) -> tuple[Array, Array, Array]:
    """A dictionary with p = size atoms, measurements, their noise; signals from 1/100 to 100 times the noise."""
    matrix = draw_near_isometry(size, rng)
    codes = draw_codes(_BATCH, size, sparsity, rng)
    codes *= 10 ** rng.uniform(-2, 2, (_BATCH, 1)) * noise
    error = noise * rng.standard_normal((_BATCH, matrix.shape[0]))
    return matrix, codes @ matrix.T + error, error


_CHAINED = Grid(
    (SPARSITY, NOISE),
    points=({"sparsity": 1}, {"sparsity": 2}),
    plan=Plan(
        sizes=(6, 12), size_name="p", cost=lambda size, sparsity: 3e-4 + 5e-7 * math.comb(size, 2 * sparsity)
    ),
)
"""Parts that the steps of the chain (A.3)-(A.7) share."""


@claim("sparse.eqA.3", states=Bound(1.0, ">=", within=1e-6), over=_CHAINED)
def gain_over_second_code(size: int, rng: Generator, sparsity: int, noise: float) -> float:
    """Least (‖y - Aẑ*‖² - min over 2k-sparse codes)/‖Az̃‖² of a batch."""
    k = sparsity
    matrix, rows, _ = _drawn(size, rng, k, noise)
    residual = rows - best_codes(rows, matrix, k).codes @ matrix.T
    second, _ = explained_energy(residual, matrix, k)
    both, _ = explained_energy(rows, matrix, 2 * k)
    one, _ = explained_energy(rows, matrix, k)
    return float(((both - one) / second).min())


@claim("sparse.eqA.6", states=Bound(1.0, within=1e-6), over=_CHAINED)
def explained_noise(size: int, rng: Generator, sparsity: int, noise: float) -> float:
    """Noise that k atoms can explain, over the bound by the largest correlation."""
    k = sparsity
    matrix, rows, error = _drawn(size, rng, k, noise)
    one, _ = explained_energy(rows, matrix, k)
    removed = (error**2).sum(axis=1) - ((rows**2).sum(axis=1) - one)
    largest = ((error @ matrix) ** 2).max(axis=1)
    return float((removed * (1 - isometry_constant(matrix, 2 * k)) / (2 * k * largest)).max())


@claim("sparse.eqA.7", states=Bound(1.0, ">=", within=1e-6), over=_CHAINED)
def gain_over_chain(size: int, rng: Generator, sparsity: int, noise: float) -> float:
    """(‖y - Aẑ*‖² - min over 2k-sparse codes) over the chain's lower bound, least of a batch."""
    k = sparsity
    matrix, rows, _ = _drawn(size, rng, k, noise)
    both, _ = explained_energy(rows, matrix, 2 * k)
    one, _ = explained_energy(rows, matrix, k)
    isometry = min(1.0, isometry_constant(matrix, 2 * k))
    least = float(np.linalg.svd(matrix, compute_uv=False)[matrix.shape[0] - 1]) ** 2
    floor = (1 - isometry) ** 4 * k / size * least * ((rows**2).sum(axis=1) - one)
    return float(((both - one) / np.maximum(floor, 1e-300)).min()) if isometry < 1 else 1.0


_INVERSE = Parameter(
    "inverse", "p/k, atoms per chosen atom", 8, integer=True, lowest=3, highest=64, draw_range=(4, 16)
)


@claim(
    "sparse.eqA.7.constant",
    states=Limit(lambda inverse: theory.top_squares_limit(1 / (inverse - 1)), within=Relative(0.01)),
    over=(_INVERSE,),
    points=({"inverse": 8}, {"inverse": 16}),
    plan=Plan(
        sizes=(2, 4, 8, 16),
        size_name="k",
        exponents=(1.0,),
        cost=lambda size, inverse: 2e-6 + 3e-9 * inverse * size * (size * size + 16),
        memory=lambda size, inverse: 1e5 * size * inverse,
    ),
)
def gain_per_atom(size: int, rng: Generator, replicates: int, inverse: int) -> Array:
    """(‖y - Aẑ‖² at k atoms minus that at 2k)/(kσ²) of single measurements."""
    atoms = size * inverse
    codes = 1e3 * draw_codes(replicates, atoms, size, rng, magnitudes="equal") * math.sqrt(size)
    rows = codes + rng.standard_normal((replicates, atoms))
    one = orthogonal_matching_pursuit(rows, np.eye(atoms), size).codes
    both = orthogonal_matching_pursuit(rows, np.eye(atoms), 2 * size).codes
    return np.asarray((((rows - one) ** 2).sum(axis=1) - ((rows - both) ** 2).sum(axis=1)) / size)


@claim(
    "sparse.lemmaA.1.2",
    states=Bound(1.0, within=1e-9, likely=True),
    plan=Plan(sizes=(2, 8, 32), size_name="n", cost=lambda size: 2e-4 + 2e-5 * size),
)
def largest_correlation(size: int, rng: Generator) -> float:
    """Mean largest squared correlation over the bound."""
    matrix = draw_dictionary(int(rng.integers(1, size + 1)), size, rng)
    noise = rng.standard_normal((256, matrix.shape[0]))
    return float(((noise @ matrix) ** 2).max(axis=1).mean()) / theory.largest_square_bound(size)
