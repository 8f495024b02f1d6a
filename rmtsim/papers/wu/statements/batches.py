"""Statements about one number of a random two-layer network, measured on batches of networks with little noise.

As :mod:`rmtsim.papers.wu.statements.networks`, with the networks of a replicate in arrays and companions of
second order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, reduce
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.statements.costs import BATCH, INPUTS, batch_cost
from rmtsim.papers.wu.theory import curvature, limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.known_squares import Expansion
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch

Dependence = Callable[[Array, Array, Array], float]
"""What a quantity tends to where E[A] is a multiple of the identity, as a function of the symmetric matrices KΠKᵀ,
KΠ²Kᵀ, KKᵀ on the c-1 dimensions orthogonal to 1."""


def trace(*matrices: Array) -> float:
    """Trace of a product of matrices.

    >>> trace(2 * np.eye(3), np.eye(3))
    6.0
    """
    return float(np.trace(reduce(np.matmul, matrices)))


def expanded(dependence: Dependence, classes: int, curved: bool = False) -> Expansion:
    """Second-order expansion of a dependence at the limits (1/2, q, 1)I of its matrices.

    By symmetry f₂ = Σ_ab (squares_ab tr δ_aδ_b + traces_ab tr δ_a tr δ_b): found from central differences along I and
    along diag(1, -1, 0, …). With ``curved`` the quantity tends to ``dependence`` times ‖E[A]‖_F.

    >>> found = expanded(lambda projected, energy, length: float(np.trace(projected @ projected)), 4)
    >>> found.gradient.round(6).tolist(), found.squares.round(4).tolist()[0], abs(float(found.traces[0, 0])) < 1e-4
    ([3.0, 0.0, 0.0], [1.0, 0.0, 0.0], True)
    """
    from rmtsim.papers.wu.simulation.known_squares import Expansion

    ranks = classes - 1
    identity = np.eye(ranks)
    centre = np.array([0.5, limits.activation_second_moment(), 1.0])
    step = 1e-3

    def value(*moves: tuple[int, Array]) -> float:
        matrices = [number * identity for number in centre]
        for index, move in moves:
            matrices[index] = matrices[index] + move
        return dependence(*matrices)

    def mixed(a: int, b: int, along: Array) -> float:
        h = step * along
        total = (
            value((a, h), (b, h)) - value((a, h), (b, -h)) - value((a, -h), (b, h)) + value((a, -h), (b, -h))
        )
        return total / (4 * step**2)

    gradient = np.array(
        [(value((a, step * identity)) - value((a, -step * identity))) / (2 * step) for a in range(3)]
    )
    traceless = np.zeros((ranks, ranks))
    if ranks > 1:
        traceless[0, 0], traceless[1, 1] = 1.0, -1.0
    pairs = [[(a, b) for b in range(3)] for a in range(3)]
    squares = np.array([[mixed(a, b, traceless) / 4 for a, b in row] for row in pairs])
    along = np.array([[mixed(a, b, identity) / 2 for a, b in row] for row in pairs])
    traces = (along - ranks * squares) / ranks**2
    factor, bias = 1.0, 0.0
    if curved:
        factor, bias = curvature.curvature_norm(classes), value() * curvature.curvature_norm_slope(classes)
    return Expansion(centre, factor * gradient, factor * squares, factor * traces, bias)


def over_batches(
    statistic: Callable[[NetworkBatch], Array], *, dependence: Dependence, curved: bool = False
) -> Callable[..., float]:
    """Measure: the mean of a statistic over fresh networks on the same random inputs, with less noise.

    The inputs, which the networks share, contribute a hundredth of the variance of a network.
    """

    @cache
    def quieter(classes: int) -> Callable[[NetworkBatch], Array]:
        from rmtsim.papers.wu.simulation.known_squares import QuieterBatch

        return QuieterBatch(statistic, expanded(dependence, classes, curved))

    def mean_over_batch(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
        from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
        from rmtsim.papers.wu.simulation.relu_batches import draw_network_batches

        measure = quieter(classes)
        drawn = draw_network_batches(size, alpha, classes, INPUTS, BATCH, rng)
        return float(sum(measure(NetworkBatch(each)).sum() for each in drawn) / BATCH)

    return mean_over_batch


c_by_c_cost = partial(batch_cost, rows=False)
"""Cost where c × c matrices alone are measured."""
