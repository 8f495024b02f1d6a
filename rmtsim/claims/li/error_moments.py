"""Claims of `li` on Theorem 4 for p > 1: fourth moments of the entries of G in the factors of (26).

Wigner matrices with Gaussian entries, whose eigenvectors are uniform and independent of the eigenvalues.
"""

from __future__ import annotations

import numpy as np

from rmtsim.claims.li.local_laws import PLACES, resolvent
from rmtsim.sampling.classical.gaussian import gaussian_tridiagonal


@resolvent(
    "li.eq26.fourth",
    source="eq. (26)",
    standing="heuristic",
    qualifier="safe to ignore for now",
    statement="The factors of (26) stay bounded for larger q as well: E|⟨x, Gx⟩|⁴ tends to |m|⁴ = 1 for Wigner "
    "matrices in the bulk at Im z = N^(-1/2), averaged over places.",
    limit=1.0,
    tolerance=0.05,
    sizes=(64, 256, 1024, 4096),
    exponents=(0.5, 1.0),
    because="G_xx fluctuates by (N Im z)^(-1/2) = N^(-1/4) about m(z), and m(z) − m(x) is of order Im z",
    cost=lambda size: 1e-4 + 1.4e-8 * size**2,
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
