"""`dong` Theorem 2 as C grows: (30)-(33) with (67), the rates of (34) and those of the introduction.

The limits are iterated: first d, N → ∞ at fixed C, then C → ∞. The inner limit is tested on networks in
`theorem_2_networks`; here its value at each C, computed to a stated error, is followed to C = 10⁹.
"""

from __future__ import annotations

from functools import partial

from rmtsim.claims import Computed, Corrected, Erratum, Limit, Place, Plan, Rate, Relative, claim
from rmtsim.claims._model import Parameters
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN
from rmtsim.papers.dong.theory import hidden_finite as finite
from rmtsim.papers.dong.theory import hidden_limits as limits

_HIDDEN_ONLY: tuple[Parameters, ...] = (
    {"gamma": 0.1, "hidden": 5},
    {"gamma": 1.0, "hidden": 8},
    {"gamma": 5.0, "hidden": 12},
)
"""The output-layer limits are stated at every γ and depend on none."""

CLASSES_PLAN = Plan(sizes=(10**5, 10**6, 10**7, 10**8, 10**9), size_name="C", cost=0.05)
LIMIT_OF_THEOREM_2_POINTS = tuple(
    {"gamma": gamma, "hidden": hidden} for hidden in (5, 8, 12) for gamma in (0.1, 1.0, 5.0)
)

_SERIES = "averages over C independent rows of V: a series in 1/C"
_CUT = (
    "averages over C independent rows of V are series in 1/C, but at m neurons the series is cut where a single "
    "class can take all the weight, at relative size C^{-(m-2)/3} up to logarithms: slow exponents belong to small m "
    "(rmtsim/papers/dong/errata.md)"
)
_ETA = "γ(m-1)²/(2^m (m-2)³ m)·(√(m/(m-2)) + 1)^{m-2}"
_FACTOR = "the factor 2 of the square loss is lost"
_FOUR = (
    "Two readings. (31) writes ∂²ℓ_MSE, and the Hessian of the loss (7) is twice the expression (8) (see dong.eq8), so "
    "its squared norms are four times those printed; but Theorem 2 begins with “the Hessian expressions in (8)”, and "
    "for that expression the printed value holds (see dong.prop7)."
)
_FOUR_CREDIT = "Proposition 7 states these limits for the expression (8), and for it they hold."
_CONSTANTS = "b_1 and b_2 have 1/(8π) for 1/(2π)"
_QUARTER = (
    "b_1 and b_2 of (67) stand for E[exp(kσ(x)σ(y)/m)], k = 1, 2, but carry 1/(8π) before an integral that needs "
    "1/(2π): as m grows they tend to 13/16 instead of one."
)


# ---- (30): hidden layer, cross-entropy -----------------------------------------------------------------------------


@claim(
    "dong.thm2.hidden-ce-diagonal",
    at="Theorem 2, eq. (30, first part)",
    standing="theorem",
    printed="lim h_ii(γ, C) = (1 + 2γ)/(4m²) as C → ∞.",
    states=Limit(limits.hidden_ce_diagonal_limit, within=Relative(0.02)),
    over=(GAMMA, HIDDEN),
    points=LIMIT_OF_THEOREM_2_POINTS,
    plan=CLASSES_PLAN.but(exponents=(1.0,), because=_SERIES),
    evidence=Computed(2e-3, chain=("dong.thm2.hidden-ce-diagonal.join",)),
)
def h_ii(size: int, gamma: float, hidden: int) -> float:
    """h_ii at C = ``size``."""
    return finite.hidden_ce_diagonal(gamma, hidden, size).value


@claim(
    "dong.thm2.hidden-ce-offdiagonal",
    at="Theorem 2, eq. (30, second part)",
    standing="theorem",
    printed=f"lim C·h_ij(γ, C) = {_ETA} as C → ∞.",
    corrected=Corrected(
        f"lim C·h_ij(γ, C) = {_ETA} + (I₁/m² + I₀/m)²(3/4 + I₀)^{{m-2}}, "
        "I_k = (1/2π)∫∫_{x,y>0} (xy)^k e^{xy/m - x²/2 - y²/2}.",
        states=Limit(limits.hidden_ce_offdiagonal_limit, within=Relative(0.02)),
    ),
    states=Limit(limits.printed_hidden_ce_offdiagonal_limit, within=Relative(0.02)),
    over=(GAMMA, HIDDEN),
    points=LIMIT_OF_THEOREM_2_POINTS,
    plan=CLASSES_PLAN.but(exponents=(1 / 3, 0.5, 2 / 3, 1.0), because=_CUT),
    evidence=Computed(2e-3, chain=("dong.thm2.hidden-ce-offdiagonal.join",)),
    erratum=Erratum(
        cause="the average of a square is taken for the square of an average",
        note="Eq. (92) averages (E[η|V])² over V and writes (Eη)². Networks of one draw share V: "
        "E[(E[η|V])²] is of order 1/C like E[η²] itself, and adds a term without γ.",
        credit="(90), before the average over V, is right, and so is the term that (95) keeps.",
    ),
)
def scaled_h_ij(size: int, gamma: float, hidden: int) -> float:
    """C·h_ij at C = ``size``."""
    return size * finite.hidden_ce_offdiagonal(gamma, hidden, size).value


# ---- (31): hidden layer, square loss -------------------------------------------------------------------------------


@claim(
    "dong.thm2.hidden-mse-diagonal",
    at="Theorem 2, eq. (31, first part)",
    standing="theorem",
    printed="lim u_ii(γ, C)/C² = (1 + 2γ)/(4m²) as C → ∞, u_ii the limit of E‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/d.",
    corrected=Corrected(
        "lim u_ii(γ, C)/C² = (1 + 2γ)/m² as C → ∞, u_ii the limit of E‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/d.",
        states=Limit(limits.hidden_mse_diagonal_limit, within=Relative(0.02)),
    ),
    states=Limit(partial(limits.hidden_mse_diagonal_limit, factor=1.0), within=Relative(0.02)),
    over=(GAMMA, HIDDEN),
    points=LIMIT_OF_THEOREM_2_POINTS,
    plan=CLASSES_PLAN.but(exponents=(1.0,), because="u_ii is a polynomial in C"),
    evidence=Computed(1e-12, chain=("dong.thm2.hidden-mse-diagonal.join",)),
    erratum=Erratum(cause=_FACTOR, note=_FOUR, credit=_FOUR_CREDIT),
)
def scaled_u_ii(size: int, gamma: float, hidden: int) -> float:
    """u_ii/C² at C = ``size``."""
    return float(size) ** -2 * finite.hidden_mse_diagonal(gamma, hidden, size)


@claim(
    "dong.thm2.hidden-mse-offdiagonal",
    at="Theorem 2, eq. (31, second part)",
    standing="theorem",
    printed="lim u_ij(γ, C)/C = (1 + 4γ)/(16m²) as C → ∞, u_ij the limit of E‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/d.",
    corrected=Corrected(
        "lim u_ij(γ, C)/C = (1 + 4γ)/(4m²) as C → ∞, u_ij the limit of E‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/d.",
        states=Limit(limits.hidden_mse_offdiagonal_limit, within=Relative(0.02)),
    ),
    states=Limit(partial(limits.hidden_mse_offdiagonal_limit, factor=1.0), within=Relative(0.02)),
    over=(GAMMA, HIDDEN),
    points=LIMIT_OF_THEOREM_2_POINTS,
    plan=CLASSES_PLAN.but(exponents=(1.0,), because="u_ij is a polynomial in C"),
    evidence=Computed(1e-12, chain=("dong.thm2.hidden-mse-offdiagonal.join",)),
    erratum=Erratum(cause=_FACTOR, note=_FOUR, credit=_FOUR_CREDIT),
)
def scaled_u_ij(size: int, gamma: float, hidden: int) -> float:
    """u_ij/C at C = ``size``."""
    return float(size) ** -1 * finite.hidden_mse_offdiagonal(gamma, hidden, size)


# ---- (32), (33): output layer, cross-entropy -----------------------------------------------------------------------

LIMIT_OF_OUTPUT_LAYER_PLAN = CLASSES_PLAN.but(exponents=(2 / 3, 1.0), because=_CUT)


@claim(
    "dong.thm2.output-ce-diagonal",
    at="Theorem 2, eq. (32 with 67)",
    standing="theorem",
    printed="lim C² q_ii = m a_12 b_1^{m-1} + m(m-1) a_11² b_1^{m-2} as C → ∞, with the constants of (67).",
    corrected=Corrected(
        "lim C² q_ii = m a_12 b_1^{m-1} + m(m-1) a_11² b_1^{m-2} as C → ∞, with b_1 = 3/4 + "
        "(1/2π)∫∫ exp(xy/m - x²/2 - y²/2).",
        states=Limit(limits.output_ce_diagonal_limit, within=Relative(0.02)),
    ),
    states=Limit(limits.printed_output_ce_diagonal_limit, within=Relative(0.02)),
    over=(GAMMA, HIDDEN),
    points=_HIDDEN_ONLY,
    plan=LIMIT_OF_OUTPUT_LAYER_PLAN,
    evidence=Computed(2e-3, chain=("dong.thm2.output-ce-diagonal.join",)),
    erratum=Erratum(
        cause=_CONSTANTS,
        note=_QUARTER,
        credit="(108) and (109) have b_1 as the expectation that it should be.",
    ),
)
def scaled_q_ii(size: int, gamma: float, hidden: int) -> float:
    """C² q_ii at C = ``size``; it does not depend on γ."""
    return float(size) ** 2 * finite.output_ce_diagonal(hidden, size).value


@claim(
    "dong.thm2.output-ce-offdiagonal",
    at="Theorem 2, eq. (33 with 67)",
    standing="theorem",
    printed="lim C⁴ q_ij = m a_22 b_2^{m-1} + m(m-1) a_21² b_2^{m-1} as C → ∞, with the constants of (67).",
    corrected=Corrected(
        "lim C⁴ q_ij = m a_22 b_2^{m-1} + m(m-1) a_21² b_2^{m-2} as C → ∞, with b_2 = 3/4 + "
        "(1/2π)∫∫ exp(2xy/m - x²/2 - y²/2).",
        states=Limit(limits.output_ce_offdiagonal_limit, within=Relative(0.02)),
    ),
    states=Limit(limits.printed_output_ce_offdiagonal_limit, within=Relative(0.02)),
    over=(GAMMA, HIDDEN),
    points=_HIDDEN_ONLY,
    plan=LIMIT_OF_OUTPUT_LAYER_PLAN,
    evidence=Computed(2e-3, chain=("dong.thm2.output-ce-offdiagonal.join",)),
    erratum=Erratum(
        cause=_CONSTANTS,
        note=f"{_QUARTER} The last power is m-2, as in (111).",
        credit="(110) and (111) have b_2 as the expectation that it should be, and (111) the power m-2.",
    ),
)
def scaled_q_ij(size: int, gamma: float, hidden: int) -> float:
    """C⁴ q_ij at C = ``size``; it does not depend on γ."""
    return float(size) ** 4 * finite.output_ce_offdiagonal(hidden, size).value


# ---- Rates: (34), and the introduction -----------------------------------------------------------------------------

RATE_IN_CLASSES_PLAN = CLASSES_PLAN.but(exponents=(1 / 3, 2 / 3, 1.0), because=_CUT)
RATE_IN_CLASSES_POINTS = (
    {"gamma": 1.0, "hidden": 5},
    {"gamma": 0.1, "hidden": 8},
    {"gamma": 5.0, "hidden": 12},
)


def h_ratio(size: int, gamma: float, hidden: int) -> float:
    """h_ij/h_ii."""
    above, below = (
        f(gamma, hidden, size).value for f in (finite.hidden_ce_offdiagonal, finite.hidden_ce_diagonal)
    )
    return above / below


def u_ratio(size: int, gamma: float, hidden: int) -> float:
    """u_ij/u_ii."""
    above, below = (
        f(gamma, hidden, size) for f in (finite.hidden_mse_offdiagonal, finite.hidden_mse_diagonal)
    )
    return above / below


def q_ratio(size: int, gamma: float, hidden: int) -> float:
    """q_ij/q_ii, which does not depend on γ."""
    above, below = (f(hidden, size).value for f in (finite.output_ce_offdiagonal, finite.output_ce_diagonal))
    return above / below


_H_JOINS = ("dong.thm2.hidden-ce-diagonal.join", "dong.thm2.hidden-ce-offdiagonal.join")
_U_JOINS = ("dong.thm2.hidden-mse-diagonal.join", "dong.thm2.hidden-mse-offdiagonal.join")
_Q_JOINS = ("dong.thm2.output-ce-diagonal.join", "dong.thm2.output-ce-offdiagonal.join")
claim(
    "dong.eq34.hidden-ce",
    h_ratio,
    at="eq. (34)",
    standing="lemma",
    printed="h_ij/h_ii = O(1/C) as C → ∞.",
    states=Rate(1.0, "O", within=0.05),
    over=(GAMMA, HIDDEN),
    points=RATE_IN_CLASSES_POINTS,
    plan=RATE_IN_CLASSES_PLAN,
    evidence=Computed(2e-3, chain=_H_JOINS),
)
claim(
    "dong.eq34.hidden-mse",
    u_ratio,
    at="eq. (34)",
    standing="lemma",
    printed="u_ij/u_ii = O(1/C) as C → ∞.",
    states=Rate(1.0, "O", within=0.05),
    over=(GAMMA, HIDDEN),
    points=RATE_IN_CLASSES_POINTS,
    plan=RATE_IN_CLASSES_PLAN,
    evidence=Computed(2e-3, chain=_U_JOINS),
)
claim(
    "dong.eq34.output-ce",
    q_ratio,
    at="eq. (34)",
    standing="lemma",
    printed="q_ij/q_ii = O(1/C²) as C → ∞.",
    states=Rate(2.0, "O", within=0.05),
    over=(GAMMA, HIDDEN),
    points=RATE_IN_CLASSES_POINTS,
    plan=RATE_IN_CLASSES_PLAN,
    evidence=Computed(2e-3, chain=_Q_JOINS),
)


@claim(
    "dong.introduction.hidden-ce",
    at=Place("section 1", same_as="dong.eq34.hidden-ce"),
    standing="remark",
    printed="Off-diagonal over diagonal norms of the hidden layer, cross-entropy: √(h_ij/h_ii) = O(1/√C).",
    states=Rate(0.5, "O", within=0.05),
    over=(GAMMA, HIDDEN),
    points=RATE_IN_CLASSES_POINTS,
    plan=RATE_IN_CLASSES_PLAN,
    evidence=Computed(2e-3, chain=_H_JOINS),
)
def h_norm_ratio(size: int, gamma: float, hidden: int) -> float:
    """√(h_ij/h_ii)."""
    return float(h_ratio(size, gamma, hidden) ** 0.5)


@claim(
    "dong.introduction.hidden-mse",
    at=Place("section 1", same_as="dong.eq34.hidden-mse"),
    standing="remark",
    printed="Off-diagonal over diagonal norms of the hidden layer, square loss: √(u_ij/u_ii) = O(1/√C).",
    states=Rate(0.5, "O", within=0.05),
    over=(GAMMA, HIDDEN),
    points=RATE_IN_CLASSES_POINTS,
    plan=RATE_IN_CLASSES_PLAN,
    evidence=Computed(2e-3, chain=_U_JOINS),
)
def u_norm_ratio(size: int, gamma: float, hidden: int) -> float:
    """√(u_ij/u_ii)."""
    return float(u_ratio(size, gamma, hidden) ** 0.5)


@claim(
    "dong.introduction.output-ce",
    at=Place("section 1", same_as="dong.eq34.output-ce"),
    standing="remark",
    printed="Off-diagonal over diagonal norms of the output layer: √(q_ij/q_ii) = O(1/C).",
    states=Rate(1.0, "O", within=0.05),
    over=(GAMMA, HIDDEN),
    points=RATE_IN_CLASSES_POINTS,
    plan=RATE_IN_CLASSES_PLAN,
    evidence=Computed(2e-3, chain=_Q_JOINS),
)
def q_norm_ratio(size: int, gamma: float, hidden: int) -> float:
    """√(q_ij/q_ii)."""
    return float(q_ratio(size, gamma, hidden) ** 0.5)
