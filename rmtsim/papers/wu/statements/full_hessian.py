"""Claims of `wu` appendix C on the full Hessian of both layers with biases: eqs. (255), (261)–(263)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from rmtsim.claims import Limit, Place, claim
from rmtsim.papers.wu.statements.costs import INPUTS, NETWORKS, output_cost, response_cost
from rmtsim.papers.wu.statements.networks import NETWORKS_OVER, NETWORKS_PLAN, NETWORKS_POINTS, over_networks

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


APPROXIMATION_PLAN = NETWORKS_PLAN.but(
    sizes=(16, 32, 64, 128),
    exponents=(0.75, 1.0),
    because="O(√d) beside O(d): squares decay like 1/d, and the next terms like 1/n",
)
BOTH_TERMS_PLAN = APPROXIMATION_PLAN.but(sizes=(64, 128, 256, 512), cost=full_cost)
BOTH_TERMS_NOTE = (
    "Tested at initialisation only, where the paper shows trained networks. "
    "Taken with labels independent of the inputs and uniform, so that their mean 1/c enters the H-term: it is off "
    "the diagonal, of norm O(√d) beside λ = O(d)."
)
GAUSS_NEWTON_PLAN = APPROXIMATION_PLAN.but(cost=gauss_newton_cost)
GAUSS_NEWTON_NOTE = "Tested at initialisation only, where the paper shows trained networks."

claim(
    "wu.eq262",
    over_networks(extrapolated("full", OVERLAP), networks=FULL_NETWORKS),
    at=Place("eqs. (261)–(262)", qualifier="≈, can be approximated", note=BOTH_TERMS_NOTE),
    standing="heuristic",
    printed="The top c-1 eigenspace of the full Hessian (both layers and biases, G-term and H-term) and the span of "
    "w_i = (u_i^(1) ⊗ E x̃; u_i^(2) ⊗ E ỹ) have overlap → 1.",
    states=Limit(1.0, within=0.02),
    over=NETWORKS_OVER,
    points=NETWORKS_POINTS,
    plan=BOTH_TERMS_PLAN,
)
claim(
    "wu.eq263",
    over_networks(extrapolated("full", EIGENVALUES), networks=FULL_NETWORKS),
    at=Place("eq. (263)", qualifier="≈, can be approximated", note=BOTH_TERMS_NOTE),
    standing="heuristic",
    printed="λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the full Hessian.",
    states=Limit(1.0, within=0.02),
    over=NETWORKS_OVER,
    points=NETWORKS_POINTS,
    plan=BOTH_TERMS_PLAN,
)
claim(
    "wu.eq262.gauss-newton",
    over_networks(extrapolated("gauss-newton", OVERLAP)),
    at=Place("eqs. (255), (261)–(262)", qualifier="≈, can be approximated", note=GAUSS_NEWTON_NOTE),
    standing="heuristic",
    printed="The same overlap for the Gauss–Newton part (G-term) alone → 1.",
    states=Limit(1.0, within=0.02),
    over=NETWORKS_OVER,
    points=NETWORKS_POINTS,
    plan=GAUSS_NEWTON_PLAN,
)
claim(
    "wu.eq263.gauss-newton",
    over_networks(extrapolated("gauss-newton", EIGENVALUES)),
    at=Place("eqs. (255), (263)", qualifier="≈, can be approximated", note=GAUSS_NEWTON_NOTE),
    standing="heuristic",
    printed="λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the Gauss–Newton part (G-term).",
    states=Limit(1.0, within=0.02),
    over=NETWORKS_OVER,
    points=NETWORKS_POINTS,
    plan=GAUSS_NEWTON_PLAN,
)
