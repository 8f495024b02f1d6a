"""The circular and elliptic laws of matrices without symmetry."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim.claims import Law, Plan, claim
from rmtsim.laws import Circular, Elliptic
from rmtsim.papers.textbook.statements.bulk import signs

MODULI = Plan(
    sizes=(20, 40, 80, 160),
    size_name="n",
    exponents=(0.5, 0.75),
    because="the edge is n^(−1/2) wide; the number of eigenvalues in a disc fluctuates by n^(1/4)",
    cost=lambda size: 1e-4 + 2e-8 * size**2 + 3e-9 * size**3,
)


@claim("textbook.circular-law", states=Law(Circular().radial_cdf, within=0.03), plan=MODULI)
def moduli(size: int, rng: np.random.Generator) -> FloatArray:
    """|z| of all eigenvalues."""
    return np.abs(np.linalg.eigvals(signs(size, size, rng) / np.sqrt(size)))


CORRELATION = 0.5


@claim("textbook.elliptic-law", states=Law(Elliptic(CORRELATION).radial_cdf, within=0.03), plan=MODULI)
def elliptic_moduli(size: int, rng: np.random.Generator) -> FloatArray:
    """|z| of all eigenvalues."""
    first, second = rng.standard_normal((2, size, size))
    # A pair (x, ρx + √(1−ρ²)y) across the diagonal; the diagonal has variance 1 + ρ.
    lower = CORRELATION * np.triu(first, 1).T + np.sqrt(1 - CORRELATION**2) * np.tril(second, -1)
    matrix = np.triu(first, 1) + lower + np.diag(np.diag(second)) * np.sqrt(1 + CORRELATION)
    return np.abs(np.linalg.eigvals(matrix / np.sqrt(size)))
