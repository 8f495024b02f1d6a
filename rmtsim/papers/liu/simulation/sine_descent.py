"""Gradient descent of networks (8) with σ = sin behind φ(z) = z + a sin z, in whole batches, three samples."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

INPUTS: Array = np.array([0.8, 2.0, 3.5])
TARGETS: Array = np.array([1.0, -1.0, 2.0])


@frozen
class Descent:
    """Losses of every step, (batch, steps + 1), and the largest relative change of K̃ on the way, (batch,)."""

    losses: Array
    change: Array


def draw(size: int, rng: Generator, replicates: int) -> tuple[Array, Array]:
    """w and v/√m of eq. (8), (batch, m) each."""
    w = rng.standard_normal((replicates, size))
    return w, rng.choice((-1.0, 1.0), size=(replicates, size)) / np.sqrt(size)


def descend(w: Array, v: Array, bend: float, steps: int, rate: float) -> Descent:
    """Gradient descent on ½ Σ (φ(f(x_i)) - y_i)² in the hidden weights of eq. (8), σ = sin."""
    losses = np.empty((len(w), steps + 1))
    first, change = np.empty(0), np.zeros(len(w))
    for step in range(steps + 1):
        angles = w[:, None, :] * INPUTS[:, None]
        f = (np.sin(angles) * v[:, None, :]).sum(axis=2)
        slopes = (1 + bend * np.cos(f)) * INPUTS
        jacobian = slopes[:, :, None] * np.cos(angles) * v[:, None, :]
        residual = f + bend * np.sin(f) - TARGETS
        losses[:, step] = 0.5 * (residual**2).sum(axis=1)
        kernel = jacobian @ jacobian.mT
        first = first if step else kernel
        change = np.maximum(change, _moved(kernel, first))
        w = w - rate * (residual[:, None, :] @ jacobian)[:, 0]
    return Descent(losses, change)


def linearised_change(w: Array, v: Array, bend: float, steps: int, rate: float) -> Array:
    """The same change of K̃ where f is replaced by its linearisation at the start: descent in three numbers, not m."""
    angles = w[:, None, :] * INPUTS[:, None]
    f = (np.sin(angles) * v[:, None, :]).sum(axis=2)
    jacobian = INPUTS[:, None] * np.cos(angles) * v[:, None, :]
    inner = jacobian @ jacobian.mT
    first, change = np.empty(0), np.zeros(len(w))
    for step in range(steps + 1):
        slopes = 1 + bend * np.cos(f)
        kernel = slopes[:, :, None] * inner * slopes[:, None, :]
        first = first if step else kernel
        change = np.maximum(change, _moved(kernel, first))
        pull = slopes * (f + bend * np.sin(f) - TARGETS)
        f = f - rate * (inner @ pull[:, :, None])[:, :, 0]
    return change


def _moved(kernel: Array, first: Array) -> Array:
    """‖K̃_t - K̃_0‖_F/‖K̃_0‖_F."""
    return np.asarray(np.linalg.norm(kernel - first, axis=(1, 2)) / np.linalg.norm(first, axis=(1, 2)))
