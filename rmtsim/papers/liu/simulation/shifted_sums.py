"""Sums Σ x̄_i ȳ_i² of shifted Gaussian vectors (Lemma H.1)."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array


def chosen_shifts(x: Array, y: Array, radius: float) -> tuple[Array, Array]:
    """Shifts (s, t) of length at most ``radius``, row by row, that bring Σ(x+s)(y+t)² as close to zero as they can.

    t is a multiple of xy and s of the squares that result, both only as long as needed: the best to first order.
    """
    total = (x * y**2).sum(axis=1, keepdims=True)
    along = x * y
    length = np.linalg.norm(along, axis=1, keepdims=True)
    t = -np.sign(total) * along / length * np.minimum(radius, np.abs(total) / (2 * length))
    squares = (y + t) ** 2
    length = np.linalg.norm(squares, axis=1, keepdims=True)
    needed = -(x * squares).sum(axis=1, keepdims=True) / length
    return np.asarray(np.clip(needed, -radius, radius) * squares / length), np.asarray(t)


def smallest_sums(size: int, rng: Generator, replicates: int, radius: float) -> Array:
    """|Σ x̄_i ȳ_i²|/√m after the shift chosen for these x and y."""
    x, y = rng.standard_normal((2, replicates, size))
    s, t = chosen_shifts(x, y, radius)
    return np.asarray(np.abs(((x + s) * (y + t) ** 2).sum(axis=1)) / math.sqrt(size))


def fixed_shifts(size: int, rng: Generator, radius: float) -> Array:
    """Two vectors of length ``radius`` in uniform directions."""
    shifts = rng.standard_normal((2, size))
    return np.asarray(radius * shifts / np.linalg.norm(shifts, axis=1, keepdims=True))
