"""Lemma 3.1, Theorems 3.2 and 3.3: orders in the width, at W₀, in the ball around it and at points found by ascent on
the norm.

Õ hides logarithms. Over the widths of a simulation a factor ln m looks like the power 1/√(ln m), so an exponent without
a stated logarithm cannot be tested: most statements here admit the factor √(ln m) by name, which the largest of m
Gaussian numbers has and no more (docs/papers/liu/index.md derives it for ‖H‖). Where the bulk of H decides at the
widths used, ‖H‖ is tested without it, which is the sharper statement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Choice, Limit, Option, Rate, Relative, claim
from rmtsim.papers.liu.simulation.architectures import IMAGE, mixed, on_the_sphere
from rmtsim.papers.liu.simulation.ascent import ascend
from rmtsim.papers.liu.simulation.layer_norms import batch_in_weights, batch_q_infinity, batch_q_tensor
from rmtsim.papers.liu.simulation.wide_convolutions import sample_convolutions
from rmtsim.papers.liu.simulation.wide_networks import Measure, WideNetworks, of_many
from rmtsim.papers.liu.statements.parameters import ACTIVATION, DEPTH, RADIUS, TANH, WIDTHS
from rmtsim.papers.liu.theory import tangent_kernel_limit

ORDER_PLAN = WIDTHS.but(
    sizes=(16, 32, 64, 128, 256),
    because="norms of Gaussian matrices approach their limits with corrections in m^-2/3 and faster, infinity norms "
    "with logarithms, which the granted factor √(ln m) absorbs",
    exponents=(0.5, 2 / 3, 1.0),
)
BOUNDED = Rate(0.0, "O", within=0.05)
"""O(1)."""
INVERSE_ROOT = Rate(0.5, "O", within=0.05)
"""O(m^-1/2) of a largest entry over √(ln m): the largest of m Gaussian numbers lags behind √(2 ln m) by terms of order
ln ln m/√(ln m), whose slope is 0.03 at these widths."""
NORM_ORDER = Rate(0.5, "O", within=0.02)
"""O(m^-1/2) of ‖H‖ over √(ln m): the bulk of H has no logarithm, so the quotient falls faster, if anything."""
BULK_ORDER = Rate(0.5, "O", within=0.05)
"""O(m^-1/2) of ‖H‖ itself, at widths where its largest entries do not matter yet."""
NORM_PLAN = ORDER_PLAN.but(sizes=(32, 64, 128, 256, 512))
"""Widths at which √(ln m) has a slope between 0.08 and 0.15."""
_BULK = "norms of Gaussian matrices approach their limits with corrections in m^-2/3 and faster"
_BALL = (ACTIVATION, DEPTH, RADIUS)
_NEAR = ({"activation": "tanh", "depth": 2, "radius": 1.0},)


def root_log(size: int) -> float:
    """√(ln m), the logarithm that is granted."""
    return math.sqrt(math.log(size))


def drawing_cost(size: int, depth: int) -> float:
    """Nominal seconds of one network and a pass through it, twice."""
    return 1e-5 + depth * (1e-5 + 4e-8 * size**2)


def hessian_cost(size: int, depth: int) -> float:
    """Nominal seconds of one spectral norm."""
    return 2e-4 + depth * (4e-5 + 6e-8 * size**2)


def norms_of(batch: WideNetworks, rng: Generator) -> Array:
    """‖H‖, with a residual of at most 10⁻³ of it: orders in m are tested to a tenth."""
    return batch.hessian_norms(rng, tolerance=1e-3).norms


def _at_distance(
    size: int,
    rng: Generator,
    replicates: int,
    measure: Measure,
    *,
    activation: str,
    depth: int,
    radius: float,
) -> Array:
    """A quantity of networks at a random point at distance R from W₀."""
    return of_many(
        [size] * depth, rng, replicates, activation, lambda batch: measure(batch.on_the_sphere(rng, radius))
    )


# ---- Lemma 3.1 ----


@claim("liu.lemma3.1", states=INVERSE_ROOT, over=_BALL, points=_NEAR, plan=ORDER_PLAN.but(cost=drawing_cost))
def largest_gradient(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """Q_∞/√(ln m)."""
    return _at_distance(size, rng, replicates, batch_q_infinity, **point) / root_log(size)


def _tensor_quantity(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    return _at_distance(size, rng, replicates, lambda batch: batch_q_tensor(batch, rng), **point)


def _lipschitz_quantity(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    return _at_distance(size, rng, replicates, lambda batch: np.max(batch_in_weights(batch), axis=0), **point)


_QUANTITIES = {
    "tensor": Option(
        label="Q_{2,2,1}",
        measured=_tensor_quantity,
        plan=ORDER_PLAN.but(cost=lambda size, depth: 2 * hessian_cost(size, depth)),
    ),
    "lipschitz": Option(label="Q_L", measured=_lipschitz_quantity, plan=ORDER_PLAN.but(cost=drawing_cost)),
}

claim("liu.lemma3.1.{quantity}", states=BOUNDED, over=(Choice("quantity", _QUANTITIES), *_BALL), points=_NEAR)


# ---- Theorem 3.2 ----


@claim(
    "liu.thm3.2",
    states=NORM_ORDER,
    over=(ACTIVATION, DEPTH),
    points=({"activation": "tanh", "depth": 2}, {"activation": "gelu", "depth": 3}),
    plan=NORM_PLAN.but(cost=hessian_cost),
)
def norm_at_start(size: int, rng: Generator, replicates: int, activation: str, depth: int) -> Array:
    """‖H(W₀)‖/√(ln m)."""
    values = of_many([size] * depth, rng, replicates, activation, lambda batch: norms_of(batch, rng))
    return values / root_log(size)


def norm_in_ball(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖H(W)‖/√(ln m) at a random point at distance R."""
    values = _at_distance(size, rng, replicates, lambda batch: norms_of(batch, rng), **point)
    return values / root_log(size)


def norm_after_ascent(
    size: int, rng: Generator, replicates: int, activation: str, depth: int, radius: float
) -> Array:
    """Largest ‖H‖ on an ascent in the ball, over √(ln m)."""
    values = of_many([size] * depth, rng, replicates, activation, lambda batch: ascend(batch, rng, radius))
    return values / root_log(size)


_PLACES = {
    "ball": Option(
        label="at random points of the ball",
        words={
            "domain": "in the ball",
            "point": "a random point at distance R (a single point, not the supremum)",
        },
        measured=norm_in_ball,
        plan=NORM_PLAN.but(cost=hessian_cost),
    ),
    "ascent": Option(
        label="where an ascent on ‖H‖ leads",
        words={
            "domain": "for all W in the ball",
            "point": "the best point of an ascent on ‖H‖ in the ball: a lower bound of the supremum",
        },
        measured=norm_after_ascent,
        plan=NORM_PLAN.but(cost=lambda size, depth: 6 * hessian_cost(size, depth)),
    ),
}

claim(
    "liu.thm3.2.{place}",
    states=NORM_ORDER,
    over=(Choice("place", _PLACES), *_BALL),
    points=({"activation": "tanh", "depth": 2, "radius": 2.0},),
)


@claim(
    "liu.thm3.2.kernel",
    states=Limit(lambda activation, depth: tangent_kernel_limit(activation, depth), within=Relative(0.03)),
    over=(ACTIVATION, DEPTH),
    points=({"activation": "tanh", "depth": 2},),
    plan=WIDTHS.but(sizes=(32, 64, 128, 256), exponents=(1.0,), cost=drawing_cost),
)
def kernel_at_start(size: int, rng: Generator, replicates: int, activation: str, depth: int) -> Array:
    """K(x, x)."""
    return of_many([size] * depth, rng, replicates, activation, lambda batch: batch.kernels)


@claim(
    "liu.thm3.2.kernel-change",
    states=INVERSE_ROOT,
    over=_BALL,
    points=_NEAR,
    plan=ORDER_PLAN.but(cost=lambda size, depth: 2 * drawing_cost(size, depth)),
)
def kernel_change(
    size: int, rng: Generator, replicates: int, activation: str, depth: int, radius: float
) -> Array:
    """|ΔK|/√(ln m)."""

    def change(batch: WideNetworks) -> Array:
        return np.abs(batch.moved(batch.gradients(), radius).kernels - batch.kernels)

    return of_many([size] * depth, rng, replicates, activation, change) / root_log(size)


# ---- Theorem 3.3 ----


def mixed_widths(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """‖H‖ at distance 1 from W₀, widths m, 3m, 2m."""
    return _norm_near_start((size, 3 * size, 2 * size), rng, replicates, activation)


def residual_norm(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """‖H‖ at distance 1 from W₀, three hidden layers, two of them with skips."""
    return _norm_near_start([size] * 3, rng, replicates, activation, skips=True)


def _norm_near_start(
    hidden: Sequence[int], rng: Generator, replicates: int, activation: str, *, skips: bool = False
) -> Array:
    return of_many(
        hidden,
        rng,
        replicates,
        activation,
        lambda batch: norms_of(batch.on_the_sphere(rng, 1.0), rng),
        skips=skips,
    )


def convolutional_norm(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """‖H‖/√(ln m) at distance 1 from W₀ of convolutional networks with m channels."""
    batches = sample_convolutions(
        (2, size, size), replicates, rng, IMAGE.reshape(2, -1).T, activation, radius=1.0
    )
    norms = [batch.hessian_norms(rng, tolerance=1e-3).norms for batch in batches]
    return np.asarray(np.concatenate(norms) / root_log(size))


def mixed_norm(size: int, rng: Generator, activation: str) -> float:
    """‖H‖/√(ln m) at distance 1 from W₀ of a network with three kinds of layer."""
    from scipy.sparse.linalg import eigsh

    network = on_the_sphere(mixed(size, rng, activation), rng, 1.0)
    operator = network.hessian_operator(IMAGE)
    start = rng.standard_normal(operator.shape[0])
    values = eigsh(operator, k=1, which="LM", tol=1e-3, v0=start, return_eigenvectors=False)
    return float(np.abs(values).max() / root_log(size))


claim(
    "liu.thm3.3",
    mixed_widths,
    states=BULK_ORDER,
    over=(ACTIVATION,),
    points=TANH,
    plan=NORM_PLAN.but(
        because=_BULK,
        cost=lambda size: 4e-4 + 3.6e-7 * size**2,
    ),
)

_NETWORKS = {
    "convolution": Option(
        label="convolutional networks (appendix G.1)",
        words={"width": ", m the number of channels", "quantity": "‖H(W)‖/√(ln m)", "depth": ""},
        measured=convolutional_norm,
        plan=NORM_PLAN.but(sizes=(16, 32, 64, 128, 256), cost=lambda size: 4e-4 + 2.7e-7 * size**2),
    ),
    "residual": Option(
        label="residual networks (appendix G.2)",
        words={
            "width": "",
            "quantity": "‖H(W)‖",
            "depth": ", three hidden layers, two of them with skips; no logarithm is granted",
        },
        measured=residual_norm,
        states=BULK_ORDER,
        plan=NORM_PLAN.but(because=_BULK, cost=lambda size: hessian_cost(size, 3)),
    ),
    "mixed": Option(
        label="layers of several kinds (appendix G.3)",
        words={
            "width": ", m the number of channels and of neurons",
            "quantity": "‖H(W)‖/√(ln m)",
            "depth": ": a convolution, a dense layer, a dense layer with a skip",
        },
        measured=mixed_norm,
        plan=NORM_PLAN.but(sizes=(16, 32, 64, 128, 256), cost=lambda size: 2e-3 + 1.3e-6 * size**2),
    ),
}

claim("liu.thm3.3.{network}", states=NORM_ORDER, over=(Choice("network", _NETWORKS), ACTIVATION), points=TANH)
