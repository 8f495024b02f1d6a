"""Claims of `wu` on networks with more layers: the remark after Theorem 4.2 and eq. (272), both called heuristic."""

from __future__ import annotations

import math

import numpy as np

from rmtsim.claims import Grid, Limit, Plan, Relative, claim
from rmtsim.papers.wu.simulation.deep_networks import INPUTS, draw_deep
from rmtsim.papers.wu.simulation.halves import product
from rmtsim.papers.wu.statements.costs import output_cost
from rmtsim.papers.wu.statements.networks import SERIES
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, DEPTH
from rmtsim.papers.wu.theory import limits


def _cost(size: int, alpha: float, classes: int, depth: int) -> float:
    return 0.6 * output_cost(size, alpha, classes, INPUTS) + 8e-11 * INPUTS * classes * (depth - 2) * size**2


DEEP_NETWORKS = Grid(
    (ALPHA, CLASSES, DEPTH),
    points=({"depth": 3, "classes": 3}, {"depth": 4, "classes": 3}),
    plan=Plan(sizes=(32, 64, 128, 256), size_name="width", exponents=(1.0,), because=SERIES, cost=_cost),
)


@claim(
    "wu.remark4.2",
    states=Limit(1.0, within=Relative(0.03)),
    corrected=limits.row_space_overlap,
    over=DEEP_NETWORKS,
)
def overlap_with_chain(size: int, rng: np.random.Generator, alpha: float, classes: int, depth: int) -> float:
    """Overlap of the top c-1 eigenspace of M^(1) with the row span of S without 1ᵀS."""
    from rmtsim.papers.wu.simulation.eigenspaces import corrected_overlap, row_space, top_eigenspace

    outputs, _, chain = draw_deep(size, rng, alpha, classes, depth)
    first, second = (top_eigenspace(matrix, classes - 1).basis for matrix in outputs)
    rows = row_space(chain)
    return corrected_overlap((first, second), (rows, rows))


@claim("wu.eq272", states=Limit(0.0, within=0.02), corrected=limits.formula_error, over=DEEP_NETWORKS)
def error_of_chain(size: int, rng: np.random.Generator, alpha: float, classes: int, depth: int) -> float:
    """‖M^(1) - 4^{-(L-1)}SᵀE[A]S‖_F/‖M^(1)‖_F."""
    outputs, curvatures, chain = draw_deep(size, rng, alpha, classes, depth)
    first, second = (
        matrix - chain.T @ curved @ chain / 4 ** (depth - 1)
        for matrix, curved in zip(outputs, curvatures, strict=True)
    )
    return math.sqrt(max(0.0, product((first, second)) / product(outputs)))
