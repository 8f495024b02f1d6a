"""Means over pairs of inputs of joint activations and products at a random hidden unit, in one loop."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim.papers.wu.simulation.kernels.arcsine import arcsine


@kernel
def half_pair_sums(gram):  # type: ignore[no-untyped-def]
    """(Σ arcsin ρ, 2π Σ E[y y']·d) over pairs of one input of the first half and one of the second.

    ``gram`` holds x·x'; formulas in :mod:`rmtsim.papers.wu.simulation.activation_pairs`.
    """
    middle = gram.shape[0] // 2
    squares = np.empty(middle)
    for y in range(middle):
        squares[y] = gram[middle + y, middle + y]
    # A part for every column: such sums become vector code.
    angles, products = np.zeros(middle), np.zeros(middle)
    for x in range(middle):
        square, row = gram[x, x], gram[x, middle : 2 * middle]
        for y in range(middle):
            scale = np.sqrt(square * squares[y])
            # An input of zeros only has no direction; all its units count as active and give zero.
            rho = row[y] / scale if scale > 0.0 else 1.0
            rho = min(max(rho, -1.0), 1.0)
            angle = arcsine(rho)
            angles[y] += angle
            products[y] += scale * (np.sqrt(1.0 - rho * rho) + rho * (angle + 0.5 * math.pi))
    return angles.sum(), products.sum()
