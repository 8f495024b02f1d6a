"""Random dictionaries, sparse codes and measurements y = Az + ε."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.papers.sparse.simulation.checks import checked_dictionary, checked_noise, checked_sparsity

Magnitudes = Literal["gaussian", "unit-norm", "equal"]
"""Entries of a code on its support: N(0, 1); the same divided by the code's norm; ±1/√k."""


def normalised(dictionary: Any) -> Array:
    """The dictionary with columns of unit norm.

    >>> normalised([[3.0, 0.0], [4.0, 2.0]]).tolist()
    [[0.6, 0.0], [0.8, 1.0]]
    """
    matrix = checked_dictionary("dictionary", dictionary)
    matrix = matrix / np.abs(matrix).max(axis=0)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=0))


def draw_dictionary(dimension: int, atoms: int, rng: np.random.Generator) -> Array:
    """A d × p Gaussian matrix with its columns normalised: atoms uniform on the sphere (Section 2.4).

    >>> bool(np.allclose(np.linalg.norm(draw_dictionary(3, 5, np.random.default_rng(0)), axis=0), 1.0))
    True
    """
    d = validate.integer("dimension", dimension, meaning="dimension d of measurements")
    p = validate.integer("atoms", atoms, meaning="number p of atoms")
    validate.memory(24.0 * d * p, f"a dictionary with dimension={d}, atoms={p}")
    matrix = validate.generator("rng", rng).standard_normal((d, p))
    return np.asarray(matrix / np.linalg.norm(matrix, axis=0))


def draw_orthonormal(dimension: int, rng: np.random.Generator) -> Array:
    """A uniformly random orthogonal matrix: d atoms, every isometry constant zero.

    >>> dictionary = draw_orthonormal(4, np.random.default_rng(0))
    >>> bool(np.allclose(dictionary.T @ dictionary, np.eye(4)))
    True
    """
    d = validate.integer("dimension", dimension, meaning="dimension d of measurements")
    validate.memory(32.0 * d * d, f"an orthonormal dictionary with dimension={d}")
    basis, upper = np.linalg.qr(validate.generator("rng", rng).standard_normal((d, d)))
    return np.asarray(basis * np.sign(np.diagonal(upper)))


def draw_codes(
    count: int, atoms: int, sparsity: int, rng: np.random.Generator, *, magnitudes: Magnitudes = "gaussian"
) -> Array:
    """k-sparse codes, one per row: uniformly random supports, entries as :data:`Magnitudes` says.

    >>> codes = draw_codes(2, 6, 3, np.random.default_rng(0), magnitudes="equal")
    >>> (codes != 0).sum(axis=1).tolist(), (codes**2).sum(axis=1).round(12).tolist()
    ([3, 3], [1.0, 1.0])
    """
    n = validate.integer("count", count, meaning="number of codes")
    p = validate.integer("atoms", atoms, meaning="number p of atoms")
    k = checked_sparsity(sparsity, p)
    rng = validate.generator("rng", rng)
    validate.choice("magnitudes", magnitudes, ("gaussian", "unit-norm", "equal"))
    validate.memory(24.0 * n * p, f"count={n} codes over atoms={p}")
    places = np.argsort(rng.random((n, p)), axis=1)[:, :k]
    entries = rng.standard_normal((n, k))
    if magnitudes == "equal":
        entries = np.where(entries < 0, -1.0, 1.0) / np.sqrt(k)
    elif magnitudes == "unit-norm":
        entries /= np.linalg.norm(entries, axis=1, keepdims=True)
    codes = np.zeros((n, p))
    np.put_along_axis(codes, places, entries, axis=1)
    return codes


def draw_measurements(dictionary: Any, codes: Any, noise: float, rng: np.random.Generator) -> Array:
    """y = Az + ε with ε ~ N(0, σ²I), one per row.

    >>> draw_measurements(np.eye(2), [[1.0, 0.0]], 0.0, np.random.default_rng(0)).tolist()
    [[1.0, 0.0]]
    """
    matrix = checked_dictionary("dictionary", dictionary)
    rows = np.atleast_2d(validate.real_array("codes", codes, meaning="one code z per row"))
    if rows.ndim != 2 or rows.shape[1] != matrix.shape[1]:
        raise ValueError(
            f"codes of shape {rows.shape}: expected rows of {matrix.shape[1]} numbers, one per atom"
        )
    sigma = checked_noise(noise)
    clean = rows @ matrix.T
    drawn = clean + sigma * validate.generator("rng", rng).standard_normal(clean.shape)
    return validate.computed("measurements of dictionary, codes, noise", np.asarray(drawn))
