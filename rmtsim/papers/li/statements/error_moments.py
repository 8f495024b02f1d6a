"""Claims of `li` on Theorem 4 for p > 1: moments of tr BD, and of the entries of G in the factors of (26).

Wigner matrices with Gaussian entries, whose eigenvectors are uniform and independent of the eigenvalues.
"""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Limit, Parameter, Rate, claim
from rmtsim.ensembles import gaussian_tridiagonal
from rmtsim.papers.li.statements.ensembles import WIGNER
from rmtsim.papers.li.statements.local_laws import PLACES, RESOLVENT_PLAN

ORDER = Parameter(
    "order", "p, the moment", 2, integer=True, lowest=1, highest=8, draw_range=(1, 4), assumption="p ≥ 1"
)
HALVES = 16
"""Matrices B a draw: projections on halves of the coordinates, chosen at random."""


@claim(
    "li.thm4.moments",
    states=Rate(0.0, "O", within=0.1),
    over=(ORDER,),
    points=({"order": 2}, {"order": 4}),
    plan=RESOLVENT_PLAN.but(cost=lambda size: 1.5e-4 + 5e-10 * size**3),
)
def error_moment(size: int, rng: np.random.Generator, order: int, form: str) -> float:
    """N^p times the mean of |⟨B, D⟩|^p over sixteen B and seventeen z with Im z = ½.

    ⟨B, D⟩ is tr BD as printed, and tr BD/N corrected.

    With A = UΛUᵀ and g = 1/(λ − z), D = 1 + (z + S[G])G = U diag(1 + (z + mean g)g + g²/N) Uᵀ.
    """
    eigenvalues, vectors = np.linalg.eigh(WIGNER.draw(size, 1.0, rng))
    z = PLACES + 0.5j
    green = 1 / (eigenvalues[:, None] - z)
    diagonal = 1 + (z + green.mean(axis=0)) * green + green**2 / size
    chosen = rng.permuted(np.tile(np.arange(size) < size // 2, (HALVES, 1)), axis=1)
    traces = np.abs((chosen @ vectors**2) @ diagonal)
    return float(np.mean((traces if form == "corrected" else size * traces) ** order))


@claim(
    "li.eq26.fourth",
    states=Limit(1.0, within=0.05),
    plan=RESOLVENT_PLAN.but(
        sizes=(64, 256, 1024, 4096), exponents=(0.5, 1.0), cost=lambda size: 1e-4 + 1.4e-8 * size**2
    ),
)
def fourth_moment_of_green(size: int, rng: np.random.Generator) -> float:
    """Mean of |⟨x, Gx⟩|⁴ over unit vectors x, given the eigenvalues, and over seventeen Re z.

    ⟨x, Gx⟩ = Σ ξ_k²g_k/Σξ_k² with normal ξ, and the quotient does not depend on Σξ_k². Joint cumulants of r forms
    Σξ_k²a_k are 2^(r−1)(r − 1)! Σ_k of the product of their a_k; summed over the partitions of (g, g, ḡ, ḡ) they give
    the moment.
    """
    eigenvalues = gaussian_tridiagonal(size, rng, beta=1).eigenvalues()
    g = 1 / (eigenvalues[:, None] - (PLACES + 1j * size**-0.5))
    squares = np.abs(g) ** 2
    one, two = g.sum(axis=0), (g**2).sum(axis=0)
    mixed, three, four = squares.sum(axis=0), (squares * g).sum(axis=0), (squares**2).sum(axis=0)
    moment = (
        np.abs(one) ** 4
        + 4 * (two * one.conj() ** 2).real
        + 8 * mixed * np.abs(one) ** 2
        + 4 * np.abs(two) ** 2
        + 8 * mixed**2
        + 32 * (three * one.conj()).real
        + 48 * four
    )
    return float(moment.mean()) / (size * (size + 2) * (size + 4) * (size + 6))
