"""Claims of ``wu`` on activations, logits and E[A]: Lemmas B.9–B.12 and Corollary B.3."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameters, Tolerance
from rmtsim.claims.wu.common import ALPHA, CLASSES, GRID, response_cost, trial_claim, with_correction
from rmtsim.predict.wu import curvature as wu_curvature
from rmtsim.predict.wu import limits as wu_limits

if TYPE_CHECKING:
    from rmtsim.hessian.two_layer import Trial
    from rmtsim.sampling.relu_network import Response

_COST: dict[str, Any] = {
    "cost": lambda parameters, size, inputs, networks: (
        1e-3 + response_cost(parameters, size, inputs, networks)
    ),
    "inputs": 48,
}

_MEAN_KEPT = (
    "The last step drops (1/√2π)Σ_i w_i by Lemma B.1; its entries are N(0, 1/2π) over units at every n, so given "
    "W^(1) unit i is a rectified N(g_i/√2π, (π-1)/2π) with g_i standard normal over units."
)


def _hidden_distance(trial: Trial) -> float:
    """Mean energy distance over units, less its dependence on averages whose mean over first layers is exact."""
    from rmtsim.sampling.activation_pairs import hidden_deviations
    from rmtsim.sampling.energy_distances import rectified_energy_distance

    slopes, found = wu_limits.hidden_distance_slopes(), hidden_deviations(trial.response)
    distance = rectified_energy_distance(trial.response.hidden[-1], wu_limits.FLUCTUATION)
    return distance - slopes[0] * found[0] - slopes[1] * found[1]


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
    {"absolute": 0.003},
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
    {"absolute": 0.002},
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
    {"absolute": 0.005},
    note=_MEAN_KEPT,
    **_COST,
)


_LAYERS = 24
"""Last layers per hidden layer: the random bias of the logits is averaged over them."""


def _logit_distance(response: Response, classes: int, rng: np.random.Generator) -> float:
    """Mean over W^(2) of the energy distance, less its first-order dependence on averages of exactly known mean."""
    from rmtsim.sampling.activation_pairs import hidden_deviations
    from rmtsim.sampling.energy_distances import logit_energy_distance, logit_scale

    gamma = wu_limits.printed_logit_variance()
    bias, square = hidden_deviations(response)
    # The limit κ(2√(m+γ) - √(2(m-τ²)) - √(2γ)) with m = E|y|²/n = 1/4: its slopes in τ² and m.
    own = 1 / math.sqrt(2 * wu_limits.logit_variance())
    slopes = own, 1 / math.sqrt(0.25 + gamma) - own
    distance = logit_energy_distance(response.hidden[-1], classes, gamma)
    return distance - logit_scale(classes, 1) * (slopes[0] * bias + slopes[1] * square)


def _logit_mean(response: Response, classes: int, rng: np.random.Generator) -> float:
    """Mean over W^(2) of (E z_1)², from two halves of the inputs."""
    first, second = (half.hidden[-1].mean(axis=0) for half in response.halves())
    return float((first * second).mean())


def _logit_variance(response: Response, classes: int, rng: np.random.Generator) -> float:
    """Mean over W^(2) of Var z_1."""
    return float(response.hidden[-1].var(axis=0, ddof=1).mean())


def _curvature_halves(logits: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Diagonals of E[A] per last layer from both halves of the inputs."""
    p = np.exp(logits - logits.max(axis=2, keepdims=True))
    p /= p.sum(axis=2, keepdims=True)
    diagonal = p - p**2
    half = p.shape[1] // 2
    return [diagonal[:, :half].mean(axis=1), diagonal[:, half : 2 * half].mean(axis=1)]


def _curvature_spread(response: Response, classes: int, rng: np.random.Generator) -> float:
    """Variance over last layers of E[A]_11, unbiased over inputs by halves, averaged over the diagonal."""
    from rmtsim.sampling.last_layers import last_layers

    logits = last_layers(response.hidden[-1], classes, _LAYERS, rng)
    centred = [part - part.mean(axis=0) for part in _curvature_halves(logits)]
    return float((centred[0] * centred[1]).sum(axis=0).mean() / (len(logits) - 1))


def _logit_claim(
    name: str,
    equation: str,
    statement: str,
    statistic: Callable[[Response, int, np.random.Generator], float],
    predict: Callable[[Parameters], float],
    tolerance: Tolerance,
    *,
    layers: int = 0,
    own_cost: float = 2e-4,
    note: str = "",
    quick: bool = True,
) -> None:
    """Register a statement on the logits; ``layers`` last layers are drawn where no mean over them is known."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.relu_network import draw_response

        classes = int(parameters["classes"])
        values = np.empty(replicates)
        for index in range(replicates):
            _, response = draw_response(size, parameters["alpha"], classes, 48, rng)
            values[index] = statistic(response, classes, rng)
        return values

    register(
        Claim(
            id=f"wu.{name}",
            paper="wu",
            equation=equation,
            statement=statement,
            kind="limit",
            parameters=(ALPHA, CLASSES),
            grid=GRID,
            sizes=(32, 64, 128, 256),
            size_name="width",
            sample=sample,
            predict=predict,
            tolerance=tolerance,
            exponents=(1.0,),
            cost=lambda parameters, size: (
                response_cost(parameters, size, 48, 1)
                + own_cost
                + 1.5e-8 * size * layers * parameters["classes"]
            ),
            note=note,
            quick=quick,
        )
    )


_LOGITS = (
    "Σ_i E[y_i] w_i does not vanish (Lemma B.1 again): given the weights z is N(b, s² I_c) with a random bias "
    "b ~ N(0, τ² I_c), τ² ≈ 0.1234, s² = 1/4 - τ² ≈ 0.1266."
)
for _name, _equation, _statistic, _zone, _cost, _quick, _forms in (
    (
        "lemmaB.10",
        "Lemma B.10",
        _logit_distance,
        Tolerance(relative=0.02),
        3e-4,
        True,
        (
            (
                "Given the weights, z converges in law to N(0, (π-1)²/(4π²) I_c): the energy distance → 0.",
                lambda parameters: 0.0,
            ),
            (
                "The mean over weights of that energy distance → κ_c(2√(1/4+γ) - √(2s²) - √(2γ)), "
                "κ_c = √2Γ((c+1)/2)/Γ(c/2), γ = (π-1)²/(4π²): z given the weights is N(b, s²I) with b ~ N(0, τ²I).",
                lambda parameters: wu_limits.logit_energy_distance(int(parameters["classes"])),
            ),
        ),
    ),
    (
        "lemmaB.10.mean",
        "Lemma B.10",
        _logit_mean,
        Tolerance(absolute=0.004),
        1e-4,
        False,
        (
            (
                "Given the weights, E z → 0: the mean over weights of (E_x z_1)² → 0.",
                lambda parameters: 0.0,
            ),
            (
                "The mean over weights of (E_x z_1)² → τ² = (√(1-ρ²) + ρ(π/2 + arcsin ρ))/(4π) ≈ 0.1234, ρ = 1/π.",
                lambda parameters: wu_limits.logit_mean_square(),
            ),
        ),
    ),
    (
        "lemmaB.10.variance",
        "Lemma B.10",
        _logit_variance,
        Tolerance(absolute=0.002),
        1e-4,
        False,
        (
            (
                "Given the weights, Var_x z_1 → (π-1)²/(4π²) ≈ 0.1162.",
                lambda parameters: wu_limits.printed_logit_variance(),
            ),
            (
                "Given the weights, Var_x z_1 → s² = 1/4 - τ² ≈ 0.1266.",
                lambda parameters: wu_limits.logit_variance(),
            ),
        ),
    ),
    (
        "lemmaB.12.limit",
        "Lemma B.12",
        _curvature_spread,
        Tolerance(absolute=5e-5),
        4e-4,
        False,
        (
            (
                "Given the weights, E[A] converges to one matrix Ã: the variance over weights of E[A]_11 → 0.",
                lambda parameters: 0.0,
            ),
            (
                "E[A] → Ã(b) = E A(b + sξ) with b ~ N(0, τ²I_c) over the weights: the variance over weights of "
                "E[A]_11 → Var Ã_11(b) > 0.",
                lambda parameters: wu_curvature.curvature_variance(int(parameters["classes"])),
            ),
        ),
    ),
):
    for _suffix, (_statement, _predict) in zip(("", "/corrected"), _forms, strict=True):
        _logit_claim(
            f"{_name}{_suffix}",
            _equation,
            _statement,
            _statistic,
            _predict,
            # Where the printed value is zero the zone is absolute; both claims of a pair share the right one's width.
            Tolerance(absolute=0.01) if _name == "lemmaB.10" and not _suffix else _zone,
            own_cost=_cost,
            layers=_LAYERS if _statistic is _curvature_spread else 0,
            note=_LOGITS,
            quick=_quick,
        )


def _conditioned(statistic: Callable[..., float], layers: int) -> Callable[..., NDArray[np.float64]]:
    """Sampler of a comparison of conditioned with free inputs: of hidden activations, or of ``layers`` logits."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.last_layers import conditioned_hidden, last_layers

        classes = int(parameters["classes"])
        values: list[float] = []
        while len(values) < replicates:
            free, conditioned = conditioned_hidden(size, parameters["alpha"], 128, rng)
            # Fewer kept inputs than this leave no estimate; the first weights alone decide it, so nothing is
            # selected on the outcome.
            if len(conditioned) < 8:
                continue
            if layers == 0:
                values.append(statistic(free, conditioned, classes))
                continue
            logits = last_layers(np.vstack([free, conditioned]), classes, layers, rng)
            values.append(sum(statistic(z[: len(free)], z[len(free) :]) for z in logits) / layers)
        return np.array(values)

    return sample


def _conditioned_distance(free: NDArray[np.float64], conditioned: NDArray[np.float64], classes: int) -> float:
    """Energy distance of the logits, averaged over W^(2): that of the activations times a constant."""
    from rmtsim.sampling.energy_distances import energy_distance, logit_scale

    return energy_distance(free, conditioned) * logit_scale(classes, free.shape[1])


def _conditioned_curvature(free: NDArray[np.float64], conditioned: NDArray[np.float64]) -> float:
    """Mean over i, j of the squared change of E[A_ij], unbiased by halves."""

    def curvature(z: NDArray[np.float64]) -> NDArray[np.float64]:
        p = np.exp(z - z.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return np.asarray(np.diag(p.mean(axis=0)) - p.T @ p / len(p))

    halves = [
        curvature(conditioned[part]) - curvature(free[part])
        for part in (slice(0, None, 2), slice(1, None, 2))
    ]
    return float((halves[0] * halves[1]).mean())


_CONDITION = "D_pp = D_qq = 1 and x_k = x_l = n^{α/4}"
for _name, _equation, _statement, _condition, _width in (
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
        5e-5,
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
            sample=_conditioned(_condition, 8 if _name == "corB.3" else 0),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=_width),
            exponents=(1.0,),
            cost=lambda parameters, size: (
                2.5e-3 + (1e-8 * (size + 256) + 3e-11 * 256 * size) * float(size) ** (1 + parameters["alpha"])
            ),
            quick=_name == "lemmaB.11",
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
    Tolerance(absolute=0.04),
    kind="probability",
    sizes=(16, 32, 64),
    inputs=32,
    cost=lambda parameters, size, inputs, networks: 2e-4 + response_cost(parameters, size, inputs, networks),
    note="Holds in practice: E[A] keeps a random limit (wu.lemmaB.12.limit), so the bound fails with a fixed "
    "probability, but one far below 1e-15.",
)
