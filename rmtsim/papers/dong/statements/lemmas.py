"""`dong` Lemmas 1 and 2: replacing the inputs inside the weights by an independent copy changes little.

The quantity is the mean square of the difference of two Stieltjes transforms. Both are smooth functions of Gaussian
data and of N weights that are independent given W, so the mean square is a/N + b/N² + …: a rate of one for the
square is the stated N^-1/2 for the difference, and its corrections are relative powers of 1/N.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Plan, Rate, Simulated, claim
from rmtsim.papers.dong.simulation.decoupled import squared_gap, two_inputs
from rmtsim.papers.dong.simulation.fixed_outputs import fixed_output
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, SMALL_CLASSES, blocks


def linear_gap(size: int, rng: np.random.Generator, gamma: float, classes: int, block: str) -> float:
    """|s_H(z) - s_H̃(z)|²/C² for H_11 or H_12 of a drawn linear model."""
    from rmtsim.networks._softmax import softmax

    inputs, copy = two_inputs(size, gamma, rng)
    dimension = inputs.shape[1]
    weights = rng.standard_normal((classes, dimension)) / math.sqrt(dimension)

    def curvature(x: NDArray[np.float64]) -> NDArray[np.float64]:
        p = softmax(np.asarray(x @ weights.T))
        return np.asarray(p[:, 0] * (1 - p[:, 0]) if block == "diagonal" else -p[:, 0] * p[:, 1])

    return squared_gap(inputs, copy, classes, curvature)


def hidden_gap(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, block: str
) -> float:
    """|s_G(z) - s_G̃(z)|²/C² for G_11 or G_12 of a network with a fixed V and a drawn W."""
    from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward

    inputs, copy = two_inputs(size, gamma, rng)
    dimension = inputs.shape[1]
    first = rng.standard_normal((hidden, dimension)) / math.sqrt(dimension)
    output = fixed_output(classes, hidden)

    def curvature(x: NDArray[np.float64]) -> NDArray[np.float64]:
        state = forward(OneHiddenNetwork(x, first, output, np.zeros((len(x), classes))), "ce")
        return np.asarray(state.hidden_curvatures[:, 0 if block == "diagonal" else 1])

    return squared_gap(inputs, copy, classes, curvature)


def gap_cost(overhead: float) -> Callable[..., float]:
    """Nominal seconds of a replicate."""
    return lambda size, gamma: (
        overhead + 5e-8 * size**2 * max(gamma, 1 / gamma) + 1e-9 * size**3 * max(gamma**3, 1 / gamma)
    )


GAP_PLAN = Plan(
    sizes=(10, 30, 90, 270),
    size_name="min(d, N)",
    exponents=(1.0,),
    because="the transforms are smooth functions of Gaussian data and of N weights that are independent given W: "
    "their mean square difference is a/N + b/N² + …",
)
SMALL_GAP = Rate(1.0, "O", within=0.2)
NAMES = ("rate", "rate-offdiagonal")

claim(
    "dong.lemma1.{block}",
    linear_gap,
    states=SMALL_GAP,
    over=[blocks(names=NAMES, equation=("43", "44"), matrix=("H", "H")), GAMMA, SMALL_CLASSES],
    points=({"gamma": 1.0},),
    plan=GAP_PLAN.but(cost=gap_cost(2e-4)),
    evidence=Simulated(revision=2),
)
claim(
    "dong.lemma2.{block}",
    hidden_gap,
    states=SMALL_GAP,
    over=[blocks(names=NAMES, equation=("70", "71"), matrix=("G", "G")), GAMMA, HIDDEN, SMALL_CLASSES],
    points=({"gamma": 1.0},),
    plan=GAP_PLAN.but(cost=gap_cost(4e-4)),
    evidence=Simulated(revision=2),
)
