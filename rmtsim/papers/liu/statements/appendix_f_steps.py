"""Appendix F, the displays between its lemmas: (67), F.2, (72), (79), (81), (83), (84), (85), (88)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim.claims import Bound, Identity, Plan, claim
from rmtsim.papers.liu.simulation.architectures import INPUT, derivatives_at_activations, wide
from rmtsim.papers.liu.simulation.layer_norms import layer_norms
from rmtsim.papers.liu.statements.appendix_f import IN_THE_BALL, LAYERS, LENGTH, Draw
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, TANH, WIDTHS


class Uneven(Draw):
    """A draw whose step of length R is spread unevenly over the layers, so that single ones often take nearly all."""

    def __init__(self, size: int, rng: Generator, activation: str, length: float, radius: float):
        super().__init__(size, rng, activation, length, radius)
        step = np.concatenate(
            [
                np.exp(3 * rng.standard_normal()) * rng.standard_normal(weight.size)
                for weight in self.start.weights
            ]
        )
        self.point = self.start.with_parameters(self.start.parameters + radius * step / np.linalg.norm(step))


@claim(
    "liu.eq67",
    states=Bound(1.0),
    over=(LENGTH,),
    points=({"length": 1.0},),
    plan=Plan(sizes=(1, 3, 30), size_name="d", cost=2e-5),
)
def input_quotient(size: int, rng: Generator, length: float) -> float:
    """‖x‖ over the bound."""
    return float(np.linalg.norm(rng.uniform(-length, length, size)) / (np.sqrt(size) * length))


@claim("liu.sec-f2.slope", states=Bound(1.0), over=IN_THE_BALL)
def slope_quotient(size: int, rng: Generator, **point: Any) -> float:
    """Largest slope over the bound."""
    draw = Uneven(size, rng, **point)
    slope = draw.largest(lambda layer, k: layer.slope, first=2)
    return slope / float(draw.lipschitz * draw.growth)


@claim("liu.eq72", states=Bound(1.0), over=IN_THE_BALL)
def first_layer_quotient(size: int, rng: Generator, **point: Any) -> float:
    """The norm over the bound."""
    draw = Uneven(size, rng, **point)
    first, *_ = layer_norms(draw.point, draw.x)
    return first.in_weights / (draw.lipschitz * draw.length)


@claim(
    "liu.eq79",
    states=Identity(within=1e-9),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(sizes=(3, 9), cost=6e-4),
)
def product_error(size: int, rng: Generator, activation: str) -> float:
    """Error of eq. (79)."""
    network = wide(size, rng, activation, LAYERS)
    passed = network.forward(INPUT)
    stated, worst = network.weights[-1][0] / np.sqrt(size), 0.0
    for index in reversed(range(LAYERS)):
        worst = max(worst, relative_gap(stated, derivatives_at_activations(network, INPUT, index)[0]))
        slopes = network.architecture.layers[index].activation.derivative(passed.before[index][0], 1)
        stated = network.weights[index].T @ (slopes * stated) / np.sqrt(size)
    return worst


@claim("liu.eq83", states=Bound(1.0), over=IN_THE_BALL)
def last_shift(size: int, rng: Generator, **point: Any) -> float:
    """The change of b_L over the bound."""
    draw = Uneven(size, rng, **point)
    last = draw.changes()[-1]
    return float(np.linalg.norm(last.new - last.old) * np.sqrt(size) / draw.radius) if draw.radius else 0.0


@claim("liu.eq84", states=Bound(1.0, within=1e-8), over=IN_THE_BALL)
def decomposition(size: int, rng: Generator, **point: Any) -> float:
    """Largest quotient over the layers, with the error of the equation added."""
    draw = Uneven(size, rng, **point)
    norm, found = np.linalg.norm, []
    for k, (below, layer) in enumerate(itertools.pairwise(draw.changes()), start=1):
        slopes, change = layer.new_slopes, (layer.new_slopes - layer.old_slopes) * layer.old
        first, last = draw.start.weights[k], draw.point.weights[k]
        terms = (
            (last - first).T @ (slopes * layer.new),
            first.T @ change,
            first.T @ (slopes * (layer.new - layer.old)),
        )
        left = np.sqrt(size) * (below.new - below.old)
        right = (
            norm(last - first, 2) * np.abs(slopes).max() * norm(layer.new)
            + norm(first, 2) * norm(change)
            + norm(first, 2) * np.abs(slopes).max() * norm(layer.new - layer.old)
        )
        if right:
            found.append((norm(left) + norm(sum(terms) - left)) / right)
    return float(max(found, default=0.0))


@claim("liu.sec-f4.preactivations", states=Bound(1.0), over=IN_THE_BALL)
def preactivation_step(size: int, rng: Generator, **point: Any) -> float:
    """Largest quotient over the layers."""
    draw = Uneven(size, rng, **point)
    norms, found = layer_norms(draw.point, draw.x), []
    for k, (below, layer) in enumerate(itertools.pairwise(draw.changes()), start=1):
        moved = np.linalg.norm(draw.point.weights[k] - draw.start.weights[k], 2)
        right = draw.constant * draw.lipschitz * np.linalg.norm(below.after - below.before)
        right += moved * norms[k - 1].activation / np.sqrt(size)
        if right:
            found.append(np.linalg.norm(layer.after - layer.before) / right)
    return float(max(found, default=0.0))


@claim("liu.eq88", states=Bound(1.0), over=IN_THE_BALL)
def infinity_step(size: int, rng: Generator, **point: Any) -> float:
    """Largest quotient over the layers."""
    return float(
        max(
            np.abs(layer.new).max() / (np.abs(layer.old).max() + np.linalg.norm(layer.new - layer.old))
            for layer in Uneven(size, rng, **point).changes()
        )
    )
