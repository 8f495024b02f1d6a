"""`dong` Theorem 2 on networks: (27)-(29) as d, N → ∞ at fixed C, and Proposition 7.

Every sampler draws hidden and output weights and inputs; nothing of the theory enters. What the inputs add beyond W x
is averaged in closed form at the given d and N (:mod:`rmtsim.papers.dong.simulation.one_hidden_average`), so
sizes in the thousands cost no more than small ones. Expectations at finite d, N expand in powers of 1/d (gates and
logits depend on W only through W Wᵀ, a Wishart matrix), so finite-size fits use the exponent one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Limit, Plan, Relative, Simulated, claim
from rmtsim.papers.dong.simulation.mean_energies import Block, energy_cost, energy_memory, mean_energies
from rmtsim.papers.dong.statements.parameters import CLASSES, GAMMA, HIDDEN, SERIES, blocks
from rmtsim.papers.dong.theory import hidden_finite as finite
from rmtsim.papers.dong.theory import hidden_limits as limits

NETWORKS = (
    {"gamma": 0.1, "hidden": 5, "classes": 5},
    {"gamma": 1.0, "hidden": 8, "classes": 20},
    {"gamma": 5.0, "hidden": 12, "classes": 50},
)
"""The points at which (27)-(29) are tested."""
NETWORKS_PLAN = Plan(
    sizes=(40, 160, 640, 2560),
    size_name="min(d, N)",
    exponents=(1.0,),
    because=SERIES,
    cost=energy_cost,
    memory=energy_memory,
)


def block_energy(
    size: int,
    rng: np.random.Generator,
    replicates: int,
    block: Block,
    gamma: float,
    hidden: int,
    classes: int,
) -> NDArray[np.float64]:
    """‖∂²ℓ/∂w_i∂w_jᵀ‖²_F/d of the hidden layer or ‖∂²ℓ/∂v_i∂v_jᵀ‖²_F of the output layer, for one kind of block."""
    return mean_energies(block, size, rng, replicates, gamma, hidden, classes)


def tends_to(value: Callable[..., float]) -> Limit:
    """A limit within five per cent."""
    return Limit(value, within=Relative(0.05))


def h_ii(gamma: float, hidden: int, classes: int) -> float:
    """γE[ξ²] + E[(E[ξ|V])²]."""
    return finite.hidden_ce_diagonal(gamma, hidden, classes).value


def h_ij(gamma: float, hidden: int, classes: int) -> float:
    """γE[η²] + E[(E[η|V])²]."""
    return finite.hidden_ce_offdiagonal(gamma, hidden, classes).value


def q_ii(gamma: float, hidden: int, classes: int) -> float:
    """The average (107) over two independent Gaussian pre-activations, summed as in (103); the same for every γ."""
    return finite.output_ce_diagonal(hidden, classes).value


def q_ij(gamma: float, hidden: int, classes: int) -> float:
    """The average (107) over two independent Gaussian pre-activations, summed as in (104); the same for every γ."""
    return finite.output_ce_offdiagonal(hidden, classes).value


# ---- (27): hidden layer, cross-entropy -----------------------------------------------------------------------------

claim(
    "dong.eq27.{block}",
    block_energy,
    corrected=Corrected(
        states=tends_to(
            lambda block, gamma, hidden, classes: (h_ij if block[2] else h_ii)(gamma, hidden, classes)
        )
    ),
    over=[
        blocks(
            (("hidden", "ce", 0), ("hidden", "ce", 1)),
            average=("91", "92"),
            value=("h_ii", "h_ij"),
            variable=("ξ", "η"),
            right=("89", "90"),
            states=(
                tends_to(finite.printed_hidden_ce_diagonal),
                tends_to(finite.printed_hidden_ce_offdiagonal),
            ),
        ),
        GAMMA,
        HIDDEN,
        CLASSES,
    ],
    points=NETWORKS,
    plan=NETWORKS_PLAN,
    evidence=Simulated(revision=2),
)

# ---- (28): hidden layer, square loss -------------------------------------------------------------------------------

SQUARE_LOSS_BLOCKS = (("hidden", "mse", 0), ("hidden", "mse", 1))

claim(
    "dong.eq28.{block}",
    block_energy,
    corrected=Corrected(
        states=tends_to(
            lambda block, gamma, hidden, classes: (
                finite.hidden_mse_offdiagonal if block[2] else finite.hidden_mse_diagonal
            )(gamma, hidden, classes)
        )
    ),
    over=[
        blocks(
            SQUARE_LOSS_BLOCKS,
            equation=("100", "101"),
            printed_value=("(1 + 2γ)/4", "(1 + 4γ)/16"),
            right_value=("C(C+2)(1 + 2γ)/m²", "C(1 + 4γ)/(4m²)"),
            states=(
                tends_to(lambda gamma: (1 + 2 * gamma) / 4),
                tends_to(lambda gamma: (1 + 4 * gamma) / 16),
            ),
        ),
        GAMMA,
        HIDDEN,
        CLASSES,
    ],
    points=NETWORKS,
    plan=NETWORKS_PLAN,
    evidence=Simulated(revision=2),
)

# ---- Proposition 7: the same for the expression (8), as C grows -----------------------------------------------------


def expression_8_limit(limit: Callable[..., float]) -> Limit:
    """The limit as d, N → ∞ and then C → ∞, without the factor 2 of the loss."""
    stated = tends_to(lambda gamma, hidden: limit(gamma, hidden, factor=1.0))
    return stated.but(outer=("classes", (25, 100, 400)))


@claim(
    "dong.prop7.{block}",
    over=[
        blocks(
            SQUARE_LOSS_BLOCKS,
            scale=("C²", "C"),
            value=("(1 + 2γ)/(4m²)", "(1 + 4γ)/(16m²)"),
            states=(
                expression_8_limit(limits.hidden_mse_diagonal_limit),
                expression_8_limit(limits.hidden_mse_offdiagonal_limit),
            ),
        ),
        GAMMA,
        HIDDEN,
    ],
    points=tuple({"gamma": point["gamma"], "hidden": point["hidden"]} for point in NETWORKS),
    plan=NETWORKS_PLAN,
    evidence=Simulated(revision=2),
)
def expression_8_energy(
    size: int,
    rng: np.random.Generator,
    replicates: int,
    block: Block,
    gamma: float,
    hidden: int,
    classes: int,
) -> NDArray[np.float64]:
    """‖K_ii‖²_F/(C²d) or ‖K_ij‖²_F/(Cd), K the expression (8): half of the Hessian of the loss (7)."""
    factor = 0.25 / classes if block[2] else 0.25 / classes**2
    return mean_energies(block, size, rng, replicates, gamma, hidden, classes, factor=factor)


# ---- (29): output layer, cross-entropy -----------------------------------------------------------------------------

claim(
    "dong.eq29.{block}",
    block_energy,
    over=[
        blocks(
            (("output", "ce", 0), ("output", "ce", 1)),
            column=("i", "j"),
            states=(tends_to(q_ii), tends_to(q_ij)),
        ),
        GAMMA,
        HIDDEN,
        CLASSES,
    ],
    points=NETWORKS,
    plan=NETWORKS_PLAN,
    evidence=Simulated(revision=2),
)
