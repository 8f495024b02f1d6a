"""Exact means over a random first layer, given the inputs: joint activation and product of a hidden unit at two inputs.

Given x and x' a unit's pre-activations are Gaussian with variances |x|²/d, |x'|²/d and correlation
ρ = x·x'/(|x||x'|), so

    P(active at both) = 1/4 + arcsin(ρ)/(2π),    E[y y'] = |x||x'|/(2πd) · (√(1-ρ²) + ρ(π/2 + arcsin ρ)),

whatever the width. Deviations of a network's averages from these means have expectation zero at every width: they serve
as companions.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.remembered import remembered
from rmtsim.papers.wu.simulation.relu_network import InputBatch
from rmtsim.papers.wu.simulation.response_batches import ResponseBatch


def pair_means(first: InputBatch, second: InputBatch) -> tuple[float, float]:
    """(P(active at both), E[y y']) of a random unit, averaged over pairs of one input from each batch.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_response
    >>> _, response = draw_response(50, 0.5, 3, 40, np.random.default_rng(0))
    >>> both, product = pair_means(*(half.inputs for half in response.halves()))
    >>> round(both, 2), round(product, 2)
    (0.3, 0.12)
    """
    both, product = _means_given(first.inner(second), first.squares, second.squares)
    return float(both), float(product) / first.dimension


def half_pair_means(inputs: InputBatch) -> tuple[float, float]:
    """The same for the first and the second half of some inputs; networks drawn on the same inputs share it.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_response
    >>> _, response = draw_response(50, 0.5, 3, 40, np.random.default_rng(0))
    >>> separately = pair_means(*(half.inputs for half in response.halves()))
    >>> bool(np.allclose(half_pair_means(response.inputs), separately, rtol=1e-13))
    True
    """
    start, stop = inputs.rows.start, inputs.rows.stop
    if (start, stop) not in inputs.known:
        from rmtsim.papers.wu.simulation.kernels.activation_pairs import half_pair_sums

        angles, products = half_pair_sums(np.ascontiguousarray(inputs.inner(inputs)))
        pairs = 2 * np.pi * ((stop - start) // 2) ** 2
        inputs.known[start, stop] = 0.25 + angles / pairs, products / (pairs * inputs.dimension)
    return inputs.known[start, stop]


def _means_given(inner: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """P(active at both) and d E[y y'], from x·x', |x|² and |x'|² (last axes), averaged over pairs."""
    scale = np.sqrt(first[..., :, None] * second[..., None, :])
    # An input of zeros only (probability 2^-d) has no direction; all its units count as active and give zero.
    if first.all() and second.all():
        rho = inner / scale
    else:
        rho = np.divide(inner, scale, out=np.ones_like(inner), where=scale > 0)
    np.minimum(rho, 1, out=rho)
    np.maximum(rho, -1, out=rho)
    angle = np.arcsin(rho)
    pairs = inner.shape[-2] * inner.shape[-1]
    kernel = np.sqrt(1 - rho * rho)
    kernel += rho * (angle + np.pi / 2)
    return (
        0.25 + angle.sum(axis=(-2, -1)) / (2 * np.pi * pairs),
        np.einsum("...xy,...xy->...", scale, kernel) / (2 * np.pi * pairs),
    )


def hidden_deviations(batch: ResponseBatch) -> tuple[Array, Array]:
    """Deviations of ȳ·ȳ'/n (two halves of the inputs) and of the mean |y|²/n from their means over first layers.

    Of every replicate and network.

    >>> from rmtsim.papers.wu.simulation.response_batches import draw_response_batches
    >>> batch = next(draw_response_batches(400, 0.3, 3, 48, np.random.default_rng(0), 1, networks=2))
    >>> bias, square = hidden_deviations(batch)
    >>> bias.shape, bool(np.abs([bias, square]).max() < 0.1)
    ((1, 2), True)
    """
    hidden, gram = batch.hidden, batch.gram
    count, units = hidden.shape[-2:]
    middle = count // 2
    ones, twos = slice(0, middle), slice(middle, 2 * middle)
    squares = np.einsum("rxx->rx", gram)
    expected = _means_given(gram[:, ones, twos], squares[:, ones], squares[:, twos])[1] / batch.dimension
    means = half_means(hidden)
    bias = np.einsum("rki,rki->rk", means[:, :, 0], means[:, :, 1]) / units - expected[:, None]
    mean_square = np.einsum("rkxi,rkxi->rk", hidden, hidden) / (count * units)
    return bias, mean_square - squares.mean(axis=1)[:, None] / (2 * batch.dimension)


def half_means(values: Array) -> Array:
    """Means over the first and over the second half of the rows (… × 2 × columns), in one product.

    >>> half_means(np.arange(10.0).reshape(5, 2))      # the last row has no partner
    array([[1., 2.],
           [5., 6.]])
    """
    return np.asarray(_averages(values.shape[-2]) @ values)


@remembered(maxsize=16)
def _averages(count: int) -> Array:
    middle = count // 2
    return np.repeat(np.eye(2, 3), [middle, middle, count - 2 * middle], axis=1) / middle
