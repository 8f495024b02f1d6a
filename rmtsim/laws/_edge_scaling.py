"""Centre and scale of the largest eigenvalue, so that (λ_max - centre)/scale follows a Tracy–Widom law to second order.

The first-order constants leave an error of order n^{-1/3}; those below are meant to leave n^{-2/3} (El Karoui 2006,
Ma 2012, Johnstone and Ma 2012), and do better in our simulations for β = 1 and for Wigner matrices.
For β = 2 Wishart they gained nothing over first order at N, d ≤ 80: take them with care.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rmtsim._internal import validate

__all__ = ["EdgeScaling", "wigner_edge", "wishart_edge"]


@dataclass(frozen=True)
class EdgeScaling:
    """λ_max ≈ ``centre`` + ``scale``·TW."""

    centre: float
    scale: float

    def standardise(self, eigenvalue: float) -> float:
        """(eigenvalue - centre)/scale."""
        return (eigenvalue - self.centre) / self.scale


def _beta(beta: int) -> int:
    return validate.integer("beta", beta, minimum=1, maximum=2, meaning="1 or 2: real or complex entries")


def wigner_edge(n: int, beta: Literal[1, 2] = 1, *, variance: float = 1.0) -> EdgeScaling:
    """Largest eigenvalue of a Gaussian n×n matrix whose off-diagonal entries have E|h|² = ``variance``/n.

    The spectrum fills [-2√v, 2√v]. β = 2: centre 2√v, scale √v n^{-2/3}. β = 1 (diagonal variance 2v/n): the same at
    n - 1/2 in place of n, apart from the normalisation of the entries; with these constants the error of the law is
    O(n^{-2/3}).

    >>> edge = wigner_edge(100)
    >>> round(edge.centre, 4), round(edge.scale, 4)
    (1.995, 0.0465)
    """
    n = validate.integer("n", n, minimum=2, meaning="size of the matrix")
    deviation = math.sqrt(
        validate.positive_number("variance", variance, meaning="n times an entry's variance")
    )
    effective = n if _beta(beta) == 2 else n - 0.5
    # Entries of variance v/n: the matrix of effective size N has its edge at 2√(vN/n) and its scale N^{-1/6}√(v/n).
    return EdgeScaling(
        2 * deviation * math.sqrt(effective / n), deviation * effective ** (-1 / 6) / math.sqrt(n)
    )


def wishart_edge(
    samples: int, dimension: int, beta: Literal[1, 2] = 1, *, variance: float = 1.0
) -> EdgeScaling:
    """Largest eigenvalue of (1/N) XXᵀ, X a dimension × samples matrix of independent N(0, ``variance``) entries.

    β = 1 (Ma 2012): with a = √(N - 1/2), b = √(d - 1/2), centre (a + b)²/N, scale (a + b)(1/a + 1/b)^{1/3}/N, in units
    of the variance. β = 2 (El Karoui 2006): centre and scale weighted over the shapes (N - 1, d) and (N, d - 1), each
    with ½ added under the roots.

    >>> edge = wishart_edge(400, 100)
    >>> round(edge.centre, 4), round(edge.scale, 4)
    (2.2444, 0.0398)
    """
    samples = validate.integer("samples", samples, minimum=2, meaning="number of samples N")
    dimension = validate.integer("dimension", dimension, minimum=2, meaning="dimension d")
    unit = validate.positive_number("variance", variance, meaning="variance of the entries") / samples

    def first_order(n: float, d: float) -> tuple[float, float]:
        a, b = math.sqrt(n), math.sqrt(d)
        return (a + b) ** 2, (a + b) * (1 / a + 1 / b) ** (1 / 3)

    if _beta(beta) == 1:
        centre, scale = first_order(samples - 0.5, dimension - 0.5)
    else:
        left = first_order(samples - 0.5, dimension + 0.5)
        right = first_order(samples + 0.5, dimension - 0.5)
        # Weights that cancel the n^{-1/3} term: γ = μ₁√σ₂/(μ₂√σ₁), as El Karoui combines the two shapes.
        gamma = left[0] * math.sqrt(right[1]) / (right[0] * math.sqrt(left[1]))
        scale = (1 + gamma) / (1 / left[1] + gamma / right[1])
        centre = (1 / math.sqrt(left[1]) + 1 / math.sqrt(right[1])) / (
            1 / (left[0] * math.sqrt(left[1])) + 1 / (right[0] * math.sqrt(right[1]))
        )
    return EdgeScaling(unit * centre, unit * scale)
