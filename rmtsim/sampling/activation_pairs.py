"""Exact means over a random first layer, given the inputs: what two inputs have in common at a hidden unit.

Given x and x' a unit's pre-activations are Gaussian with variances |x|²/d, |x'|²/d and correlation
ρ = x·x'/(|x||x'|), so

    P(active at both) = 1/4 + arcsin(ρ)/(2π),    E[y y'] = |x||x'|/(2πd) · (√(1-ρ²) + ρ(π/2 + arcsin ρ)),

whatever the width. Deviations of a network's averages from these means have expectation zero at every width: they serve
as companions.
"""

from __future__ import annotations

import numpy as np

from rmtsim.sampling.relu_network import InputBatch, Response

__all__ = ["hidden_deviations", "pair_means"]


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
    halves = response.halves()
    means = [half.hidden[-1].mean(axis=0) for half in halves]
    expected = pair_means(halves[0].inputs, halves[1].inputs)[1]
    inputs = response.inputs
    square = float((response.hidden[-1] ** 2).mean()) - float(inputs.squares.mean()) / (2 * inputs.dimension)
    return float((means[0] * means[1]).mean()) - expected, square
