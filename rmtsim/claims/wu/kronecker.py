"""Claims of `wu` on the Kronecker structure itself: the decoupling conjecture, sections 3.1 and G.2."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Tolerance
from rmtsim.claims.wu.costs import energy_cost, layer_cost, network_memory, response_cost
from rmtsim.claims.wu.layer_hessian import SMALL
from rmtsim.claims.wu.networks import over_networks, statement_on_networks
from rmtsim.claims.wu.output_spaces import GAP_SIZES, gap_inputs, gap_memory

if TYPE_CHECKING:
    from rmtsim.hessian.layer_hessian import LayerEigenspace
    from rmtsim.hessian.two_layer import TwoLayerInstance

# ---- The decoupling conjecture -----------------------------------------------------------------------------------


@over_networks
def squared_decoupling_error(instance: TwoLayerInstance) -> float:
    """‖E[M] ⊗ E[xxᵀ] - H‖²_F/‖H‖²_F, unbiased by halves."""
    from rmtsim.hessian.layer_hessian import decoupling_energy

    return decoupling_energy(*instance.layers, *instance.output) / (
        instance.layer_energy * instance.response.inputs.dimension**2
    )


@over_networks
def bound_on_spectral_error(instance: TwoLayerInstance) -> float:
    """‖·‖²_F of the difference over λ₁(H)², with λ₁ from below: at least the squared ratio of spectral norms."""
    from rmtsim.hessian.layer_hessian import decoupling_energy, rayleigh_quotient

    spaces = [layer.top(1) for layer in instance.layers]
    largest = 0.5 * sum(
        rayleigh_quotient(space, layer) for space, layer in zip(spaces, instance.layers[::-1], strict=True)
    )
    return decoupling_energy(*instance.layers, *instance.output) / largest**2


_RATE = (
    "The limit is zero, at rate 1/d for the square: with x = μ1 + ξ the difference is E[(M - E M) ⊗ μ(1ξᵀ + ξ1ᵀ)] and "
    "smaller terms, of norm O(√d) beside ‖H‖ = O(d)."
)
statement_on_decoupling = partial(
    statement_on_networks,
    source="section 3, eq. (3)",
    standing="heuristic",
    qualifier="informal conjecture",
    limit=0.0,
    sizes=SMALL,
    because="1/d = n^{-(1+α)} decays faster than 1/n, the next term is O(1/n)",
)
statement_on_decoupling(
    "wu.decoupling",
    squared_decoupling_error,
    statement="The relative error of the Kronecker approximation is at most a small constant: here "
    "‖E[M] ⊗ E[xxᵀ] - E[M ⊗ xxᵀ]‖²_F/‖E[M ⊗ xxᵀ]‖²_F → 0.",
    tolerance=Tolerance(absolute=0.005),
    cost=energy_cost,
    note=_RATE,
)
statement_on_decoupling(
    "wu.decoupling.spectral",
    bound_on_spectral_error,
    statement="The same in spectral norm → 0: bounded by ‖E[M] ⊗ E[xxᵀ] - E[M ⊗ xxᵀ]‖²_F/λ₁(H)² → 0.",
    tolerance=Tolerance(absolute=0.01),
    cost=layer_cost,
    note=f"{_RATE} The Frobenius norm of the difference bounds its spectral norm from above.",
)

# ---- Matricised eigenvectors, autocorrelation of the activations -------------------------------------------------

MANY_INPUTS = 192
"""Inputs where matricised eigenvectors of H^(1) are compared: their sampling error is larger than that of M's."""


def leading_singular_share(instance: TwoLayerInstance) -> float:
    """Mean over the top c-1 eigenvectors of σ₁/‖·‖_F of Mat(h), extrapolated in the number of inputs."""
    from rmtsim.hessian.layer_hessian import LayerHessian

    count = instance.classes - 1

    def share(space: LayerEigenspace) -> float:
        return float(np.mean([space.singular_values(index)[0] for index in range(count)]))

    whole = LayerHessian(instance.weights, instance.response).top(count)
    return 2 * share(whole) - 0.5 * (share(instance.layer_spaces[0]) + share(instance.layer_spaces[1]))


statement_on_networks(
    "wu.secG.2",
    over_networks(leading_singular_share, inputs=MANY_INPUTS),
    source="section G.2",
    standing="remark",
    statement="Matricised top eigenvectors of H^(1) are near rank one: σ₁(Mat h_i)/‖Mat h_i‖_F → 1 for i < c.",
    limit=1.0,
    tolerance=Tolerance(absolute=0.005),
    cost=lambda size, alpha, classes: 3 * layer_cost(size, alpha, classes, MANY_INPUTS) + 4e-9 * size**3,
    memory=partial(network_memory, inputs=MANY_INPUTS),
)


def second_over_first(instance: TwoLayerInstance) -> float:
    """λ₂/λ₁ of E[yyᵀ], extrapolated in the number of inputs."""
    from rmtsim.hessian.eigenspaces import top_eigenspace

    def ratio(hidden: NDArray[np.float64]) -> float:
        values = top_eigenspace(hidden.T @ hidden, 1, extra=1).values
        return float(values[1] / values[0])

    halves = [ratio(half.hidden[-1]) for half in instance.halves]
    return 2 * ratio(instance.response.hidden[-1]) - 0.5 * (halves[0] + halves[1])


def alignment_with_mean(instance: TwoLayerInstance) -> float:
    """cos² between the top eigenvector of one half and the mean of the other, over cos² of the two means' noise."""
    first, second = (half.hidden[-1] for half in instance.halves)
    mean = first.mean(axis=0)
    _, _, right = np.linalg.svd(second, full_matrices=False)
    other = second.mean(axis=0)
    raw = float((right[0] @ mean) ** 2 / (mean @ mean))
    return raw / float((mean @ other) ** 2 / ((mean @ mean) * (other @ other)))


statement_on_networks(
    "wu.sec3.1.hidden",
    over_networks(second_over_first, inputs=gap_inputs, networks=1, inner=False),
    source="section 3.1",
    standing="remark",
    statement="The autocorrelation E[yyᵀ] of the non-negative hidden activations is near rank one: λ₂/λ₁ → 0.",
    limit=0.0,
    tolerance=Tolerance(absolute=0.01),
    sizes=GAP_SIZES,
    cost=lambda size, alpha: (
        response_cost(size, alpha, gap_inputs(size), 1, inner=False)
        + (1.5e-3 + 1e-10 * gap_inputs(size) * size**2)
    ),
    memory=gap_memory,
    note="With a fixed number N of inputs λ₂/λ₁ would stop near Var(y)/(N (E y)²): N grows with the width.",
)
statement_on_networks(
    "wu.sec3.1.direction",
    over_networks(alignment_with_mean),
    source="section 3.1",
    standing="remark",
    statement="The top eigenvector of E[yyᵀ] is asymptotically along E[y]: cos² → 1.",
    limit=1.0,
    tolerance=Tolerance(absolute=0.003),
    sizes=SMALL,
)
