"""Appendix F, Lemmas F.4-F.6 and eqs. (82)-(87): gradients at the activations, at W₀ and in the ball around it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Corrected, Grid, Parameter, Probability, claim
from rmtsim.networks import Network
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import INPUT, wide
from rmtsim.papers.liu.simulation.layer_norms import batch_q_infinity, layer_norms
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks, of_many
from rmtsim.papers.liu.statements.appendix_f import IN_THE_BALL, LAYERS, LENGTH, Draw
from rmtsim.papers.liu.statements.parameters import ACTIVATION, RADIUS, TANH, WIDTHS, WITH_CONSTANTS
from rmtsim.papers.liu.statements.wide_networks import (
    BOUNDED,
    INVERSE_ROOT,
    ORDER_PLAN,
    drawing_cost,
    root_log,
)


def _gradient_quotient(network: Network, draw: Draw, constant: float) -> float:
    """Largest ‖b_l‖ over L_σ^{L-l} c^{L-l+1}."""
    return float(
        max(
            layer.gradient / (draw.lipschitz ** (LAYERS - k) * constant ** (LAYERS - k + 1))
            for k, layer in enumerate(layer_norms(network, draw.x), start=1)
        )
    )


@claim("liu.lemmaF.5", states=Bound(1.0), over=IN_THE_BALL)
def gradient_quotient(size: int, rng: Generator, **point: Any) -> float:
    """Largest ‖b_l‖ over its bound."""
    draw = Draw(size, rng, **point)
    return _gradient_quotient(draw.point, draw, draw.growth)


@claim("liu.eq81", states=Bound(1.0), over=IN_THE_BALL)
def starting_gradient(size: int, rng: Generator, **point: Any) -> float:
    """Largest ‖b_l‖ at W₀ over its bound."""
    draw = Draw(size, rng, **point)
    return _gradient_quotient(draw.start, draw, draw.constant)


@claim(
    "liu.lemmaF.4",
    states=Probability(1.0, within=0.03),
    over=(ACTIVATION,),
    points=({"activation": "gelu"},),
    plan=WIDTHS.but(sizes=(16, 32, 64), exponents=(1.0,), cost=lambda size: 4e-4 + 2e-7 * size**2),
    evidence=WITH_CONSTANTS,
)
def activation_event(size: int, rng: Generator, activation: str) -> float:
    """Whether one neuron, of a random layer, keeps within the bound."""
    passed = wide(size, rng, activation, LAYERS).forward(INPUT)
    before = passed.before[int(rng.integers(LAYERS))][0, 0]
    value, offset = (abs(float(theory.derivative(activation, z))) for z in (before, 0.0))
    return float(value <= np.log(size) + offset)


@claim(
    "liu.lemmaF.6",
    states=INVERSE_ROOT,
    over=(ACTIVATION,),
    points=TANH,
    plan=ORDER_PLAN.but(cost=lambda size: drawing_cost(size, LAYERS)),
)
def largest_entry(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """max_l ‖b_l‖_∞/√(ln m)."""
    return of_many([size] * LAYERS, rng, replicates, activation, batch_q_infinity) / root_log(size)


def _below_level(size: int, rng: Generator, activation: str, length: float, level: float) -> bool:
    """Whether |Σ_k W_ki σ'(z_k) b_k| ≤ u L_σ‖b‖ for one i of the second hidden layer of a network, z_k without W_ki."""
    network = wide(size, rng, activation, LAYERS)
    x = length * INPUT
    passed, b = network.forward(x), network.activation_gradients(x)[1][0, 0]
    column, read = network.weights[1][:, 0], float(passed.reads[1][0, 0])
    slopes = theory.derivative(activation, passed.before[1][0] - column * read, 1)
    return bool(
        abs(column @ (slopes * b)) <= level * theory.lipschitz_constant(activation) * np.linalg.norm(b)
    )


@claim(
    "liu.lemmaF.6.step",
    corrected=Corrected(
        measured=_below_level,
        states=Bound(lambda level: math.erf(level / math.sqrt(2)), ">=", within=0.02, of="probability"),
        over=(
            ACTIVATION,
            LENGTH,
            Parameter("level", "u: the level, in deviations", 1.0, open_below=True, draw_range=(0.5, 2.0)),
        ),
        points=({"activation": "tanh", "length": 0.1}, {"activation": "sigmoid", "length": 1.0}),
        plan=WIDTHS.but(sizes=(4, 16, 64), cost=lambda size: 4e-4 + 2e-7 * size**2),
    ),
    states=Bound(0.0),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(sizes=(4, 16), cost=5e-5),
    evidence=WITH_CONSTANTS,
)
def sign_excess(size: int, rng: Generator, activation: str) -> float:
    """(left - right)/(L_σ‖b‖)."""
    column, z, b = rng.standard_normal((3, size))
    slopes = theory.derivative(activation, z, 1)
    limit = theory.lipschitz_constant(activation)
    return float((abs(column @ (slopes * b)) - limit * abs(column @ b)) / (limit * np.linalg.norm(b)))


# ---- F.4: how far b moves in the ball ----

_ALONG_THE_GRADIENT = Grid(
    (ACTIVATION, RADIUS),
    points=({"activation": "tanh", "radius": 1.0},),
    plan=ORDER_PLAN.but(cost=lambda size: 2 * drawing_cost(size, LAYERS)),
)


@claim("liu.eq82", states=INVERSE_ROOT, over=_ALONG_THE_GRADIENT)
def gradient_shift(size: int, rng: Generator, replicates: int, activation: str, radius: float) -> Array:
    """max_l ‖Δb_l‖/√(ln m)."""

    def largest(batch: WideNetworks) -> Array:
        moved = batch.moved(batch.gradients(), radius)
        return _largest_distance(batch.activation_gradients, moved.activation_gradients)

    return of_many([size] * LAYERS, rng, replicates, activation, largest) / root_log(size)


def _largest_distance(first: Sequence[Array], second: Sequence[Array]) -> Array:
    """The largest distance over the layers, for every network."""
    pairs = zip(first, second, strict=True)
    return np.asarray(np.max([np.linalg.norm(b - a, axis=1) for a, b in pairs], axis=0))


@claim("liu.eq85.order", states=BOUNDED, over=_ALONG_THE_GRADIENT)
def preactivation_shift(size: int, rng: Generator, replicates: int, activation: str, radius: float) -> Array:
    """max_l ‖Δα̃_l‖."""

    def largest(batch: WideNetworks) -> Array:
        return _largest_distance(batch.before[:-1], batch.moved(batch.gradients(), radius).before[:-1])

    return of_many([size] * LAYERS, rng, replicates, activation, largest)


@claim(
    "liu.eq85",
    states=Bound(1.0),
    over=(LENGTH, dataclasses.replace(RADIUS, open_below=True)),
    points=({"length": 1.0, "radius": 1.0},),
    plan=WIDTHS.but(sizes=(4, 8), cost=4e-4),
)
def first_shift(size: int, rng: Generator, form: str, length: float, radius: float) -> float:
    """‖Δα̃₁‖ over the bound, d = 3."""
    start = wide(size, rng, "tanh", 2)
    x = length * rng.choice((-1.0, 1.0), INPUT.shape)
    step = np.outer(rng.standard_normal(size), x[0])
    parameters = np.array(start.parameters)
    parameters[: step.size] += (radius * step / np.linalg.norm(step)).ravel()
    before, after = (each.forward(x).before[0][0] for each in (start, start.with_parameters(parameters)))
    return float(
        np.linalg.norm(after - before) / (radius * length / (np.sqrt(3) if form == "printed" else 1.0))
    )


@claim("liu.eq86", states=Bound(1.0), over=IN_THE_BALL)
def slope_shift(size: int, rng: Generator, **point: Any) -> float:
    """Largest quotient over the layers."""
    draw = Draw(size, rng, **point)
    found = []
    for layer in draw.changes():
        left = np.linalg.norm((layer.new_slopes - layer.old_slopes) * layer.old)
        right = np.abs(layer.old).max() * draw.curvature * np.linalg.norm(layer.after - layer.before)
        found.append(left / right if right else 0.0)
    return float(max(found))


@claim("liu.eq87", states=Bound(1.0), over=IN_THE_BALL)
def induction_step(size: int, rng: Generator, **point: Any) -> float:
    """Largest quotient over the layers."""
    draw = Draw(size, rng, **point)
    found = []
    for k, (below, layer) in enumerate(itertools.pairwise(draw.changes()), start=2):
        change = np.linalg.norm((layer.new_slopes - layer.old_slopes) * layer.old)
        right = (
            draw.radius * (draw.lipschitz * draw.growth) ** (LAYERS - k + 1) / np.sqrt(size)
            + draw.constant * change
            + draw.constant * draw.lipschitz * np.linalg.norm(layer.new - layer.old)
        )
        found.append(np.linalg.norm(below.new - below.old) / right if right else 0.0)
    return float(max(found))
