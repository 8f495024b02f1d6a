"""Eigenspaces of independent initialisations, and their overlaps over all orders of units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.layer_hessian import LayerEigenspace


def squared_cosine_over_orders(a: Array, b: Array, c: Array, d: Array) -> float:
    """(a·d)(b·c)/((a·b)(c·d)), averaged over all orders of the entries of c and d together, in closed form.

    a, b estimate one model's means from independent halves of the inputs, c, d the other's. A model with its units in
    another order has the same law, so the average keeps the expectation and loses two thirds of the variance.

    >>> one, other = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    >>> orders = [(one @ moved) ** 2 / 50 for moved in (other, other[::-1])]
    >>> bool(np.isclose(squared_cosine_over_orders(one, one, other, other), np.mean(orders)))
    True
    """
    units = len(a)
    own, theirs = a.sum() * b.sum() / (a @ b), c.sum() * d.sum() / (c @ d)
    return float(1 / units + (own - 1) * (theirs - 1) / (units * (units - 1)))


def overlap_over_orders(first: LayerEigenspace, second: LayerEigenspace) -> float:
    """The overlap of two layer eigenspaces, averaged over all orders of the second model's outputs, in closed form.

    With C = Mat(h)Mat(h')ᵀ an order π gives h·h' = Σ_a C_{a,π(a)}, whose mean square over all orders is
    ‖C‖²/m + ((ΣC)² - Σ(row sums)² - Σ(column sums)² + ‖C‖²)/(m(m-1)). A model with its outputs in another order has
    the same law, so the average keeps the expectation and loses noise.
    """
    count, units = first.coefficients.shape[0], first.coefficients.shape[2]
    inner = first.inputs.inner(second.inputs)
    total = 0.0
    for theirs in second.coefficients:
        moved = inner @ theirs
        for own in first.coefficients:
            products = own.T @ moved
            energy = float(np.sum(products**2))
            rows, columns = products.sum(axis=1), products.sum(axis=0)
            rest = float(rows.sum() ** 2 - rows @ rows - columns @ columns) + energy
            total += energy / units + rest / (units * (units - 1))
    return float(total / count)


def top_spaces(
    size: int, rng: np.random.Generator, alpha: float, classes: int, fraction: float, models: int = 2
) -> list[NDArray[np.float64]]:
    """Top k eigenvectors of the output Hessians of independent initialisations, on inputs of their own."""
    from rmtsim.papers.wu.simulation.output_hessian import output_hessian
    from rmtsim.papers.wu.simulation.relu_network import draw_response

    count = max(1, round(fraction * size))
    spaces = []
    for _ in range(models):
        later, response = draw_response(size, alpha, classes, 2 * size, rng)
        _, vectors = np.linalg.eigh(output_hessian(later[-1], response))
        spaces.append(vectors[:, ::-1][:, :count])
    return spaces
