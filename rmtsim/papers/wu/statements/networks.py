"""Statements about one number of a random two-layer network: how it is drawn, measured and declared."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Plan, Simulated
from rmtsim.papers.wu.statements.costs import INPUTS, NETWORKS, network_memory, output_cost
from rmtsim.papers.wu.statements.parameters import NETWORK_GRID
from rmtsim.papers.wu.theory import curvature, limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance
    from rmtsim.papers.wu.simulation.two_layer_stack import TwoLayerStack

    Statistic = Callable[[TwoLayerInstance], float]
    StackStatistic = Callable[[TwoLayerStack], NDArray[np.float64]]

SIZES = (64, 128, 256, 512)
"""Corrections are series in c/n: from 64 on the first two terms carry them up to c = 10 or so."""
SERIES = (
    "expectations over Gaussian weights of smooth functions of averages over n units are series in 1/n "
    "(docs/papers/wu/index.md)"
)
QUIETER = Simulated(
    theory="slopes of companions: averages whose mean is known exactly are subtracted with the slopes of the limit, "
    "which changes the noise and, whatever the slopes, not the expectation (docs/papers/wu/index.md)"
)
"""The evidence of statements that are measured with companions."""

Dependence = Callable[[float, float, float], float]
"""What a quantity tends to as a function of the averages Σ|K_i|²π_i, Σ|K_i|²π_i², Σ|K_i|² (over c-1)."""


def slopes(dependence: Dependence) -> tuple[float, float, float]:
    """Derivatives of ``dependence`` at the limits (1/2, q, 1) of its averages.

    >>> tuple(round(slope, 6) for slope in slopes(lambda projected, energy, length: projected**2 / length))
    (1.0, 0.0, -0.25)
    """
    centre = (0.5, limits.activation_second_moment(), 1.0)
    step = 1e-5
    result = []
    for index in range(3):
        above, below = ([*centre[:index], centre[index] + h, *centre[index + 1 :]] for h in (step, -step))
        result.append((dependence(*above) - dependence(*below)) / (2 * step))
    return result[0], result[1], result[2]


Slopes = tuple[float, float, float, float]


def companion_slopes(dependence: Dependence, curved: bool) -> Callable[[int], Slopes]:
    """First-order dependence on averages of exactly known mean, for each number of classes.

    ``dependence`` is the limit of a statistic as a function of the first three averages
    (:mod:`rmtsim.papers.wu.simulation.known_averages`), ``curved`` that it tends to ``dependence`` times
    ‖E[A]‖_F, which depends on the logits' random bias too.
    """
    gradient = slopes(dependence)

    @cache
    def of_classes(classes: int) -> Slopes:
        if not curved:
            return *gradient, 0.0
        factor, slope = curvature.curvature_norm(classes), curvature.curvature_norm_slope(classes)
        height = dependence(0.5, limits.activation_second_moment(), 1.0)
        return factor * gradient[0], factor * gradient[1], factor * gradient[2], height * slope

    return of_classes


def over_networks(
    statistic: Statistic,
    *,
    inputs: int | Callable[[int], int] = INPUTS,
    networks: int = NETWORKS,
    inner: bool = True,
    dependence: Dependence | None = None,
    curved: bool = False,
) -> Callable[..., float]:
    """Measure: the mean of a statistic over freshly drawn networks with the same random inputs.

    ``inputs`` is their number or a function of the width; ``inner``: whether their inner products are needed.
    With a ``dependence`` the statistic is taken with less noise (:func:`companion_slopes`).
    """
    companions = None if dependence is None else companion_slopes(dependence, curved)

    def mean_over_networks(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
        from rmtsim.papers.wu.simulation.known_averages import Quieter
        from rmtsim.papers.wu.simulation.two_layer import draw_instances

        measure = statistic if companions is None else Quieter(statistic, companions(classes))
        count = inputs(size) if callable(inputs) else inputs
        drawn = draw_instances(size, alpha, classes, count, networks, rng, inner=inner)
        return sum(map(measure, drawn)) / networks

    return mean_over_networks


def over_stacks(
    statistic: StackStatistic, *, dependence: Dependence | None = None, curved: bool = False
) -> Callable[..., float]:
    """The same for a statistic that is measured on all networks of a replicate at once."""
    companions = None if dependence is None else companion_slopes(dependence, curved)

    def mean_over_stack(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
        from rmtsim.papers.wu.simulation.two_layer_stack import QuieterStack, draw_networks

        measure = statistic if companions is None else QuieterStack(statistic, companions(classes))
        drawn = draw_networks(size, alpha, classes, INPUTS, NETWORKS, rng)
        return float(measure(drawn).sum() / NETWORKS)

    return mean_over_stack


NETWORKS_PLAN = Plan(
    sizes=SIZES, size_name="width", exponents=(1.0,), because=SERIES, cost=output_cost, memory=network_memory
)
DRAWN_NETWORKS = NETWORK_GRID.but(plan=NETWORKS_PLAN)
QUIET_NETWORKS = DRAWN_NETWORKS.but(evidence=QUIETER)
"""The same measured with companions."""
