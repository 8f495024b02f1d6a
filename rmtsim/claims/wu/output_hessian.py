"""Claims of ``wu`` on the output Hessian M^(1): Theorem 4.2, eq. (8), Lemmas B.14–B.18, eqs. (144)–(224)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Parameters, Tolerance
from rmtsim.claims.wu.common import FAIR_COIN, output_cost, projected_cost, trial_claim, with_correction
from rmtsim.predict.wu import curvature as wu_curvature
from rmtsim.predict.wu import limits as wu_limits

if TYPE_CHECKING:
    from rmtsim.hessian.two_layer import Trial

_RATIO = {"relative": 0.03}
_OVERLAP = {"relative": 0.01}
LARGE = (256, 512, 1024, 2048)
"""Widths where only c × c matrices are needed. They enter through the fourth power of WΠWᵀ = (I + Δ)/2 with E Δ² ≈
4q(c+1)/n: the second term of the series is some ten times 4q(c+1)/n beside the first, 1/4 from n = 256 on for c = 4."""
_LIMIT = "1/(16 q²) ≈ 0.6873, q = 1/4 + arcsin(1/π)/(2π)"


Pair = tuple[NDArray[np.float64], ...]


def _row_overlap(projected: float, energy: float, gram: float) -> float:
    """Overlap of {ΠWᵀv} with {Wᵀv} where WΠWᵀ, WΠ²Wᵀ, WWᵀ are these multiples of the identity."""
    return projected**2 / (energy * gram)


def _ratio_shape(projected: float, energy: float, gram: float) -> float:
    """‖WMWᵀ‖²/‖M‖² in the same case."""
    return projected**4 / energy**2


def lifted_shape(projected: float, energy: float, gram: float) -> float:
    """‖M - WᵀW M* WᵀW‖/‖E[A]‖ in the same case."""
    return math.sqrt(energy**2 - 2 * projected**4 + projected**4 * gram**2)


def _error_shape(projected: float, energy: float, gram: float) -> float:
    """‖M - WᵀE[A]W/4‖/‖M‖ in the same case."""
    return math.sqrt(1 + (gram**2 / 16 - projected**2 / 2) / energy**2)


def _product(pair: Pair) -> float:
    """⟨first, second⟩_F: the squared norm of what both halves estimate."""
    return float(np.sum(pair[0] * pair[1]))


def _norm(pair: Pair) -> float:
    """Its root, zero where chance makes it negative."""
    return math.sqrt(max(0.0, _product(pair)))


trial_claim(
    "thm4.2.overlap",
    "Theorem 4.2, eq. (42)",
    "The top c-1 eigenspaces S₁ of M and S₂ of M* = E[D'WᵀAWD'] (D' an independent copy of D) have overlap → 1.",
    lambda trial: trial.corrected(trial.output_space, trial.independent_space),
    lambda parameters: 1.0,
    Tolerance(absolute=0.002),
    networks=1,
)
GAP_INPUTS = 2
"""Inputs per hidden unit where eigenvalues inside the bulk are compared. With fewer inputs than units the bulk of M is
that of a sample covariance, whose edge lies off the population's by powers of √(n/N): N has to grow with n."""
GAP_SIZES = (64, 128, 256, 512)
GAP_EXPONENTS = (0.75, 1.0)
"""λ_c is the largest of n diagonal terms π_i(1-π_i)(WᵀE[A]W)_ii, each of size 1/n with an exponential tail, so it
decays like log n/n, whose local exponent is 1 - 1/log n: 0.76 at the smallest width, rising to 1."""
trial_claim(
    "thm4.2.gap",
    "Theorem 4.2, eq. (7)",
    "λ_c(M)/λ_{c-1}(M) → 0.",
    lambda trial: trial.output_gap(),
    lambda parameters: 0.0,
    Tolerance(absolute=0.05),
    exponents=GAP_EXPONENTS,
    cost=lambda parameters, size, inputs, networks: (
        output_cost(parameters, size, inputs, networks, inner=False) + networks * 3e-4
    ),
    inner=False,
    sizes=GAP_SIZES,
    inputs=lambda size: GAP_INPUTS * size,
    networks=1,
)
with_correction(
    "thm4.2.rowspace",
    "Theorem 4.2",
    "S₂ is asymptotically the row span of W^(2) without 1ᵀW^(2): their overlap → 1.",
    "The overlap of S₂ with {Wᵀv : v ⊥ 1} → (E π)²/E π² = 1/(4q) ≈ 0.8290: S₂ is {ΠWᵀv : v ⊥ 1}, "
    "Π = diag(π_i).",
    lambda trial: trial.corrected(trial.independent_space, (trial.rows, trial.rows)),
    1.0,
    lambda parameters: wu_limits.row_space_overlap(),
    _OVERLAP,
    shape=_row_overlap,
)
with_correction(
    "thm4.2.rowspace-output",
    "proof of Theorem 4.2, after eq. (230)",
    "S₁ is asymptotically the row span of W^(2) without 1ᵀW^(2): their overlap → 1.",
    "The overlap of S₁ with {Wᵀv : v ⊥ 1} → 1/(4q) ≈ 0.8290.",
    lambda trial: trial.corrected(trial.output_space, (trial.rows, trial.rows)),
    1.0,
    lambda parameters: wu_limits.row_space_overlap(),
    _OVERLAP,
    shape=_row_overlap,
)


def _activation_space(trial: Trial) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bases of {ΠWᵀv : v ⊥ 1} with Π from each half."""
    from rmtsim.hessian.eigenspaces import row_space

    first, second = (row_space(trial.weights * half.active[-1].mean(axis=0)) for half in trial.halves)
    return first, second


trial_claim(
    "thm4.2.activation-space",
    "restates Theorem 4.2",
    "The top c-1 eigenspace of M is asymptotically {ΠWᵀv : v ⊥ 1} with Π = diag P(unit i active): overlap → 1.",
    lambda trial: trial.corrected(trial.output_space, _activation_space(trial)),
    lambda parameters: 1.0,
    Tolerance(absolute=0.005),
    note="The closed form that replaces the row span of W in Theorem 4.2.",
)


def _formula_error(trial: Trial) -> float:
    from rmtsim.hessian.output_hessian import printed_independent_hessian

    # The formula uses the same E[A] as the M* it is compared with, so only the activations are judged.
    difference = tuple(
        matrix - printed_independent_hessian(trial.weights, curvature)
        for matrix, curvature in zip(trial.independent, trial.curvature[::-1], strict=True)
    )
    return float(_norm(difference) / _norm(trial.independent))


for _name, _equation in (("eq8", "eq. (8)"), ("lemmaB.15", "Lemma B.15, eq. (140)")):
    with_correction(
        _name,
        _equation,
        "M* = (WᵀE[A]W + diag(WᵀE[A]W))/4: the relative Frobenius error of the formula → 0.",
        "‖M* - (WᵀE[A]W + diag)/4‖_F/‖M*‖_F → √(1 - 1/(16q²)) ≈ 0.5592; the right formula is "
        "M*_ik = P(D_i = D_k = 1)(WᵀE[A]W)_ik ≈ π_i π_k (WᵀE[A]W)_ik off the diagonal, π_i on it.",
        _formula_error,
        0.0,
        lambda parameters: wu_limits.formula_error(),
        {"absolute": 0.015},
        shape=_error_shape,
    )


def _activation_formula_error(trial: Trial) -> float:
    """Squared relative error of π_iπ_k(WᵀE[A]W)_ik + diagonal, with activation rates and M* from different inputs."""
    first, second = trial.halves
    difference = []
    for matrix, curvature, rates in (
        (trial.independent[0], trial.curvature[1], first.active[-1].mean(axis=0)),
        (trial.independent[1], trial.curvature[0], second.active[-1].mean(axis=0)),
    ):
        core = trial.weights.T @ curvature @ trial.weights
        # Rates of one half have noise of their own: π̂_iπ̂_k is unbiased off the diagonal up to Cov(D_i, D_k)/N.
        formula = core * np.outer(rates, rates)
        np.fill_diagonal(formula, rates * np.diag(core))
        difference.append(matrix - formula)
    return float(_product(tuple(difference)) / _product(trial.independent))


trial_claim(
    "eq8.activation-formula",
    "restates eq. (8)",
    "M* = ΠWᵀE[A]WΠ + (Π - Π²)diag(WᵀE[A]W): the squared relative Frobenius error → 0.",
    _activation_formula_error,
    lambda parameters: 0.0,
    Tolerance(absolute=0.01),
    note="The formula that replaces eq. (8); Π = diag(π_i), π_i = Φ(Σ_j W^(1)_ij/√(π-1)) in the limit.",
)


def _bounded(trial: Trial) -> float:
    whole = 0.5 * (trial.independent[0] + trial.independent[1])
    spectral = float(np.linalg.norm(whole, 2))
    lowest = wu_curvature.printed_gap_bound(trial.classes) / 4
    return float(lowest <= spectral and np.linalg.norm(whole) <= 2 * trial.classes**2)


trial_claim(
    "lemmaB.15.bounds",
    "Lemma B.15",
    "‖M*‖ ≥ η/4 and ‖M*‖_F ≤ 2c² with probability → 1, η of eq. (121).",
    _bounded,
    lambda parameters: 1.0,
    Tolerance(absolute=0.02),
    kind="probability",
    sizes=(16, 32, 64),
    inputs=32,
)
with_correction(
    "eq144",
    "eq. (144)",
    "‖M*‖_F ≥ ‖WᵀE[A]W‖_F: the ratio is at least 1 in the limit (stated as limit 1 at its lower end).",
    "‖M*‖_F/‖WᵀE[A]W‖_F → q ≈ 0.3016.",
    lambda trial: _norm(trial.independent) / _norm(trial.core),
    1.0,
    lambda parameters: wu_limits.activation_second_moment(),
    {"relative": 0.01},
    shape=lambda projected, energy, gram: energy / gram,
    note="The factor 1/4 of eq. (140) is lost; with π_i it becomes q.",
)
with_correction(
    "lemmaB.14",
    "Lemma B.14, eq. (137)",
    "‖WMWᵀ‖²_F/‖M‖²_F → 1.",
    f"‖WMWᵀ‖²_F/‖M‖²_F → {_LIMIT}.",
    lambda trial: _product(trial.projected_output) / trial.output_energy,
    1.0,
    lambda parameters: wu_limits.projection_ratio(),
    _RATIO,
    shape=_ratio_shape,
    note="Combines B.16, B.17 and B.18; the last fails. " + FAIR_COIN,
)
trial_claim(
    "lemmaB.16",
    "Lemma B.16",
    "‖M‖²_F/‖M*‖²_F → 1.",
    lambda trial: trial.output_energy / _product(trial.independent),
    lambda parameters: 1.0,
    Tolerance(relative=0.01),
)
trial_claim(
    "lemmaB.17",
    "Lemma B.17",
    "‖WMWᵀ‖²_F/‖WM*Wᵀ‖²_F → 1.",
    lambda trial: _product(trial.projected_output) / _product(trial.projected_independent),
    lambda parameters: 1.0,
    Tolerance(relative=0.01),
    cost=projected_cost,
)


def _projected_difference(trial: Trial) -> float:
    a, b = trial.projected_output, trial.projected_independent
    return float(_product((a[0] - b[0], a[1] - b[1])))


trial_claim(
    "lemmaB.17.entries",
    "Lemma B.17, eq. (151)",
    "(WMWᵀ)_ij - (WM*Wᵀ)_ij → 0 for all i, j: the sum of squares over i, j → 0.",
    _projected_difference,
    lambda parameters: 0.0,
    Tolerance(absolute=1e-4),
    cost=projected_cost,
)
with_correction(
    "lemmaB.18",
    "Lemma B.18, eq. (152)",
    "‖WM*Wᵀ‖²_F/‖M*‖²_F → 1.",
    f"‖WM*Wᵀ‖²_F/‖M*‖²_F → {_LIMIT}.",
    lambda trial: _product(trial.projected_independent) / _product(trial.independent),
    1.0,
    lambda parameters: wu_limits.projection_ratio(),
    _RATIO,
    shape=_ratio_shape,
    note="Part 1 of the proof, eq. (162), takes ‖M*‖²_F → ‖E[A]‖²_F/16; it is q²‖E[A]‖²_F. " + FAIR_COIN,
)
with_correction(
    "eq162",
    "eq. (162)",
    "‖E[A]‖²_F/(16‖M*‖²_F) → 1.",
    f"‖E[A]‖²_F/(16‖M*‖²_F) → {_LIMIT}.",
    lambda trial: _product(trial.curvature) / 16 / _product(trial.independent),
    1.0,
    lambda parameters: wu_limits.projection_ratio(),
    _RATIO,
    shape=lambda projected, energy, gram: 1 / (16 * energy**2),
)
trial_claim(
    "eq167",
    "eq. (167)",
    "‖E[A]‖²_F/(16‖WM*Wᵀ‖²_F) → 1.",
    lambda trial: _product(trial.curvature) / 16 / _product(trial.projected_independent),
    lambda parameters: 1.0,
    Tolerance(relative=0.03),
    shape=lambda projected, energy, gram: 1 / (16 * projected**4),
    cost=projected_cost,
    sizes=LARGE,
    note="True although M* is not what eq. (140) says: only E π = 1/2 enters W M* Wᵀ.",
)


def _printed_error(trial: Trial) -> float:
    """‖M - WᵀE[A]W/4‖_F."""
    return float(_norm(tuple(m - core / 4 for m, core in zip(trial.output, trial.core, strict=True))))


def _true_norm(parameters: Parameters) -> float:
    q = wu_limits.activation_second_moment()
    return float(np.sqrt(q**2 - 1 / 16)) * wu_curvature.curvature_norm(int(parameters["classes"]))


with_correction(
    "eq224",
    "eq. (224)",
    "‖M - WᵀE[A]W/4‖_F → 0.",
    "The mean over weights of ‖M - WᵀE[A]W/4‖_F → √(q² - 1/16)·E‖Ã(b)‖_F, with Ã(b) the random limit of E[A]; "
    "relative to ‖M‖_F it tends to √(1 - 1/(16q²)) ≈ 0.5592.",
    _printed_error,
    0.0,
    _true_norm,
    {"absolute": 0.002},
    shape=lambda projected, energy, gram: math.sqrt(energy**2 - projected**2 / 2 + gram**2 / 16),
    curved=True,
    note="Rests on Lemma B.14 through eq. (215). M → ΠWᵀE[A]WΠ in Frobenius norm. " + FAIR_COIN,
)
with_correction(
    "eq215",
    "eq. (215)",
    "‖M - WᵀW M* WᵀW‖_F → 0.",
    "The mean over weights of ‖M - WᵀW M* WᵀW‖_F → √(q² - 1/16)·E‖Ã(b)‖_F.",
    lambda trial: _norm(
        tuple(
            m - trial.weights.T @ projected @ trial.weights
            for m, projected in zip(trial.output, trial.projected_independent, strict=True)
        )
    ),
    0.0,
    _true_norm,
    {"absolute": 0.002},
    shape=lifted_shape,
    curved=True,
)
trial_claim(
    "eq223",
    "eq. (223)",
    "‖WᵀE[A]W/4 - WᵀW M* WᵀW‖²_F/‖E[A]/4‖²_F → 0.",
    lambda trial: (
        16
        * trial.lifted_energy(
            tuple(  # type: ignore[arg-type]
                a / 4 - projected
                for a, projected in zip(trial.curvature[::-1], trial.projected_independent, strict=True)
            )
        )
        / _product(trial.curvature)
    ),
    lambda parameters: 0.0,
    Tolerance(absolute=0.02),
    cost=projected_cost,
    sizes=LARGE,
    note="True although M* is not what eq. (140) says: WΠWᵀ → I/2 because E π = 1/2.",
)
