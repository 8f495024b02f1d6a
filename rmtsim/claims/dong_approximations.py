"""The "intuitive" approximations of `dong` section 4 - (6), (10), (16), (17), (19), (20) - and Lemmas 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong_parameters import GAMMA, HIDDEN, SMALL_CLASSES, fixed_output
from rmtsim.claims.model import Claim, Parameters, Sampler, Tolerance
from rmtsim.claims.registry import register

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
    from rmtsim.predict.dong_linear import ratio

    return math.sqrt(ratio(gamma, classes))


def _linear_limit(parameters: Parameters) -> float:
    from rmtsim.predict.dong_linear import ratio_limit

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
    from rmtsim.predict.dong_hidden_finite import output_ce_diagonal, output_ce_offdiagonal

    return math.sqrt(output_ce_offdiagonal(hidden, classes).value / output_ce_diagonal(hidden, classes).value)


def _output_limit(parameters: Parameters) -> float:
    from rmtsim.predict.dong_hidden import output_ce_diagonal_limit, output_ce_offdiagonal_limit

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
    from rmtsim.sampling.shapes import proportional_shape

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


def _cross_terms(
    parameters: Parameters, size: int, rng: np.random.Generator, kind: Literal["norm", "printed", "kept"]
) -> float:
    """Second term of (18) at C = size on a small network: its root mean square norm, or the error of (19)."""
    from rmtsim.hessian.one_hidden import forward
    from rmtsim.sampling.one_hidden import sample_one_hidden

    hidden = int(parameters["hidden"])
    state = forward(sample_one_hidden(10, 20, hidden, size, rng), "ce")
    output, inputs = state.network.output, state.network.inputs
    gates = state.gates[:, 0]
    term = state.mixed_curvature(0)
    if kind == "norm":
        # ‖(1/N) Σ_n a_nj x_n f_nᵀ‖² for all classes j at once, through the Gram matrix of x_n fᵀ_n.
        gram = (inputs @ inputs.T) * (state.features @ state.features.T) * np.outer(gates, gates)
        energies = np.einsum("nj,nj->j", term, gram @ term) / len(inputs) ** 2
        return math.sqrt(float(energies.mean()))
    if kind == "printed":
        stated = np.broadcast_to(output[:, 0] / size, term.shape)
    else:
        stated = state.probabilities * (output[:, 0] - state.features[:, :1] / hidden)
    rows = gates > 0
    if not rows.any():
        return _cross_terms(parameters, size, rng, kind)
    return float(np.square(term[rows] - stated[rows]).sum() / np.square(term[rows]).sum())


def _cross_sampler(kind: Literal["norm", "printed", "kept"]) -> Sampler:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        return np.array([_cross_terms(parameters, size, rng, kind) for _ in range(replicates)])

    return sample


_CROSS_COST = 3e-4
register(
    Claim(
        id="dong.eq20",
        paper="dong",
        equation="eq. (20)",
        statement="The second term of the cross-layer block (18) is O(1/C) as C → ∞ at fixed d, N, m "
        "(root mean square norm).",
        kind="rate",
        exponent=1.0,
        relation="O",
        parameters=(HIDDEN,),
        grid=({"hidden": 8},),
        sizes=(100, 400, 1600, 6400),
        size_name="C",
        sample=_cross_sampler("norm"),
        predict=None,
        tolerance=Tolerance(absolute=0.1),
        exponents=(1.0,),
        quick=False,
        cost=lambda parameters, size: _CROSS_COST + 6e-7 * size,
    )
)


def _eq19(name: str, statement: str, kind: Literal["printed", "kept"]) -> None:
    register(
        Claim(
            id=name,
            paper="dong",
            equation="eq. (19)",
            statement=statement,
            kind="limit",
            parameters=(HIDDEN,),
            grid=({"hidden": 8},),
            sizes=(200, 800, 3200),
            size_name="C",
            sample=_cross_sampler(kind),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=0.05),
            exponents=(0.5, 1.0),
            cost=lambda parameters, size: _CROSS_COST + 6e-7 * size,
            note="Neither p_nj ≈ 1/C nor Σ_c p_nc v_ci ≈ 0 becomes exact: C·p_nj stays log-normal "
            "and Σ_c p_nc v_ci → σ(w_i·x_n)/m.",
        )
    )


_eq19(
    "dong.eq19",
    "Σ_c (δ_jc - p_nc) p_nj v_ci ≈ v_ji/C when C is large: the relative squared error tends to zero.",
    "printed",
)
_eq19(
    "dong.eq19/corrected",
    "Σ_c (δ_jc - p_nc) p_nj v_ci ≈ p_nj (v_ji - σ(w_i·x_n)/m) when C is large: the relative "
    "squared error tends to zero.",
    "kept",
)


def _resolvent_gap(layer: Literal["linear", "hidden"], diagonal: bool) -> Sampler:
    """|s_H(z) - s_H̃(z)| at z = i/C, H̃ with the diagonal of an independent copy of the inputs."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.shapes import proportional_shape

        dimension, samples = proportional_shape(size, parameters["gamma"])
        classes, hidden = int(parameters["classes"]), int(parameters.get("hidden", 0))
        z = 1j / classes
        values = np.empty(replicates)
        for index in range(replicates):
            inputs, copy = rng.standard_normal((2, samples, dimension))
            if layer == "linear":
                weights = rng.standard_normal((classes, dimension)) / math.sqrt(dimension)
                curvature = _linear_curvature(weights, diagonal)
            else:
                first = rng.standard_normal((hidden, dimension)) / math.sqrt(dimension)
                curvature = _hidden_curvature(first, fixed_output(classes, hidden), diagonal)
            transforms = [
                np.mean(1 / (np.linalg.eigvalsh(inputs.T @ (inputs * curvature(x)[:, None]) / samples) - z))
                for x in (inputs, copy)
            ]
            values[index] = abs(transforms[0] - transforms[1]) / classes
        return values

    return sample


Curvature = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _linear_curvature(weights: NDArray[np.float64], diagonal: bool) -> Curvature:
    from rmtsim.hessian.linear import softmax

    def curvature(inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        p = softmax(np.asarray(inputs @ weights.T))
        return np.asarray(p[:, 0] * (1 - p[:, 0]) if diagonal else -p[:, 0] * p[:, 1])

    return curvature


def _hidden_curvature(first: NDArray[np.float64], output: NDArray[np.float64], diagonal: bool) -> Curvature:
    from rmtsim.hessian.one_hidden import forward
    from rmtsim.sampling.one_hidden import OneHiddenNetwork

    def curvature(inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        targets = np.zeros((len(inputs), len(output)))
        state = forward(OneHiddenNetwork(inputs, first, output, targets), "ce")
        return np.asarray(state.hidden_curvatures[:, 0 if diagonal else 1])

    return curvature


def _lemma(number: int, name: str, equation: str, layer: Literal["linear", "hidden"], diagonal: bool) -> None:
    what = f"{'H' if layer == 'linear' else 'G'}_{'ii' if diagonal else 'ij'}"
    register(
        Claim(
            id=f"dong.lemma{number}.{name}",
            paper="dong",
            equation=f"Lemma {number}, eq. ({equation})",
            statement=f"The Stieltjes transforms of {what} and of its decoupled copy differ by O(N^-1/2) "
            f"(at z = i/C, times 1/C).",
            kind="rate",
            exponent=0.5,
            relation="O",
            parameters=(GAMMA, SMALL_CLASSES) if layer == "linear" else (GAMMA, HIDDEN, SMALL_CLASSES),
            grid=({"gamma": 1.0},),
            sizes=(20, 40, 80, 160),
            size_name="min(d, N)",
            sample=_resolvent_gap(layer, diagonal),
            predict=None,
            tolerance=Tolerance(absolute=0.1),
            exponents=(0.5, 1.0),
            cost=lambda parameters, size: (
                3e-4 + 1e-9 * size**3 * max(parameters["gamma"], 1 / parameters["gamma"]) ** 2
            ),
            quick=False,
        )
    )


_lemma(1, "rate", "43", "linear", True)
_lemma(1, "rate-offdiagonal", "44", "linear", False)
_lemma(2, "rate", "70", "hidden", True)
_lemma(2, "rate-offdiagonal", "71", "hidden", False)
