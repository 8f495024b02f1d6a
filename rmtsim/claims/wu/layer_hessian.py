"""Claims of ``wu`` on the layer Hessian H^(1): Theorem 4.1, Lemmas B.19–B.23, Corollary B.5, eqs. (242), (243)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Parameters, Tolerance
from rmtsim.claims.wu.common import (
    FAIR_COIN,
    energy_cost,
    layer_cost,
    output_cost,
    projected_cost,
    response_cost,
    trial_claim,
    with_correction,
)
from rmtsim.claims.wu.output_hessian import (
    _LIMIT,
    _RATIO,
    GAP_EXPONENTS,
    GAP_INPUTS,
    GAP_SIZES,
    LARGE,
    _error_shape,
    _formula_error,
    _product,
    _ratio_shape,
    _row_overlap,
    _true_norm,
    lifted_shape,
)
from rmtsim.predict.wu import limits as wu_limits

if TYPE_CHECKING:
    from rmtsim.hessian.two_layer import Trial

_SIZES = (32, 64, 128, 256)
_MANY = 192
"""Inputs where matricised eigenvectors of H^(1) are compared: their sampling error is larger than that of M's."""


_MORE = 8
"""Further networks per replicate whose gap of M alone is measured."""


def _layer_gap(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """Gap of H as gap of H less gap of M on one network, plus the mean gap of M over eight others.

    The expectation is that of the gap of H. Nearly all its noise is shared with the gap of M, which costs a tenth.
    """
    from rmtsim.hessian.two_layer import draw_trials

    alpha, classes, count = parameters["alpha"], int(parameters["classes"]), GAP_INPUTS * size
    values = np.empty(replicates)
    for index in range(replicates):
        (trial,) = draw_trials(size, alpha, classes, count, 1, rng)
        others = draw_trials(size, alpha, classes, count, _MORE, rng, inner=False)
        values[index] = trial.layer_gap() - trial.output_gap()
        values[index] += sum(other.output_gap() for other in others) / _MORE
    return values


def _gap_cost(parameters: Parameters, size: int, inputs: int, networks: int) -> float:
    """About fifty Lanczos products over all inputs, half of them on the halves; and the further networks."""
    ranks = float(parameters["classes"]) - 1
    product = 8e-11 * inputs**2 * size + 3e-9 * inputs * ranks * size
    first = response_cost(parameters, size, inputs, 1) + 2e-3 + 50 * product
    return first + output_cost(parameters, size, inputs, _MORE, inner=False) + 3e-4 * _MORE


trial_claim(
    "thm4.1.overlap",
    "Theorem 4.1, eq. (40)",
    "The top c-1 eigenspaces V₁ of H^(1) and V₂ of Ĥ^(1) = E[M] ⊗ E[xxᵀ] have overlap → 1.",
    lambda trial: trial.layer_overlap(),
    lambda parameters: 1.0,
    Tolerance(absolute=0.005),
    cost=layer_cost,
    networks=1,
)
trial_claim(
    "thm4.1.gap",
    "Theorem 4.1, eq. (6)",
    "λ_c(H^(1))/λ_{c-1}(H^(1)) → 0.",
    lambda trial: trial.layer_gap(),
    lambda parameters: 0.0,
    Tolerance(absolute=0.05),
    exponents=GAP_EXPONENTS,
    cost=_gap_cost,
    sample=_layer_gap,
    sizes=GAP_SIZES,
    inputs=lambda size: GAP_INPUTS * size,
    networks=1,
)
with_correction(
    "lemmaB.19",
    "Lemma B.19, eq. (168)",
    "‖VȞVᵀ‖²_F/‖Ȟ‖²_F → 1 for Ȟ = H/d, V = W ⊗ 1ᵀ/√d.",
    f"‖VȞVᵀ‖²_F/‖Ȟ‖²_F → {_LIMIT}.",
    lambda trial: _product(trial.layer_projected) / trial.layer_energy,
    1.0,
    lambda parameters: wu_limits.projection_ratio(),
    _RATIO,
    shape=_ratio_shape,
    cost=energy_cost,
    note="Combines B.21, B.22 and B.23; the last fails. The text scales by d², the proofs by d. " + FAIR_COIN,
)
with_correction(
    "lemmaB.20",
    "Lemma B.20, eq. (171)",
    "Ȟ* = (1/4d)(WᵀE[A]W + diag(WᵀE[A]W)) ⊗ ((1/2π)11ᵀ + ((π-1)/2π)I): the relative Frobenius error → 0.",
    "That relative error → √(1 - 1/(16q²)) ≈ 0.5592: the right-hand factor is exact, the left one is eq. (8).",
    _formula_error,
    0.0,
    lambda parameters: wu_limits.formula_error(),
    {"absolute": 0.015},
    shape=_error_shape,
)
trial_claim(
    "lemmaB.21",
    "Lemma B.21",
    "‖Ȟ‖²_F/‖Ȟ*‖²_F → 1.",
    lambda trial: trial.layer_energy / (_product(trial.independent) * trial.autocorrelation_energy()),
    lambda parameters: 1.0,
    Tolerance(relative=0.02),
    cost=energy_cost,
    sizes=_SIZES,
)
trial_claim(
    "lemmaB.22",
    "Lemma B.22, eq. (177)",
    "‖VȞVᵀ‖²_F/‖VȞ*Vᵀ‖²_F → 1.",
    lambda trial: (
        _product(trial.layer_projected)
        / (_product(trial.projected_independent) * trial.autocorrelation_top() ** 2)
    ),
    lambda parameters: 1.0,
    Tolerance(relative=0.02),
    cost=projected_cost,
    sizes=_SIZES,
)
with_correction(
    "lemmaB.23",
    "Lemma B.23, eq. (181)",
    "‖VȞ*Vᵀ‖²_F/‖Ȟ*‖²_F → 1.",
    f"‖VȞ*Vᵀ‖²_F/‖Ȟ*‖²_F → {_LIMIT}.",
    lambda trial: (
        _product(trial.projected_independent)
        * trial.autocorrelation_top() ** 2
        / (_product(trial.independent) * trial.autocorrelation_energy())
    ),
    1.0,
    lambda parameters: wu_limits.projection_ratio(),
    _RATIO,
    shape=_ratio_shape,
    note="Reduces to Lemma B.18 (and eq. (186) misprints ‖E[xxᵀ]‖²_F, harmlessly). " + FAIR_COIN,
)
with_correction(
    "corB.5",
    "Corollary B.5",
    "The top c-1 eigenspace of Ĥ and the row span of V = W ⊗ 1ᵀ/√d without 1ᵀV have overlap → 1.",
    "That overlap → 1/(4q) ≈ 0.8290.",
    lambda trial: trial.kronecker_row_overlap(),
    1.0,
    lambda parameters: wu_limits.row_space_overlap(),
    {"relative": 0.01},
    shape=_row_overlap,
    note="Takes the row span of W for M's top eigenspace from Theorem 4.2. " + FAIR_COIN,
)


def _lifted_error(trial: Trial) -> float:
    """‖(1/8π)VᵀE[A]V - VᵀVȞ*VᵀV‖²_F over ‖E[A]/8π‖²_F, through the c × c matrices it lifts."""
    top = trial.autocorrelation_top()
    pair = tuple(
        a / (8 * math.pi) - top * projected
        for a, projected in zip(trial.curvature[::-1], trial.projected_independent, strict=True)
    )
    scale = _product(trial.curvature) / (8 * math.pi) ** 2
    return trial.lifted_energy(pair) / scale  # type: ignore[arg-type]


trial_claim(
    "eq243",
    "eq. (243)",
    "‖(1/8π)VᵀE[A]V - VᵀVȞ*VᵀV‖_F → 0: its mean square over ‖E[A]/8π‖²_F → 0.",
    _lifted_error,
    lambda parameters: 0.0,
    Tolerance(absolute=0.02),
    cost=projected_cost,
    sizes=LARGE,
    note="True although Ȟ* is not what eq. (171) says: V Ȟ* Vᵀ sees only WΠWᵀ → I/2.",
)


def _layer_formula_error(trial: Trial) -> float:
    """‖Ȟ - VᵀVȞ*VᵀV‖_F, expanded: ‖Ȟ‖² - 2⟨VȞVᵀ, G⟩ + ‖·‖² with the lifted c × c matrices."""
    gram = trial.weights @ trial.weights.T
    top = trial.autocorrelation_top()
    lifted = [top * matrix for matrix in trial.projected_independent]
    cross = 0.5 * sum(float(np.sum(trial.layer_projected[half] * lifted[1 - half])) for half in range(2))
    own = float(np.sum((gram @ lifted[0] @ gram) * lifted[1]))
    return math.sqrt(max(0.0, trial.layer_energy - 2 * cross + own))


with_correction(
    "eq242",
    "eq. (242)",
    "‖Ȟ - VᵀVȞ*VᵀV‖_F → 0.",
    "The mean over weights of ‖Ȟ - VᵀVȞ*VᵀV‖_F → √(q² - 1/16)·E‖Ã(b)‖_F/(2π).",
    _layer_formula_error,
    0.0,
    lambda parameters: _true_norm(parameters) / (2 * math.pi),
    {"absolute": 0.0005},
    shape=lambda projected, energy, gram: lifted_shape(projected, energy, gram) / (2 * math.pi),
    curved=True,
    cost=energy_cost,
    note="Follows Lemma B.19. " + FAIR_COIN,
)


def _decoupling_error(trial: Trial) -> float:
    from rmtsim.hessian.layer_hessian import decoupling_energy

    return decoupling_energy(*trial.layers, *trial.output) / (
        trial.layer_energy * trial.response.inputs.dimension**2
    )


def _decoupling_spectral(trial: Trial) -> float:
    """‖·‖²_F of the difference over λ₁(H)², with λ₁ from below: at least the squared ratio of spectral norms."""
    from rmtsim.hessian.layer_hessian import decoupling_energy, rayleigh_quotient

    spaces = [layer.top(1) for layer in trial.layers]
    largest = 0.5 * sum(
        rayleigh_quotient(space, layer) for space, layer in zip(spaces, trial.layers[::-1], strict=True)
    )
    return decoupling_energy(*trial.layers, *trial.output) / largest**2


_DECOUPLING = (
    "The limit is zero, at rate 1/d for the square: with x = μ1 + ξ the difference is E[(M - E M) ⊗ μ(1ξᵀ + ξ1ᵀ)] and "
    "smaller terms, of norm O(√d) beside ‖H‖ = O(d)."
)
trial_claim(
    "decoupling",
    "section 3, eq. (3)",
    "The relative error of the Kronecker approximation is at most a small constant: here "
    "‖E[M] ⊗ E[xxᵀ] - E[M ⊗ xxᵀ]‖²_F/‖E[M ⊗ xxᵀ]‖²_F → 0.",
    _decoupling_error,
    lambda parameters: 0.0,
    Tolerance(absolute=0.005),
    cost=energy_cost,
    sizes=_SIZES,
    note=_DECOUPLING,
)
trial_claim(
    "decoupling.spectral",
    "section 3, eq. (3)",
    "The same in spectral norm → 0: bounded by ‖E[M] ⊗ E[xxᵀ] - E[M ⊗ xxᵀ]‖²_F/λ₁(H)² → 0.",
    _decoupling_spectral,
    lambda parameters: 0.0,
    Tolerance(absolute=0.01),
    cost=layer_cost,
    sizes=_SIZES,
    note=_DECOUPLING + " The Frobenius norm of the difference bounds its spectral norm from above.",
)


def _near_rank_one(trial: Trial) -> float:
    """Mean over the top c-1 eigenvectors of σ₁/‖·‖_F of Mat(h), extrapolated in the number of inputs."""
    from rmtsim.hessian.layer_hessian import LayerHessian

    count = trial.classes - 1

    def ratio(space) -> float:  # type: ignore[no-untyped-def]
        return float(np.mean([space.singular_values(index)[0] for index in range(count)]))

    whole = LayerHessian(trial.weights, trial.response).top(count)
    return 2 * ratio(whole) - 0.5 * (ratio(trial.layer_spaces[0]) + ratio(trial.layer_spaces[1]))


trial_claim(
    "secG.2",
    "section G.2",
    "Matricised top eigenvectors of H^(1) are near rank one: σ₁(Mat h_i)/‖Mat h_i‖_F → 1 for i < c.",
    _near_rank_one,
    lambda parameters: 1.0,
    Tolerance(absolute=0.005),
    cost=lambda parameters, size, inputs, networks: (
        3 * layer_cost(parameters, size, inputs, networks) + 4e-9 * size**3
    ),
    inputs=_MANY,
)


def _mean_growth(trial: Trial) -> float:
    """λ₂/λ₁ of E[yyᵀ], extrapolated in the number of inputs."""
    from rmtsim.hessian.eigenspaces import top_eigenspace

    def ratio(hidden: NDArray[np.float64]) -> float:
        values = top_eigenspace(hidden.T @ hidden, 1, extra=1).values
        return float(values[1] / values[0])

    halves = [ratio(half.hidden[-1]) for half in trial.halves]
    return 2 * ratio(trial.response.hidden[-1]) - 0.5 * (halves[0] + halves[1])


def _mean_direction(trial: Trial) -> float:
    first, second = (half.hidden[-1] for half in trial.halves)
    mean = first.mean(axis=0)
    _, _, right = np.linalg.svd(second, full_matrices=False)
    other = second.mean(axis=0)
    # cos² between the top eigenvector of one half and the mean of the other, over cos² of the two means' noise.
    raw = float((right[0] @ mean) ** 2 / (mean @ mean))
    return raw / float((mean @ other) ** 2 / ((mean @ mean) * (other @ other)))


trial_claim(
    "sec3.1.hidden",
    "section 3.1",
    "The autocorrelation E[yyᵀ] of the non-negative hidden activations is near rank one: λ₂/λ₁ → 0.",
    _mean_growth,
    lambda parameters: 0.0,
    Tolerance(absolute=0.01),
    sizes=GAP_SIZES,
    inputs=lambda size: GAP_INPUTS * size,
    networks=1,
    cost=lambda parameters, size, inputs, networks: (
        response_cost(parameters, size, inputs, networks, inner=False)
        + networks * (1.5e-3 + 1e-10 * inputs * size**2)
    ),
    inner=False,
    note="With a fixed number N of inputs λ₂/λ₁ would stop near Var(y)/(N (E y)²): N grows with the width.",
)
trial_claim(
    "sec3.1.direction",
    "section 3.1",
    "The top eigenvector of E[yyᵀ] is asymptotically along E[y]: cos² → 1.",
    _mean_direction,
    lambda parameters: 1.0,
    Tolerance(absolute=0.003),
    sizes=_SIZES,
)
