"""Norms that the paper builds on: Proposition 2.1, Lemma E.1, Lemma G.1."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim.claims import Bound, Plan, claim
from rmtsim.papers.liu.simulation.tensor_norm import random_tensor, tensor_norm_221


@claim("liu.prop2.1", states=Bound(1.0), plan=Plan(sizes=(2, 4, 6), size_name="largest index", cost=3e-4))
def holder_quotient(size: int, rng: Generator) -> float:
    """‖A‖ over the bound."""
    tensor = random_tensor(size, rng)
    vector = rng.choice((-1.0, 1.0), size) if rng.random() < 0.5 else rng.standard_normal(size)
    norm = tensor_norm_221(tensor).upper
    return float(np.linalg.norm(tensor @ vector, 2) / (norm * np.abs(vector).max()))


@claim(
    "liu.prop2.1.norm",
    states=Bound(0.0, ">="),
    plan=Plan(sizes=(2, 4, 6), size_name="largest index", cost=2e-3),
)
def ascent_gap(size: int, rng: Generator) -> float:
    """Smaller of 1 - lower/exact and upper/exact - 1."""
    tensor = random_tensor(size, rng)
    exact, bounds = tensor_norm_221(tensor).upper, tensor_norm_221(tensor, exact_up_to=0)
    return min(1 - bounds.lower / exact, bounds.upper / exact - 1)


@claim(
    "liu.prop2.1.certified",
    states=Bound(1.0, likely=True),
    plan=Plan(sizes=(12, 18), size_name="largest index", cost=8e-3),
)
def certified_quotient(size: int, rng: Generator) -> float:
    """‖A‖ over the attained lower bound, for random v."""
    tensor = random_tensor(size, rng)
    bounds = tensor_norm_221(tensor)
    vector = rng.standard_normal(size)
    return float(np.linalg.norm(tensor @ vector, 2) / (bounds.lower * np.abs(vector).max()))


@claim("liu.lemmaE.1", states=Bound(1.0), plan=Plan(sizes=(2, 4, 6), size_name="blocks a side", cost=1e-3))
def block_quotient(size: int, rng: Generator) -> float:
    """‖H‖ over the sum of the blocks' norms; blocks of random sizes and scales."""
    sides = rng.integers(1, 5, size)
    cuts = np.cumsum(sides)[:-1]
    matrix = rng.standard_normal((sides.sum(), sides.sum()))
    matrix *= np.exp(2 * rng.standard_normal(len(matrix)))[:, None]
    matrix = matrix + matrix.T
    total = sum(
        np.linalg.norm(block, 2)
        for rows in np.split(matrix, cuts, axis=0)
        for block in np.split(rows, cuts, axis=1)
    )
    return float(np.linalg.norm(matrix, 2) / total)


@claim("liu.lemmaG.1", states=Bound(1.0), plan=Plan(sizes=(1, 3, 9), size_name="largest side", cost=2e-4))
def frobenius_quotient(size: int, rng: Generator) -> float:
    """‖BC‖_F over the bound."""
    a, b, c = rng.integers(1, size + 1, 3)
    left, right = rng.standard_normal((a, b)), rng.standard_normal((b, c))
    return float(np.linalg.norm(left @ right) / (np.linalg.norm(left, 2) * np.linalg.norm(right)))
