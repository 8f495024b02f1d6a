"""Claims of `wu` on the Gaussian weights alone: Lemmas B.1–B.8, Corollaries B.1 and B.2, and Lemma B.25."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Plan, Probability, claim
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, EPSILON, NETWORK_GRID, WIDE_ALPHA
from rmtsim.papers.wu.theory import limits

WEIGHTS_PLAN = Plan(
    sizes=(64, 128, 256, 512),
    size_name="width",
    exponents=(1.0,),
    because="moments of Gaussian matrices are polynomials in 1/n",
    cost=lambda size: 3e-6 + 6e-8 * size,
)


@claim(
    "wu.lemmaB.1",
    states=Limit(0.0, within=0.01),
    corrected=limits.row_sum_probability,
    over=(ALPHA, CLASSES, EPSILON),
    points=({"epsilon": 0.5}, {"epsilon": 1.0}),
    plan=WEIGHTS_PLAN.but(cost=lambda size: 2e-5 + 64 * 1.2e-8 * size),
)
def share_of_large_row_sums(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int, epsilon: float
) -> Array:
    """Share of 64 rows with the event; fractions give narrower intervals than single events."""
    from rmtsim.papers.wu.simulation.weights import row_sum

    sums = row_sum(size, rng, 64 * replicates).reshape(replicates, 64)
    return np.asarray((np.abs(sums) >= epsilon).mean(axis=1))


@claim(
    "wu.lemmaB.3",
    states=Limit(0.0, within=0.02),
    over=NETWORK_GRID,
    plan=WEIGHTS_PLAN.but(cost=lambda size, classes: 3e-6 + 3e-8 * size * classes),
)
def squared_deviation_of_norm(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """(‖W^(2)‖²_F - c)²."""
    from rmtsim.papers.wu.simulation.weights import squared_norm

    return (squared_norm(size, classes, rng, replicates) - classes) ** 2


@claim("wu.lemmaB.3.row", states=Limit(0.0, within=0.01), over=NETWORK_GRID, plan=WEIGHTS_PLAN)
def squared_deviation_of_row_norm(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """(‖W^(2)_i‖² - 1)²."""
    from rmtsim.papers.wu.simulation.weights import squared_norm

    return (squared_norm(size, 1, rng, replicates) - 1) ** 2


@claim(
    "wu.lemmaB.4",
    states=Probability(1.0, within=0.02),
    over=NETWORK_GRID,
    plan=WEIGHTS_PLAN.but(
        sizes=(16, 32, 64, 128), cost=lambda size, alpha: 2e-5 + 5e-8 * float(size) ** (1 + alpha)
    ),
)
def columns_are_short(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Whether every column of W^(1) is shorter than 5 n^{-α/2}."""
    from rmtsim.papers.wu.simulation.weights import largest_column_norm

    short = largest_column_norm(size, alpha, rng, replicates) < 5 * size ** (-alpha / 2)
    return np.asarray(short, dtype=np.float64)


@claim(
    "wu.lemmaB.5",
    states=Limit(0.0, within=0.025),
    over=(WIDE_ALPHA, CLASSES),
    points=({"alpha": 1.0}, {"alpha": 0.6}),
    plan=WEIGHTS_PLAN.but(
        sizes=(64, 256, 1024, 4096),
        exponents=(0.5, 0.75, 1.0),
        slowest=lambda alpha: alpha / 2,
        cost=lambda size: 2e-4 + 9e-7 * size,
    ),
)
def deviation_of_first_gram(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """√(1 + ‖WWᵀ - I‖) - 1.

    2y + y² with y = n^{-α/2} becomes y itself: one correction, however slow, where two nearly equal ones would be
    extrapolated wrongly.
    """
    from rmtsim.papers.wu.simulation.weights import gram_deviation

    return float(np.sqrt(1 + np.float64(gram_deviation(size, alpha, rng))) - 1)


def squared_projection_deviation(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """‖WᵀW - P_W‖²_F of the last weights."""
    from rmtsim.papers.wu.simulation.weights import projection_deviation

    return projection_deviation(size, classes, rng, replicates)


LAST_WEIGHTS = NETWORK_GRID.but(
    plan=WEIGHTS_PLAN.but(cost=lambda size, classes: 2e-5 + 3e-8 * size * classes)
)
claim("wu.lemmaB.7", squared_projection_deviation, states=Limit(0.0, within=0.02), over=LAST_WEIGHTS)
claim("wu.lemmaB.25", squared_projection_deviation, states=Limit(0.0, within=0.02), over=LAST_WEIGHTS)


@claim("wu.corB.1", states=Limit(0.0, within=0.02), over=LAST_WEIGHTS)
def squared_deviation_of_last_gram(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """‖WWᵀ - I‖² in spectral norm for the last weights."""
    w = rng.standard_normal((replicates, classes, size)) / np.sqrt(size)
    values = np.linalg.eigvalsh(w @ w.transpose(0, 2, 1))
    return np.asarray(np.abs(values - 1).max(axis=1) ** 2)


# From these sizes on the probability of a larger entry falls faster than any power, also for small α.
ENTRIES = NETWORK_GRID.but(
    plan=WEIGHTS_PLAN.but(
        sizes=(256, 512, 1024, 2048),
        because="the probability of a larger entry falls faster than any power of n",
        cost=2e-7,
    )
)


def entries_of_first_are_small(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Whether max |W^(1)_ij| ≤ 2 d^{-1/3}."""
    from rmtsim.papers.wu.simulation.relu_network import input_dimension
    from rmtsim.papers.wu.simulation.weights import largest_entry

    columns = input_dimension(size, alpha)
    return np.asarray(largest_entry(size, columns, rng, replicates) <= 2 * columns ** (-1 / 3), dtype=float)


claim("wu.lemmaB.8", entries_of_first_are_small, states=Probability(1.0, within=0.02), over=ENTRIES)
claim("wu.corB.2", entries_of_first_are_small, states=Probability(1.0, within=0.02), over=ENTRIES)


@claim("wu.corB.2.last", states=Probability(1.0, within=0.02), over=ENTRIES)
def entries_of_last_are_small(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """Whether max |W^(2)_ij| ≤ 2 n^{-1/3}."""
    from rmtsim.papers.wu.simulation.weights import largest_entry

    return np.asarray(largest_entry(classes, size, rng, replicates) <= 2 * size ** (-1 / 3), dtype=float)
