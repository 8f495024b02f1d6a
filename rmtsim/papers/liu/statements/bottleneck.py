"""Theorem 4.1, eqs. (32) and (33): the norm of the whole Hessian of the bottleneck network (31)."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Corrected, Law, Limit, Parameter, Probability, Rate, Relative, claim
from rmtsim.papers.liu.simulation.bottleneck import (
    STRATA,
    bottleneck_gradients,
    bottleneck_norms,
    distance_to_flat_point,
    group_means,
    sample_bottlenecks,
)
from rmtsim.papers.liu.statements.bottleneck_blocks import EDGEWORTH, LAW
from rmtsim.papers.liu.statements.parameters import INPUT, RADIUS, WIDTHS
from rmtsim.papers.liu.theory.bottleneck import (
    bottleneck_kernel_mean,
    bottleneck_norm_cdf,
    bottleneck_norm_mean,
    survival_in_ball,
)

DELTA = Parameter(
    "delta", "δ of the theorem", default=0.2, open_below=True, highest=0.49, draw_range=(0.05, 0.4)
)
CONSTANT = Parameter("constant", "C₁ of the theorem", default=1.0, open_below=True, draw_range=(0.01, 10.0))
FAR_APART = EDGEWORTH.but(sizes=(16, 64, 256))
"""Sizes far apart: with a correction 1/m alone, the limit is then hardly less certain than the values."""
FIVE_SIZES = EDGEWORTH.but(sizes=(32, 64, 128, 256, 512))
"""Where terms beyond 1/m show: sizes enough to fit a second term and to test one more."""


def _norms(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """‖H(W₀)‖ of fresh networks, over all parameters, to 10⁻⁴."""
    return bottleneck_norms(sample_bottlenecks(size, replicates, rng), x, blocks=3)


def _norm_cost(size: int) -> float:
    """Nominal seconds of one norm, in batches."""
    return 2e-5 + 1.5e-6 * size


def group_cost(size: int) -> float:
    """Nominal seconds of the norms of one group."""
    return STRATA * _norm_cost(size)


# ---- ‖H‖ at W₀: the limiting law of the whole Hessian ----


@claim(
    "liu.thm4.1.start",
    states=Limit(bottleneck_norm_mean, within=Relative(0.03)),
    over=(INPUT,),
    plan=FIVE_SIZES.but(cost=group_cost),
)
def whole_norm(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """Mean of ‖H(W₀)‖ over a group."""
    return group_means(size, rng, replicates, lambda point: bottleneck_norms(point, x, blocks=3))


@claim(
    "liu.thm4.1.law",
    states=Law(lambda values: bottleneck_norm_cdf(values, 1.0), within=0.05),
    plan=LAW.but(cost=lambda size: _norm_cost(size) * size * 4),
)
def whole_norm_sample(size: int, rng: Generator) -> Array:
    """4m norms of independent networks of width m."""
    return _norms(size, rng, 4 * size, 1.0)


@claim(
    "liu.table1.bottleneck-kernel-mean",
    states=Limit(bottleneck_kernel_mean, within=Relative(0.1)),
    over=(INPUT,),
    plan=WIDTHS.but(
        sizes=(64, 128, 256, 512, 1024), exponents=(1.0,), cost=lambda size: 5e-6 + 1.5e-7 * size
    ),
)
def whole_kernel(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """‖∇f‖²."""
    _, gradients = bottleneck_gradients(sample_bottlenecks(size, replicates, rng), x)
    return np.asarray((gradients**2).sum(axis=(0, 2)))


# ---- (32), (33): the dependence on x ----

_WIDTH = 64


@claim(
    "liu.eq32",
    corrected=Corrected(states=Rate(-2.0, within=0.05)),
    states=Rate(-1.0, "O", within=0.1),
    plan=WIDTHS.but(sizes=(1, 2, 4, 8), size_name="1/x", exponents=(1.0,), cost=_norm_cost(_WIDTH)),
)
def inverse_root_norm(size: int, rng: Generator, replicates: int) -> Array:
    """‖H(W₀)‖^{-1/2} at x = 1/size; the root has finite variance."""
    return np.asarray(_norms(_WIDTH, rng, replicates, 1 / size) ** -0.5)


def _holds_with_fourth_power(
    size: int, rng: Generator, replicates: int, x: float, delta: float
) -> NDArray[np.bool_]:
    bound = 3 * math.sqrt(3) / 4 * math.sqrt(math.pi / 2) * delta * x**4
    return np.asarray(_norms(size, rng, replicates, x) >= bound)


@claim(
    "liu.eq33",
    corrected=Corrected(
        measured=_holds_with_fourth_power,
        states=Bound(lambda delta: 1 - delta, ">=", within=0.01, of="probability"),
        over=(INPUT, DELTA),
    ),
    states=Bound(lambda delta: 1 - 2 * delta, ">=", within=0.01, of="probability"),
    over=(INPUT, DELTA, CONSTANT),
    points=({"x": 1.0}, {"x": 0.01}),
    plan=EDGEWORTH.but(sizes=(32, 64, 128), cost=_norm_cost),
)
def holds_with_square(
    size: int, rng: Generator, replicates: int, x: float, delta: float, constant: float
) -> NDArray[np.bool_]:
    """Whether ‖H(W₀)‖ is at least the printed bound."""
    bound = math.sqrt(3) / 8 * constant * delta**3 * x**2
    return np.asarray(_norms(size, rng, replicates, x) >= bound)


# ---- Theorem 4.1 over the ball: W is chosen after W₀ ----


def farther_than(size: int, rng: Generator, replicates: int, radius: float) -> Array:
    """Share of a group for which the nearest point with S = b = 0, where H vanishes, lies outside the ball."""
    return group_means(
        size,
        rng,
        replicates,
        lambda point: np.where(distance_to_flat_point(point, 1.0)[1] <= radius, 0.0, 1.0),
    )


@claim(
    "liu.thm4.1",
    corrected=Corrected(
        measured=farther_than,
        states=Limit(survival_in_ball, within=0.03),
        points=({"radius": 1.0}, {"radius": 0.5}),
        plan=FAR_APART.but(cost=lambda size: STRATA * (4e-6 + 4.5e-7 * size), support=(0.0, 1.0)),
    ),
    states=Probability(1.0, within=0.4),
    over=(RADIUS,),
    plan=EDGEWORTH.but(sizes=(32, 64, 128, 256), cost=lambda size: 2 * _norm_cost(size)),
)
def survives(size: int, rng: Generator, replicates: int, radius: float) -> Array:
    """One unless a point with H = 0, to rounding, lies in the ball."""
    flat, distances = distance_to_flat_point(sample_bottlenecks(size, replicates, rng), 1.0)
    found = (distances <= radius) & (bottleneck_norms(flat, 1.0) < 1e-9)
    return np.where(found, 0.0, 1.0)
