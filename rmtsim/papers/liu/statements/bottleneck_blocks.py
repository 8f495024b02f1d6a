"""Section 4 and appendix H, eqs. (30) and (107)-(109): the Hessian block of the weights into the bottleneck of (31)."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Grid, Identity, Law, Limit, Parameter, Relative, claim
from rmtsim.networks import activation
from rmtsim.papers.liu.simulation.architectures import bottleneck
from rmtsim.papers.liu.simulation.bottleneck import STRATA, group_means
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import INPUT, WIDTHS
from rmtsim.papers.liu.theory.bottleneck import block_norm_cdf, block_norm_mean, curvature_mean

EDGEWORTH = WIDTHS.but(
    exponents=(1.0,),
    because="S is odd in w⁴, b in w²: odd orders of the Edgeworth series vanish; the rest are means of m terms",
)
LAW = WIDTHS.but(sizes=(16, 32, 64, 128, 256), exponents=(0.5, 1.0))
"""Distances from a law are skewed and need hundreds of replicates at every size: so no larger ones."""


@claim(
    "liu.eq30",
    states=Limit(curvature_mean, within=Relative(0.01)),
    over=(
        Parameter(
            "alpha", "value α of the bottleneck's unit", default=1.0, open_below=True, draw_range=(0.2, 3.0)
        ),
    ),
    plan=WIDTHS.but(sizes=(250, 500, 1000, 2000), exponents=(1.0,), cost=lambda size: 1e-4 + 2e-7 * size),
)
def tensor_norm(size: int, rng: Generator, alpha: float) -> float:
    """Σ_i |∂²σ(w_i α)/∂α²|/m: vectors of length one have one entry ±1."""
    w = rng.standard_normal(size)
    step = 1e-4
    values = [np.tanh(w * (alpha + shift)) for shift in (-step, 0.0, step)]
    return float(np.abs(values[0] - 2 * values[1] + values[2]).sum() / step**2 / size)


_EXACT = Grid((INPUT,), plan=WIDTHS.but(sizes=(2, 7), cost=1e-3))


@claim("liu.eq107", states=Identity(within=1e-12), over=_EXACT)
def gradient_gap(size: int, rng: Generator, x: float) -> float:
    """max |∂f/∂w² - printed|/max |∂f/∂w²|."""
    w1, w2, w3, w4 = (weights.ravel() for weights in bottleneck(size, rng).weights)
    before = (w1 * x) ** 2 / 2
    unit = ((w2 + 1e-30j * np.eye(size)) @ before) / math.sqrt(size)  # one weight moves in each row
    exact = ((w3 * unit[:, None]) ** 2 / 2 @ w4).imag / math.sqrt(size) / 1e-30
    value = float(w2 @ before) / math.sqrt(size)
    printed = (w4 * (w3 * value) * w3).sum() / size * before
    return relative_gap(printed, exact)


@claim("liu.eq108", states=Identity(within=1e-11), over=_EXACT)
def block_gap(size: int, rng: Generator, x: float) -> float:
    """max |block - printed|/max |block|."""
    network = bottleneck(size, rng)
    w1, _, w3, w4 = (weights.ravel() for weights in network.weights)
    before = activation("quadratic")(w1 * x)
    printed = float(w4 @ w3**2) * size**-1.5 * np.outer(before, before)
    return relative_gap(printed, network.hessian_block([[x]], None, 1, 1))


@claim("liu.eq109", states=Identity(within=1e-11), over=_EXACT)
def block_norm_gap(size: int, rng: Generator, x: float) -> float:
    """|norm - printed|/norm."""
    network = bottleneck(size, rng)
    w1, _, w3, w4 = (weights.ravel() for weights in network.weights)
    printed = abs(float(w4 @ w3**2)) * size**-1.5 * float(np.sum(((w1 * x) ** 2 / 2) ** 2))
    exact = float(np.linalg.norm(network.hessian_block([[x]], None, 1, 1), 2))
    return float(abs(exact - printed) / exact)


@claim("liu.appH.activations", states=Identity(within=1e-12), plan=WIDTHS.but(sizes=(2, 7), cost=1e-4))
def activation_gap(size: int, rng: Generator, form: str) -> float:
    """Relative error of the stated ‖α‖² at an input away from one."""
    w, x = rng.standard_normal(size), float(rng.choice([0.5, 2.0, 3.0]))
    exact = float(np.square(activation("quadratic")(w * x)).sum())
    stated = x**2 / 4 * float(w @ w) if form == "printed" else x**4 / 4 * float(np.sum(w**4))
    return float(abs(exact - stated) / exact)


@claim(
    "liu.eq109.mean",
    states=Limit(block_norm_mean, within=Relative(0.02)),
    over=(INPUT,),
    plan=EDGEWORTH.but(sizes=(32, 64, 128, 256), cost=lambda size: STRATA * (4e-6 + 3e-9 * size**2)),
)
def norm_of_a_block(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """Mean of ‖∂²f/∂(w²)²‖ over a group, from second differences of f in each weight.

    f is quadratic in w², so that second differences with steps of one are exact, and the block has rank one: its norm
    is the modulus of its trace.
    """
    root = math.sqrt(size)

    def value(unit: Array, w3: Array, w4: Array) -> Array:
        """f for the values ``unit`` of the bottleneck, (networks, values)."""
        return np.asarray(((w3[:, None, :] * unit[:, :, None]) ** 2 / 2 @ w4[:, :, None])[:, :, 0] / root)

    def norms(point: Array) -> Array:
        found = []
        for part in np.array_split(point, math.ceil(point.shape[1] * size**2 / 1e6), axis=1):
            w1, w2, w3, w4 = part
            before = (w1 * x) ** 2 / 2
            unit = (w2 * before).sum(axis=1, keepdims=True) / root
            up, here, down = (value(unit + step * before / root, w3, w4) for step in (1, 0, -1))
            found.append(np.abs((up - 2 * here + down).sum(axis=1)))
        return np.concatenate(found)

    return group_means(size, rng, replicates, norms)


def block_norms(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """The same norms by eq. (109), which `liu.eq109` tries against the network itself."""
    w1, w3, w4 = rng.standard_normal((3, replicates, size))
    sums = np.abs((w4 * w3**2).sum(axis=1)) * np.square((w1 * x) ** 2 / 2).sum(axis=1)
    return np.asarray(sums * size**-1.5)


@claim(
    "liu.eq109.law",
    states=Law(lambda values: block_norm_cdf(values, 1.0), within=0.02),
    plan=LAW.but(cost=lambda size: 6e-7 * size**2),
)
def block_norm_sample(size: int, rng: Generator) -> Array:
    """8m norms of independent networks of width m."""
    return np.asarray(block_norms(size, rng, 8 * size, 1.0))
