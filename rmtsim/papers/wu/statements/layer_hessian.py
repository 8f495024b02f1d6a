"""Claims of `wu` on the layer Hessian H^(1): Theorem 4.1, Lemmas B.19–B.23, Corollary B.5, eqs. (242), (243)."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Relative, claim
from rmtsim.papers.wu.simulation.halves import product, products
from rmtsim.papers.wu.statements.batches import c_by_c_cost, over_batches, trace
from rmtsim.papers.wu.statements.costs import batch_cost, energy_cost, layer_cost, projected_cost
from rmtsim.papers.wu.statements.networks import (
    DRAWN_NETWORKS,
    QUIET_NETWORKS,
    over_networks,
    over_stacks,
)
from rmtsim.papers.wu.statements.output_norms import (
    LARGE,
    distance_limit,
    lifted_dependence,
    lifts_dependence,
    ratio_dependence,
)
from rmtsim.papers.wu.statements.output_spaces import (
    GAP_EXPONENTS,
    GAP_NETWORKS,
    OVER_FORMULA,
    gap_cost,
    gap_inputs,
    gap_memory,
    row_overlap,
)
from rmtsim.papers.wu.theory import limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance
    from rmtsim.papers.wu.simulation.two_layer_stack import TwoLayerStack


SMALL = (32, 64, 128, 256)

# ---- Theorem 4.1 -------------------------------------------------------------------------------------------------


def overlap_with_kronecker(instance: TwoLayerInstance) -> float:
    """Overlap of the top c-1 eigenspaces of H and E[M] ⊗ E[xxᵀ]."""
    return instance.layer_overlap()


claim(
    "wu.thm4.1.overlap",
    over_networks(overlap_with_kronecker, networks=1),
    states=Limit(1.0, within=0.005),
    over=DRAWN_NETWORKS.planned(cost=partial(layer_cost, networks=1)),
)

COMPARED = 2
"""Networks of a replicate whose gap of H is measured beside that of M."""


def layer_gap_cost(size: int, alpha: float, classes: int) -> float:
    """The gaps of M, and the Gram side of some layer Hessians with three eigenvalue problems each."""
    rows = gap_inputs(size) * (float(classes) - 1)
    return float(gap_cost(size, alpha, classes) + COMPARED * (1e-3 + 1.3e-8 * rows**2 + 8e-12 * rows**3))


@claim(
    "wu.thm4.1.gap",
    states=Limit(0.0, within=0.05),
    over=DRAWN_NETWORKS.planned(
        exponents=GAP_EXPONENTS, sizes=(64, 96, 128, 192, 256), cost=layer_gap_cost, memory=gap_memory
    ),
)
def gap_of_layer(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """Mean gap of M over several networks, plus that of H less that of M over a few of them.

    The expectation is that of the gap of H. Nearly all its noise is shared with the gap of M, which costs a tenth.
    """
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.relu_batches import draw_network_batches

    of_output: list[float] = []
    differences: list[float] = []
    for drawn in draw_network_batches(size, alpha, classes, gap_inputs(size), GAP_NETWORKS, rng):
        batch = NetworkBatch(drawn)
        gaps = batch.output_gaps()
        of_output.extend(gaps)
        compared = max(0, COMPARED - len(differences))
        if compared:
            differences.extend(batch.layer_gaps(compared) - gaps[:compared])
    return float(np.mean(of_output) + np.mean(differences))


# ---- Lemmas B.19–B.23, Corollary B.5 -----------------------------------------------------------------------------


def projected_over_layer(batch: NetworkBatch) -> Array:
    """‖VȞVᵀ‖²_F/‖Ȟ‖²_F."""
    return np.asarray(products(batch.layer_projected) / batch.layer_energy)


def projected_ratio_dependence(projected: Array, energy: Array, length: Array) -> float:
    """The same where E[A] is a multiple of the identity."""
    return trace(*[projected] * 4) / trace(energy, energy)


claim(
    "wu.lemmaB.19",
    over_batches(projected_over_layer, dependence=projected_ratio_dependence),
    states=Limit(1.0, within=Relative(0.03)),
    corrected=limits.projection_ratio,
    over=QUIET_NETWORKS.planned(cost=batch_cost),
)
claim(
    "wu.lemmaB.20",
    OVER_FORMULA,
    states=Limit(0.0, within=0.015),
    corrected=limits.formula_error,
    over=QUIET_NETWORKS,
)


@over_networks
def layer_over_independent(instance: TwoLayerInstance) -> float:
    """‖Ȟ‖²_F/‖Ȟ*‖²_F."""
    return instance.layer_energy / (instance.independent_energy * instance.autocorrelation_energy())


@over_networks
def projected_layer_over_independent(instance: TwoLayerInstance) -> float:
    """‖VȞVᵀ‖²_F/‖VȞ*Vᵀ‖²_F."""
    return product(instance.layer_projected) / (
        product(instance.projected_independent) * instance.autocorrelation_top() ** 2
    )


def projected_over_independent_layer(stack: TwoLayerStack) -> Array:
    """‖VȞ*Vᵀ‖²_F/‖Ȟ*‖²_F."""
    top, energy = stack.autocorrelation()
    return products(stack.projected_independent) * top**2 / (stack.independent_energy * energy)


claim(
    "wu.lemmaB.21",
    layer_over_independent,
    states=Limit(1.0, within=Relative(0.02)),
    over=DRAWN_NETWORKS.planned(cost=energy_cost, sizes=SMALL),
)
claim(
    "wu.lemmaB.22",
    projected_layer_over_independent,
    states=Limit(1.0, within=Relative(0.02)),
    over=DRAWN_NETWORKS.planned(cost=projected_cost, sizes=SMALL),
)
claim(
    "wu.lemmaB.23",
    over_stacks(projected_over_independent_layer, dependence=ratio_dependence),
    states=Limit(1.0, within=Relative(0.03)),
    corrected=limits.projection_ratio,
    over=QUIET_NETWORKS,
)


def kronecker_overlap_with_rows(instance: TwoLayerInstance) -> float:
    """Overlap of Ĥ's top c-1 eigenspace with the row span of V without 1ᵀV."""
    return instance.kronecker_row_overlap()


claim(
    "wu.corB.5",
    over_networks(kronecker_overlap_with_rows, dependence=row_overlap),
    states=Limit(1.0, within=Relative(0.01)),
    corrected=limits.row_space_overlap,
    over=QUIET_NETWORKS,
)

# ---- Norms of differences ----------------------------------------------------------------------------------------


def squared_distance_of_lifts(batch: NetworkBatch) -> Array:
    """‖(1/8π)VᵀE[A]V - VᵀVȞ*VᵀV‖²_F over ‖E[A]/8π‖²_F, through the c × c matrices it lifts."""
    top = batch.autocorrelation_top()
    first, second = (
        a / (8 * math.pi) - top * projected
        for a, projected in zip(batch.curvature[::-1], batch.projected_independent, strict=True)
    )
    scale = products(batch.curvature) / (8 * math.pi) ** 2
    return np.asarray(batch.lifted_energy((first, second)) / scale)


claim(
    "wu.eq243",
    over_batches(squared_distance_of_lifts, dependence=lifts_dependence),
    states=Limit(0.0, within=0.02),
    over=QUIET_NETWORKS.planned(cost=c_by_c_cost, sizes=LARGE),
)


def distance_to_lifted_layer(batch: NetworkBatch) -> Array:
    """‖Ȟ - VᵀVȞ*VᵀV‖_F, expanded: ‖Ȟ‖² - 2⟨VȞVᵀ, VȞ*Vᵀ⟩ + ‖Vᵀ(VȞ*Vᵀ)V‖² with c × c matrices.

    VȞ*Vᵀ of a half has E[A] from the other one, so that the inner product within a half is of independent A.
    """
    top = batch.autocorrelation_top()
    first, second = (top * matrix for matrix in batch.projected_independent)
    own = batch.layer_projected
    cross = products((own[0], first)) + products((own[1], second))
    energy = batch.layer_energy - cross + batch.lifted_energy((first, second))
    return np.asarray(np.sqrt(np.maximum(0.0, energy)))


def lifted_layer_dependence(projected: Array, energy: Array, length: Array) -> float:
    """What that tends to over ‖E[A]‖ where WΠWᵀ, WΠ²Wᵀ, WWᵀ are these multiples of the identity."""
    return lifted_dependence(projected, energy, length) / (2 * math.pi)


def layer_distance_limit(classes: int) -> float:
    """√(q² - 1/16)·E‖Ã(b)‖_F/(2π)."""
    return distance_limit(classes) / (2 * math.pi)


claim(
    "wu.eq242",
    over_batches(distance_to_lifted_layer, dependence=lifted_layer_dependence, curved=True),
    states=Limit(0.0, within=0.0005),
    corrected=layer_distance_limit,
    over=QUIET_NETWORKS.planned(cost=batch_cost),
)
