"""`dong` Theorem 2 as C grows: (30)-(33) with (67), the rates of (34) and those of the introduction.

The limits are iterated: first d, N → ∞ at fixed C, then C → ∞. The inner limit is tested on networks in
`theorem_2_networks`; here its value at each C, computed to a stated error, is followed to C = 10⁹.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rmtsim.claims import (
    Choice,
    Computed,
    Limit,
    Option,
    Plan,
    Rate,
    Relative,
    claim,
)
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, blocks
from rmtsim.papers.dong.theory import hidden_finite as finite
from rmtsim.papers.dong.theory import hidden_limits as limits

CLASSES_PLAN = Plan(sizes=(10**5, 10**6, 10**7, 10**8, 10**9), size_name="C", cost=0.05)
ALL_POINTS = tuple({"gamma": gamma, "hidden": hidden} for hidden in (5, 8, 12) for gamma in (0.1, 1.0, 5.0))

_CUT = (
    "averages over C independent rows of V are series in 1/C, but at m neurons the series is cut where a single "
    "class can take all the weight, at relative size C^{-(m-2)/3} up to logarithms: slow exponents belong to small m "
    "(rmtsim/papers/dong/errata.md)"
)


class SquareLossBlock(NamedTuple):
    """An energy at finite C, the power of C that scales it, and the limit of the product."""

    power: int
    energy: Callable[..., float]
    limit: Callable[..., float]


class OutputBlock(NamedTuple):
    """An energy at finite C, the power of C that scales it, and the limit of the product as derived and as printed."""

    power: int
    energy: Callable[..., Any]
    limit: Callable[..., float]
    printed_limit: Callable[..., float]


# ---- (30): hidden layer, cross-entropy -----------------------------------------------------------------------------


@claim(
    "dong.thm2.hidden-ce-diagonal",
    states=Limit(limits.hidden_ce_diagonal_limit, within=Relative(0.02)),
    over=(GAMMA, HIDDEN),
    points=ALL_POINTS,
    plan=CLASSES_PLAN.but(exponents=(1.0,)),
    evidence=Computed(2e-3, chain=("dong.thm2.hidden-ce-diagonal.join",)),
)
def h_ii(size: int, gamma: float, hidden: int) -> float:
    """h_ii at C = ``size``."""
    return finite.hidden_ce_diagonal(gamma, hidden, size).value


@claim(
    "dong.thm2.hidden-ce-offdiagonal",
    states=Limit(limits.printed_hidden_ce_offdiagonal_limit, within=Relative(0.02)),
    corrected=limits.hidden_ce_offdiagonal_limit,
    over=(GAMMA, HIDDEN),
    points=ALL_POINTS,
    plan=CLASSES_PLAN.but(exponents=(1 / 3, 0.5, 2 / 3, 1.0)),
    evidence=Computed(2e-3, chain=("dong.thm2.hidden-ce-offdiagonal.join",)),
)
def scaled_h_ij(size: int, gamma: float, hidden: int) -> float:
    """C·h_ij at C = ``size``."""
    return size * finite.hidden_ce_offdiagonal(gamma, hidden, size).value


# ---- (31): hidden layer, square loss -------------------------------------------------------------------------------


@claim(
    "dong.thm2.hidden-mse-{block}",
    states=Limit(lambda block, gamma, hidden: block.limit(gamma, hidden, factor=1.0), within=Relative(0.02)),
    over=[
        blocks(
            (
                SquareLossBlock(-2, finite.hidden_mse_diagonal, limits.hidden_mse_diagonal_limit),
                SquareLossBlock(-1, finite.hidden_mse_offdiagonal, limits.hidden_mse_offdiagonal_limit),
            ),
            part=("first", "second"),
            scaled=("u_ii(γ, C)/C²", "u_ij(γ, C)/C"),
            value=("(1 + 2γ)/(4m²)", "(1 + 4γ)/(16m²)"),
            column=("i", "j"),
        ),
        GAMMA,
        HIDDEN,
    ],
    points=ALL_POINTS,
    plan=CLASSES_PLAN.but(exponents=(1.0,)),
    evidence=Computed(1e-12, chain=("dong.thm2.hidden-mse-{block}.join",)),
)
def scaled_u(size: int, block: SquareLossBlock, gamma: float, hidden: int) -> float:
    """u_ii/C² or u_ij/C of the expression (8) at C = ``size``."""
    return float(size) ** block.power * block.energy(gamma, hidden, size, factor=1.0)


# ---- (32), (33): output layer, cross-entropy -----------------------------------------------------------------------


@claim(
    "dong.thm2.output-ce-{block}",
    states=Limit(lambda block, hidden: block.printed_limit(hidden), within=Relative(0.02)),
    corrected=lambda block, hidden: block.limit(hidden),
    over=[
        blocks(
            (
                OutputBlock(
                    2,
                    finite.output_ce_diagonal,
                    limits.output_ce_diagonal_limit,
                    limits.printed_output_ce_diagonal_limit,
                ),
                OutputBlock(
                    4,
                    finite.output_ce_offdiagonal,
                    limits.output_ce_offdiagonal_limit,
                    limits.printed_output_ce_offdiagonal_limit,
                ),
            ),
            equation=("32", "33"),
            q=("C² q_ii", "C⁴ q_ij"),
            k=("1", "2"),
            power=("m-2", "m-1"),
            coupling=("xy", "2xy"),
            more=("", " The last power is m-2, as in (111)."),
            credit=(
                "(108) and (109) have b_1 as the expectation that it should be.",
                "(110) and (111) have b_2 as the expectation that it should be, and (111) the power m-2.",
            ),
        ),
        GAMMA,
        HIDDEN,
    ],
    points=({"gamma": 0.1, "hidden": 5}, {"gamma": 1.0, "hidden": 8}, {"gamma": 5.0, "hidden": 12}),
    plan=CLASSES_PLAN.but(exponents=(2 / 3, 1.0)),
    evidence=Computed(2e-3, chain=("dong.thm2.output-ce-{block}.join",)),
)
def scaled_q(size: int, block: OutputBlock, gamma: float, hidden: int) -> float:
    """C² q_ii or C⁴ q_ij at C = ``size``; it does not depend on γ."""
    return float(float(size) ** block.power * block.energy(hidden, size).value)


# ---- Rates: (34), and the introduction -----------------------------------------------------------------------------


def h_ratio(size: int, gamma: float, hidden: int) -> float:
    """h_ij/h_ii."""
    above = finite.hidden_ce_offdiagonal(gamma, hidden, size).value
    return above / finite.hidden_ce_diagonal(gamma, hidden, size).value


def u_ratio(size: int, gamma: float, hidden: int) -> float:
    """u_ij/u_ii."""
    above = finite.hidden_mse_offdiagonal(gamma, hidden, size)
    return above / finite.hidden_mse_diagonal(gamma, hidden, size)


def q_ratio(size: int, gamma: float, hidden: int) -> float:
    """q_ij/q_ii, which does not depend on γ."""
    above = finite.output_ce_offdiagonal(hidden, size).value
    return above / finite.output_ce_diagonal(hidden, size).value


RATE_PLAN = CLASSES_PLAN.but(exponents=(1 / 3, 2 / 3, 1.0), because=_CUT)
RATE_POINTS = ({"gamma": 1.0, "hidden": 5}, {"gamma": 0.1, "hidden": 8}, {"gamma": 5.0, "hidden": 12})
RATE_EVIDENCE = Computed(
    2e-3, chain=("dong.thm2.{energy}-diagonal.join", "dong.thm2.{energy}-offdiagonal.join")
)


@claim(
    "dong.eq34.{energy}",
    states=Rate(1.0, "O", within=0.05),
    over=[
        Choice(
            "energy",
            {
                "hidden-ce": Option(h_ratio, words={"ratio": "h_ij/h_ii", "power": "C"}),
                "hidden-mse": Option(u_ratio, words={"ratio": "u_ij/u_ii", "power": "C"}),
                "output-ce": Option(
                    q_ratio, words={"ratio": "q_ij/q_ii", "power": "C²"}, states=Rate(2.0, "O", within=0.05)
                ),
            },
        ),
        GAMMA,
        HIDDEN,
    ],
    points=RATE_POINTS,
    plan=RATE_PLAN,
    evidence=RATE_EVIDENCE,
)
def energy_ratio(size: int, energy: Callable[..., float], gamma: float, hidden: int) -> float:
    """Off-diagonal over diagonal energy at C = ``size``."""
    return energy(size, gamma, hidden)


@claim(
    "dong.introduction.{energy}",
    states=Rate(0.5, "O", within=0.05),
    over=[
        Choice(
            "energy",
            {
                "hidden-ce": Option(
                    h_ratio, "hidden layer, cross-entropy: √(h_ij/h_ii)", words={"power": "√C"}
                ),
                "hidden-mse": Option(
                    u_ratio, "hidden layer, square loss: √(u_ij/u_ii)", words={"power": "√C"}
                ),
                "output-ce": Option(
                    q_ratio,
                    "output layer: √(q_ij/q_ii)",
                    words={"power": "C"},
                    states=Rate(1.0, "O", within=0.05),
                ),
            },
        ),
        GAMMA,
        HIDDEN,
    ],
    points=RATE_POINTS,
    plan=RATE_PLAN,
    evidence=RATE_EVIDENCE,
)
def norm_ratio(size: int, energy: Callable[..., float], gamma: float, hidden: int) -> float:
    """Root of off-diagonal over diagonal energy at C = ``size``."""
    return float(energy(size, gamma, hidden) ** 0.5)
