"""Ascent on the norm of the Hessian inside a ball, for a batch of wide networks."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks


def ascend(batch: WideNetworks, rng: Generator, radius: float, steps: int = 3) -> Array:
    """The largest ‖H‖ met in the ball on an ascent from each network: a lower bound of the supremum.

    For the top eigenvector u the norm grows along D³f[u, u, ·], the second difference of the gradient along u. Steps go
    to the sphere of radius R and then along it.
    """
    start, point, h = batch, batch, 1e-2
    found = batch.hessian_norms(rng, tolerance=1e-3)
    best = found.norms
    for _ in range(steps):
        u = point.directions(found.vectors)
        ends = [point.moved(u, sign * h).gradients() for sign in (1, -1)]
        signs = np.sign(found.values)[:, None, None]
        change = [
            signs * (plus - 2 * middle + minus)
            for plus, middle, minus in zip(ends[0], point.gradients(), ends[1], strict=True)
        ]
        stepped = point.moved(change, radius)
        shift = [now - first for now, first in zip(stepped.weights, start.weights, strict=True)]
        lengths = np.sqrt(sum((part**2).sum(axis=(1, 2)) for part in shift))
        point = start.moved(shift, np.minimum(lengths, radius))
        found = point.hessian_norms(rng, tolerance=1e-3)
        best = np.maximum(best, found.norms)
    return np.asarray(best)
