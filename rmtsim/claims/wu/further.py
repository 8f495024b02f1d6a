"""Further statements of ``wu``: the multi-layer heuristic, Theorem G.1, the full Hessian of appendix C."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameter, Parameters, Tolerance
from rmtsim.claims.wu.common import ALPHA, CLASSES, output_cost, response_cost, trial_claim
from rmtsim.predict.wu import limits as wu_limits

if TYPE_CHECKING:
    from rmtsim.hessian.two_layer import Trial

DEPTH = Parameter(
    "depth",
    "layers of weights L",
    default=3,
    integer=True,
    lowest=2,
    highest=8,
    draw_range=(2, 5),
    assumption="all hidden layers of one width",
)
_INPUTS = 128


def _deep(statistic: str) -> Callable[..., NDArray[np.float64]]:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.eigenspaces import corrected_overlap, row_space, top_eigenspace
        from rmtsim.hessian.output_hessian import deep_output_hessian, mean_curvature
        from rmtsim.sampling.relu_network import draw_response

        classes, depth = int(parameters["classes"]), int(parameters["depth"])
        values = np.empty(replicates)
        for index in range(replicates):
            later, response = draw_response(size, parameters["alpha"], classes, _INPUTS, rng, depth=depth)
            chain = later[-1]
            for weights in later[-2::-1]:
                chain = chain @ weights
            halves = response.halves()
            outputs = [deep_output_hessian(later, half, 1) for half in halves]
            if statistic == "overlap":
                spaces = [top_eigenspace(matrix, classes - 1).basis for matrix in outputs]
                rows = row_space(chain)
                values[index] = corrected_overlap((spaces[0], spaces[1]), (rows, rows))
            else:
                gaps = [
                    matrix - chain.T @ mean_curvature(half) @ chain / 4 ** (depth - 1)
                    for matrix, half in zip(outputs, halves, strict=True)
                ]
                energy = float(np.sum(outputs[0] * outputs[1]))
                values[index] = math.sqrt(max(0.0, float(np.sum(gaps[0] * gaps[1])) / energy))
        return values

    return sample


_DEEP = (
    "Every hidden layer has its own activation rates, with E π_l² = 1/4 + arcsin(ρ_l)/(2π) and ρ_l growing with depth; "
    "the product of the weights has to carry diag(π_l) between its factors."
)
for _name, _equation, _kind, _printed, _right, _printed_value, _true, _zone in (
    (
        "remark4.2",
        "remark after Theorem 4.2",
        "overlap",
        "The top c-1 eigenspace of M^(1) and the row span of S = W^(L)⋯W^(2) without 1ᵀS have overlap → 1.",
        "That overlap → ∏_{l<L} 1/(4q_l): 0.829 at depth 2, 0.624 at 3, 0.441 at 4.",
        1.0,
        lambda parameters: wu_limits.row_space_overlap(int(parameters["depth"])),
        Tolerance(relative=0.03),
    ),
    (
        "eq272",
        "eq. (272)",
        "error",
        "M^(1) ≈ 4^{-(L-1)}SᵀE[A]S: the relative Frobenius error → 0.",
        "That relative error → √(1 - ∏_{l<L} 1/(16q_l²)): 0.559 at depth 2, 0.782 at 3, 0.897 at 4.",
        0.0,
        lambda parameters: wu_limits.formula_error(int(parameters["depth"])),
        Tolerance(absolute=0.02),
    ),
):
    for _suffix, _statement, _predict in (
        ("", _printed, lambda parameters, value=_printed_value: value),
        ("/corrected", _right, _true),
    ):
        register(
            Claim(
                id=f"wu.{_name}{_suffix}",
                paper="wu",
                equation=_equation,
                statement=_statement,
                kind="limit",
                parameters=(ALPHA, CLASSES, DEPTH),
                grid=({"depth": 3, "classes": 3}, {"depth": 4, "classes": 3}),
                sizes=(32, 64, 128, 256),
                size_name="width",
                sample=_deep(_kind),
                predict=_predict,
                tolerance=_zone,
                exponents=(1.0,),
                cost=lambda parameters, size: (
                    0.6 * output_cost(parameters, size, _INPUTS)
                    + 8e-11 * _INPUTS * parameters["classes"] * (parameters["depth"] - 2) * size**2
                ),
                note=_DEEP,
                quick=False,
            )
        )


FRACTION = Parameter(
    "fraction",
    "k/m, dimension of the compared spaces over the output dimension",
    default=0.25,
    open_below=True,
    highest=1.0,
    draw_range=(0.1, 0.9),
    assumption="Theorem G.1 is stated for k ≤ m",
)


def _two_models(parameters: Parameters, size: int, rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Top k eigenvectors of the output Hessians of two independent initialisations, on inputs of their own."""
    from rmtsim.hessian.output_hessian import output_hessian
    from rmtsim.sampling.relu_network import draw_response

    classes = int(parameters["classes"])
    count = max(1, round(parameters["fraction"] * size))
    spaces = []
    for _ in range(2):
        later, response = draw_response(size, parameters["alpha"], classes, 2 * size, rng)
        _, vectors = np.linalg.eigh(output_hessian(later[-1], response))
        spaces.append(vectors[:, ::-1][:, :count])
    return spaces


def _model_overlap(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """m/k times the overlap of two models' top k spaces, averaged over all orders of the second model's units.

    The units of a random network are exchangeable, so every order has the same law. The average of πPπᵀ over
    permutations is aI + b11ᵀ with the trace k and the sum s = 1ᵀP1 of P, and tr(P₁(aI + b11ᵀ)) gives
    1 + (s₁/k - 1)(s₂/k - 1)/(m - 1).
    """
    values = np.empty(replicates)
    for index in range(replicates):
        sums = [
            float(np.sum(basis.sum(axis=0) ** 2)) / basis.shape[1]
            for basis in _two_models(parameters, size, rng)
        ]
        values[index] = 1 + (sums[0] - 1) * (sums[1] - 1) / (size - 1)
    return values


def _model_spread(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """Squared deviation from one of m/k times the overlap."""
    from rmtsim.hessian.eigenspaces import overlap

    values = np.empty(replicates)
    for index in range(replicates):
        first, second = _two_models(parameters, size, rng)
        values[index] = (overlap(first, second) * size / first.shape[1] - 1) ** 2
    return values


for _name, _statement, _sampler, _value, _width, _more in (
    (
        "thmG.1",
        "Granted its assumptions (Kronecker structure, τ_m γ₁ > τ₁ γ₂), the overlap of two models' top k ≤ m "
        "eigenspaces is (k/m)(t₁·t₂)²: for two initialisations of the first layer (t₁ = t₂) the overlap of the top-k "
        "eigenspaces of their output Hessians times m/k → 1.",
        _model_overlap,
        1.0,
        0.01,
        "Holds in expectation.",
    ),
    (
        "thmG.1.spread",
        "Not only in expectation: E(m/k · overlap - 1)² → 0 for the same two models.",
        _model_spread,
        0.0,
        0.01,
        "Holds: single pairs of models follow the law too.",
    ),
):
    register(
        Claim(
            id=f"wu.{_name}",
            paper="wu",
            equation="Theorem G.1",
            statement=_statement,
            kind="limit",
            parameters=(ALPHA, CLASSES, FRACTION),
            grid=({"fraction": 0.25}, {"fraction": 0.5}),
            sizes=(24, 48, 96, 192),
            size_name="width",
            sample=_sampler,
            predict=lambda parameters, value=_value: value,  # type: ignore[misc]
            tolerance=Tolerance(absolute=_width),
            exponents=(1.0,),
            cost=lambda parameters, size: (
                0.5 * output_cost(parameters, size, 2 * size) + 1.5e-9 * size**3 + 1e-3
            ),
            note=f"{_more} Eq. (268) leaves out the 1/k and the k² - k cross terms of Definition 2.1, which cancel; "
            "the inner product it calls √(1/m) is the root of its mean square.",
            quick=False,
        )
    )


def _extrapolated(measure: str, which: int) -> Callable[[Trial], float]:
    """The number from all inputs and from half of them, extrapolated in one over their number."""

    def statistic(trial: Trial) -> float:
        if measure == "full":
            from rmtsim.hessian.full_hessian import full_hessian_approximation as approximation
        else:
            from rmtsim.hessian.gauss_newton import full_approximation as approximation

        whole = approximation(trial.weights, trial.response)[which]
        halves = [approximation(trial.weights, half)[which] for half in trial.halves]
        return 2 * whole - 0.5 * (halves[0] + halves[1])

    return statistic


def _full_cost(parameters: Parameters, size: int, inputs: int, networks: int) -> float:
    """Lanczos in parameter space: about 60 products over all inputs, half of them on the halves."""
    d = float(size) ** (1 + parameters["alpha"])
    each = 1.5e-2 + 60 * (1e-10 * inputs * size * d + 1e-8 * size * d)
    return float(response_cost(parameters, size, inputs, networks, inner=False) + networks * each)


_LABELS = "labels independent of the inputs and uniform, so that their mean 1/c enters the H-term"
for _part, _name, _equation, _statement, _which in (
    (
        "full",
        "eq262",
        "eqs. (261)–(262)",
        "The top c-1 eigenspace of the full Hessian (both layers and biases, G-term and H-term) and the span of "
        "w_i = (u_i^(1) ⊗ E x̃; u_i^(2) ⊗ E ỹ) have overlap → 1.",
        0,
    ),
    (
        "full",
        "eq263",
        "eq. (263)",
        "λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the full Hessian.",
        1,
    ),
    (
        "part",
        "eq262.gauss-newton",
        "eqs. (255), (261)–(262)",
        "The same overlap for the Gauss–Newton part (G-term) alone → 1.",
        0,
    ),
    (
        "part",
        "eq263.gauss-newton",
        "eqs. (255), (263)",
        "λ_i/(σ_i‖w_i‖²) → 1 for the top c-1 eigenvalues of the Gauss–Newton part (G-term).",
        1,
    ),
):
    trial_claim(
        _name,
        _equation,
        _statement,
        _extrapolated(_part, _which),
        lambda parameters: 1.0,
        Tolerance(absolute=0.02),
        sizes=(16, 32, 64, 128),
        exponents=(0.75, 1.0),
        inputs=96,
        inner=_part == "part",
        networks=1 if _part == "full" else 4,
        note=f"Taken with {_LABELS}: it is off the diagonal, of norm O(√d) beside λ = O(d)."
        if _part == "full"
        else "",
        cost=_full_cost
        if _part == "full"
        else lambda parameters, size, inputs, networks: (
            output_cost(parameters, size, inputs, networks)
            + 1e-7 * networks * (inputs * (parameters["classes"] - 1)) ** 2
        ),
    )
