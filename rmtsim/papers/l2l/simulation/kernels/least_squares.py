"""Compiled loops for least squares: truncated descent on a spectrum, and stochastic gradient descent."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel


@kernel
def truncated_descent(values, fitted, rates, steps, threshold, weights, stopped):  # type: ignore[no-untyped-def]
    """Coordinates of w_t for every step size; ``stopped`` is the first τ with ‖w_τ‖ ≥ threshold, 0 if there is none.

    The power (1 - ηλ)^τ is formed step by step, as training does, since every norm on the way matters.
    """
    count = values.size
    limit = threshold * threshold
    power = np.empty(count)
    for g in range(rates.size):
        factor = 1.0 - rates[g] * values
        power[:] = 1.0
        stopped[g] = 0
        for tau in range(1, steps + 1):
            square = 0.0
            for i in range(count):
                power[i] *= factor[i]
                w = (1.0 - power[i]) * fitted[i]
                square += w * w
            if square >= limit:
                stopped[g] = tau
                break
        for i in range(count):
            weights[g, i] = (1.0 - power[i]) * fitted[i]


@kernel
def stochastic_descent(design, labels, order, step, threshold, weights, length):  # type: ignore[no-untyped-def]
    """One path of SGD from ``weights``, one sample per step in the given order, in place.

    Returns the first step at which ‖w‖ ≥ threshold (0 if none); the path stops there. ``length`` receives ‖w_τ‖².
    """
    dimension = weights.size
    limit = threshold * threshold
    for tau in range(order.size):
        row = design[order[tau]]
        residual = -labels[order[tau]]
        for j in range(dimension):
            residual += row[j] * weights[j]
        square = 0.0
        for j in range(dimension):
            weights[j] -= step * residual * row[j]
            square += weights[j] * weights[j]
        length[tau] = square
        if square >= limit:
            return tau + 1
    return 0
