"""Claims of `wu` appendix C on the full Hessian of both layers with biases: eqs. (255), (261)–(263)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from rmtsim.claims import Choice, Limit, Option, claim
from rmtsim.papers.wu.statements.costs import INPUTS, NETWORKS, output_cost, response_cost
from rmtsim.papers.wu.statements.networks import NETWORKS_PLAN, over_networks
from rmtsim.papers.wu.statements.parameters import NETWORK_GRID

if TYPE_CHECKING:
    from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance

Part = Literal["full", "gauss-newton"]


def extrapolated(part: Part, which: int) -> Callable[[TwoLayerInstance], float]:
    """A number from all inputs and from half of them, extrapolated in one over their number.

    ``which`` is 0 for the overlap of eigenspaces, 1 for the mean ratio of eigenvalues.
    """

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


def quantities(overlap: Option, eigenvalues: Option) -> Choice:
    """The two numbers of an approximation: eq. (262) is about eigenspaces, eq. (263) about eigenvalues."""
    return Choice("quantity", {"2": overlap, "3": eigenvalues})


claim(
    "wu.eq26{quantity}",
    states=Limit(1.0, within=0.02),
    over=[
        quantities(
            Option(
                words={
                    "equations": "eqs. (261)–(262)",
                    "statement": "The top c-1 eigenspace of the full Hessian (both layers and biases, G-term and "
                    "H-term) and the span of w_i = (u_i^(1) ⊗ E x̃; u_i^(2) ⊗ E ỹ) have overlap → 1.",
                },
                measured=over_networks(extrapolated("full", 0), networks=FULL_NETWORKS),
            ),
            Option(
                words={
                    "equations": "eq. (263)",
                    "statement": "λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the full Hessian.",
                },
                measured=over_networks(extrapolated("full", 1), networks=FULL_NETWORKS),
            ),
        ),
        *NETWORK_GRID.parameters,
    ],
    points=NETWORK_GRID.points,
    plan=APPROXIMATION_PLAN.but(sizes=(64, 128, 256, 512), cost=full_cost),
)
claim(
    "wu.eq26{quantity}.gauss-newton",
    states=Limit(1.0, within=0.02),
    over=[
        quantities(
            Option(
                words={
                    "equations": "(261)–(262)",
                    "statement": "The same overlap for the Gauss–Newton part (G-term) alone → 1.",
                },
                measured=over_networks(extrapolated("gauss-newton", 0)),
            ),
            Option(
                words={
                    "equations": "(263)",
                    "statement": "λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the Gauss–Newton part (G-term).",
                },
                measured=over_networks(extrapolated("gauss-newton", 1)),
            ),
        ),
        *NETWORK_GRID.parameters,
    ],
    points=NETWORK_GRID.points,
    plan=APPROXIMATION_PLAN.but(cost=gauss_newton_cost),
)
