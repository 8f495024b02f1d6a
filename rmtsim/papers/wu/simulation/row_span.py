"""How much of the output Hessian lies over the row span of the last weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.simulation.halves import product

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance


def orthonormalising(weights: Array) -> Array:
    """(WWᵀ)^{-1/2}: times W it is an orthonormal basis of the row span as rows."""
    values, vectors = np.linalg.eigh(weights @ weights.T)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T)


def inside(instance: TwoLayerInstance) -> float:
    """‖PMP‖²_F, through W M Wᵀ."""
    root = orthonormalising(instance.weights)
    first, second = (root @ matrix @ root for matrix in instance.projected_output)
    return product((first, second))


def half_inside(instance: TwoLayerInstance) -> float:
    """‖PM‖²_F = ‖PMP‖²_F + ‖PMP⊥‖²_F, through M = RᵀR/N with the curvature rows R: no n × n matrix is formed."""
    basis = orthonormalising(instance.weights) @ instance.weights
    first, second = (basis @ layer.rows.T @ layer.rows / layer.count for layer in instance.layers)
    return product((first, second))
