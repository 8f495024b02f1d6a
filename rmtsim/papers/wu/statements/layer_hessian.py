"""Claims of `wu` on the layer Hessian H^(1): Theorem 4.1, Lemmas B.19–B.23, Corollary B.5, eqs. (242), (243)."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._declare import correction
from rmtsim.claims._model import Tolerance
from rmtsim.papers.wu.simulation.halves import product, products
from rmtsim.papers.wu.statements.batches import c_by_c_cost, over_batches, statement_on_batches, trace
from rmtsim.papers.wu.statements.causes import FAIR_COIN, MEAN_DROPPED
from rmtsim.papers.wu.statements.costs import (
    batch_cost,
    energy_cost,
    layer_cost,
    projected_cost,
)
from rmtsim.papers.wu.statements.networks import (
    KNOWN_AVERAGES,
    over_networks,
    over_stacks,
    statement_on_networks,
)
from rmtsim.papers.wu.statements.output_norms import (
    LARGE,
    RATIO_LIMIT,
    distance_limit,
    lifted_dependence,
    lifts_dependence,
    ratio_dependence,
    refuted_ratio,
)
from rmtsim.papers.wu.statements.output_spaces import (
    GAP_BECAUSE,
    GAP_EXPONENTS,
    GAP_NETWORKS,
    gap_cost,
    gap_inputs,
    gap_memory,
    row_overlap,
    statement_on_formula,
    statement_on_rows,
)
from rmtsim.papers.wu.theory import limits

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance
    from rmtsim.papers.wu.simulation.two_layer_stack import TwoLayerStack

Array = NDArray[np.float64]

SMALL = (32, 64, 128, 256)

# ---- Theorem 4.1 -------------------------------------------------------------------------------------------------


def overlap_with_kronecker(instance: TwoLayerInstance) -> float:
    """Overlap of the top c-1 eigenspaces of H and E[M] ⊗ E[xxᵀ]."""
    return instance.layer_overlap()


statement_on_networks(
    "wu.thm4.1.overlap",
    over_networks(overlap_with_kronecker, networks=1),
    source="Theorem 4.1, eq. (40)",
    standing="theorem",
    statement="The top c-1 eigenspaces V₁ of H^(1) and V₂ of Ĥ^(1) = E[M] ⊗ E[xxᵀ] have overlap → 1.",
    limit=1.0,
    tolerance=Tolerance(absolute=0.005),
    cost=partial(layer_cost, networks=1),
)

COMPARED = 2
"""Networks of a replicate whose gap of H is measured beside that of M."""


def layer_gap_cost(size: int, alpha: float, classes: int) -> float:
    """The gaps of M, and the Gram side of some layer Hessians with three eigenvalue problems each."""
    rows = gap_inputs(size) * (float(classes) - 1)
    return float(gap_cost(size, alpha, classes) + COMPARED * (1e-3 + 1.3e-8 * rows**2 + 8e-12 * rows**3))


@statement_on_networks(
    "wu.thm4.1.gap",
    source="Theorem 4.1, eq. (6)",
    standing="theorem",
    statement="λ_c(H^(1))/λ_{c-1}(H^(1)) → 0.",
    limit=0.0,
    tolerance=Tolerance(absolute=0.05),
    exponents=GAP_EXPONENTS,
    because=GAP_BECAUSE,
    sizes=(64, 96, 128, 192, 256),
    cost=layer_gap_cost,
    memory=gap_memory,
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


refuted_ratio(
    "wu.lemmaB.19",
    over_batches(projected_over_layer, dependence=projected_ratio_dependence),
    source="Lemma B.19, eq. (168)",
    standing="lemma",
    statement="‖VȞVᵀ‖²_F/‖Ȟ‖²_F → 1 for Ȟ = H/d, V = W ⊗ 1ᵀ/√d.",
    cost=batch_cost,
    note=f"Combines B.21, B.22 and B.23; the last fails. The text scales by d², the proofs by d. {FAIR_COIN}",
    corrected=correction(
        "wu.lemmaB.19/corrected",
        statement=f"‖VȞVᵀ‖²_F/‖Ȟ‖²_F → {RATIO_LIMIT}.",
        limit=limits.projection_ratio,
    ),
)
statement_on_formula(
    "wu.lemmaB.20",
    source="Lemma B.20, eq. (171)",
    standing="lemma",
    same_as="wu.eq8",
    statement="Ȟ* = (1/4d)(WᵀE[A]W + diag(WᵀE[A]W)) ⊗ ((1/2π)11ᵀ + ((π-1)/2π)I): the relative Frobenius error → 0.",
    corrected=correction(
        "wu.lemmaB.20/corrected",
        statement="That relative error → √(1 - 1/(16q²)) ≈ 0.5592: the right-hand factor is exact, the left one is "
        "eq. (8).",
        limit=limits.formula_error,
    ),
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


statement_on_networks(
    "wu.lemmaB.21",
    layer_over_independent,
    source="Lemma B.21",
    standing="lemma",
    statement="‖Ȟ‖²_F/‖Ȟ*‖²_F → 1.",
    limit=1.0,
    tolerance=Tolerance(relative=0.02),
    cost=energy_cost,
    sizes=SMALL,
)
statement_on_networks(
    "wu.lemmaB.22",
    projected_layer_over_independent,
    source="Lemma B.22, eq. (177)",
    standing="lemma",
    statement="‖VȞVᵀ‖²_F/‖VȞ*Vᵀ‖²_F → 1.",
    limit=1.0,
    tolerance=Tolerance(relative=0.02),
    cost=projected_cost,
    sizes=SMALL,
)
refuted_ratio(
    "wu.lemmaB.23",
    over_stacks(projected_over_independent_layer, dependence=ratio_dependence),
    source="Lemma B.23, eq. (181)",
    standing="lemma",
    statement="‖VȞ*Vᵀ‖²_F/‖Ȟ*‖²_F → 1.",
    note=f"Reduces to Lemma B.18 (and eq. (186) misprints ‖E[xxᵀ]‖²_F, harmlessly). {FAIR_COIN}",
    corrected=correction(
        "wu.lemmaB.23/corrected",
        statement=f"‖VȞ*Vᵀ‖²_F/‖Ȟ*‖²_F → {RATIO_LIMIT}.",
        limit=limits.projection_ratio,
    ),
)


def kronecker_overlap_with_rows(instance: TwoLayerInstance) -> float:
    """Overlap of Ĥ's top c-1 eigenspace with the row span of V without 1ᵀV."""
    return instance.kronecker_row_overlap()


statement_on_rows(
    "wu.corB.5",
    over_networks(kronecker_overlap_with_rows, dependence=row_overlap),
    source="Corollary B.5",
    standing="lemma",
    statement="The top c-1 eigenspace of Ĥ and the row span of V = W ⊗ 1ᵀ/√d without 1ᵀV have overlap → 1.",
    note=f"Takes the row span of W for M's top eigenspace from Theorem 4.2. {FAIR_COIN}",
    corrected=correction(
        "wu.corB.5/corrected",
        statement="That overlap → 1/(4q) ≈ 0.8290.",
        limit=limits.row_space_overlap,
    ),
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


statement_on_batches(
    "wu.eq243",
    over_batches(squared_distance_of_lifts, dependence=lifts_dependence),
    source="eq. (243)",
    statement="‖(1/8π)VᵀE[A]V - VᵀVȞ*VᵀV‖_F → 0: its mean square over ‖E[A]/8π‖²_F → 0.",
    limit=0.0,
    tolerance=Tolerance(absolute=0.02),
    cost=c_by_c_cost,
    sizes=LARGE,
    note="True although Ȟ* is not what eq. (171) says: V Ȟ* Vᵀ sees only WΠWᵀ → I/2.",
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


statement_on_networks(
    "wu.eq242",
    over_batches(distance_to_lifted_layer, dependence=lifted_layer_dependence, curved=True),
    source="eq. (242)",
    standing="equation",
    statement="‖Ȟ - VᵀVȞ*VᵀV‖_F → 0.",
    limit=0.0,
    tolerance=Tolerance(absolute=0.0005),
    cost=batch_cost,
    cause=MEAN_DROPPED,
    note=f"Follows Lemma B.19. {FAIR_COIN}",
    theory_in_sampler=KNOWN_AVERAGES,
    corrected=correction(
        "wu.eq242/corrected",
        statement="The mean over weights of ‖Ȟ - VᵀVȞ*VᵀV‖_F → √(q² - 1/16)·E‖Ã(b)‖_F/(2π).",
        limit=layer_distance_limit,
    ),
)
