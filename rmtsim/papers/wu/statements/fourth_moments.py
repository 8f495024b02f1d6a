"""Claims of `wu` on fourth moments of the weights' columns, steps of the proofs of Lemmas B.9 and B.18: (86), (159)."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Corrected, Limit, Probability, claim
from rmtsim.papers.wu.statements.moments import central_fourth
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, NETWORK_GRID
from rmtsim.papers.wu.statements.weights import WEIGHTS_PLAN


@claim(
    "wu.eq86",
    states=Limit(0.0, within=0.02),
    corrected=(6 * np.pi**2 - 10 * np.pi - 3) / (4 * np.pi**2),
    over=(ALPHA, CLASSES),
    points=({"alpha": 1.0}, {"alpha": 0.6}),
    plan=WEIGHTS_PLAN.but(
        sizes=(32, 64, 128, 256), cost=lambda size, alpha: 3e-4 + 5e-8 * float(size) ** (1 + alpha)
    ),
)
def fourth_moments_of_columns(
    size: int, rng: np.random.Generator, form: str, alpha: float, classes: int
) -> float:
    """Σ_i E[‖s_i‖⁴ | W^(1)] = E(x - Ex)⁴ Σ_i ‖w_i‖⁴ over the columns of W^(1), from ‖w_i‖² = χ²_n/d.

    The corrected form is times n^{α-1}.
    """
    from rmtsim.papers.wu.simulation.relu_network import input_dimension

    dimension = input_dimension(size, alpha)
    squares = rng.chisquare(size, dimension) / dimension
    moments = central_fourth() * float(np.sum(squares**2))
    return moments if form == "printed" else float(size ** (alpha - 1) * moments)


POWERS_PLAN = WEIGHTS_PLAN.but(sizes=(32, 64), cost=lambda size: 1e-6 + 3e-8 * size)


@claim(
    "wu.eq159",
    corrected=Corrected(
        states=Probability(1.0, within=0.02), plan=POWERS_PLAN.but(sizes=(1024, 2048, 4096, 8192))
    ),
    states=Bound(0.0, within=0.5),
    over=NETWORK_GRID,
    plan=POWERS_PLAN,
)
def fourth_powers_event(
    size: int, rng: np.random.Generator, replicates: int, form: str, alpha: float, classes: int
) -> Array:
    """Whether Σ_i ‖w_i‖⁴ ≥ (c² + 3c)/n over the columns of W^(2) (corrected: <), from n‖w_i‖² = χ²_c."""
    squares = rng.chisquare(classes, (replicates, size))
    excess = (squares**2).mean(axis=1) - classes**2 - 3 * classes
    return np.asarray(excess >= 0 if form == "printed" else excess < 0, dtype=float)
