"""The "intuitive" approximations of `dong` section 4 within a layer: (6), (10), (16), (17)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong.parameters import GAMMA, HIDDEN
from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameters, Sampler, Tolerance

_GAMMAS: tuple[Parameters, ...] = ({"gamma": 0.1}, {"gamma": 1.0}, {"gamma": 5.0})


def _class_ratio(
    name: str,
    equation: str,
    statement: str,
    ratio: Callable[[float, int, int], float],
    predict: Callable[[Parameters], float],
    *,
    hidden: bool,
    note: str = "",
) -> None:
    """(C-1) × ratio of block norms, the ratio that of root mean squares after d, N → ∞, as C → ∞."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        value = (size - 1) * ratio(parameters["gamma"], int(parameters.get("hidden", 0)), size)
        return np.full(replicates, value)

    register(
        Claim(
            id=f"dong.{name}",
            paper="dong",
            equation=equation,
            statement=statement,
            kind="limit",
            parameters=(GAMMA, HIDDEN) if hidden else (GAMMA,),
            grid=({"gamma": 1.0, "hidden": 5}, {"gamma": 1.0, "hidden": 8}) if hidden else _GAMMAS,
            sizes=(10**5, 10**6, 10**7, 10**8, 10**9) if hidden else (1_000, 4_000, 16_000, 64_000),
            size_name="C",
            sample=sample,
            exact=2e-3 if hidden else 1e-11,
            predict=predict,
            tolerance=Tolerance(relative=0.02),
            exponents=(2 / 3, 1.0) if hidden else (1.0,),
            cost=lambda parameters, size: 0.05,
            note=note,
        )
    )


def _linear_ratio(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong.linear import ratio

    return math.sqrt(ratio(gamma, classes))


def _linear_limit(parameters: Parameters) -> float:
    from rmtsim.predict.dong.linear import ratio_limit

    return math.sqrt(ratio_limit(parameters["gamma"]))


_SPREAD = (
    "p_ni ≈ 1/C holds on average only: C·p_ni keeps a log-normal spread at every C, which the two norms feel "
    "differently. The order 1/C is right, the constant is not one."
)
_class_ratio(
    "eq6",
    "eq. (6)",
    "‖H_ij‖_F/‖H_ii‖_F ≈ 1/(C-1): (C-1) times the ratio tends to one as C → ∞ (linear model, cross-entropy).",
    _linear_ratio,
    lambda parameters: 1.0,
    hidden=False,
    note=_SPREAD,
)
_class_ratio(
    "eq6/corrected",
    "eq. (6)",
    "(C-1)‖H_ij‖_F/‖H_ii‖_F tends to √((γe² + 1)/(γe + 1)) as C → ∞ (linear model, cross-entropy).",
    _linear_ratio,
    _linear_limit,
    hidden=False,
    note=_SPREAD,
)


def _output_ratio(gamma: float, hidden: int, classes: int) -> float:
    from rmtsim.predict.dong.hidden_finite import output_ce_diagonal, output_ce_offdiagonal

    return math.sqrt(output_ce_offdiagonal(hidden, classes).value / output_ce_diagonal(hidden, classes).value)


def _output_limit(parameters: Parameters) -> float:
    from rmtsim.predict.dong.hidden_limits import output_ce_diagonal_limit, output_ce_offdiagonal_limit

    hidden = int(parameters["hidden"])
    return math.sqrt(output_ce_offdiagonal_limit(hidden) / output_ce_diagonal_limit(hidden))


_class_ratio(
    "eq17",
    "eq. (17)",
    "Output layer, cross-entropy: (C-1) times the ratio of root mean square norms, off-diagonal "
    "over diagonal, tends to one.",
    _output_ratio,
    lambda parameters: 1.0,
    hidden=True,
    note=_SPREAD,
)
_class_ratio(
    "eq17/corrected",
    "eq. (17)",
    "Output layer, cross-entropy: (C-1) times the ratio of root mean square norms tends to the root of the corrected "
    "limit (33) over the corrected limit (32).",
    _output_ratio,
    _output_limit,
    hidden=True,
    note=_SPREAD,
)


def _gate_ratio(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """‖H_ij‖/‖H_ii‖ over |Σ v_ci v_cj|/Σ v_ci², averaged over pairs: weights cancel, ‖L_ij‖/‖L_ii‖ is left."""
    from rmtsim.hessian.one_hidden import forward
    from rmtsim.hessian.one_hidden_norms import hidden_energies
    from rmtsim.sampling.one_hidden import sample_one_hidden
    from rmtsim.sampling.proportions import proportional_shape

    dimension, samples = proportional_shape(size, parameters["gamma"])
    hidden = int(parameters["hidden"])
    values = np.empty(replicates)
    off = ~np.eye(hidden, dtype=bool)
    for index in range(replicates):
        state = forward(sample_one_hidden(dimension, samples, hidden, 2 * hidden, rng), "mse")
        energies, gram = hidden_energies(state), state.network.output.T @ state.network.output
        norms = np.sqrt(energies / np.diag(energies)[:, None])
        stated = np.abs(gram) / np.diag(gram)[:, None]
        values[index] = (norms[off] / stated[off]).mean()
    return values


def _eq10(name: str, statement: str, predict: Callable[[Parameters], float]) -> None:
    register(
        Claim(
            id=name,
            paper="dong",
            equation="eq. (10)",
            statement=statement,
            kind="limit",
            parameters=(GAMMA, HIDDEN),
            grid=({"gamma": 0.5, "hidden": 5}, {"gamma": 2.0, "hidden": 8}),
            sizes=(20, 60, 180),
            size_name="min(d, N)",
            sample=_gate_ratio,
            predict=predict,
            tolerance=Tolerance(relative=0.03),
            exponents=(1.0,),
            cost=lambda parameters, size: (
                4e-4 + 3e-10 * size**3 * max(parameters["gamma"], 1 / parameters["gamma"]) ** 2
            ),
            note="The gates are not common to numerator and denominator: ‖L_ij‖/‖L_ii‖ does not tend to one.",
        )
    )


_eq10(
    "dong.eq10",
    "Square loss, hidden layer: ‖H_ij‖_F/‖H_ii‖_F ≈ |Σ_c v_ci v_cj|/Σ_c v_ci², the quotient of "
    "the two sides tends to one.",
    lambda parameters: 1.0,
)
_eq10(
    "dong.eq10/corrected",
    "Square loss, hidden layer: ‖H_ij‖_F/‖H_ii‖_F over |Σ_c v_ci v_cj|/Σ_c v_ci² tends to √((1 + 4γ)/(4 + 8γ)).",
    lambda parameters: math.sqrt((1 + 4 * parameters["gamma"]) / (4 + 8 * parameters["gamma"])),
)


def _covariance_event(normalised: bool) -> Sampler:
    """Indicator that the middle expression of (16) is below 0.1 in absolute value."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        v = rng.standard_normal((replicates, size, 2)) / math.sqrt(parameters["hidden"])
        total = v.sum(axis=1)
        share = 1 / size if normalised else 1.0
        above = (v[:, :, 0] * v[:, :, 1]).sum(axis=1) - share * total[:, 0] * total[:, 1]
        below = np.square(v[:, :, 0]).sum(axis=1) - share * total[:, 0] ** 2
        return np.asarray(np.abs(above) < 0.1 * np.abs(below), dtype=np.float64)

    return sample


def _eq16(name: str, statement: str, normalised: bool) -> None:
    register(
        Claim(
            id=name,
            paper="dong",
            equation="eq. (16)",
            statement=statement,
            kind="probability",
            parameters=(HIDDEN,),
            grid=({"hidden": 8},),
            sizes=(100, 400, 1600, 6400),
            size_name="C",
            sample=_covariance_event(normalised),
            predict=lambda parameters: 1.0,
            tolerance=Tolerance(absolute=0.02),
            cost=lambda parameters, size: 4e-8 * size,
            note="With p_nc = 1/C the products of sums carry 1/C², not 1/C: as printed they are of "
            "the order of the leading term.",
        )
    )


_eq16(
    "dong.eq16",
    "[Σ v_i v_j - (Σ v_i)(Σ v_j)] / [Σ v_i² - (Σ v_i)²] → Cov/Var = 0 in probability as C → ∞ "
    "(below 0.1 with probability → 1).",
    False,
)
_eq16(
    "dong.eq16/corrected",
    "[Σ v_i v_j - (Σ v_i)(Σ v_j)/C] / [Σ v_i² - (Σ v_i)²/C] → Cov/Var = 0 in probability as C → ∞.",
    True,
)
