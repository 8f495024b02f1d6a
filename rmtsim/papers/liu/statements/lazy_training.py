"""Section 1.1: how far training moves the weights, and the criterion of lazy training."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Grid, Identity, Limit, Parameter, Rate, Relative, claim
from rmtsim.networks import Network, fully_connected
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import INPUT as ONES
from rmtsim.papers.liu.simulation.architectures import shallow
from rmtsim.papers.liu.simulation.shallow_networks import trained_shift
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, WIDTHS, WITH_CONSTANTS

ONE_SAMPLE = Grid(
    (ACTIVATION, INPUT, Parameter("label", "the label y", default=1.0, draw_range=(0.5, 2.0))),
    points=({"activation": "tanh", "x": 1.0, "label": 1.0},),
)
TRAINED = WIDTHS.but(
    sizes=(50, 100, 200, 400),
    exponents=(1.0,),
    because="1/√K is a function of a mean over neurons, and ∇Kᵀ∇f is odd in the signs, so that K moves by O(1/m) on "
    "the way: the mean is a series in 1/m (docs/papers/liu/index.md)",
    cost=lambda size: 2e-5 + 1.5e-6 * size,
)


@claim(
    "liu.eq2",
    states=Bound(1.0, ">=", within=1e-7),
    plan=WIDTHS.but(sizes=(50, 200), cost=lambda size: 1e-4 + 8e-7 * size),
    evidence=WITH_CONSTANTS,
    over=ONE_SAMPLE,
)
def distance_quotient(
    size: int, rng: Generator, replicates: int, activation: str, x: float, label: float
) -> Array:
    """‖w* - w₀‖ L_σ|x| over |f(w₀) - y|."""
    shift, first, last = trained_shift(size, rng, replicates, activation, x, label)
    lipschitz = theory.lipschitz_constant(activation) * abs(x)
    return np.asarray(np.linalg.norm(shift, axis=1) * lipschitz / np.abs(first - last))


def inverse_root(activation: str, x: float) -> float:
    """1/√K: how far a linear model moves per unit of f(w₀) - y."""
    return 1 / math.sqrt(theory.kernel_limit(activation, x))


@claim(
    "liu.sec1.1.distance", states=Limit(inverse_root, within=Relative(0.03)), plan=TRAINED, over=ONE_SAMPLE
)
def euclidean_shift(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖w* - w₀‖/|f(w₀) - y|."""
    return relative_shift(size, rng, replicates, None, **point)


def relative_shift(
    size: int,
    rng: Generator,
    replicates: int,
    order: float | None,
    *,
    activation: str,
    x: float,
    label: float,
) -> Array:
    """The norm of this order of w* - w₀, over |f(w₀) - f(w*)|, of trained networks (8)."""
    shift, first, last = trained_shift(size, rng, replicates, activation, x, label)
    return np.asarray(np.linalg.norm(shift, order, axis=1) / np.abs(first - last))


@claim(
    "liu.sec1.1.entry",
    states=Rate(
        0.5,
        within=Relative(0.03),
        amplitude=lambda activation, x: (
            theory.lipschitz_constant(activation) * abs(x) * inverse_root(activation, x) ** 2
        ),
    ),
    plan=TRAINED,
    over=ONE_SAMPLE,
)
def largest_shift(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖w* - w₀‖_∞/|f(w₀) - y|."""
    return relative_shift(size, rng, replicates, np.inf, **point)


@claim(
    "liu.eq3",
    states=Rate(0.5, within=Relative(0.03), amplitude=theory.criterion_constant),
    over=(ACTIVATION, INPUT),
    points=({"activation": "tanh", "x": 1.0},),
    plan=WIDTHS.but(sizes=(16, 32, 64, 128), exponents=(1.0,), cost=lambda size: 3e-4 + 1e-6 * size**2),
)
def criterion(size: int, rng: Generator, activation: str, x: float) -> float:
    """‖D²f‖/‖Df‖² of a drawn network in its hidden weights, by its own derivatives."""
    network = shallow(size, rng, activation)
    slope = network.jacobian([[x]]).ravel()[:size]
    return float(np.linalg.norm(network.hessian_block([[x]], None, 0, 0), 2) / (slope @ slope))


@claim(
    "liu.eq4",
    states=Identity(within=1e-10),
    over=(ACTIVATION, Parameter("factor", "the factor α", default=3.0, open_below=True)),
    points=({"activation": "tanh", "factor": 3.0},),
    plan=WIDTHS.but(sizes=(3, 6), cost=1e-3),
)
def rescaled_criterion(size: int, rng: Generator, activation: str, factor: float) -> float:
    """Relative error of the right side of eq. (4)."""
    network = fully_connected((3, size, 1), activation, parametrisation="ntk").sample(rng)
    *hidden, last = network.architecture.layers
    scaled = Network(
        replace(network.architecture, layers=(*hidden, replace(last, scale=factor * last.scale))),
        network.parameters,
    )
    label = float(rng.standard_normal())

    def kappa(model: Network, target: float) -> float:
        gradient = model.gradient(ONES)
        miss = abs(float(model.output(ONES)[0, 0]) - target)
        return miss * float(np.linalg.norm(model.hessian(ONES), 2) / (gradient @ gradient))

    truth = kappa(scaled, label)
    return abs(kappa(network, label / factor) - truth) / truth
