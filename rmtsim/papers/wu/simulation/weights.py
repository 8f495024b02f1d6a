"""Norms, sums and extremes of Gaussian weight matrices, drawn from their exact laws where that is cheaper."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import scipy.linalg
import scipy.special

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.randomness import state_words
from rmtsim.papers.wu.simulation.relu_network import input_dimension


def _shape(**sides: int) -> list[int]:
    """Sides of an array of draws, each checked, and the memory of the whole array."""
    checked = [validate.integer(name, side) for name, side in sides.items()]
    words = ", ".join(f"{name}={side}" for name, side in sides.items())
    validate.memory(16.0 * math.prod(checked), f"{words}: an array of draws")
    return checked


def _pieces(count: int, entries: int) -> Iterator[slice]:
    """Draws in pieces whose numbers stay in the cache of a core until they are used."""
    step = max(1, 2**16 // entries)
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def row_sum(width: int, rng: np.random.Generator, count: int) -> Array:
    """Σ_j W_ij for ``count`` independent rows of ``width`` entries N(0, 1/width)."""
    width, count = _shape(width=width, count=count)
    rng = validate.generator("rng", rng)
    sums = np.empty(count)
    with state_words(rng) as words:
        if words is not None:
            from rmtsim.papers.wu.simulation.kernels.row_sums import normal_row_sums

            normal_row_sums(words, width, sums)
            return np.asarray(sums / np.sqrt(width))
    for rows in _pieces(count, width):
        rng.standard_normal((len(sums[rows]), width)).sum(axis=1, out=sums[rows])
    return np.asarray(sums / np.sqrt(width))


def squared_norm(width: int, rows: int, rng: np.random.Generator, count: int) -> Array:
    """‖W‖²_F of ``count`` rows × width matrices with entries N(0, 1/width)."""
    width, rows, count = _shape(width=width, rows=rows, count=count)
    rng = validate.generator("rng", rng)
    return np.asarray((rng.standard_normal((count, rows * width)) ** 2).sum(axis=1) / width)


def largest_column_norm(width: int, alpha: float, rng: np.random.Generator, count: int) -> Array:
    """max_i ‖w_i‖ over the columns of W^(1), from the exact law ‖w_i‖² = χ²_width/d of independent columns."""
    rng = validate.generator("rng", rng)
    dimension = input_dimension(width, alpha)
    dimension, count = _shape(dimension=dimension, count=count)
    return np.asarray(np.sqrt(rng.chisquare(width, (count, dimension)).max(axis=1) / dimension))


def largest_entry(rows: int, columns: int, rng: np.random.Generator, count: int) -> Array:
    """max |W_ij| of ``count`` rows × columns matrices with entries N(0, 1/columns).

    The largest of K independent |normals| has the distribution function (2Φ(x) - 1)^K, and is drawn by its
    inverse: one uniform a matrix instead of K entries. Tails are kept by working with 1 - U^{1/K}.

    >>> bool(abs(largest_entry(10, 40, np.random.default_rng(0), 1000).mean() * 40**0.5 - 3.17) < 0.05)
    True
    """
    rng = validate.generator("rng", rng)
    rows = validate.integer("rows", rows)
    columns = validate.integer("columns", columns)
    (count,) = _shape(count=count)
    tail = -np.expm1(np.log1p(-rng.random(count)) / (rows * columns))
    return np.asarray(-scipy.special.ndtri(tail / 2) / np.sqrt(columns))


def gram_deviation(width: int, alpha: float, rng: np.random.Generator) -> float:
    """‖W^(1)W^(1)ᵀ - I_n‖ in spectral norm, in O(width) operations.

    The singular values of a width × d Gaussian matrix are those of the bidiagonal matrix with independent
    chi variables of d, d-1, … degrees on the diagonal and width-1, …, 1 beside it (Householder on both
    sides), so n·d entries need not be drawn.

    >>> round(gram_deviation(2000, 1.0, np.random.default_rng(0)), 2)
    0.05
    """
    width = validate.integer("width", width, meaning="number of hidden units")
    dimension = input_dimension(width, alpha)
    rng = validate.generator("rng", rng)
    validate.memory(64.0 * width, f"width={width}: the bidiagonal matrix")
    small, large = min(width, dimension), max(width, dimension)
    diagonal = np.sqrt(rng.chisquare(large - np.arange(small), small))
    beside = np.sqrt(rng.chisquare(np.arange(small - 1, 0, -1), small - 1))
    main = (diagonal**2 + np.concatenate(([0.0], beside**2))) / dimension
    off = diagonal[:-1] * beside / dimension
    ends = [
        float(scipy.linalg.eigh_tridiagonal(main, off, True, "i", (index, index))[0])
        for index in (0, small - 1)
    ]
    smallest = 0.0 if width > dimension else ends[0]
    return max(ends[1] - 1, 1 - smallest)


def projection_deviation(width: int, classes: int, rng: np.random.Generator, count: int) -> Array:
    """‖WᵀW - P_W‖²_F for classes × width W: Σ(λ_i(WWᵀ) - 1)² = ‖WWᵀ - I‖²_F, since both act on the row space alone."""
    count, classes, width = _shape(count=count, classes=classes, width=width)
    rng = validate.generator("rng", rng)
    found = np.empty(count)
    identity = np.eye(classes)
    for part in _pieces(count, classes * width):
        w = rng.standard_normal((len(found[part]), classes, width))
        deviation = w @ w.mT
        deviation /= width
        deviation -= identity
        np.einsum("kab,kab->k", deviation, deviation, out=found[part])
    return found
