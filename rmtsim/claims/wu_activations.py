"""Claims of ``wu`` on activations, logits and E[A]: Lemmas B.9–B.12 and Corollary B.3."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Claim, Parameters, Tolerance
from rmtsim.claims.registry import register
from rmtsim.claims.wu_common import ALPHA, CLASSES, FAIR_COIN, GRID, response_cost, trial_claim, with_correction
from rmtsim.predict import wu_curvature, wu_limits

if TYPE_CHECKING:
    from rmtsim.hessian.wu_trial import Trial

_SIZES = (48, 96, 192, 384)
_COST = {"sizes": _SIZES, "cost": lambda parameters, size: response_cost(parameters, size, 128), "inputs": 128}
_COST["cost"] = lambda parameters, size, inputs: 3e-4 + response_cost(parameters, size, inputs)  # type: ignore[misc]

_MEAN_KEPT = (
    "The last step drops (1/√2π)Σ_i w_i by Lemma B.1; its entries are N(0, 1/2π) over units at every n, so given "
    "W^(1) unit i is a rectified N(g_i/√2π, (π-1)/2π) with g_i standard normal over units."
)


def _hidden_distance(trial: Trial) -> float:
    from rmtsim.sampling.wu_distances import rectified_energy_distance

    return rectified_energy_distance(trial.response.hidden[-1], (math.pi - 1) / (2 * math.pi))


def _rate_variance(trial: Trial) -> float:
    first, second = (half.active[-1].mean(axis=0) - 0.5 for half in trial.halves)
    return float((first * second).mean())


with_correction(
    "lemmaB.9",
    "Lemma B.9",
    "Given W^(1), y converges in law to the rectified N(0, (π-1)/(2π) I): the energy distance between the law of a "
    "hidden unit's y_i and the rectified N(0, (π-1)/(2π)), averaged over units, → 0.",
    "That averaged energy distance → 2E∫₀^∞(Φ((t-μg)/√v) - Φ(t/√v))²dt ≈ 0.0729, g standard normal: y_i is the "
    "rectified N(μ g_i, v).",
    _hidden_distance,
    0.0,
    lambda parameters: wu_limits.hidden_energy_distance(),
    {"absolute": 0.005},
    note=_MEAN_KEPT,
    **_COST,
)
with_correction(
    "lemmaB.9.activation",
    "Lemma B.9, used in eqs. (126) and (141)",
    "Given W^(1), every unit is active with probability 1/2: the mean over units of (P(y_i > 0) - 1/2)² → 0.",
    "The mean over units of (P(y_i > 0) - 1/2)² → arcsin(1/π)/(2π) ≈ 0.0516.",
    _rate_variance,
    0.0,
    lambda parameters: wu_limits.activation_second_moment() - 0.25,
    {"absolute": 0.005},
    note=_MEAN_KEPT,
    **_COST,
)
with_correction(
    "lemmaB.9.second",
    "Lemma B.9",
    "The mean over units of E[y_i²] → (π-1)/(4π) ≈ 0.1704.",
    "The mean over units of E[y_i²] → 1/4.",
    lambda trial: float((trial.response.hidden[-1] ** 2).mean()),
    (math.pi - 1) / (4 * math.pi),
    lambda parameters: 0.25,
    {"absolute": 0.01},
    note=_MEAN_KEPT,
    quick=False,
    **_COST,
)


def _logit_distance(trial: Trial) -> float:
    from rmtsim.sampling.wu_distances import energy_distance

    logits = trial.response.logits
    # The printed law has no randomness in common with the trial; its own stream is keyed by the trial's values.
    seed = np.frombuffer(np.float64(logits[0, 0]).tobytes(), dtype=np.uint32)
    reference = np.random.default_rng(seed).standard_normal(logits.shape) * (math.pi - 1) / (2 * math.pi)
    return energy_distance(logits, reference)


_LOGITS = (
    "Σ_i E[y_i] w_i does not vanish (Lemma B.1 again): given the weights z is N(b, s² I_c) with a random bias "
    "b ~ N(0, τ² I_c), τ² ≈ 0.1234, s² = 1/4 - τ² ≈ 0.1266."
)
with_correction(
    "lemmaB.10",
    "Lemma B.10",
    "Given the weights, z converges in law to N(0, (π-1)²/(4π²) I_c): the energy distance → 0.",
    "The mean over weights of that energy distance → κ_c(2√(1/4+γ) - √(2s²) - √(2γ)), κ_c = √2Γ((c+1)/2)/Γ(c/2), "
    "γ = (π-1)²/(4π²): z given the weights is N(b, s²I) with b ~ N(0, τ²I).",
    _logit_distance,
    0.0,
    lambda parameters: wu_limits.logit_energy_distance(int(parameters["classes"])),
    {"relative": 0.05, "absolute": 0.01},
    note=_LOGITS,
    **_COST,
)


def _logit_mean(trial: Trial) -> float:
    first, second = (half.logits.mean(axis=0) for half in trial.halves)
    return float((first * second).mean())


with_correction(
    "lemmaB.10.mean",
    "Lemma B.10",
    "Given the weights, E z → 0: the mean over weights of (E_x z_1)² → 0.",
    "The mean over weights of (E_x z_1)² → τ² = (√(1-ρ²) + ρ(π/2 + arcsin ρ))/(4π) ≈ 0.1234, ρ = 1/π.",
    _logit_mean,
    0.0,
    lambda parameters: wu_limits.logit_mean_square(),
    {"absolute": 0.01},
    note=_LOGITS,
    **_COST,
)
with_correction(
    "lemmaB.10.variance",
    "Lemma B.10",
    "Given the weights, Var_x z_1 → (π-1)²/(4π²) ≈ 0.1162.",
    "Given the weights, Var_x z_1 → s² = 1/4 - τ² ≈ 0.1266.",
    lambda trial: float(trial.response.logits.var(axis=0, ddof=1).mean()),
    wu_limits.printed_logit_variance(),
    lambda parameters: wu_limits.logit_variance(),
    {"absolute": 0.003},
    note=_LOGITS,
    **_COST,
)


def _conditioned(statistic: Callable[..., float]):  # type: ignore[no-untyped-def]
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.wu_distances import conditioned_logits

        classes = int(parameters["classes"])
        values: list[float] = []
        while len(values) < replicates:
            drawn = conditioned_logits(size, parameters["alpha"], classes, 256, rng)
            # Fewer kept inputs than this leave no estimate; the weights alone decide it, so nothing is selected
            # on the outcome.
            if len(drawn[1]) >= 8:
                values.append(statistic(*drawn))
        return np.array(values)

    return sample


def _conditioned_distance(free, conditioned, *confidences):  # type: ignore[no-untyped-def]
    from rmtsim.sampling.wu_distances import energy_distance

    return energy_distance(free, conditioned)


def _conditioned_curvature(free, conditioned, free_p, conditioned_p):  # type: ignore[no-untyped-def]
    """Mean over i, j of the squared change of E[A_ij], unbiased by halves."""

    def curvature(p):  # type: ignore[no-untyped-def]
        return np.diag(p.mean(axis=0)) - p.T @ p / len(p)

    halves = []
    for part in (slice(0, None, 2), slice(1, None, 2)):
        halves.append(curvature(conditioned_p[part]) - curvature(free_p[part]))
    return float((halves[0] * halves[1]).mean())


_CONDITION = "D_pp = D_qq = 1 and x_k = x_l = n^{α/4}"
for _name, _equation, _statement, _statistic, _zone in (
    (
        "lemmaB.11",
        "Lemma B.11, eq. (100)",
        f"Given the weights, z conditioned on {_CONDITION} converges in law to z: the energy distance → 0.",
        _conditioned_distance,
        0.01,
    ),
    (
        "corB.3",
        "Corollary B.3, eq. (106)",
        f"E[A_ij | {_CONDITION}] - E[A_ij] → 0: the mean of its square over i, j → 0.",
        _conditioned_curvature,
        1e-4,
    ),
):
    register(
        Claim(
            id=f"wu.{_name}",
            paper="wu",
            equation=_equation,
            statement=_statement,
            kind="limit",
            parameters=(ALPHA, CLASSES),
            grid=GRID,
            sizes=(32, 64, 128, 256),
            size_name="width",
            sample=_conditioned(_statistic),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=_zone),
            exponents=(0.5, 1.0),
            cost=lambda parameters, size: (
                1.5e-3 + (1.2e-8 * (size + 512) + 3e-11 * 512 * size) * float(size) ** (1 + parameters["alpha"])
            ),
            note="Holds for values the input can take: the printed range (-n^β, n^β) includes negative ones, "
            "which x never takes.",
        )
    )


def _gap_event(trial: Trial) -> float:
    whole = 0.5 * (trial.curvature[0] + trial.curvature[1])
    values = np.linalg.eigvalsh(whole)
    return float(values[1] >= wu_curvature.printed_gap_bound(trial.classes) and abs(values[0]) < 1e-12)


trial_claim(
    "lemmaB.12",
    "Lemma B.12, eq. (121)",
    "E[A] has rank c-1 with λ_{c-1}(E[A]) ≥ η = ξᶜ(e^{-γ}/(c e^γ))²/(2c), ξ ≈ 0.68, γ = (π-1)²/(4π²), with "
    "probability → 1.",
    _gap_event,
    lambda parameters: 1.0,
    Tolerance(absolute=0.05),
    kind="probability",
    sizes=(16, 32, 64),
    inputs=32,
    cost=lambda parameters, size, inputs: 2e-4 + response_cost(parameters, size, inputs),  # type: ignore[misc]
    note="Holds in practice: E[A] keeps a random limit (wu.lemmaB.12.limit), so the bound fails with a fixed "
    "probability, but one far below 1e-15.",
)


def _pair_sampler(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """Half the squared difference of E[A]_11 between two independent networks, unbiased over inputs by halves."""
    from rmtsim.hessian.wu_trial import draw_trial

    classes = int(parameters["classes"])
    values = np.empty(replicates)
    for index in range(replicates):
        one, two = (draw_trial(size, parameters["alpha"], classes, 128, rng) for _ in range(2))
        differences = [
            np.diag(one.curvature[half]) - np.diag(two.curvature[half]) for half in range(2)
        ]
        values[index] = float((differences[0] * differences[1]).mean()) / 2
    return values


for _suffix, _statement, _predict in (
    (
        "",
        "Given the weights, E[A] converges to one matrix Ã: the variance over weights of E[A]_11 → 0.",
        lambda parameters: 0.0,
    ),
    (
        "/corrected",
        "E[A] → Ã(b) = E A(b + sξ) with b ~ N(0, τ²I_c) over the weights: the variance over weights of E[A]_11 → "
        "Var Ã_11(b) > 0.",
        lambda parameters: wu_curvature.curvature_variance(int(parameters["classes"])),
    ),
):
    register(
        Claim(
            id=f"wu.lemmaB.12.limit{_suffix}",
            paper="wu",
            equation="Lemma B.12",
            statement=_statement,
            kind="limit",
            parameters=(ALPHA, CLASSES),
            grid=({"alpha": 0.3, "classes": 4}, {"alpha": 0.6, "classes": 3}),
            sizes=(48, 96, 192),
            size_name="width",
            sample=_pair_sampler,
            predict=_predict,
            tolerance=Tolerance(absolute=1e-4),
            exponents=(1.0,),
            cost=lambda parameters, size: 2 * response_cost(parameters, size, 128) + 2e-4,
            note=_LOGITS + " " + FAIR_COIN,
        )
    )
