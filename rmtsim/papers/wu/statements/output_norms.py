"""Claims of `wu` on norms of the output Hessian and its projections: Lemmas B.14–B.18, eqs. (144)–(224)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Relative, claim
from rmtsim.papers.wu.simulation.halves import products
from rmtsim.papers.wu.statements.batches import c_by_c_cost, over_batches, trace
from rmtsim.papers.wu.statements.costs import batch_cost, projected_cost
from rmtsim.papers.wu.statements.networks import (
    DRAWN_NETWORKS,
    QUIET_NETWORKS,
    over_stacks,
)
from rmtsim.papers.wu.theory import curvature, limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.two_layer_stack import TwoLayerStack


LARGE = (256, 512, 1024, 2048)
"""Widths where only c × c matrices are needed. They enter through the fourth power of WΠWᵀ = (I + Δ)/2 with E Δ² ≈
4q(c+1)/n: the second term of the series is some ten times 4q(c+1)/n beside the first, 1/4 from n = 256 on for c = 4."""

# Limits where WΠWᵀ, WΠ²Wᵀ, WWᵀ are given multiples of the identity.


def ratio_dependence(projected: float, energy: float, length: float) -> float:
    """‖WMWᵀ‖²/‖M‖²."""
    return projected**4 / energy**2


def printed_error_dependence(projected: float, energy: float, length: float) -> float:
    """‖M - WᵀE[A]W/4‖/‖E[A]‖."""
    return math.sqrt(energy**2 - projected**2 / 2 + length**2 / 16)


# ---- Ratios of squared norms -------------------------------------------------------------------------------------


def projected_over_output(stack: TwoLayerStack) -> Array:
    """‖WMWᵀ‖²_F/‖M‖²_F."""
    return products(stack.projected_output) / stack.output_energy


claim(
    "wu.lemmaB.14",
    over_stacks(projected_over_output, dependence=ratio_dependence),
    states=Limit(1.0, within=Relative(0.03)),
    corrected=limits.projection_ratio,
    over=QUIET_NETWORKS,
)


@over_stacks
def output_over_independent(stack: TwoLayerStack) -> Array:
    """‖M‖²_F/‖M*‖²_F."""
    return stack.output_energy / stack.independent_energy


claim("wu.lemmaB.16", output_over_independent, states=Limit(1.0, within=Relative(0.01)), over=DRAWN_NETWORKS)


@over_stacks
def projected_output_over_independent(stack: TwoLayerStack) -> Array:
    """‖WMWᵀ‖²_F/‖WM*Wᵀ‖²_F."""
    return products(stack.projected_output) / products(stack.projected_independent)


@over_stacks
def squared_projected_difference(stack: TwoLayerStack) -> Array:
    """‖WMWᵀ - WM*Wᵀ‖²_F."""
    a, b = stack.projected_output, stack.projected_independent
    return products((a[0] - b[0], a[1] - b[1]))


claim(
    "wu.lemmaB.17",
    projected_output_over_independent,
    states=Limit(1.0, within=Relative(0.01)),
    over=DRAWN_NETWORKS.planned(cost=projected_cost),
)
claim(
    "wu.lemmaB.17.entries",
    squared_projected_difference,
    states=Limit(0.0, within=1e-4),
    over=DRAWN_NETWORKS.planned(cost=projected_cost),
)


def projected_over_independent(stack: TwoLayerStack) -> Array:
    """‖WM*Wᵀ‖²_F/‖M*‖²_F."""
    return products(stack.projected_independent) / stack.independent_energy


def curvature_over_independent(batch: NetworkBatch) -> Array:
    """‖E[A]‖²_F/(16‖M*‖²_F)."""
    return products(batch.curvature) / 16 / batch.independent_energy


def curvature_over_projected(batch: NetworkBatch) -> Array:
    """‖E[A]‖²_F/(16‖WM*Wᵀ‖²_F)."""
    return products(batch.curvature) / 16 / products(batch.projected_independent)


claim(
    "wu.lemmaB.18",
    over_stacks(projected_over_independent, dependence=ratio_dependence),
    states=Limit(1.0, within=Relative(0.03)),
    corrected=limits.projection_ratio,
    over=QUIET_NETWORKS,
)
claim(
    "wu.eq162",
    over_batches(
        curvature_over_independent,
        dependence=lambda projected, energy, length: len(energy) / (16 * trace(energy, energy)),
    ),
    states=Limit(1.0, within=Relative(0.03)),
    corrected=limits.projection_ratio,
    over=QUIET_NETWORKS.planned(cost=batch_cost),
)
claim(
    "wu.eq167",
    over_batches(
        curvature_over_projected,
        dependence=lambda projected, energy, length: len(projected) / (16 * trace(*[projected] * 4)),
    ),
    states=Limit(1.0, within=Relative(0.03)),
    over=QUIET_NETWORKS.planned(cost=c_by_c_cost, sizes=LARGE),
)

# ---- Norms of differences ----------------------------------------------------------------------------------------


def distance_limit(classes: int) -> float:
    """√(q² - 1/16)·E‖Ã(b)‖_F."""
    q = limits.activation_second_moment()
    return math.sqrt(q**2 - 1 / 16) * curvature.curvature_norm(classes)


def distance_to_fair_coins(stack: TwoLayerStack) -> Array:
    """‖M - WᵀE[A]W/4‖_F, multiplied out: ⟨M_a, WᵀE[A]_bW⟩ = ⟨W M_a Wᵀ, E[A]_b⟩ needs c × c matrices alone."""
    (first, second), (one, two) = stack.projected_output, stack.curvature
    mixed = products((first, two)) + products((second, one))
    energy = stack.output_energy - mixed / 4 + stack.lifted_energy(stack.curvature) / 16
    return np.sqrt(np.maximum(0.0, energy))


def distance_to_lifted(batch: NetworkBatch) -> Array:
    """‖M - WᵀW M* WᵀW‖_F, expanded in c × c matrices: ‖M‖² - 2⟨WMWᵀ, WM*Wᵀ⟩ + ‖Wᵀ(WM*Wᵀ)W‖².

    WM*Wᵀ of a half has E[A] from the other one, so that the inner product within a half is of independent A.
    """
    own, independent = batch.projected_output, batch.projected_independent
    mixed = sum(products((own[half], independent[half])) for half in range(2))
    return np.sqrt(np.maximum(0.0, batch.output_energy - mixed + batch.lifted_energy(independent)))


def lifted_dependence(projected: Array, energy: Array, length: Array) -> float:
    """‖M - WᵀW M* WᵀW‖/‖E[A]‖."""
    lifted = trace(length, projected, projected, length, projected, projected)
    return math.sqrt((trace(energy, energy) - 2 * trace(*[projected] * 4) + lifted) / len(energy))


claim(
    "wu.eq224",
    over_stacks(distance_to_fair_coins, dependence=printed_error_dependence, curved=True),
    states=Limit(0.0, within=0.002),
    corrected=distance_limit,
    over=QUIET_NETWORKS,
)
claim(
    "wu.eq215",
    over_batches(distance_to_lifted, dependence=lifted_dependence, curved=True),
    states=Limit(0.0, within=0.002),
    corrected=distance_limit,
    over=QUIET_NETWORKS.planned(cost=batch_cost),
)


def squared_distance_of_lifts(batch: NetworkBatch) -> Array:
    """‖WᵀE[A]W/4 - WᵀW M* WᵀW‖²_F/‖E[A]/4‖²_F."""
    first, second = (
        a / 4 - projected
        for a, projected in zip(batch.curvature[::-1], batch.projected_independent, strict=True)
    )
    return 16 * batch.lifted_energy((first, second)) / products(batch.curvature)


def lifts_dependence(projected: Array, energy: Array, length: Array) -> float:
    """The same where E[A] is a multiple of the identity."""
    difference = projected @ projected - np.eye(len(projected)) / 4
    return 16 * trace(length, difference, length, difference) / len(projected)


claim(
    "wu.eq223",
    over_batches(squared_distance_of_lifts, dependence=lifts_dependence),
    states=Limit(0.0, within=0.02),
    over=QUIET_NETWORKS.planned(cost=c_by_c_cost, sizes=LARGE),
)
