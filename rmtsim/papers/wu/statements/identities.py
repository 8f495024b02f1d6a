"""Claims of `wu` that are algebra: the Hessians of eq. (4), the matricization of Definition 2.2."""

from __future__ import annotations

from functools import partial

import numpy as np

from rmtsim.claims import Computed, Identity, Plan, claim
from rmtsim.papers.wu.statements.parameters import ALPHA, ALPHA_GRID, FEW_CLASSES

# ---- Hessians against differences of the loss --------------------------------------------------------------------


def closed_form_error(
    size: int, rng: np.random.Generator, form: str, gates: str, alpha: float, classes: int
) -> float:
    """Largest relative error of the printed Hessians against differences of the loss, over random entries.

    ``gates`` is "pre" for D = diag 1[u ≥ 0], "post" for D = diag 1[y ≥ 0] with y after the ReLU, as printed.
    """
    from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond
    from rmtsim.papers.wu.simulation.two_layer_loss import BLOCKS, closed_form, differentiated

    network = draw_network(size, alpha, classes, rng)
    inputs = draw_inputs(2, network.weights[0].shape[1], rng)
    # An input of zeros only (probability 2^-d) is on every kink of the loss: no second derivative there.
    while (inputs.max(axis=1) == 0).any():
        inputs = draw_inputs(2, network.weights[0].shape[1], rng)
    response = respond(network, inputs)
    labels = rng.integers(classes, size=2)
    worst = 0.0
    for block in BLOCKS:
        formula = closed_form(network, response, block, gates if form == "printed" else "pre")
        rows = rng.integers(formula.shape[0], size=3)
        columns = rng.integers(formula.shape[0], size=3)
        truth = differentiated(network, response, labels, block, rows, columns)
        scale = max(float(np.abs(formula).max()), 1e-3)  # all units may be off
        worst = max(worst, float(np.abs(formula[np.ix_(rows, columns)] - truth).max()) / scale)
    return worst


HESSIANS_PLAN = Plan(size_name="width", cost=lambda size, classes: 8e-3 * classes * size)
claim(
    "wu.eq4",
    partial(closed_form_error, gates="pre"),
    states=Identity(within=1e-12),
    over=(ALPHA, FEW_CLASSES),
    points=({"alpha": 0.3, "classes": 3},),
    plan=HESSIANS_PLAN.but(sizes=(3, 4)),
)
claim(
    "wu.eq4.literal",
    partial(closed_form_error, gates="post"),
    states=Identity(within=1e-12),
    over=(ALPHA, FEW_CLASSES),
    points=({"alpha": 0.3, "classes": 3},),
    plan=HESSIANS_PLAN.but(sizes=(3,)),
)

# ---- Matricization -----------------------------------------------------------------------------------------------


@claim(
    "wu.def2.2",
    states=Identity(within=1e-12),
    over=ALPHA_GRID,
    plan=Plan(sizes=(8, 16, 32, 64), size_name="width", exponents=(0.5, 1.0), cost=2e-3),
    evidence=Computed(1e-11),
)
def error_of_outer_product(size: int, form: str, alpha: float, classes: int) -> float:
    """Largest relative error of Mat(u ⊗ v) = uvᵀ (m × n) with entry (i, j) taken at (i-1)·stride + j."""
    m, n = size, size + 3
    u, v = np.arange(1.0, m + 1), np.arange(1.0, n + 1)
    flat = np.kron(u, v)
    index = np.arange(m)[:, None] * (m if form == "printed" else n) + np.arange(n)
    return float(np.abs(flat[index] - np.outer(u, v)).max() / np.outer(u, v).max())
