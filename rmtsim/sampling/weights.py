"""Norms, sums and extremes of Gaussian weight matrices, drawn from their exact laws where that is cheaper."""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
import scipy.special
from numpy.typing import NDArray

from rmtsim import validate
from rmtsim.sampling.relu_network import input_dimension

__all__ = [
    "gram_deviation",
    "largest_column_norm",
    "largest_entry",
    "projection_deviation",
    "row_sum",
    "squared_norm",
]

Array = NDArray[np.float64]


def _shape(**sides: int) -> list[int]:
    """Sides of an array of draws, checked one by one and for the memory they take together."""
    checked = [validate.integer(name, side) for name, side in sides.items()]
    words = ", ".join(f"{name}={side}" for name, side in sides.items())
    validate.memory(16.0 * math.prod(checked), f"{words}: an array of draws")
    return checked


def row_sum(width: int, rng: np.random.Generator, count: int) -> Array:
    """Σ_j W_ij for ``count`` independent rows of ``width`` entries N(0, 1/width)."""
    width, count = _shape(width=width, count=count)
    rng = validate.generator("rng", rng)
    return np.asarray(rng.standard_normal((count, width)).sum(axis=1) / np.sqrt(width))


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
    dimension = input_dimension(width, alpha)
    validate.generator("rng", rng)
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
    """‖WᵀW - P_W‖²_F for classes × width W: Σ(λ_i(WWᵀ) - 1)², since both act on the row space alone."""
    count, classes, width = _shape(count=count, classes=classes, width=width)
    rng = validate.generator("rng", rng)
    w = rng.standard_normal((count, classes, width)) / np.sqrt(width)
    values = np.linalg.eigvalsh(w @ w.transpose(0, 2, 1))
    return np.asarray(((values - 1) ** 2).sum(axis=1))
