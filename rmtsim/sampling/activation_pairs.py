"""Exact means over a random first layer, given the inputs: what two inputs have in common at a hidden unit.

Given x and x' a unit's pre-activations are Gaussian with variances |x|²/d, |x'|²/d and correlation
ρ = x·x'/(|x||x'|), so

    P(active at both) = 1/4 + arcsin(ρ)/(2π),    E[y y'] = |x||x'|/(2πd) · (√(1-ρ²) + ρ(π/2 + arcsin ρ)),

whatever the width. Deviations of a network's averages from these means have expectation zero at every width: they serve
as companions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.remembered import remembered
from rmtsim.sampling.relu_network import InputBatch, Response

__all__ = ["half_means", "hidden_deviations", "pair_means"]


def pair_means(first: InputBatch, second: InputBatch) -> tuple[float, float]:
    """(P(active at both), E[y y']) of a random unit, averaged over pairs of one input from each batch.

    >>> from rmtsim.sampling.relu_network import draw_response
    >>> _, response = draw_response(50, 0.5, 3, 40, np.random.default_rng(0))
    >>> both, product = pair_means(*(half.inputs for half in response.halves()))
    >>> round(both, 2), round(product, 2)
    (0.3, 0.12)
    """
    if first.known is not second.known:
        return _pair_means(first, second)
    # Networks drawn on the same inputs share these means.
    key = (first.rows.start, first.rows.stop, second.rows.start, second.rows.stop)
    if key not in first.known:
        first.known[key] = _pair_means(first, second)
    return first.known[key]


def _pair_means(first: InputBatch, second: InputBatch) -> tuple[float, float]:
    inner = first.inner(second)
    scale = np.sqrt(np.outer(first.squares, second.squares))
    # An input of zeros only (probability 2^-d) has no direction; all its units count as active and give zero.
    rho = np.divide(inner, scale, out=np.ones_like(inner), where=scale > 0).clip(-1, 1)
    angle = np.arcsin(rho)
    kernel = (np.sqrt(1 - rho**2) + rho * (np.pi / 2 + angle)) / (2 * np.pi)
    return 0.25 + float(angle.mean()) / (2 * np.pi), float((scale * kernel).mean()) / first.dimension


def hidden_deviations(response: Response) -> tuple[float, float]:
    """Deviations of ȳ·ȳ'/n (two halves of the inputs) and of the mean |y|²/n from their means over first layers."""
    inputs, hidden = response.inputs, response.hidden[-1]
    middle = len(hidden) // 2
    expected = pair_means(inputs.part(slice(0, middle)), inputs.part(slice(middle, 2 * middle)))[1]
    first, second = half_means(hidden)
    square = np.vdot(hidden, hidden) / hidden.size - inputs.squares.mean() / (2 * inputs.dimension)
    return float(first @ second) / len(first) - expected, float(square)


def half_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means over the first and over the second half of the rows (2 × columns), in one product.

    >>> half_means(np.arange(10.0).reshape(5, 2))      # the last row has no partner
    array([[1., 2.],
           [5., 6.]])
    """
    return np.asarray(_averages(len(values)) @ values)


@remembered(maxsize=16)
def _averages(count: int) -> NDArray[np.float64]:
    middle = count // 2
    return np.repeat(np.eye(2, 3), [middle, middle, count - 2 * middle], axis=1) / middle
