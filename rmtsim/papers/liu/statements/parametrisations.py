"""Appendix A: weights of deviation σ_m, and the orders that follow for weights N(0, 1/m)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Computed, Corrected, Grid, Identity, Parameter, Rate, Relative, claim
from rmtsim.networks import Network
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import INPUT as ONES
from rmtsim.papers.liu.simulation.architectures import rescaled, wide
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.lazy_training import ONE_SAMPLE, TRAINED, inverse_root, relative_shift
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, TANH, WIDTHS

_RESCALED = Grid(
    (
        ACTIVATION,
        Parameter(
            "deviation",
            "the deviation σ_m of the weights",
            default=0.1,
            open_below=True,
            draw_range=(0.01, 3.0),
        ),
    ),
    points=({"activation": "tanh", "deviation": 0.1},),
)


def _both(size: int, rng: Generator, activation: str, deviation: float) -> tuple[Network, Network]:
    """The network with two hidden layers in W, and the same function in W̄ = σ_m W."""
    network = wide(size, rng, activation, 2)
    return network, rescaled(network, deviation)


@claim("liu.eq36", plan=WIDTHS.but(sizes=(2, 5), cost=5e-4), states=Identity(within=1e-10), over=_RESCALED)
def rescaled_gradient(size: int, rng: Generator, activation: str, deviation: float) -> float:
    """Relative error of the stated gradient."""
    plain, barred = _both(size, rng, activation, deviation)
    return relative_gap(plain.gradient(ONES) / deviation, barred.gradient(ONES))


@claim("liu.eq37", plan=WIDTHS.but(sizes=(2, 5), cost=1.5e-3), states=Identity(within=1e-10), over=_RESCALED)
def rescaled_hessian(size: int, rng: Generator, activation: str, deviation: float) -> float:
    """Relative error of the stated Hessian."""
    plain, barred = _both(size, rng, activation, deviation)
    return relative_gap(plain.hessian(ONES) / deviation**2, barred.hessian(ONES))


@claim("liu.eq38", plan=WIDTHS.but(sizes=(2, 5), cost=5e-4), states=Identity(within=1e-10), over=_RESCALED)
def rescaled_kernel(size: int, rng: Generator, form: str, activation: str, deviation: float) -> float:
    """Relative error of K(W)/σ_m, or K(W)/σ_m²."""
    plain, barred = _both(size, rng, activation, deviation)
    factor = deviation if form == "printed" else deviation**2
    return relative_gap(plain.tangent_kernel(ONES) / factor, barred.tangent_kernel(ONES))


@claim(
    "liu.eq38.ratio",
    plan=WIDTHS.but(sizes=(2, 5), cost=1.5e-3),
    states=Identity(within=1e-10),
    over=_RESCALED,
)
def ratio_error(size: int, rng: Generator, activation: str, deviation: float) -> float:
    """Relative error of the ratio."""
    plain, barred = (
        float(each.tangent_kernel(ONES)[0, 0] / np.linalg.norm(each.hessian(ONES), 2))
        for each in _both(size, rng, activation, deviation)
    )
    return abs(barred / plain - 1)


@claim(
    "liu.eq40",
    corrected=Corrected(states=Rate(-0.5, within=0.05)),
    states=Rate(0.0, "O", within=0.1),
    over=(ACTIVATION, INPUT),
    points=({"activation": "tanh", "x": 1.0},),
    plan=WIDTHS.but(sizes=(40, 80, 160, 320, 590), size_name="ln m", exponents=(1.0, 2.0), cost=0.02),
    evidence=Computed(1e-9, chain=("liu.eq9.trained",)),
)
def median_in_logarithm(size: int, activation: str, x: float) -> float:
    """Median of ‖H‖/√m at ln m = size."""
    return theory.trained_hessian_median(activation, x, float(size))


@claim(
    "liu.eq40.kernel",
    states=Rate(-1.0, "O", within=0.05),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(sizes=(16, 32, 64, 128), exponents=(1.0,), cost=lambda size: 5e-4 + 5e-8 * size**2),
)
def lecun_kernel(size: int, rng: Generator, activation: str) -> float:
    """K(x, x)."""
    return float(_both(size, rng, activation, size**-0.5)[1].tangent_kernel(ONES)[0, 0])


@claim(
    "liu.eq41", states=Rate(0.5, within=Relative(0.03), amplitude=inverse_root), plan=TRAINED, over=ONE_SAMPLE
)
def lecun_shift(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖w̄* - w̄₀‖/|f - y|: the same path in w̄ = w/√m, where the gradient is √m times that in w and the step 1/m of it."""
    return relative_shift(size, rng, replicates, None, **point) / math.sqrt(size)
