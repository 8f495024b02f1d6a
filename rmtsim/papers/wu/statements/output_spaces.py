"""Claims of `wu` on the output Hessian M^(1), its eigenspace and its formula: Theorem 4.2, eq. (8), Lemma B.15."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Limit, Probability, Relative, claim
from rmtsim.papers.wu.simulation.halves import product, products
from rmtsim.papers.wu.statements.batches import over_batches, trace
from rmtsim.papers.wu.statements.costs import batch_cost, network_memory, output_cost
from rmtsim.papers.wu.statements.networks import (
    DRAWN_NETWORKS,
    QUIET_NETWORKS,
    over_networks,
    over_stacks,
)
from rmtsim.papers.wu.theory import curvature, limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance
    from rmtsim.papers.wu.simulation.two_layer_stack import TwoLayerStack


# ---- Eigenspaces and the gap -------------------------------------------------------------------------------------


def overlap_with_independent(instance: TwoLayerInstance) -> float:
    """Overlap of the top c-1 eigenspaces of M and M*."""
    return instance.corrected(instance.output_space, instance.independent_space)


claim(
    "wu.thm4.2.overlap",
    over_networks(overlap_with_independent, networks=1),
    states=Limit(1.0, within=0.002),
    over=DRAWN_NETWORKS.planned(cost=partial(output_cost, networks=1)),
)

GAP_SIZES = (64, 128, 256, 512)
GAP_EXPONENTS = (0.75, 1.0)


def gap_inputs(size: int) -> int:
    """Inputs where eigenvalues inside the bulk are compared: two per hidden unit.

    With fewer inputs than units the bulk of M is that of a sample covariance, whose edge lies off the population's by
    powers of √(n/N): N has to grow with n.
    """
    return 2 * size


def gap_memory(size: int, classes: int) -> float:
    """Bytes with so many inputs, of a network and of the Gram side of its layer Hessian."""
    return network_memory(size, classes, gap_inputs(size)) + 24.0 * (gap_inputs(size) * (classes - 1)) ** 2


GAP_NETWORKS = 16
"""Networks of a replicate, on the same inputs."""


def gap_cost(size: int, alpha: float, classes: int) -> float:
    """Inputs and their inner products; then for each network the two halves of M and three eigenvalue problems."""
    inputs, d = gap_inputs(size), float(size) ** (1 + alpha)
    each = 5e-4 + (0.6 + 0.1 * classes) * (1.1e-7 * size**2 + 1e-10 * size**3)
    return float(3e-4 + (1.25e-8 + 2e-11 * inputs) * inputs * d + GAP_NETWORKS * each)


def gap_of_output(size: int, rng: np.random.Generator, alpha: float, classes: int) -> float:
    """λ_c/λ_{c-1} of M, extrapolated in the number of inputs: the mean over networks."""
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.relu_batches import draw_network_batches

    drawn = draw_network_batches(size, alpha, classes, gap_inputs(size), GAP_NETWORKS, rng)
    return float(np.mean(np.concatenate([NetworkBatch(each).output_gaps() for each in drawn])))


claim(
    "wu.thm4.2.gap",
    gap_of_output,
    states=Limit(0.0, within=0.05),
    over=DRAWN_NETWORKS.planned(
        exponents=GAP_EXPONENTS, sizes=GAP_SIZES[1:], cost=gap_cost, memory=gap_memory
    ),
)


def row_overlap(projected: float, energy: float, length: float) -> float:
    """Overlap of {ΠWᵀv} with {Wᵀv} where WΠWᵀ, WΠ²Wᵀ, WWᵀ are these multiples of the identity."""
    return projected**2 / (energy * length)


def independent_overlap_with_rows(instance: TwoLayerInstance) -> float:
    """Overlap of S₂ with the row span of W without 1ᵀW."""
    return instance.corrected(instance.independent_space, (instance.rows, instance.rows))


def output_overlap_with_rows(instance: TwoLayerInstance) -> float:
    """Overlap of S₁ with the row span of W without 1ᵀW."""
    return instance.corrected(instance.output_space, (instance.rows, instance.rows))


claim(
    "wu.thm4.2.rowspace",
    over_networks(independent_overlap_with_rows, dependence=row_overlap),
    states=Limit(1.0, within=Relative(0.01)),
    corrected=limits.row_space_overlap,
    over=QUIET_NETWORKS,
)
claim(
    "wu.thm4.2.rowspace-output",
    over_networks(output_overlap_with_rows, dependence=row_overlap),
    states=Limit(1.0, within=Relative(0.01)),
    corrected=limits.row_space_overlap,
    over=QUIET_NETWORKS,
)


@over_networks
def overlap_with_gated_rows(instance: TwoLayerInstance) -> float:
    """Overlap of S₁ with {ΠWᵀv : v ⊥ 1}, Π from each half of the inputs."""
    from rmtsim.papers.wu.simulation.eigenspaces import row_space

    first, second = (row_space(instance.weights * half.active[-1].mean(axis=0)) for half in instance.halves)
    return instance.corrected(instance.output_space, (first, second))


claim(
    "wu.thm4.2.activation-space",
    overlap_with_gated_rows,
    states=Limit(1.0, within=0.005),
    over=DRAWN_NETWORKS.planned(sizes=(128, 256, 512)),
)

# ---- The formula for M* ------------------------------------------------------------------------------------------


def error_dependence(projected: float, energy: float, length: float) -> float:
    """‖M - WᵀE[A]W/4‖/‖M‖ where WΠWᵀ, WΠ²Wᵀ, WWᵀ are these multiples of the identity."""
    return math.sqrt(1 + (length**2 / 16 - projected**2 / 2) / energy**2)


def formula_error(stack: TwoLayerStack) -> Array:
    """‖M* - F‖_F/‖M*‖_F for F = (WᵀE[A]W + diag(WᵀE[A]W))/4, eqs. (8) and (140): M* if activations were fair coins.

    The formula uses the same E[A] as the M* it is compared with, so only the activations are judged: that of the
    other half. Multiplied out, ⟨M*_a, WᵀE[A]_aW⟩ = ⟨W M*_a Wᵀ, E[A]_a⟩ and diagonals are left.
    """
    (first, second), (one, two) = stack.projected_independent, stack.curvature
    both, rated = stack.formula_sums().T
    mixed = products((first, one)) + products((second, two)) + rated
    formula = (stack.lifted_energy((one, two)) + 3 * both) / 16
    energy = stack.independent_energy
    return np.asarray(np.sqrt(np.maximum(0.0, energy - mixed / 4 + formula) / energy))


OVER_FORMULA = over_stacks(formula_error, dependence=error_dependence)
claim(
    "wu.eq8",
    OVER_FORMULA,
    states=Limit(0.0, within=0.015),
    corrected=limits.formula_error,
    over=QUIET_NETWORKS,
)
claim(
    "wu.lemmaB.15",
    OVER_FORMULA,
    states=Limit(0.0, within=0.015),
    corrected=limits.formula_error,
    over=QUIET_NETWORKS,
)


@over_networks
def squared_error_of_gated_formula(instance: TwoLayerInstance) -> float:
    """Squared relative error of π_iπ_k(WᵀE[A]W)_ik + diagonal, with activation rates and M* from different inputs."""

    def difference(half: int) -> Array:
        rates = instance.halves[half].active[-1].mean(axis=0)
        core = instance.weights.T @ instance.curvature[1 - half] @ instance.weights
        # Rates of one half have noise of their own: π̂_iπ̂_k is unbiased off the diagonal up to Cov(D_i, D_k)/N.
        formula = core * np.outer(rates, rates)
        np.fill_diagonal(formula, rates * np.diag(core))
        return instance.independent[half] - formula

    return float(product((difference(0), difference(1))) / instance.independent_energy)


claim(
    "wu.eq8.activation-formula",
    squared_error_of_gated_formula,
    states=Limit(0.0, within=0.01),
    over=DRAWN_NETWORKS,
)


def norms_are_bounded(instance: TwoLayerInstance) -> float:
    """Whether ‖M*‖ ≥ η/4 and ‖M*‖_F ≤ 2c²."""
    whole = 0.5 * (instance.independent[0] + instance.independent[1])
    spectral = float(np.linalg.norm(whole, 2))
    lowest = curvature.printed_gap_bound(instance.classes) / 4
    return float(lowest <= spectral and np.linalg.norm(whole) <= 2 * instance.classes**2)


claim(
    "wu.lemmaB.15.bounds",
    over_networks(norms_are_bounded, inputs=32, networks=1),
    states=Probability(1.0, within=0.02),
    over=DRAWN_NETWORKS.planned(
        sizes=(16, 32, 64),
        cost=partial(output_cost, inputs=32, networks=1),
        memory=partial(network_memory, inputs=32),
    ),
)


def norm_over_core(batch: NetworkBatch) -> Array:
    """‖M*‖_F/‖WᵀE[A]W‖_F."""
    return np.asarray(
        np.sqrt(np.maximum(0.0, batch.independent_energy) / batch.lifted_energy(batch.curvature))
    )


def core_dependence(projected: Array, energy: Array, length: Array) -> float:
    """The same where E[A] is a multiple of the identity."""
    return math.sqrt(trace(energy, energy) / trace(length, length))


claim(
    "wu.eq144",
    over_batches(norm_over_core, dependence=core_dependence),
    states=Limit(1.0, within=Relative(0.01)),
    corrected=limits.activation_second_moment,
    over=QUIET_NETWORKS.planned(cost=batch_cost),
)
