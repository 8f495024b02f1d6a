"""Claims of `wu` appendix C on the full Hessian of both layers with biases: eqs. (255), (261)–(263)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from rmtsim.claims._model import Tolerance
from rmtsim.papers.wu.statements.costs import INPUTS, NETWORKS, output_cost, response_cost
from rmtsim.papers.wu.statements.networks import over_networks, statement_on_networks

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance

Part = Literal["full", "gauss-newton"]
OVERLAP, EIGENVALUES = 0, 1
"""Which number of an approximation: overlap of eigenspaces, or mean ratio of eigenvalues."""


def extrapolated(part: Part, which: int) -> Callable[[TwoLayerInstance], float]:
    """The number from all inputs and from half of them, extrapolated in one over their number."""

    def twice_whole_less_half(instance: TwoLayerInstance) -> float:
        from rmtsim.papers.wu.simulation.full_hessian import full_hessian_approximation
        from rmtsim.papers.wu.simulation.gauss_newton import full_approximation

        approximation: Callable[..., tuple[float, float]] = (
            full_hessian_approximation if part == "full" else full_approximation
        )
        whole = approximation(instance.weights, instance.response)[which]
        halves = [approximation(instance.weights, half)[which] for half in instance.halves]
        return 2 * whole - 0.5 * (halves[0] + halves[1])

    return twice_whole_less_half


FULL_NETWORKS = 1
"""Networks of a replicate where both terms are measured: their values are skewed, and what counts then is the number of
replicates, not their precision (which one network has to spare)."""


def full_cost(size: int, alpha: float, classes: int) -> float:
    """Lanczos in parameter space: about 60 products over all inputs, as many on the halves."""
    d = min(float(size) ** (1 + alpha), float(INPUTS))
    each = (0.7 + 0.1 * classes) * (1.1e-2 + 8e-9 * INPUTS * size * d + 8e-7 * size * d)
    return float(response_cost(size, alpha, INPUTS, FULL_NETWORKS) + FULL_NETWORKS * each)


def gauss_newton_cost(size: int, alpha: float, classes: int) -> float:
    """The Gram side of the Gauss–Newton part is formed."""
    return output_cost(size, alpha, classes) + 1e-7 * NETWORKS * (INPUTS * (classes - 1)) ** 2


statement_on_approximation = partial(
    statement_on_networks,
    standing="heuristic",
    qualifier="≈, can be approximated",
    limit=1.0,
    tolerance=Tolerance(absolute=0.02),
    sizes=(16, 32, 64, 128),
    exponents=(0.75, 1.0),
    because="O(√d) beside O(d): squares decay like 1/d, and the next terms like 1/n",
)
statement_on_both_terms = partial(
    statement_on_approximation,
    sizes=(64, 128, 256, 512),
    cost=full_cost,
    note="Tested at initialisation only, where the paper shows trained networks. "
    "Taken with labels independent of the inputs and uniform, so that their mean 1/c enters the H-term: it is off "
    "the diagonal, of norm O(√d) beside λ = O(d).",
)
statement_on_gauss_newton = partial(
    statement_on_approximation,
    cost=gauss_newton_cost,
    note="Tested at initialisation only, where the paper shows trained networks.",
)

statement_on_both_terms(
    "wu.eq262",
    over_networks(extrapolated("full", OVERLAP), networks=FULL_NETWORKS),
    source="eqs. (261)–(262)",
    statement="The top c-1 eigenspace of the full Hessian (both layers and biases, G-term and H-term) and the span of "
    "w_i = (u_i^(1) ⊗ E x̃; u_i^(2) ⊗ E ỹ) have overlap → 1.",
)
statement_on_both_terms(
    "wu.eq263",
    over_networks(extrapolated("full", EIGENVALUES), networks=FULL_NETWORKS),
    source="eq. (263)",
    statement="λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the full Hessian.",
)
statement_on_gauss_newton(
    "wu.eq262.gauss-newton",
    over_networks(extrapolated("gauss-newton", OVERLAP)),
    source="eqs. (255), (261)–(262)",
    statement="The same overlap for the Gauss–Newton part (G-term) alone → 1.",
)
statement_on_gauss_newton(
    "wu.eq263.gauss-newton",
    over_networks(extrapolated("gauss-newton", EIGENVALUES)),
    source="eqs. (255), (263)",
    statement="λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the Gauss–Newton part (G-term).",
)
