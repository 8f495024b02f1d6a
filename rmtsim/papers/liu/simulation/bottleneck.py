"""The bottleneck network of `liu`, eq. (31), in whole batches: Hessian norms, gradient flow, nearest flat points.

f = ½ b² S, b = m^{-1/2} Σ w²_i (w¹_i x)²/2, S = m^{-1/2} Σ w⁴_j (w³_j)². Parameters, w¹ … w⁴, are arrays (4, batch, m);
:mod:`rmtsim.networks` has the same network one at a time, and tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError

STRATA = 16
"""Networks of a group in :func:`group_means`."""
_DEPTH = 5
"""Blocks of the Krylov space; the rest of the Hessian is smaller by 1/√m, so that few are enough."""


_LARGEST = 1e8
"""Entries up to here: values are of degree nine in them, norms of squares of degree eighteen."""


def sample_bottlenecks(width: int, count: int, rng: np.random.Generator) -> Array:
    """Parameters N(0, 1) of ``count`` networks of width m, (4, count, m).

    >>> sample_bottlenecks(3, 2, np.random.default_rng(0)).shape
    (4, 2, 3)
    """
    width = validate.integer("width", width, meaning="width m of the wide layers")
    count = validate.integer("count", count, meaning="networks")
    validate.memory(64.0 * count * width, f"{count} networks of width={width}")
    return validate.generator("rng", rng).standard_normal((4, count, width))


def stratified_bottlenecks(width: int, count: int, strata: int, rng: np.random.Generator) -> Array:
    """Parameters N(0, 1) of ``count`` groups of ``strata`` networks, (4, count·strata, m), group after group.

    Given w³ the sum S is Gaussian, and so is b given w¹: both are the component of w⁴ (of w²) along the squares. In
    every group these two components lie in different equal parts of their law, one network in each (a Latin
    hypercube). Every network by itself is drawn from the same law as :func:`sample_bottlenecks`; the mean over a group
    has the same expectation and far less spread.

    >>> point = stratified_bottlenecks(8, 3, 4, np.random.default_rng(0))
    >>> squares = point[2] ** 2
    >>> along = (point[3] * squares).sum(axis=1) / np.sqrt((squares**2).sum(axis=1))
    >>> (np.sort(along.reshape(3, 4)) < [-0.67, 0.0, 0.68, 9.0]).all()        # a quarter each
    np.True_
    """
    strata = validate.integer("strata", strata, meaning="networks of a group")
    groups = validate.integer("count", count, meaning="groups of networks")
    rng = validate.generator("rng", rng)
    point = sample_bottlenecks(width, groups * strata, rng)
    order = rng.permuted(np.tile(np.arange(strata), (groups, 1)), axis=1)
    for base, moved, places in ((0, 1, np.tile(np.arange(strata), (groups, 1))), (2, 3, order)):
        direction = point[base] ** 2
        direction /= np.sqrt((direction**2).sum(axis=1, keepdims=True))
        uniform = (places + rng.random((groups, strata))) / strata
        wanted = ndtri(np.clip(uniform, 1e-300, 1 - 1e-16)).reshape(-1, 1)
        along = (point[moved] * direction).sum(axis=1, keepdims=True)
        point[moved] += (wanted - along) * direction
    return point


def group_means(
    width: int, rng: np.random.Generator, groups: int, measure: Callable[[Array], Array]
) -> Array:
    """Means of a quantity over groups of sixteen networks that are stratified in S and b."""
    found = []
    for start in range(0, groups, 64):
        drawn = stratified_bottlenecks(width, min(64, groups - start), STRATA, rng)
        found.append(measure(drawn).reshape(-1, STRATA).mean(axis=1))
    return np.concatenate(found)


def _checked(parameters: ArrayLike, x: float) -> tuple[Array, float]:
    point = validate.real_array("parameters", parameters)
    if point.ndim != 3 or len(point) != 4 or 0 in point.shape:
        raise ValueError(f"parameters of shape {point.shape}: expected (4, networks, width)")
    x = validate.finite_number("x", x, meaning="the input")
    if np.abs(point).max() > _LARGEST:
        raise ValueError(f"parameters: expected entries of modulus <= {_LARGEST:g}, and one is larger")
    if abs(x) > _LARGEST:
        raise ValueError(f"x={x:g}: expected |x| <= {_LARGEST:g} (the input)")
    return point, x


def _parts(point: Array, x: float) -> tuple[Array, Array, Array, Array]:
    """b, S, ∇b as (2, batch, m) in (w¹, w²), ∇S as (2, batch, m) in (w³, w⁴)."""
    w1, w2, w3, w4 = point
    root = math.sqrt(point.shape[2])
    before = np.stack([w2 * w1, w1**2 / 2]) * (x**2 / root)
    behind = np.stack([2 * w4 * w3, w3**2]) / root
    return (w2 * before[1]).sum(axis=1), (w4 * behind[1]).sum(axis=1), before, behind


def bottleneck_gradients(parameters: ArrayLike, x: float) -> tuple[Array, Array]:
    """f and ∇f of every network: (batch,) and (4, batch, m).

    >>> values, gradients = bottleneck_gradients(np.ones((4, 1, 4)), 1.0)
    >>> values                                         # b = 1, S = 2
    array([1.])
    >>> float((gradients * np.ones((4, 1, 4))).sum())  # homogeneous of degree 2(1 + 2) + (1 + 2) = 9
    9.0
    """
    point, x = _checked(parameters, x)
    return _gradients(point, x)


def _gradients(point: Array, x: float) -> tuple[Array, Array]:
    b, s, before, behind = _parts(point, x)
    gradient = np.concatenate([(b * s)[:, None] * before, (b**2 / 2)[:, None] * behind])
    return b**2 * s / 2, gradient


def bottleneck_norms(parameters: ArrayLike, x: float, *, blocks: int = _DEPTH) -> Array:
    """‖∂²f/∂W²‖ of every network: the largest Ritz value in the block Krylov space of ∇b and ∇S.

    Of 400 networks the largest relative error is 10⁻⁴ at width 16 and 4·10⁻⁶ at 128 with ``blocks`` = 3, below 10⁻⁶
    with 5.

    >>> norms = bottleneck_norms(sample_bottlenecks(50, 3, np.random.default_rng(0)), 1.0)
    >>> norms.shape, bool((norms > 0).all())
    ((3,), True)
    """
    point, x = _checked(parameters, x)
    w1, w2, w3, w4 = point
    root = math.sqrt(point.shape[2])
    b, s, before, behind = _parts(point, x)
    u, v = np.zeros_like(point), np.zeros_like(point)
    u[:2], v[2:] = before, behind

    def product(direction: Array) -> Array:
        along_b, along_s = (direction * u).sum(axis=(0, 2)), (direction * v).sum(axis=(0, 2))
        image = (s * along_b + b * along_s)[:, None] * u + (b * along_b)[:, None] * v
        first, second, third, fourth = direction
        bent, lent = (s * b * x**2 / root)[:, None], (b**2 / root)[:, None]
        image[0] += bent * (w2 * first + w1 * second)
        image[1] += bent * w1 * first
        image[2] += lent * (w4 * third + w3 * fourth)
        image[3] += lent * w3 * third
        return np.asarray(image)

    basis: list[Array] = []
    images: list[Array] = []
    block = [u, v]
    for _ in range(validate.integer("blocks", blocks, maximum=50, meaning="blocks of the Krylov space")):
        fresh = []
        for vector in block:
            # Twice, because rounding in the first pass reintroduces components.
            for _ in range(2):
                for known in basis:
                    vector = vector - (vector * known).sum(axis=(0, 2))[:, None] * known
            length = np.sqrt((vector**2).sum(axis=(0, 2)))
            vector = vector / np.maximum(length, 1e-300)[:, None]
            basis.append(vector)
            fresh.append(vector)
        block = [product(vector) for vector in fresh]
        images += block
    small = np.array([[(q * h).sum(axis=(0, 2)) for h in images] for q in basis]).transpose(2, 0, 1)
    values = np.linalg.eigvalsh((small + small.mT) / 2)
    return np.asarray(np.abs(values).max(axis=1))


def distance_to_flat_point(parameters: ArrayLike, x: float) -> tuple[Array, Array]:
    """Points with S = b = 0, where f, ∇f and the Hessian vanish, and their distances: (4, batch, m) and (batch,).

    Newton's method along ∇S and ∇b, which are orthogonal: to first order the nearest such point.

    >>> point = sample_bottlenecks(100, 2, np.random.default_rng(0))
    >>> flat, distance = distance_to_flat_point(point, 1.0)
    >>> bool(np.abs(bottleneck_norms(flat, 1.0)).max() < 1e-9), bool((distance > 0).all())
    (True, True)
    """
    point, x = _checked(parameters, x)
    start = point
    for _ in range(30):
        b, s, before, behind = _parts(point, x)
        if max(np.abs(b).max(), np.abs(s).max()) < 1e-12:
            break
        lengths = [np.maximum((part**2).sum(axis=(0, 2)), 1e-300) for part in (before, behind)]
        point = point - np.concatenate(
            [(b / lengths[0])[:, None] * before, (s / lengths[1])[:, None] * behind]
        )
    return point, np.sqrt(((point - start) ** 2).sum(axis=(0, 2)))


@frozen(eq=False)
class BottleneckFlow:
    """Both ends of gradient flow: f and K = |∇f|² at the start and at the end."""

    first: Array
    last: Array
    kernel_before: Array
    kernel_after: Array


def bottleneck_flow(parameters: ArrayLike, label: float) -> BottleneckFlow:
    """Gradient flow on ½(f - label)², one sample x = 1, until |f - label| < 10⁻⁴ or K < 10⁻⁹ (a stationary point).

    Fourth-order Runge–Kutta with a fifth of the fastest time scale of each network as step.

    >>> flow = bottleneck_flow(np.ones((4, 1, 9)), 2.0)
    >>> bool(abs(flow.last[0] - 2) < 1e-3)
    True
    """
    state, x = _checked(parameters, 1.0)
    label = validate.finite_number("label", label, meaning="target of the network")
    if abs(label) > _LARGEST:
        raise ValueError(f"label={label:g}: expected |label| <= {_LARGEST:g} (target of the network)")

    def velocity(point: Array) -> Array:
        value, gradient = _gradients(point, x)
        return -(value - label)[:, None] * gradient

    first, gradient = _gradients(state, x)
    value, before = first, (gradient**2).sum(axis=(0, 2))
    for _ in range(3000):
        kernel = (gradient**2).sum(axis=(0, 2))
        moving = (np.abs(value - label) > 1e-4) & (kernel > 1e-9)
        if not moving.any():
            break
        b, s, up, down = _parts(state, x)
        steep, wide = (up**2).sum(axis=(0, 2)), (down**2).sum(axis=(0, 2))
        speed = kernel + np.abs(value - label) * (np.abs(s) * steep + 2 * np.abs(b) * np.sqrt(steep * wide))
        step = np.where(moving, 0.2 / speed, 0.0)[:, None]
        k1 = velocity(state)
        k2 = velocity(state + step / 2 * k1)
        k3 = velocity(state + step / 2 * k2)
        k4 = velocity(state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        value, gradient = _gradients(state, x)
    else:
        worst = float(np.abs(value - label)[moving].max())
        raise ConvergenceError(
            f"parameters: {int(moving.sum())} networks still move after 3000 steps",
            residual=worst,
            iterations=3000,
        )
    return BottleneckFlow(first, value, before, (gradient**2).sum(axis=(0, 2)))
