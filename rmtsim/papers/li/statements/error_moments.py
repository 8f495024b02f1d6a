"""Claims of `li` on Theorem 4 for p > 1: moments of tr BD, and of the entries of G in the factors of (26).

Wigner matrices with Gaussian entries, whose eigenvectors are uniform and independent of the eigenvalues.
"""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Limit, Parameter, Rate, claim
from rmtsim.ensembles import gaussian_tridiagonal
from rmtsim.papers.li.statements.local_laws import (
    ERROR_PLAN,
    PLACES,
    RESOLVENT_PLAN,
    Complex,
    traces_of_error,
)

ORDER = Parameter(
    "order", "p, the moment", 2, integer=True, lowest=1, highest=8, draw_range=(1, 4), assumption="p ≥ 1"
)


@claim(
    "li.thm4.moments",
    states=Rate(0.0, "O", within=0.1),
    over=(ORDER,),
    points=({"order": 2}, {"order": 4}),
    plan=ERROR_PLAN.but(sizes=(8, 16, 32, 64, 128)),
)
def error_moment(size: int, rng: np.random.Generator, order: int, form: str) -> float:
    """N^p times the mean of |⟨B, D⟩|^p over sixteen B and seventeen z with Im z = ½.

    ⟨B, D⟩ is tr BD as printed, and tr BD/N corrected.
    """
    traces = traces_of_error(size, rng)
    return float(np.mean((traces if form == "corrected" else size * traces) ** order))


GREEN_PLAN = RESOLVENT_PLAN.but(
    sizes=(64, 256, 1024, 4096), exponents=(0.5, 1.0), cost=lambda size: 1e-4 + 1.4e-8 * size**2
)


def _greens(size: int, rng: np.random.Generator) -> Complex:
    """1/(λ_k − z), eigenvalues (rows) and seventeen z with Im z = N^(-1/2) (columns)."""
    eigenvalues = gaussian_tridiagonal(size, rng, beta=1).eigenvalues()
    return np.asarray(1 / (eigenvalues[:, None] - (PLACES + 1j * size**-0.5)), dtype=np.complex128)


@claim("li.eq26", states=Limit(1.0, within=0.05), plan=GREEN_PLAN)
def squared_green_entry(size: int, rng: np.random.Generator) -> float:
    """Mean of |⟨x, Gx⟩|² over unit vectors x, given the eigenvalues, and over seventeen Re z.

    Eigenvectors of a Gaussian symmetric matrix are uniform and independent of the eigenvalues; with g_k = 1/(λ_k − z)
    the mean is (|Σg_k|² + 2Σ|g_k|²)/(N(N + 2)); tests compare it with the entries of G.
    """
    g = _greens(size, rng)
    moment = np.abs(g.sum(axis=0)) ** 2 + 2 * np.square(np.abs(g)).sum(axis=0)
    return float(moment.mean()) / (size * (size + 2))


@claim(
    "li.eq26.fourth",
    states=Limit(1.0, within=0.05),
    plan=GREEN_PLAN,
)
def fourth_moment_of_green(size: int, rng: np.random.Generator) -> float:
    """Mean of |⟨x, Gx⟩|⁴ over unit vectors x, given the eigenvalues, and over seventeen Re z.

    ⟨x, Gx⟩ = Σ ξ_k²g_k/Σξ_k² with normal ξ, and the quotient does not depend on Σξ_k². Joint cumulants of r forms
    Σξ_k²a_k are 2^(r−1)(r − 1)! Σ_k of the product of their a_k; summed over the partitions of (g, g, ḡ, ḡ) they give
    the moment.
    """
    g = _greens(size, rng)
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
