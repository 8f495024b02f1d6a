"""Dictionaries with measurements on which the statements are tested."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.papers.sparse.simulation.decoding import Pursuit, orthogonal_matching_pursuit
from rmtsim.papers.sparse.simulation.draws import draw_codes, draw_measurements, draw_orthonormal, normalised
from rmtsim.papers.sparse.simulation.losses import sparse_losses


def draw_near_isometry(atoms: int, rng: Generator) -> Array:
    """Unit columns with small products: an orthonormal basis or a simplex (p = d + 1), somewhat disturbed.

    >>> draw_near_isometry(4, np.random.default_rng(0)).shape[1]
    4
    """
    basis = draw_orthonormal(atoms, rng)
    if rng.random() < 0.5:
        basis = np.linalg.qr(basis[:, :-1])[0].T  # p vectors in p - 1 dimensions, products -1/(p - 1)
        basis = normalised(basis)
    shake = rng.uniform(0, 0.3) / math.sqrt(basis.shape[0])
    return normalised(basis + shake * rng.standard_normal(basis.shape))


def balanced(atoms: int, rng: Generator) -> Array:
    """Atoms that are orthonormal on the first p coordinates and on the last p.

    >>> balanced(3, np.random.default_rng(0)).shape
    (6, 3)
    """
    return np.vstack([draw_orthonormal(atoms, rng), draw_orthonormal(atoms, rng)])


def pursued(
    size: int, rng: Generator, replicates: int, atoms: int, sparsity: int
) -> tuple[Array, Array, Array]:
    """Codes with entries N(0, size²), their noise in the atoms' coordinates, and OMP's codes; σ = 1.

    The atoms are orthonormal.
    """
    matrix = draw_orthonormal(atoms, rng)
    codes = size * draw_codes(replicates, atoms, sparsity, rng)
    noise = rng.standard_normal((replicates, atoms))
    found = orthogonal_matching_pursuit((codes + noise) @ matrix.T, matrix, sparsity).codes
    return codes, noise, found


def equiangular_pursuit(size: int, rng: Generator, coherence: float) -> tuple[Array, Pursuit, float]:
    """16 codes with one entry above γ and one below, OMP's answer, and γ of Theorem A.1.1; η = 1, σ = 1, k = 2.

    All products of two of the atoms are ``coherence``.
    """
    gram = (1 - coherence) * np.eye(size) + coherence
    values, vectors = np.linalg.eigh(gram)
    matrix = normalised((vectors * np.sqrt(values)) @ vectors.T)
    threshold = 2 * math.sqrt(2) * math.sqrt(4 * math.log(size)) / (1 - 3 * coherence)
    codes = draw_codes(16, size, 2, rng, magnitudes="equal")
    places = np.argsort(-np.abs(codes) * (1 + rng.random(codes.shape)), axis=1)
    rows = np.arange(16)
    codes[rows, places[:, 0]] *= math.sqrt(2) * threshold * rng.uniform(1, 2, 16)
    codes[rows, places[:, 1]] *= math.sqrt(2) * threshold * rng.uniform(0, 0.9, 16)
    measured = draw_measurements(matrix, codes, 1.0, rng)
    return codes, orthogonal_matching_pursuit(measured, matrix, 2), threshold


def gains(matrix: Array, learned: Array, codes: Array, noise: float, rng: Generator) -> Array:
    """(‖y - Aẑ‖² - ‖y - Bẑ‖²)/(kσ²) for each code, both exhaustive.

    >>> gains(np.eye(2), np.eye(2), np.array([[1.0, 0.0]]), 0.1, np.random.default_rng(0)).tolist()
    [0.0]
    """
    k = int((codes[0] != 0).sum())
    rows = draw_measurements(matrix, codes, noise, rng)
    return np.asarray((sparse_losses(rows, matrix, k) - sparse_losses(rows, learned, k)) / (k * noise**2))
