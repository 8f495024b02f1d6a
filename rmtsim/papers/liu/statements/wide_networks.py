"""Lemma 3.1, Theorems 3.2 and 3.3: orders in the width, at W₀, in the ball around it and where the norm was made large.

Õ hides logarithms. Over the widths of a simulation a factor ln m looks like the power 1/ln m, so an exponent without
a stated logarithm cannot be tested: every statement here grants one factor ln m by name, and
docs/papers/liu/index.md says what more can be told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.claims import Limit, Rate, Relative, claim
from rmtsim.networks import Architecture, Network, convolution, dense, fully_connected
from rmtsim.papers.liu.simulation.wide_convolutions import sample_convolutions
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks, in_portions, sample_wide
from rmtsim.papers.liu.statements.hessian_bounds import DEPTH
from rmtsim.papers.liu.statements.layer_norms import batch_in_weights, batch_q_infinity, batch_q_tensor
from rmtsim.papers.liu.statements.parameters import ACTIVATION, RADIUS, SMOOTH, STATEMENT_PLAN
from rmtsim.papers.liu.theory import tangent_kernel_limit

Array = NDArray[np.float64]
INPUT = np.ones((1, 3))
"""One fixed input with |x|²/d = 1."""


def wide(size: int, rng: np.random.Generator, activation: int, depth: int, *, skips: bool = False) -> Network:
    """Eq. (63) with all widths m, or eq. (97) with skip connections."""
    return fully_connected(
        (3, *[size] * depth, 1), SMOOTH[activation], parametrisation="ntk", skips=skips
    ).sample(rng)


def on_the_sphere(network: Network, rng: np.random.Generator, radius: float) -> Network:
    """A uniform point at distance R from W₀, where almost all of the ball's volume is."""
    radius = validate.finite_number("radius", radius, meaning="radius R of the ball")
    if radius < 0:
        raise ValueError(f"radius={radius}: expected a number >= 0 (radius R of the ball)")
    step = rng.standard_normal(network.parameters.size)
    return network.with_parameters(network.parameters + radius * step / np.linalg.norm(step))


Measure = Callable[[WideNetworks], Array]


def of_many(
    hidden: Sequence[int],
    rng: np.random.Generator,
    replicates: int,
    activation: int,
    measure: Measure,
    *,
    skips: bool = False,
) -> Array:
    """A quantity of many networks (63) (or (97), with skips) at the one input, drawn and measured in portions."""
    widths = (INPUT.size, *hidden, 1)
    return np.concatenate(
        [
            measure(sample_wide(widths, count, rng, INPUT[0], SMOOTH[activation], skips=skips))
            for count in in_portions(replicates, widths)
        ]
    )


def norms_of(batch: WideNetworks, rng: np.random.Generator) -> Array:
    """‖H‖, with a residual of at most 10⁻³ of it: orders in m are tested to a tenth."""
    return batch.hessian_norms(rng, tolerance=1e-3).norms


def ascend(batch: WideNetworks, rng: np.random.Generator, radius: float, steps: int = 3) -> Array:
    """The largest ‖H‖ met in the ball on an ascent from each network: a lower bound of the supremum, no more.

    For the top eigenvector u the norm grows along D³f[u, u, ·], the second difference of the gradient along u. Steps go
    to the sphere of radius R and then along it.
    """
    start, point, h = batch, batch, 1e-2
    found = batch.hessian_norms(rng, tolerance=1e-3)
    best = found.norms
    for _ in range(steps):
        u = point.directions(found.vectors)
        ends = [point.moved(u, sign * h).gradients() for sign in (1, -1)]
        signs = np.sign(found.values)[:, None, None]
        change = [
            signs * (plus - 2 * middle + minus)
            for plus, middle, minus in zip(ends[0], point.gradients(), ends[1], strict=True)
        ]
        stepped = point.moved(change, radius)
        shift = [now - first for now, first in zip(stepped.weights, start.weights, strict=True)]
        lengths = np.sqrt(sum((part**2).sum(axis=(1, 2)) for part in shift))
        point = start.moved(shift, np.minimum(lengths, radius))
        found = point.hessian_norms(rng, tolerance=1e-3)
        best = np.maximum(best, found.norms)
    return np.asarray(best)


_WIDTHS = (16, 32, 64, 128, 256)
_CORRECTIONS = (
    "norms of Gaussian matrices approach their limits with corrections in m^-2/3 and faster, infinity norms with "
    "logarithms, which the granted factor ln m absorbs"
)
ORDER_PLAN = STATEMENT_PLAN.but(sizes=_WIDTHS, because=_CORRECTIONS, exponents=(0.5, 2 / 3, 1.0))
ORDER_WITHIN = 0.1
_GRID = ({"activation": 0, "depth": 2, "radius": 1.0},)
_BALL = (ACTIVATION, DEPTH, RADIUS)


def drawing_cost(size: int, depth: int) -> float:
    """Nominal seconds of one network and a pass through it, twice."""
    return 1e-5 + depth * (1e-5 + 4e-8 * size**2)


def hessian_cost(size: int, depth: int) -> float:
    """Nominal seconds of one spectral norm."""
    return 2e-4 + depth * (4e-5 + 6e-8 * size**2)


# ---- Lemma 3.1 ----


@claim(
    "liu.lemma3.1",
    at="Lemma 3.1, eq. (23), Q_∞",
    standing="lemma",
    printed="Q_∞ = Õ(1/√m) in the ball; tested: Q_∞/ln m = O(m^-1/2) at a random point at distance R from W₀ "
    "(one logarithm is "
    "granted; a single point, not the supremum).",
    states=Rate(0.5, "O", within=0.1),
    over=_BALL,
    points=_GRID,
    plan=ORDER_PLAN.but(cost=drawing_cost),
)
def largest_gradient(
    size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int, radius: float
) -> Array:
    """Q_∞/ln m."""
    values = of_many(
        [size] * depth,
        rng,
        replicates,
        activation,
        lambda batch: batch_q_infinity(batch.on_the_sphere(rng, radius)),
    )
    return values / math.log(size)


@claim(
    "liu.lemma3.1.tensor",
    at="Lemma 3.1, eq. (23), Q_{2,2,1}",
    standing="lemma",
    printed="Q_{2,2,1} = O(1) in the ball; tested: exponent ≥ 0 at a random point at distance R, norms exact.",
    states=Rate(0.0, "O", within=0.1),
    over=_BALL,
    points=_GRID,
    plan=ORDER_PLAN.but(cost=lambda size, depth: 2 * hessian_cost(size, depth)),
)
def tensor_quantity(
    size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int, radius: float
) -> Array:
    """Q_{2,2,1}."""
    return of_many(
        [size] * depth,
        rng,
        replicates,
        activation,
        lambda batch: batch_q_tensor(batch.on_the_sphere(rng, radius), rng),
    )


@claim(
    "liu.lemma3.1.lipschitz",
    at="Lemma 3.1, eq. (23), Q_L",
    standing="lemma",
    printed="Q_L = O(1) in the ball; tested: exponent ≥ 0 at a random point at distance R, norms exact.",
    states=Rate(0.0, "O", within=0.1),
    over=_BALL,
    points=_GRID,
    plan=ORDER_PLAN.but(cost=drawing_cost),
)
def lipschitz_quantity(
    size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int, radius: float
) -> Array:
    """Q_L."""
    return of_many(
        [size] * depth,
        rng,
        replicates,
        activation,
        lambda batch: np.max(batch_in_weights(batch.on_the_sphere(rng, radius)), axis=0),
    )


# ---- Theorem 3.2 ----


@claim(
    "liu.thm3.2",
    at="Theorem 3.2, eq. (24), at W₀",
    standing="theorem",
    printed="‖H(W₀)‖ = Õ(1/√m); tested: ‖H(W₀)‖/ln m = O(m^-1/2).",
    states=Rate(0.5, "O", within=0.1),
    over=(ACTIVATION, DEPTH),
    points=({"activation": 0, "depth": 2}, {"activation": 3, "depth": 3}),
    plan=ORDER_PLAN.but(cost=hessian_cost),
)
def norm_at_start(size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int) -> Array:
    """‖H(W₀)‖/ln m."""
    values = of_many([size] * depth, rng, replicates, activation, lambda batch: norms_of(batch, rng))
    return values / math.log(size)


@claim(
    "liu.thm3.2.ball",
    at="Theorem 3.2, eq. (24), at random points of the ball",
    standing="theorem",
    printed="‖H(W)‖ = Õ(1/√m) in the ball; tested: ‖H(W)‖/ln m = O(m^-1/2) at a random point at distance R (a "
    "single point, not the "
    "supremum).",
    states=Rate(0.5, "O", within=0.1),
    over=_BALL,
    points=({"activation": 0, "depth": 2, "radius": 2.0},),
    plan=ORDER_PLAN.but(cost=hessian_cost),
)
def norm_in_ball(
    size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int, radius: float
) -> Array:
    """‖H(W)‖/ln m."""
    values = of_many(
        [size] * depth,
        rng,
        replicates,
        activation,
        lambda batch: norms_of(batch.on_the_sphere(rng, radius), rng),
    )
    return values / math.log(size)


@claim(
    "liu.thm3.2.ascent",
    at="Theorem 3.2, eq. (24), where an ascent on ‖H‖ leads",
    standing="theorem",
    printed="‖H(W)‖ = Õ(1/√m) for all W in the ball; tested: ‖H(W)‖/ln m = O(m^-1/2) at the best point of an "
    "ascent on ‖H‖ in the ball: a "
    "lower bound of the supremum.",
    states=Rate(0.5, "O", within=0.1),
    over=_BALL,
    points=({"activation": 0, "depth": 2, "radius": 2.0},),
    plan=ORDER_PLAN.but(sizes=(16, 32, 64, 128), cost=lambda size, depth: 6 * hessian_cost(size, depth)),
)
def norm_after_ascent(
    size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int, radius: float
) -> Array:
    """Largest ‖H‖ met, over ln m."""
    values = of_many([size] * depth, rng, replicates, activation, lambda batch: ascend(batch, rng, radius))
    return values / math.log(size)


@claim(
    "liu.thm3.2.kernel",
    at="after Theorem 3.2: the tangent kernel is Θ(1)",
    standing="remark",
    printed="K(x, x) at W₀ tends to the constant Θ_{L+1} of docs/papers/liu/index.md, all layers trained.",
    states=Limit(
        lambda activation, depth: tangent_kernel_limit(SMOOTH[activation], depth), within=Relative(0.03)
    ),
    over=(ACTIVATION, DEPTH),
    points=({"activation": 0, "depth": 2},),
    plan=STATEMENT_PLAN.but(
        sizes=(32, 64, 128, 256),
        exponents=(1.0,),
        because="moments of Gaussian networks are series in 1/m",
        cost=drawing_cost,
    ),
)
def kernel_at_start(
    size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int
) -> Array:
    """K(x, x)."""
    return of_many([size] * depth, rng, replicates, activation, lambda batch: batch.kernels)


@claim(
    "liu.thm3.2.kernel-change",
    at="after Theorem 3.2: constancy of the kernel in the ball",
    standing="remark",
    printed="|K(W) - K(W₀)| = Õ(R/√m) in the ball; tested: the change over ln m is O(m^-1/2) at distance R "
    "along the gradient of f, the way "
    "that training takes.",
    states=Rate(0.5, "O", within=0.1),
    over=_BALL,
    points=_GRID,
    plan=ORDER_PLAN.but(cost=lambda size, depth: 2 * drawing_cost(size, depth)),
)
def kernel_change(
    size: int, rng: np.random.Generator, replicates: int, activation: int, depth: int, radius: float
) -> Array:
    """|ΔK|/ln m."""
    values = of_many(
        [size] * depth,
        rng,
        replicates,
        activation,
        lambda batch: np.abs(batch.moved(batch.gradients(), radius).kernels - batch.kernels),
    )
    return values / math.log(size)


# ---- Theorem 3.3 ----

_KINDS = (ACTIVATION,)
_TANH = ({"activation": 0},)


@claim(
    "liu.thm3.3",
    at="Theorem 3.3, eq. (25), different widths",
    standing="theorem",
    printed="‖H‖ = Õ(1/√m), m the smallest of the widths m, 3m, 2m; tested: ‖H(W)‖/ln m = O(m^-1/2) at "
    "distance 1 from W₀.",
    states=Rate(0.5, "O", within=0.1),
    over=_KINDS,
    points=_TANH,
    plan=ORDER_PLAN.but(sizes=(8, 16, 32, 64, 128), cost=lambda size: 4e-4 + 7e-7 * size**2),
)
def mixed_widths(size: int, rng: np.random.Generator, replicates: int, activation: int) -> Array:
    """‖H‖/ln m."""
    values = of_many(
        (size, 3 * size, 2 * size),
        rng,
        replicates,
        activation,
        lambda batch: norms_of(batch.on_the_sphere(rng, 1.0), rng),
    )
    return values / math.log(size)


def convolutional(size: int, rng: np.random.Generator, activation: int, positions: int = 4) -> Network:
    """Two layers (90) of m channels with filters of three pixels, and f = vᵀα/√m."""
    name = SMOOTH[activation]
    layers = (
        replace(convolution(2, size, 3, name), scale=2**-0.5, deviation=1.0),
        replace(convolution(size, size, 3, name), scale=size**-0.5, deviation=1.0),
        replace(dense(positions * size, 1), scale=size**-0.5, deviation=1.0),
    )
    return Architecture(layers, positions=positions).sample(rng)


IMAGE = np.ones((1, 8))
"""Two channels at four pixels."""


@claim(
    "liu.thm3.3.convolution",
    at="Theorem 3.3, eq. (25), convolutional networks (appendix G.1)",
    standing="theorem",
    printed="‖H‖ = Õ(1/√m), m the number of channels; tested: ‖H(W)‖/ln m = O(m^-1/2) at distance 1 from W₀.",
    states=Rate(0.5, "O", within=0.1),
    over=_KINDS,
    points=_TANH,
    plan=ORDER_PLAN.but(cost=lambda size: 6e-4 + 3.5e-7 * size**2),
)
def convolutional_norm(size: int, rng: np.random.Generator, replicates: int, activation: int) -> Array:
    """‖H‖/ln m of the networks that :func:`convolutional` draws one at a time."""
    batches = sample_convolutions(
        (2, size, size), replicates, rng, IMAGE.reshape(2, -1).T, SMOOTH[activation], radius=1.0
    )
    norms = [batch.hessian_norms(rng, tolerance=1e-3).norms for batch in batches]
    return np.asarray(np.concatenate(norms) / math.log(size))


@claim(
    "liu.thm3.3.residual",
    at="Theorem 3.3, eq. (25), residual networks (appendix G.2)",
    standing="theorem",
    printed="‖H‖ = Õ(1/√m); tested: ‖H(W)‖/ln m = O(m^-1/2) at distance 1 from W₀, three hidden layers, two "
    "of them with skips.",
    states=Rate(0.5, "O", within=0.1),
    over=_KINDS,
    points=_TANH,
    plan=ORDER_PLAN.but(cost=lambda size: hessian_cost(size, 3)),
)
def residual_norm(size: int, rng: np.random.Generator, replicates: int, activation: int) -> Array:
    """‖H‖/ln m."""
    values = of_many(
        [size] * 3,
        rng,
        replicates,
        activation,
        lambda batch: norms_of(batch.on_the_sphere(rng, 1.0), rng),
        skips=True,
    )
    return values / math.log(size)
