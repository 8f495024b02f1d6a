"""Gradient descent of many networks at once on a few samples until they are fitted, and how far their kernels move."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError
from rmtsim.networks import Activation, activation
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks


@frozen
class Seen:
    """Networks φ(f) at all samples: outputs and slopes φ'(f), (networks, samples), and K̃, (networks, N, N)."""

    points: list[WideNetworks]
    outputs: Array
    slopes: Array
    kernels: Array


def look(networks: WideNetworks, inputs: ArrayLike, output: Activation) -> Seen:
    """Outputs and tangent kernels of φ(f)."""
    points = [networks.at(x) for x in np.asarray(inputs)]
    f = np.stack([point.output for point in points], axis=1)
    slopes = output.derivative(f, 1)
    kernels = np.empty((len(f), len(points), len(points)))
    for i, j in itertools.product(range(len(points)), repeat=2):
        kernels[:, i, j] = points[min(i, j)].kernels_with(points[max(i, j)])
    return Seen(points, output(f), slopes, slopes[:, :, None] * kernels * slopes[:, None, :])


def largest_changes(
    networks: WideNetworks,
    inputs: ArrayLike,
    targets: Array,
    output: Activation,
    *,
    symmetric: bool = False,
    until: float = 1e-3,
    most: int = 5000,
) -> Array:
    """sup_t ‖K̃_t - K̃_0‖_F/‖K̃_0‖_F along gradient descent on the mean of ½(φ(f) - y)², step size 0.4 N/‖K̃_t‖.

    ``symmetric`` divides by ‖K̃_t‖_F + ‖K̃_0‖_F: at most one, however small the first kernel is.
    A network stops once its loss is below ``until`` times its first one; ConvergenceError if one is not after ``most``
    steps.
    """
    first = seen = look(networks, inputs, output)
    start = np.square(first.outputs - targets).sum(axis=1)
    lengths = np.linalg.norm(first.kernels, axis=(1, 2))
    changes = np.zeros(len(start))
    for _ in range(most + 1):
        residual = seen.outputs - targets
        losses = np.square(residual).sum(axis=1)
        scale = lengths + np.linalg.norm(seen.kernels, axis=(1, 2)) if symmetric else lengths
        changes = np.maximum(changes, np.linalg.norm(seen.kernels - first.kernels, axis=(1, 2)) / scale)
        moving = losses > until * start
        if not moving.any():
            return np.asarray(changes)
        rates = np.where(moving, 0.4 / np.linalg.eigvalsh(seen.kernels)[:, -1], 0.0)
        factors = rates[:, None] * residual * seen.slopes
        networks = _moved(networks, seen.points, factors)
        seen = look(networks, inputs, output)
    raise _not_fitted(moving, losses, start, until, most)


def trained_distances(
    networks: WideNetworks, inputs: ArrayLike, targets: Array, *, until: float = 1e-6, most: int = 5000
) -> Array:
    """‖W* - W₀‖ after gradient descent on the mean of ½(f - y)², step size 0.4 N/‖K_t‖, all layers.

    A network stops once its loss is below ``until`` times its first one; ConvergenceError if one is not after ``most``
    steps.
    """
    identity = activation("identity")
    start, seen = networks, look(networks, inputs, identity)
    first = np.square(seen.outputs - targets).sum(axis=1)
    for _ in range(most + 1):
        residual = seen.outputs - targets
        losses = np.square(residual).sum(axis=1)
        moving = losses > until * first
        if not moving.any():
            squares = [
                ((new - old) ** 2).sum(axis=(1, 2))
                for new, old in zip(networks.weights, start.weights, strict=True)
            ]
            return np.asarray(np.sqrt(np.sum(squares, axis=0)))
        rates = np.where(moving, 0.4 / np.linalg.eigvalsh(seen.kernels)[:, -1], 0.0)
        networks = _moved(networks, seen.points, rates[:, None] * residual)
        seen = look(networks, inputs, identity)
    raise _not_fitted(moving, losses, first, until, most)


def _not_fitted(moving: Array, losses: Array, start: Array, until: float, most: int) -> ConvergenceError:
    return ConvergenceError(
        f"{int(moving.sum())} of {len(start)} losses above {until:g} of the first one after {most} steps",
        residual=float((losses / start).max()),
        iterations=most,
    )


def _moved(networks: WideNetworks, points: list[WideNetworks], factors: Array) -> WideNetworks:
    """θ - Σ_n c_n ∇f(x_n), a product of rank N in every layer."""
    weights = []
    for index, weight in enumerate(networks.weights):
        deltas = np.stack(
            [c[:, None] * p.deltas[index] for c, p in zip(factors.T, points, strict=True)], axis=2
        )
        reads = np.stack([p.reads[index] for p in points], axis=1)
        weights.append(weight - deltas @ reads)
    return WideNetworks(networks.x, tuple(weights), networks.sigma, networks.skips)
