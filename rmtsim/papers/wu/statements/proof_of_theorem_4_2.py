"""Claims of `wu` on the steps of the proof of Theorem 4.2, eqs. (199)–(228), and on the steps of a repaired proof.

P is the projection on the row span of W, ρ = 1/(4q) ≈ 0.829 the share of the true eigenspace {ΠWᵀv} inside that span.
Eq. (206) follows from (205), eq. (230) is `wu.thm4.2.rowspace-output`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Relative, claim
from rmtsim.papers.wu.simulation.halves import product, products
from rmtsim.papers.wu.simulation.row_span import half_inside, inside
from rmtsim.papers.wu.statements.batches import over_batches, trace
from rmtsim.papers.wu.statements.costs import INPUTS, NETWORKS, batch_cost, projected_cost
from rmtsim.papers.wu.statements.networks import (
    DRAWN_NETWORKS,
    QUIET_NETWORKS,
    over_networks,
)
from rmtsim.papers.wu.statements.output_norms import LARGE, distance_limit, lifted_dependence
from rmtsim.papers.wu.statements.output_spaces import row_overlap
from rmtsim.papers.wu.theory import limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance


# ---- How much of M lies over the row span ------------------------------------------------------------------------


def lifted_over_output(batch: NetworkBatch) -> Array:
    """‖WᵀWMWᵀW‖²_F/‖M‖²_F."""
    return np.asarray(batch.lifted_energy(batch.projected_output) / batch.output_energy)


def lifted_ratio_dependence(projected: Array, energy: Array, length: Array) -> float:
    """The same where E[A] is a multiple of the identity."""
    return trace(length, projected, projected, length, projected, projected) / trace(energy, energy)


def inside_share(instance: TwoLayerInstance) -> float:
    """‖PMP‖_F/‖M‖_F."""
    return math.sqrt(max(0.0, inside(instance)) / instance.output_energy)


def lost_energy(instance: TwoLayerInstance) -> float:
    """(‖M‖²_F - ‖PMP‖²_F)/‖M‖²_F."""
    return 1 - inside(instance) / instance.output_energy


def mixed_share(instance: TwoLayerInstance) -> float:
    """‖PMP⊥‖_F/‖M‖_F."""
    return math.sqrt(max(0.0, half_inside(instance) - inside(instance)) / instance.output_energy)


def complement_share(instance: TwoLayerInstance) -> float:
    """‖P⊥MP⊥‖_F/‖M‖_F."""
    energy = instance.output_energy - 2 * half_inside(instance) + inside(instance)
    return math.sqrt(max(0.0, energy) / instance.output_energy)


def row_span_cost(size: int, alpha: float, classes: int) -> float:
    """Nominal seconds: c × c matrices, and the curvature rows of both halves."""
    return projected_cost(size, alpha, classes) + NETWORKS * (3e-4 + 1e-8 * INPUTS * classes * size)


ROW_SPANS = QUIET_NETWORKS.planned(cost=row_span_cost)


claim(
    "wu.eq199",
    over_batches(lifted_over_output, dependence=lifted_ratio_dependence),
    states=Limit(1.0, within=Relative(0.03)),
    corrected=limits.projection_ratio,
    over=QUIET_NETWORKS.planned(cost=batch_cost, sizes=LARGE),
)
claim(
    "wu.eq203",
    over_networks(inside_share, dependence=row_overlap),
    states=Limit(1.0, within=Relative(0.01)),
    corrected=limits.row_space_overlap,
    over=ROW_SPANS,
)
claim(
    "wu.eq204",
    over_networks(
        lost_energy,
        dependence=lambda projected, energy, length: 1 - row_overlap(projected, energy, length) ** 2,
    ),
    states=Limit(0.0, within=0.02),
    corrected=limits.lost_energy,
    over=ROW_SPANS,
)


def mixed_dependence(projected: float, energy: float, length: float) -> float:
    """What ‖PMP⊥‖/‖M‖ tends to where WΠWᵀ, WΠ²Wᵀ, WWᵀ are these multiples of the identity."""
    share = row_overlap(projected, energy, length)
    return math.sqrt(share * (1 - share))


claim(
    "wu.eq205.mixed",
    over_networks(mixed_share, dependence=mixed_dependence),
    states=Limit(0.0, within=0.01),
    corrected=limits.mixed_share,
    over=ROW_SPANS.planned(sizes=LARGE),
)
claim(
    "wu.eq205.complement",
    over_networks(
        complement_share,
        dependence=lambda projected, energy, length: 1 - row_overlap(projected, energy, length),
    ),
    states=Limit(0.0, within=0.01),
    corrected=limits.complement_share,
    over=ROW_SPANS.planned(sizes=LARGE),
)

# ---- Norms of differences ----------------------------------------------------------------------------------------


def distance_to_inside(instance: TwoLayerInstance) -> float:
    """‖M - PMP‖_F, from ‖M‖²_F = ‖PMP‖²_F + ‖M - PMP‖²_F."""
    return math.sqrt(max(0.0, instance.output_energy - inside(instance)))


def distance_to_own_lift(batch: NetworkBatch) -> Array:
    """‖M - WᵀWMWᵀW‖_F, expanded in c × c matrices: ‖M‖² - 2‖WMWᵀ‖² + ‖Wᵀ(WMWᵀ)W‖²."""
    projected = batch.projected_output
    energy = batch.output_energy - 2 * products(projected) + batch.lifted_energy(projected)
    return np.asarray(np.sqrt(np.maximum(0.0, energy)))


def distance_to_orthonormal_fair_coins(instance: TwoLayerInstance) -> float:
    """‖M - W̄ᵀE[A]W̄/4‖_F, W̄ = TW the rows of W made orthonormal by Gram–Schmidt: ⟨M, W̄ᵀAW̄⟩ = ⟨T WMWᵀ Tᵀ, A⟩."""
    # With WWᵀ = LLᵀ the process gives W̄ = L⁻¹W, row by row.
    lower = np.linalg.inv(np.linalg.cholesky(instance.weights @ instance.weights.T))
    inner = [lower @ projected @ lower.T for projected in instance.projected_output]
    cross = sum(float(np.sum(inner[half] * instance.curvature[1 - half])) for half in range(2))
    energy = instance.output_energy - cross / 4 + product(instance.curvature) / 16
    return math.sqrt(max(0.0, energy))


def inside_distance_dependence(projected: float, energy: float, length: float) -> float:
    """‖M - PMP‖/‖E[A]‖ where WΠWᵀ, WΠ²Wᵀ, WWᵀ are these multiples of the identity."""
    return math.sqrt(energy**2 - projected**4 / length**2)


def orthonormal_dependence(projected: float, energy: float, length: float) -> float:
    """‖M - W̄ᵀE[A]W̄/4‖/‖E[A]‖ in the same case."""
    return math.sqrt(energy**2 - projected**2 / (2 * length) + 1 / 16)


claim(
    "wu.eq208",
    over_networks(distance_to_inside, dependence=inside_distance_dependence, curved=True),
    states=Limit(0.0, within=0.002),
    corrected=distance_limit,
    over=ROW_SPANS,
)
claim(
    "wu.eq211",
    over_batches(distance_to_own_lift, dependence=lifted_dependence, curved=True),
    states=Limit(0.0, within=0.002),
    corrected=distance_limit,
    over=QUIET_NETWORKS.planned(cost=batch_cost, sizes=LARGE),
)
claim(
    "wu.eq228",
    over_networks(distance_to_orthonormal_fair_coins, dependence=orthonormal_dependence, curved=True),
    states=Limit(0.0, within=0.002),
    corrected=distance_limit,
    over=ROW_SPANS,
)

# ---- Steps of a proof that does not use the row span (docs/papers/wu/index.md)
# --------------------------------------------------


@over_networks
def distance_to_independent(instance: TwoLayerInstance) -> float:
    """‖M - M*‖²_F/‖M*‖²_F.

    Gates and E[A] of M* come from one half, so that the two halves' differences are independent of each other; what
    that adds to M* is Cov(D, A)/N, which vanishes with what is tested.
    """
    from rmtsim.papers.wu.simulation.output_hessian import independent_output_hessian

    stars = [
        independent_output_hessian(instance.weights, half.active[-1], curved)
        for half, curved in zip(instance.halves, instance.curvature, strict=True)
    ]
    difference = product((instance.output[0] - stars[0], instance.output[1] - stars[1]))
    return difference / product((stars[0], stars[1]))


@over_networks
def distance_of_gated_gram(instance: TwoLayerInstance) -> float:
    """‖WΠ²Wᵀ - qI‖²_F/c with q the mean of π_i² itself: how far the gated rows are from orthogonal."""
    first, second = (half.active[-1].mean(axis=0) for half in instance.halves)
    squares = first * second
    gram = (instance.weights * squares) @ instance.weights.T
    return float(np.sum((gram - squares.mean() * np.eye(instance.classes)) ** 2)) / instance.classes


claim("wu.thm4.2.difference", distance_to_independent, states=Limit(0.0, within=0.01), over=DRAWN_NETWORKS)
claim("wu.thm4.2.gated-gram", distance_of_gated_gram, states=Limit(0.0, within=0.005), over=DRAWN_NETWORKS)
