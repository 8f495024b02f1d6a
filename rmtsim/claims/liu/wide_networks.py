"""Lemma 3.1, Theorems 3.2 and 3.3: orders in the width, at W₀, in the ball around it and where the norm was made large.

Õ hides logarithms. Over the widths of a simulation a factor ln m looks like the power 1/ln m, so an exponent without
a stated logarithm cannot be tested: every statement here grants one factor ln m by name, and docs/liu.md says what
more can be told.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate
from rmtsim.claims.liu.hessian_bounds import DEPTH, spectral_norm
from rmtsim.claims.liu.layer_norms import layer_norms, q_lipschitz, q_tensor
from rmtsim.claims.liu.parameters import ACTIVATION, RADIUS, SMOOTH, statement
from rmtsim.claims.model import Tolerance
from rmtsim.networks import Architecture, Network, convolution, dense, fully_connected, hessian_extremes
from rmtsim.predict.liu import tangent_kernel_limit

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


def ascend(
    network: Network, rng: np.random.Generator, radius: float, steps: int = 3
) -> tuple[Network, float]:
    """A point of the ball with a larger ‖H‖, and that norm: a lower bound of the supremum over the ball, no more.

    For the top eigenvector u the norm grows along D³f[u, u, ·], the second difference of the gradient along u. Steps go
    to the sphere of radius R and then along it; the best point met is kept.
    """
    start = network.parameters
    found = hessian_extremes(network, INPUT, rng=rng, tolerance=1e-3)
    best, norm = network, found.spectral_norm
    point = network
    for _ in range(steps):
        u, h = found.vectors[:, 0], 1e-2
        change = (
            point.with_parameters(point.parameters + h * u).gradient(INPUT)
            - 2 * point.gradient(INPUT)
            + point.with_parameters(point.parameters - h * u).gradient(INPUT)
        )
        change *= np.sign(found.values[0]) * radius / np.linalg.norm(change)
        moved = point.parameters - start + change
        moved *= radius / max(float(np.linalg.norm(moved)), radius)
        point = network.with_parameters(start + moved)
        found = hessian_extremes(point, INPUT, rng=rng, tolerance=1e-3)
        if found.spectral_norm > norm:
            best, norm = point, found.spectral_norm
    return best, norm


_WIDTHS = (16, 32, 64, 128)
_CORRECTIONS = (
    "norms of Gaussian matrices approach their limits with corrections in m^-2/3 and faster, infinity norms with "
    "logarithms, which the granted factor ln m absorbs"
)
order = partial(
    statement,
    standing="theorem",
    relation="O",
    tolerance=Tolerance(absolute=0.1),
    sizes=_WIDTHS,
    because=_CORRECTIONS,
    exponents=(0.5, 2 / 3, 1.0),
)
_GRID = ({"activation": 0, "depth": 2, "radius": 1.0},)
_BALL = (ACTIVATION, DEPTH, RADIUS)


def norms_cost(size: int, depth: int) -> float:
    """Nominal seconds of exact layer norms."""
    return 5e-4 + depth * (1e-4 + 1.4e-9 * size**3)


def hessian_cost(size: int, depth: int) -> float:
    """Nominal seconds of one spectral norm."""
    return 2e-3 + depth * (1e-3 + 4e-7 * size**2)


# ---- Lemma 3.1 ----


@order(
    "liu.lemma3.1",
    source="Lemma 3.1, eq. (23), Q_∞",
    standing="lemma",
    statement="Q_∞ = Õ(1/√m) in the ball; tested: Q_∞/ln m = O(m^-1/2) at a random point at distance R from W₀ "
    "(one logarithm is "
    "granted; a single point, not the supremum).",
    rate=0.5,
    parameters=_BALL,
    grid=_GRID,
    cost=norms_cost,
)
def largest_gradient(
    size: int, rng: np.random.Generator, activation: int, depth: int, radius: float
) -> float:
    """Q_∞/ln m."""
    point = on_the_sphere(wide(size, rng, activation, depth), rng, radius)
    gradients = point.activation_gradients(INPUT)[:-1]
    return float(max(np.abs(each).max() for each in gradients) / np.log(size))


@order(
    "liu.lemma3.1.tensor",
    source="Lemma 3.1, eq. (23), Q_{2,2,1}",
    standing="lemma",
    statement="Q_{2,2,1} = O(1) in the ball; tested: exponent ≥ 0 at a random point at distance R, norms exact.",
    rate=0.0,
    parameters=_BALL,
    grid=_GRID,
    cost=norms_cost,
)
def tensor_quantity(size: int, rng: np.random.Generator, activation: int, depth: int, radius: float) -> float:
    """Q_{2,2,1}."""
    return q_tensor(layer_norms(on_the_sphere(wide(size, rng, activation, depth), rng, radius), INPUT))


@order(
    "liu.lemma3.1.lipschitz",
    source="Lemma 3.1, eq. (23), Q_L",
    standing="lemma",
    statement="Q_L = O(1) in the ball; tested: exponent ≥ 0 at a random point at distance R, norms exact.",
    rate=0.0,
    parameters=_BALL,
    grid=_GRID,
    cost=norms_cost,
)
def lipschitz_quantity(
    size: int, rng: np.random.Generator, activation: int, depth: int, radius: float
) -> float:
    """Q_L."""
    return q_lipschitz(layer_norms(on_the_sphere(wide(size, rng, activation, depth), rng, radius), INPUT))


# ---- Theorem 3.2 ----


@order(
    "liu.thm3.2",
    source="Theorem 3.2, eq. (24), at W₀",
    statement="‖H(W₀)‖ = Õ(1/√m); tested: ‖H(W₀)‖/ln m = O(m^-1/2).",
    rate=0.5,
    parameters=(ACTIVATION, DEPTH),
    grid=({"activation": 0, "depth": 2}, {"activation": 3, "depth": 3}),
    cost=hessian_cost,
)
def norm_at_start(size: int, rng: np.random.Generator, activation: int, depth: int) -> float:
    """‖H(W₀)‖/ln m."""
    return spectral_norm(wide(size, rng, activation, depth), INPUT, rng) / float(np.log(size))


@order(
    "liu.thm3.2.ball",
    source="Theorem 3.2, eq. (24), at random points of the ball",
    statement="‖H(W)‖ = Õ(1/√m) in the ball; tested: ‖H(W)‖/ln m = O(m^-1/2) at a random point at distance R (a "
    "single point, not the "
    "supremum).",
    rate=0.5,
    parameters=_BALL,
    grid=({"activation": 0, "depth": 2, "radius": 2.0},),
    cost=hessian_cost,
)
def norm_in_ball(size: int, rng: np.random.Generator, activation: int, depth: int, radius: float) -> float:
    """‖H(W)‖/ln m."""
    point = on_the_sphere(wide(size, rng, activation, depth), rng, radius)
    return spectral_norm(point, INPUT, rng) / float(np.log(size))


@order(
    "liu.thm3.2.ascent",
    source="Theorem 3.2, eq. (24), where an ascent on ‖H‖ leads",
    statement="‖H(W)‖ = Õ(1/√m) for all W in the ball; tested: ‖H(W)‖/ln m = O(m^-1/2) at the best point of an "
    "ascent on ‖H‖ in the ball: a "
    "lower bound of the supremum.",
    rate=0.5,
    parameters=_BALL,
    grid=({"activation": 0, "depth": 2, "radius": 2.0},),
    sizes=(16, 32, 64),
    cost=lambda size, depth: 6 * hessian_cost(size, depth),
)
def norm_after_ascent(
    size: int, rng: np.random.Generator, activation: int, depth: int, radius: float
) -> float:
    """Largest ‖H‖ met, over ln m."""
    return ascend(wide(size, rng, activation, depth), rng, radius)[1] / float(np.log(size))


@statement(
    "liu.thm3.2.kernel",
    source="after Theorem 3.2: the tangent kernel is Θ(1)",
    standing="remark",
    statement="K(x, x) at W₀ tends to the constant Θ_{L+1} of docs/liu.md, all layers trained.",
    limit=lambda activation, depth: tangent_kernel_limit(SMOOTH[activation], depth),
    tolerance=Tolerance(relative=0.03),
    parameters=(ACTIVATION, DEPTH),
    grid=({"activation": 0, "depth": 2},),
    sizes=(32, 64, 128, 256),
    exponents=(1.0,),
    because="moments of Gaussian networks are series in 1/m",
    cost=lambda size, depth: 5e-4 + depth * 2e-8 * size**2,
)
def kernel_at_start(size: int, rng: np.random.Generator, activation: int, depth: int) -> float:
    """K(x, x)."""
    return float(wide(size, rng, activation, depth).tangent_kernel(INPUT)[0, 0])


@order(
    "liu.thm3.2.kernel-change",
    source="after Theorem 3.2: constancy of the kernel in the ball",
    standing="remark",
    statement="|K(W) - K(W₀)| = Õ(R/√m) in the ball; tested: the change over ln m is O(m^-1/2) at distance R "
    "along the gradient of f, the way "
    "that training takes.",
    rate=0.5,
    parameters=_BALL,
    grid=_GRID,
    cost=lambda size, depth: 1e-3 + depth * 6e-8 * size**2,
)
def kernel_change(size: int, rng: np.random.Generator, activation: int, depth: int, radius: float) -> float:
    """|ΔK|/ln m."""
    network = wide(size, rng, activation, depth)
    gradient = network.gradient(INPUT)
    moved = network.with_parameters(network.parameters + radius * gradient / np.linalg.norm(gradient))
    before, after = (float(each.tangent_kernel(INPUT)[0, 0]) for each in (network, moved))
    return abs(after - before) / float(np.log(size))


# ---- Theorem 3.3 ----

_KINDS = (ACTIVATION,)
_TANH = ({"activation": 0},)


@order(
    "liu.thm3.3",
    source="Theorem 3.3, eq. (25), different widths",
    statement="‖H‖ = Õ(1/√m), m the smallest of the widths m, 3m, 2m; tested: ‖H(W)‖/ln m = O(m^-1/2) at "
    "distance 1 from W₀.",
    rate=0.5,
    parameters=_KINDS,
    grid=_TANH,
    sizes=(8, 16, 32, 64),
    cost=lambda size: 8e-3 + 1.2e-5 * size**2,
)
def mixed_widths(size: int, rng: np.random.Generator, activation: int) -> float:
    """‖H‖/ln m."""
    network = fully_connected(
        (3, size, 3 * size, 2 * size, 1), SMOOTH[activation], parametrisation="ntk"
    ).sample(rng)
    return spectral_norm(on_the_sphere(network, rng, 1.0), INPUT, rng) / float(np.log(size))


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


@order(
    "liu.thm3.3.convolution",
    source="Theorem 3.3, eq. (25), convolutional networks (appendix G.1)",
    statement="‖H‖ = Õ(1/√m), m the number of channels; tested: ‖H(W)‖/ln m = O(m^-1/2) at distance 1 from W₀.",
    rate=0.5,
    parameters=_KINDS,
    grid=_TANH,
    sizes=(8, 16, 32, 64),
    cost=lambda size: 1.2e-2 + 5e-6 * size**2,
)
def convolutional_norm(size: int, rng: np.random.Generator, activation: int) -> float:
    """‖H‖/ln m."""
    network = on_the_sphere(convolutional(size, rng, activation), rng, 1.0)
    return spectral_norm(network, IMAGE, rng) / float(np.log(size))


@order(
    "liu.thm3.3.residual",
    source="Theorem 3.3, eq. (25), residual networks (appendix G.2)",
    statement="‖H‖ = Õ(1/√m); tested: ‖H(W)‖/ln m = O(m^-1/2) at distance 1 from W₀, three hidden layers, two "
    "of them with skips.",
    rate=0.5,
    parameters=_KINDS,
    grid=_TANH,
    cost=lambda size: hessian_cost(size, 3),
)
def residual_norm(size: int, rng: np.random.Generator, activation: int) -> float:
    """‖H‖/ln m."""
    network = on_the_sphere(wide(size, rng, activation, 3, skips=True), rng, 1.0)
    return spectral_norm(network, INPUT, rng) / float(np.log(size))
