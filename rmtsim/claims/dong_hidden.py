"""`dong` Theorem 2 as C grows: (30)-(33) with (67), the rates of (34) and those of the introduction.

The limits are iterated: first d, N → ∞ at fixed C, then C → ∞. The inner limit is tested on networks in
`dong_hidden_finite`; here its value at each C, computed to a stated error, is followed to C = 10⁹.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong_parameters import GAMMA, HIDDEN
from rmtsim.claims.model import Claim, Parameters, Sampler, Tolerance
from rmtsim.claims.registry import register
from rmtsim.predict import dong_hidden as limits

FiniteC = Callable[[float, int, int], float]
"""(gamma, hidden, classes) → scaled quantity."""

_GRID: tuple[Parameters, ...] = tuple(
    {"gamma": gamma, "hidden": hidden} for hidden in (5, 8, 12) for gamma in (0.1, 1.0, 5.0)
)
_HIDDEN_ONLY: tuple[Parameters, ...] = (
    {"gamma": 0.1, "hidden": 5},
    {"gamma": 1.0, "hidden": 8},
    {"gamma": 5.0, "hidden": 12},
)
"""The output-layer limits are stated at every γ and depend on none."""
_CLASS_COUNTS = (10**5, 10**6, 10**7, 10**8, 10**9)
_ACCURACY = 2e-3
"""Relative error of the finite-C functions at these C (m = 3 is the worst case)."""


def _finite_sampler(function: FiniteC) -> Sampler:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        return np.full(replicates, function(parameters.get("gamma", 1.0), int(parameters["hidden"]), size))

    return sample


def _h_diagonal(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong_hidden_finite import hidden_ce_diagonal

    return hidden_ce_diagonal(gamma, hidden, classes).value


def _h_offdiagonal(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong_hidden_finite import hidden_ce_offdiagonal

    return hidden_ce_offdiagonal(gamma, hidden, classes).value


def _u_diagonal(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong_hidden_finite import hidden_mse_diagonal

    return hidden_mse_diagonal(gamma, hidden, classes)


def _u_offdiagonal(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong_hidden_finite import hidden_mse_offdiagonal

    return hidden_mse_offdiagonal(gamma, hidden, classes)


def _q_diagonal(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong_hidden_finite import output_ce_diagonal

    return output_ce_diagonal(hidden, classes).value


def _q_offdiagonal(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong_hidden_finite import output_ce_offdiagonal

    return output_ce_offdiagonal(hidden, classes).value


def _exponents(hidden_layer: bool) -> tuple[float, ...]:
    # At m neurons the large-C expansion is cut where a single class can take all the weight, at relative size
    # C^{-(m-2)/3} up to logarithms: slow exponents belong to small m.
    return (1 / 3, 0.5, 2 / 3, 1.0) if hidden_layer else (2 / 3, 1.0)


def _limit(
    name: str,
    equation: str,
    statement: str,
    function: FiniteC,
    predict: Callable[[Parameters], float],
    *,
    gamma_matters: bool = True,
    exponents: tuple[float, ...] = (1.0,),
    exact: float = _ACCURACY,
    note: str = "",
) -> Claim:
    return register(
        Claim(
            id=f"dong.thm2.{name}",
            paper="dong",
            equation=f"Theorem 2, eq. ({equation})",
            statement=statement,
            kind="limit",
            parameters=(GAMMA, HIDDEN),
            grid=_GRID if gamma_matters else _HIDDEN_ONLY,
            sizes=_CLASS_COUNTS,
            size_name="C",
            sample=_finite_sampler(function),
            exact=exact,
            predict=predict,
            tolerance=Tolerance(relative=0.02),
            exponents=exponents,
            # Values are kept between claims and between values of γ, so most cost nothing.
            cost=lambda parameters, size: 0.05,
            note=note,
        )
    )


_limit(
    "hidden-ce-diagonal",
    "30, first part",
    "lim h_ii(γ, C) = (1 + 2γ)/(4m²) as C → ∞.",
    _h_diagonal,
    lambda p: limits.hidden_ce_diagonal_limit(p["gamma"], p["hidden"]),
)
_SHARED = (
    "Eq. (92) averages (E[η|V])² over V and writes (Eη)². Networks of one draw share V: "
    "E[(E[η|V])²] is of order 1/C like "
    "E[η²] itself, and adds a term without γ."
)
_limit(
    "hidden-ce-offdiagonal",
    "30, second part",
    "lim C·h_ij(γ, C) = γ(m-1)²/(2^m (m-2)³ m)·(√(m/(m-2)) + 1)^{m-2} as C → ∞.",
    lambda gamma, hidden, classes: classes * _h_offdiagonal(gamma, hidden, classes),
    lambda p: limits.printed_hidden_ce_offdiagonal_limit(p["gamma"], p["hidden"]),
    exponents=_exponents(True),
    note=_SHARED,
)
_limit(
    "hidden-ce-offdiagonal/corrected",
    "30, second part",
    "lim C·h_ij(γ, C) = γ(m-1)²/(2^m (m-2)³ m)·(√(m/(m-2)) + 1)^{m-2} + (I₁/m² + I₀/m)²(3/4 + I₀)^{m-2}, "
    "I_k = (1/2π)∫∫_{x,y>0} (xy)^k e^{xy/m - x²/2 - y²/2}.",
    lambda gamma, hidden, classes: classes * _h_offdiagonal(gamma, hidden, classes),
    lambda p: limits.hidden_ce_offdiagonal_limit(p["gamma"], p["hidden"]),
    exponents=_exponents(True),
    note=_SHARED,
)
_FOUR = (
    "The Hessian of the loss (7) is twice the expression (8) (see dong.eq8), so its squared norms are four times "
    "those printed; for the expression (8) itself the printed value holds (see dong.prop7)."
)
_limit(
    "hidden-mse-diagonal",
    "31, first part",
    "lim u_ii(γ, C)/C² = (1 + 2γ)/(4m²) as C → ∞, u_ii the limit of E‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/d.",
    lambda gamma, hidden, classes: _u_diagonal(gamma, hidden, classes) / classes**2,
    lambda p: limits.hidden_mse_diagonal_limit(p["gamma"], p["hidden"], factor=1.0),
    exact=1e-12,
    note=_FOUR,
)
_limit(
    "hidden-mse-diagonal/corrected",
    "31, first part",
    "lim u_ii(γ, C)/C² = (1 + 2γ)/m² as C → ∞, u_ii the limit of E‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/d.",
    lambda gamma, hidden, classes: _u_diagonal(gamma, hidden, classes) / classes**2,
    lambda p: limits.hidden_mse_diagonal_limit(p["gamma"], p["hidden"]),
    exact=1e-12,
    note=_FOUR,
)
_limit(
    "hidden-mse-offdiagonal",
    "31, second part",
    "lim u_ij(γ, C)/C = (1 + 4γ)/(16m²) as C → ∞, u_ij the limit of E‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/d.",
    lambda gamma, hidden, classes: _u_offdiagonal(gamma, hidden, classes) / classes,
    lambda p: limits.hidden_mse_offdiagonal_limit(p["gamma"], p["hidden"], factor=1.0),
    exact=1e-12,
    note=_FOUR,
)
_limit(
    "hidden-mse-offdiagonal/corrected",
    "31, second part",
    "lim u_ij(γ, C)/C = (1 + 4γ)/(4m²) as C → ∞, u_ij the limit of E‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/d.",
    lambda gamma, hidden, classes: _u_offdiagonal(gamma, hidden, classes) / classes,
    lambda p: limits.hidden_mse_offdiagonal_limit(p["gamma"], p["hidden"]),
    exact=1e-12,
    note=_FOUR,
)
_QUARTER = (
    "b_1 and b_2 of (67) stand for E[exp(kσ(x)σ(y)/m)], k = 1, 2, but carry 1/(8π) before an "
    "integral that needs 1/(2π): "
    "as m grows they tend to 13/16 instead of one."
)
_limit(
    "output-ce-diagonal",
    "32 with 67",
    "lim C² q_ii = m a_12 b_1^{m-1} + m(m-1) a_11² b_1^{m-2} as C → ∞, with the constants of (67).",
    lambda gamma, hidden, classes: float(classes) ** 2 * _q_diagonal(gamma, hidden, classes),
    lambda p: limits.printed_output_ce_diagonal_limit(p["hidden"]),
    gamma_matters=False,
    exponents=_exponents(False),
    note=_QUARTER,
)
_limit(
    "output-ce-diagonal/corrected",
    "32 with 67",
    "lim C² q_ii = m a_12 b_1^{m-1} + m(m-1) a_11² b_1^{m-2} as C → ∞, with b_1 = 3/4 + "
    "(1/2π)∫∫ exp(xy/m - x²/2 - y²/2).",
    lambda gamma, hidden, classes: float(classes) ** 2 * _q_diagonal(gamma, hidden, classes),
    lambda p: limits.output_ce_diagonal_limit(p["hidden"]),
    gamma_matters=False,
    exponents=_exponents(False),
    note=_QUARTER,
)
_limit(
    "output-ce-offdiagonal",
    "33 with 67",
    "lim C⁴ q_ij = m a_22 b_2^{m-1} + m(m-1) a_21² b_2^{m-1} as C → ∞, with the constants of (67).",
    lambda gamma, hidden, classes: float(classes) ** 4 * _q_offdiagonal(gamma, hidden, classes),
    lambda p: limits.printed_output_ce_offdiagonal_limit(p["hidden"]),
    gamma_matters=False,
    exponents=_exponents(False),
    note=_QUARTER + " The last power is m-2, as in (111).",
)
_limit(
    "output-ce-offdiagonal/corrected",
    "33 with 67",
    "lim C⁴ q_ij = m a_22 b_2^{m-1} + m(m-1) a_21² b_2^{m-2} as C → ∞, with b_2 = 3/4 + "
    "(1/2π)∫∫ exp(2xy/m - x²/2 - y²/2).",
    lambda gamma, hidden, classes: float(classes) ** 4 * _q_offdiagonal(gamma, hidden, classes),
    lambda p: limits.output_ce_offdiagonal_limit(p["hidden"]),
    gamma_matters=False,
    exponents=_exponents(False),
    note=_QUARTER + " The last power is m-2, as in (111).",
)


def _rate(name: str, equation: str, statement: str, function: FiniteC, exponent: float) -> Claim:
    return register(
        Claim(
            id=f"dong.{name}",
            paper="dong",
            equation=equation,
            statement=statement,
            kind="rate",
            exponent=exponent,
            relation="O",
            parameters=(GAMMA, HIDDEN),
            grid=({"gamma": 1.0, "hidden": 5}, {"gamma": 0.1, "hidden": 8}, {"gamma": 5.0, "hidden": 12}),
            sizes=_CLASS_COUNTS,
            size_name="C",
            sample=_finite_sampler(function),
            exact=_ACCURACY,
            predict=None,
            tolerance=Tolerance(absolute=0.05),
            exponents=(1 / 3, 2 / 3, 1.0),
            cost=lambda parameters, size: 0.05,
        )
    )


def _hidden_ratio(gamma: float, hidden: int, classes: int) -> float:
    return _h_offdiagonal(gamma, hidden, classes) / _h_diagonal(gamma, hidden, classes)


def _square_ratio(gamma: float, hidden: int, classes: int) -> float:
    return _u_offdiagonal(gamma, hidden, classes) / _u_diagonal(gamma, hidden, classes)


def _output_ratio(gamma: float, hidden: int, classes: int) -> float:
    return _q_offdiagonal(gamma, hidden, classes) / _q_diagonal(gamma, hidden, classes)


_rate("eq34.hidden-ce", "eq. (34)", "h_ij/h_ii = O(1/C) as C → ∞.", _hidden_ratio, 1.0)
_rate("eq34.hidden-mse", "eq. (34)", "u_ij/u_ii = O(1/C) as C → ∞.", _square_ratio, 1.0)
_rate("eq34.output-ce", "eq. (34)", "q_ij/q_ii = O(1/C²) as C → ∞.", _output_ratio, 2.0)
_rate(
    "introduction.hidden-ce",
    "section 1",
    "Off-diagonal over diagonal norms of the hidden layer, cross-entropy: √(h_ij/h_ii) = O(1/√C).",
    lambda gamma, hidden, classes: math.sqrt(_hidden_ratio(gamma, hidden, classes)),
    0.5,
)
_rate(
    "introduction.hidden-mse",
    "section 1",
    "Off-diagonal over diagonal norms of the hidden layer, square loss: √(u_ij/u_ii) = O(1/√C).",
    lambda gamma, hidden, classes: math.sqrt(_square_ratio(gamma, hidden, classes)),
    0.5,
)
_rate(
    "introduction.output-ce",
    "section 1",
    "Off-diagonal over diagonal norms of the output layer: √(q_ij/q_ii) = O(1/C).",
    lambda gamma, hidden, classes: math.sqrt(_output_ratio(gamma, hidden, classes)),
    1.0,
)
