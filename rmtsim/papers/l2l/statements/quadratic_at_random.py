"""Footnote 2 and Section D.6: coordinates, smallest eigenvalue, gap and best step size of a random quadratic."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from rmtsim.claims import (
    Bound,
    Choice,
    Corrected,
    Limit,
    Option,
    Plan,
    Probability,
    Relative,
    claim,
)
from rmtsim.ensembles import wishart_tridiagonal
from rmtsim.papers.l2l.statements.parameters import SHARE


def _both_coordinates(share: float) -> float:
    return math.erfc(share / math.sqrt(2)) ** 2


@claim(
    "l2l.footnote2.coordinates",
    corrected=Corrected(states=Probability(_both_coordinates, within=0.02)),
    states=Probability(1.0, within=0.05),
    over=(SHARE,),
    points=({"share": 0.5}, {"share": 1.0}),
    plan=Plan(sizes=(20, 80, 320), size_name="d", exponents=(1.0,), cost=1e-6),
)
def coordinates_are_large(
    size: int, rng: np.random.Generator, replicates: int, share: float
) -> NDArray[np.float64]:
    """Whether both coordinates of a uniform unit vector exceed δ/√d.

    The vector is a normal one over its length; of the other d - 2 coordinates only the sum of squares is drawn.
    """
    two = rng.standard_normal((replicates, 2)) ** 2
    squares = two.sum(axis=1) + rng.chisquare(size - 2, replicates)
    return np.asarray((size * two.min(axis=1) >= share**2 * squares).astype(float))


@claim(
    "l2l.footnote2.{quantity}",
    over=[
        Choice(
            "quantity",
            {
                "spectrum": Option(
                    "spectrum",
                    "For H = XXᵀ, X d×2d Gaussian, α and L - α are of order d: α/d → (√2 - 1)²; the footnote asserts "
                    "a constant probability, and it tends to one.",
                    words={"edges": "the smallest eigenvalue sits at a soft edge"},
                    states=Limit((math.sqrt(2) - 1) ** 2, within=Relative(0.05)),
                ),
                "gap": Option(
                    "gap",
                    "For the same H, (L - α)/d → 4√2, with probability tending to one.",
                    words={"edges": "both extreme eigenvalues sit at soft edges"},
                    states=Limit(4 * math.sqrt(2), within=Relative(0.02)),
                ),
            },
        )
    ],
    plan=Plan(
        sizes=(200, 800, 3200, 12800),
        size_name="d",
        exponents=(2 / 3, 1.0),
        cost=lambda size: 2e-4 + 4e-7 * size,
    ),
)
def eigenvalue_over_d(size: int, rng: np.random.Generator, quantity: str) -> float:
    """Smallest eigenvalue of XXᵀ, or the largest minus the smallest, over d, by the bidiagonal model of its law."""
    matrix = wishart_tridiagonal(size, 2 * size, rng)
    least = float(matrix.smallest(1)[0])
    return 2 * (least if quantity == "spectrum" else float(matrix.largest(1)[0]) - least)


def _best_step(rng: np.random.Generator, dimension: int, steps: int) -> float:
    """η* of (1/t) log f(w_t) for H = XᵀX and a Gaussian w₀: the root of the numerator of (5.1)."""
    design = rng.standard_normal((dimension, dimension))
    values = np.linalg.eigvalsh(design.T @ design)
    weights = (rng.standard_normal(dimension) * values) ** 2

    def numerator(step: float) -> float:
        factors = 1 - step * values
        scaled = factors / np.abs(factors).max()
        return float(weights @ (np.sign(scaled) * np.abs(scaled) ** (2 * steps - 1)))

    return float(brentq(numerator, 1 / values[-1], 1 / values[0], rtol=1e-9))


@claim(
    "l2l.secD.6.2.step", states=Bound(1 / 6, likely=True), plan=Plan(sizes=(20,), size_name="d", cost=0.03)
)
def distance_from_quoted_step(size: int, rng: np.random.Generator) -> float:
    """|median/0.03 - 1|, the median of η* over 64 draws, t = 40."""
    return abs(float(np.median([_best_step(rng, size, 40) for _ in range(64)])) / 0.03 - 1)
