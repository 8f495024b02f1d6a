"""`dong` Theorem 2 as C grows: (30)-(33) with (67), the rates of (34) and those of the introduction.

The limits are iterated: first d, N → ∞ at fixed C, then C → ∞. The inner limit is tested on networks in
`dong_networks`; here its value at each C, computed to a stated error, is followed to C = 10⁹.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong.parameters import GAMMA, HIDDEN, finite_value
from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameters, Sampler, Tolerance
from rmtsim.predict.dong import hidden_limits as limits

FiniteC = Callable[[float, int, int], float]
"""(gamma, hidden, classes) → scaled quantity."""
Stated = Callable[[float, int], float]
"""(gamma, hidden) → stated limit."""

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
        return np.full(replicates, function(parameters["gamma"], int(parameters["hidden"]), size))

    return sample


def _scaled(name: str, power: int) -> FiniteC:
    """C^power × a function of :mod:`rmtsim.predict.dong.hidden_finite`."""
    return lambda gamma, hidden, classes: float(classes) ** power * finite_value(name, gamma, hidden, classes)


def _ratio(name: str, root: bool) -> FiniteC:
    """Off-diagonal over diagonal function of a layer and loss, or its square root (a ratio of norms)."""
    above, below = _scaled(f"{name}_offdiagonal", 0), _scaled(f"{name}_diagonal", 0)
    power = 0.5 if root else 1.0
    return lambda gamma, hidden, classes: (
        (above(gamma, hidden, classes) / below(gamma, hidden, classes)) ** power
    )


# At m neurons the large-C expansion is cut where a single class can take all the weight, at relative size
# C^{-(m-2)/3} up to logarithms: slow exponents belong to small m.
_SLOW = (1 / 3, 0.5, 2 / 3, 1.0)
_OUTPUT = (2 / 3, 1.0)

_SHARED = (
    "Eq. (92) averages (E[η|V])² over V and writes (Eη)². Networks of one draw share V: "
    "E[(E[η|V])²] is of order 1/C like E[η²] itself, and adds a term without γ."
)
_FOUR = (
    "The Hessian of the loss (7) is twice the expression (8) (see dong.eq8), so its squared norms are four times "
    "those printed; for the expression (8) itself the printed value holds (see dong.prop7)."
)
_QUARTER = (
    "b_1 and b_2 of (67) stand for E[exp(kσ(x)σ(y)/m)], k = 1, 2, but carry 1/(8π) before an integral that needs "
    "1/(2π): as m grows they tend to 13/16 instead of one."
)
_POWER = f"{_QUARTER} The last power is m-2, as in (111)."


@dataclass(frozen=True)
class _Limit:
    """One part of (30)-(33): what is followed in C, and the limits as printed and, where they differ, as derived."""

    name: str
    equation: str
    function: tuple[str, int]
    """Name of the finite-C function and the power of C it is multiplied by."""
    printed: tuple[str, Stated]
    corrected: tuple[str, Stated] | None = None
    exponents: tuple[float, ...] = (1.0,)
    exact: float = _ACCURACY
    grid: tuple[Parameters, ...] = _GRID
    note: str = ""

    def register(self) -> None:
        """Register the claim as printed, and its correction."""
        self._register("", *self.printed)
        if self.corrected is not None:
            self._register("/corrected", *self.corrected)

    def _register(self, suffix: str, statement: str, stated: Stated) -> None:
        register(
            Claim(
                id=f"dong.thm2.{self.name}{suffix}",
                paper="dong",
                equation=f"Theorem 2, eq. ({self.equation})",
                statement=statement,
                kind="limit",
                parameters=(GAMMA, HIDDEN),
                grid=self.grid,
                sizes=_CLASS_COUNTS,
                size_name="C",
                sample=_finite_sampler(_scaled(*self.function)),
                exact=self.exact,
                predict=lambda parameters: stated(parameters["gamma"], int(parameters["hidden"])),
                tolerance=Tolerance(relative=0.02),
                exponents=self.exponents,
                # Values are kept between claims and between values of γ, so most cost nothing.
                cost=lambda parameters, size: 0.05,
                note=self.note,
            )
        )


_ETA = "γ(m-1)²/(2^m (m-2)³ m)·(√(m/(m-2)) + 1)^{m-2}"
_ALMOST = ", u_{} the limit of E‖∂²ℓ_MSE/∂w_i∂w_{}ᵀ‖²_F/d."
_LIMITS = (
    _Limit(
        "hidden-ce-diagonal",
        "30, first part",
        ("hidden_ce_diagonal", 0),
        ("lim h_ii(γ, C) = (1 + 2γ)/(4m²) as C → ∞.", limits.hidden_ce_diagonal_limit),
    ),
    _Limit(
        "hidden-ce-offdiagonal",
        "30, second part",
        ("hidden_ce_offdiagonal", 1),
        (f"lim C·h_ij(γ, C) = {_ETA} as C → ∞.", limits.printed_hidden_ce_offdiagonal_limit),
        (
            f"lim C·h_ij(γ, C) = {_ETA} + (I₁/m² + I₀/m)²(3/4 + I₀)^{{m-2}}, "
            "I_k = (1/2π)∫∫_{x,y>0} (xy)^k e^{xy/m - x²/2 - y²/2}.",
            limits.hidden_ce_offdiagonal_limit,
        ),
        exponents=_SLOW,
        note=_SHARED,
    ),
    _Limit(
        "hidden-mse-diagonal",
        "31, first part",
        ("hidden_mse_diagonal", -2),
        (
            "lim u_ii(γ, C)/C² = (1 + 2γ)/(4m²) as C → ∞" + _ALMOST.format("ii", "i"),
            partial(limits.hidden_mse_diagonal_limit, factor=1.0),
        ),
        (
            "lim u_ii(γ, C)/C² = (1 + 2γ)/m² as C → ∞" + _ALMOST.format("ii", "i"),
            limits.hidden_mse_diagonal_limit,
        ),
        exact=1e-12,
        note=_FOUR,
    ),
    _Limit(
        "hidden-mse-offdiagonal",
        "31, second part",
        ("hidden_mse_offdiagonal", -1),
        (
            "lim u_ij(γ, C)/C = (1 + 4γ)/(16m²) as C → ∞" + _ALMOST.format("ij", "j"),
            partial(limits.hidden_mse_offdiagonal_limit, factor=1.0),
        ),
        (
            "lim u_ij(γ, C)/C = (1 + 4γ)/(4m²) as C → ∞" + _ALMOST.format("ij", "j"),
            limits.hidden_mse_offdiagonal_limit,
        ),
        exact=1e-12,
        note=_FOUR,
    ),
    _Limit(
        "output-ce-diagonal",
        "32 with 67",
        ("output_ce_diagonal", 2),
        (
            "lim C² q_ii = m a_12 b_1^{m-1} + m(m-1) a_11² b_1^{m-2} as C → ∞, with the constants of (67).",
            lambda gamma, hidden: limits.printed_output_ce_diagonal_limit(hidden),
        ),
        (
            "lim C² q_ii = m a_12 b_1^{m-1} + m(m-1) a_11² b_1^{m-2} as C → ∞, with b_1 = 3/4 + "
            "(1/2π)∫∫ exp(xy/m - x²/2 - y²/2).",
            lambda gamma, hidden: limits.output_ce_diagonal_limit(hidden),
        ),
        exponents=_OUTPUT,
        grid=_HIDDEN_ONLY,
        note=_QUARTER,
    ),
    _Limit(
        "output-ce-offdiagonal",
        "33 with 67",
        ("output_ce_offdiagonal", 4),
        (
            "lim C⁴ q_ij = m a_22 b_2^{m-1} + m(m-1) a_21² b_2^{m-1} as C → ∞, with the constants of (67).",
            lambda gamma, hidden: limits.printed_output_ce_offdiagonal_limit(hidden),
        ),
        (
            "lim C⁴ q_ij = m a_22 b_2^{m-1} + m(m-1) a_21² b_2^{m-2} as C → ∞, with b_2 = 3/4 + "
            "(1/2π)∫∫ exp(2xy/m - x²/2 - y²/2).",
            lambda gamma, hidden: limits.output_ce_offdiagonal_limit(hidden),
        ),
        exponents=_OUTPUT,
        grid=_HIDDEN_ONLY,
        note=_POWER,
    ),
)
for _limit in _LIMITS:
    _limit.register()


def _rate(name: str, equation: str, statement: str, function: FiniteC, exponent: float) -> None:
    register(
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


_RATES = (
    ("hidden-ce", "h", "hidden layer, cross-entropy", 1),
    ("hidden-mse", "u", "hidden layer, square loss", 1),
    ("output-ce", "q", "output layer", 2),
)
for _name, _symbol, _, _power in _RATES:
    _rate(
        f"eq34.{_name}",
        "eq. (34)",
        f"{_symbol}_ij/{_symbol}_ii = O(1/C{'²' if _power == 2 else ''}) as C → ∞.",
        _ratio(_name.replace("-", "_"), root=False),
        float(_power),
    )
for _name, _symbol, _layer, _power in _RATES:
    _rate(
        f"introduction.{_name}",
        "section 1",
        f"Off-diagonal over diagonal norms of the {_layer}: √({_symbol}_ij/{_symbol}_ii) = "
        f"{'O(1/C)' if _power == 2 else 'O(1/√C)'}.",
        _ratio(_name.replace("-", "_"), root=True),
        _power / 2,
    )
