"""Claims of `wu` on the steps (198), (202), (210) of the proof of Theorem 4.2 that concern W alone, and hold.

They compare M projected by WᵀW with M projected by P, the projection on the row span of W; since WWᵀ → I_c their
difference vanishes for every M. The steps that replace M by either of them are false (`proof_of_theorem_4_2`). Eq.
(207) is an identity, (200), (201) and (209) are the bounds behind (202) and (210).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Relative, claim
from rmtsim.papers.wu.simulation.halves import product, products
from rmtsim.papers.wu.statements.batches import over_batches, trace
from rmtsim.papers.wu.statements.costs import batch_cost, projected_cost
from rmtsim.papers.wu.statements.networks import (
    DRAWN_NETWORKS,
    QUIET_NETWORKS,
    over_networks,
)

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance


def lifted_over_projected(instance: TwoLayerInstance) -> float:
    """‖Wᵀ(WMWᵀ)W‖²_F/‖WMWᵀ‖²_F."""
    return instance.lifted_energy(instance.projected_output) / product(instance.projected_output)


def squared_difference_of_norms(batch: NetworkBatch) -> Array:
    """(‖WᵀWMWᵀW‖_F - ‖PMP‖_F)²/‖M‖²_F, ‖PMP‖² = ‖G^{-1/2}(WMWᵀ)G^{-1/2}‖² with G = WWᵀ."""
    first, second = batch.projected_output
    inverse = np.linalg.inv(batch.gram)
    lifted, within = (
        np.sqrt(np.maximum(0.0, energy))
        for energy in (
            batch.lifted_energy((first, second)),
            products((inverse @ first @ inverse, second)),
        )
    )
    return np.asarray((lifted - within) ** 2 / batch.output_energy)


def difference_dependence(projected: Array, energy: Array, length: Array) -> float:
    """The same where E[A] is a multiple of the identity."""
    square, inverse = projected @ projected, np.asarray(np.linalg.inv(length), dtype=np.float64)
    lifted, within = trace(length, square, length, square), trace(inverse, square, inverse, square)
    return (math.sqrt(lifted) - math.sqrt(within)) ** 2 / trace(energy, energy)


def squared_norm_of_difference(instance: TwoLayerInstance) -> float:
    """‖PMP - WᵀWMWᵀW‖²_F/‖M‖²_F with PMP = WᵀG⁻¹(WMWᵀ)G⁻¹W, G = WWᵀ."""
    inverse = np.linalg.inv(instance.weights @ instance.weights.T)
    first, second = (inverse @ matrix @ inverse - matrix for matrix in instance.projected_output)
    return instance.lifted_energy((first, second)) / instance.output_energy


claim(
    "wu.eq198",
    over_networks(lifted_over_projected, dependence=lambda projected, energy, length: length**2),
    states=Limit(1.0, within=Relative(0.03)),
    over=QUIET_NETWORKS.planned(cost=projected_cost),
)
claim(
    "wu.eq202",
    over_batches(squared_difference_of_norms, dependence=difference_dependence),
    states=Limit(0.0, within=0.01),
    over=QUIET_NETWORKS.planned(cost=batch_cost),
)
claim(
    "wu.eq210",
    over_networks(squared_norm_of_difference),
    states=Limit(0.0, within=0.02),
    over=DRAWN_NETWORKS.planned(cost=projected_cost),
)
