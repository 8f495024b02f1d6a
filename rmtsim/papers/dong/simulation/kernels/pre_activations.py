"""Batches of one-hidden-layer networks whose inputs are averaged in closed form: draw, form, reduce, in one call.

The steps are those of :mod:`rmtsim.papers.dong.simulation.pre_activations` and
:mod:`rmtsim.papers.dong.simulation.one_hidden_average`.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim.papers.dong.simulation.kernels.one_hidden import (
    hidden_cross_entropy,
    hidden_square,
    output_cross_entropy,
)

HIDDEN_CROSS_ENTROPY, HIDDEN_SQUARE, OUTPUT_CROSS_ENTROPY = 0, 1, 2


@kernel
def _draw(rng, dimension, factor, coordinates, values):  # type: ignore[no-untyped-def]
    """The triangular factor of W, coordinates u of the inputs and of their mirror images, and Wx = L u/√d."""
    hidden, rank = factor.shape
    pairs = coordinates.shape[0] // 2
    for i in range(hidden):
        for j in range(rank):
            value = rng.standard_normal()
            factor[i, j] = value if j < i else 0.0
    for i in range(rank):
        factor[i, i] = np.sqrt(rng.chisquare(dimension - i))
    for n in range(pairs):
        for j in range(rank):
            coordinates[n, j] = rng.standard_normal()
    scale = np.sqrt(dimension)
    for n in range(pairs):
        for i in range(hidden):
            total = 0.0
            for j in range(min(i + 1, rank)):
                total += coordinates[n, j] * factor[i, j]
            values[n, i] = total / scale
            values[pairs + n, i] = -values[n, i]
        for j in range(rank):
            coordinates[pairs + n, j] = -coordinates[n, j]


@kernel
def _form(rows, unseen, samples, form):  # type: ignore[no-untyped-def]
    """The unbiased quadratic form of ``rows`` (coordinates, or features with unseen = 0) for N = ``samples`` inputs."""
    inputs, columns = rows.shape
    pairs = inputs // 2
    between = (1.0 - 1.0 / samples) / (inputs * (inputs - 2))
    for n in range(inputs):
        for m in range(n + 1):
            product = 0.0
            for j in range(columns):
                product += rows[n, j] * rows[m, j]
            if n == m:
                own = product * product + 2.0 * unseen * product + unseen * (unseen + 2.0)
                form[n, n] = own / (samples * inputs)
            elif n - m == pairs:
                # An input and its mirror image count as one.
                form[n, m] = 0.0
                form[m, n] = 0.0
            else:
                form[n, m] = (product * product + unseen) * between
                form[m, n] = form[n, m]


@kernel
def mean_energies(rng, dimension, samples, hidden, classes, pairs, draws, road, out):  # type: ignore[no-untyped-def]
    """A row of ``out`` a replicate: mean energies of diagonal and off-diagonal blocks; ``road`` selects the case."""
    rank = min(hidden, dimension)
    factor = np.empty((hidden, rank))
    coordinates = np.empty((2 * pairs, rank))
    values = np.empty((2 * pairs, hidden))
    form = np.empty((2 * pairs, 2 * pairs))
    energies = np.empty((hidden, hidden))
    sums = np.empty(2)
    for replicate in range(out.shape[0]):
        _draw(rng, dimension, factor, coordinates, values)
        if road == OUTPUT_CROSS_ENTROPY:
            _form(np.maximum(values, 0.0), 0, samples, form)
            output_cross_entropy(rng, values, form, draws, classes, sums)
            out[replicate, 0] = sums[0] / (draws * classes)
            out[replicate, 1] = sums[1] / (draws * classes * (classes - 1))
            continue
        _form(coordinates, dimension - rank, samples, form)
        if road == HIDDEN_SQUARE:
            hidden_square(rng, values, form, draws, classes, energies)
        else:
            hidden_cross_entropy(rng, values, form, draws, classes, energies)
        own = 0.0
        above = 0.0
        for i in range(hidden):
            own += energies[i, i]
            for j in range(i + 1, hidden):
                above += energies[i, j]
        out[replicate, 0] = own / hidden
        out[replicate, 1] = above / (hidden * (hidden - 1) / 2) if hidden > 1 else 0.0
