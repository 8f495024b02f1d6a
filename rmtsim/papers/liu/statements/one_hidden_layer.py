"""Section 3.1: one hidden layer with fixed signs at the output, its Hessian and its tangent kernel."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Bound, Erratum, Identity, Limit, Parameter, Probability, Relative, Simulated, claim
from rmtsim.networks import Network
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import shallow
from rmtsim.papers.liu.simulation.high_precision import second_derivatives
from rmtsim.papers.liu.simulation.shallow_networks import largest_curvatures, trained_norms
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, WIDTHS, WITH_CONSTANTS

Array = NDArray[np.float64]

_ON_THE_LINE: dict[str, Any] = {
    "over": (ACTIVATION, INPUT),
    "points": ({"activation": "tanh", "x": 1.0}, {"activation": "gelu", "x": 2.0}),
}


def _hessian_norm(network: Network, x: float) -> float:
    """‖H‖ in the hidden weights, by the network's own second derivatives (the diagonal form is not used)."""
    return float(np.linalg.norm(network.hessian_block([[x]], None, 0, 0), 2))


# ---- The Hessian ----


@claim(
    "liu.eq9",
    at="eq. (9)",
    printed="‖H‖ = x² max|v_i σ''(w_i x)|/√m ≤ β_σ x²/√m, H the Hessian in the hidden weights, dense; "
    "tested: √m‖H‖/(β_σ x²) plus the relative error of the equation is ≤ 1.",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(2, 6, 18), cost=lambda size: 3e-4 + 3e-5 * size),
    evidence=WITH_CONSTANTS,
    **_ON_THE_LINE,
)
def scaled_norm(size: int, rng: Generator, activation: str, x: float) -> float:
    """√m‖H‖ over the bound, plus the relative error of its formula."""
    network = shallow(size, rng, activation)
    norm = float(np.sqrt(size) * _hessian_norm(network, x))
    formula = float(x**2 * np.abs(function_of(activation).derivative(network.weights[0] * x, 2)).max())
    return norm / (theory.curvature_bound(activation) * x**2) + abs(norm - formula) / formula


claim(
    "liu.eq9.constant",
    largest_curvatures,
    at="eq. (9), the constant beyond the paper",
    printed="√m‖H‖ → x² sup|σ''|: the bound (9) is attained in the limit.",
    states=Limit(theory.hessian_constant, within=Relative(0.002)),
    plan=WIDTHS.but(
        sizes=(100, 200, 400, 800),
        exponents=(2.0,),
        because="the w_i nearest to a maximiser of |σ''| is 1/m away, and |σ''| is quadratic there "
        "(docs/papers/liu/index.md)",
        cost=lambda size: 1e-5 + 6e-8 * size,
    ),
    **_ON_THE_LINE,
)


@claim(
    "liu.eq9.law",
    at="eq. (9), the distribution beyond the paper",
    printed="m√(1 - √m‖H‖/(x² sup|σ''|)) tends to an exponential variable of the rate Λ of docs/papers/liu/index.md; "
    "tested: its mean times Λ tends to 1.",
    states=Limit(1.0, within=0.05),
    plan=WIDTHS.but(
        sizes=(40, 80, 160, 320),
        exponents=(1.0,),
        because="density and deficit are smooth in the distance to the maximiser, which is a multiple of 1/m",
        cost=lambda size: 1e-5 + 6e-8 * size,
    ),
    evidence=Simulated(
        theory="the deficit is measured from the stated supremum and in units of the stated rate"
    ),
    **_ON_THE_LINE,
)
def deficit(size: int, rng: Generator, replicates: int, activation: str, x: float) -> Array:
    """Λ m √(relative deficit)."""
    largest = largest_curvatures(size, rng, replicates, activation, x)
    short = 1 - largest / theory.hessian_constant(activation, x)
    return np.asarray(size * np.sqrt(np.maximum(short, 0.0)) * theory.hessian_deficit_rate(activation, x))


@claim(
    "liu.eq9.trained",
    at="Section 3.1 with Gaussian output weights that are trained too (as from Section 3.3 on)",
    standing="remark",
    printed="P(√m‖H‖ ≤ s) = F(s)^m with the F of docs/papers/liu/index.md, at every m; tested: √m‖H‖ is at most the "
    "predicted median with probability 1/2.",
    states=Probability(0.5, within=0.03),
    plan=WIDTHS.but(
        sizes=(8, 32, 128),
        exponents=(1.0,),
        because="the law is exact at every m: there is no correction",
        cost=lambda size: 2e-6 + 2e-7 * size,
    ),
    evidence=Simulated(theory="the event's threshold is the predicted median"),
    **_ON_THE_LINE,
)
def below_median(size: int, rng: Generator, replicates: int, activation: str, x: float) -> Array:
    """Whether √m‖H‖, all parameters, lies below the predicted median."""
    weights, outputs = rng.standard_normal((2, replicates, size))
    norms = trained_norms(weights, outputs, activation, x)
    return np.asarray(norms <= _median(activation, x, size), dtype=np.float64)


@cache
def _median(activation: str, x: float, size: int) -> float:
    return theory.trained_hessian_median(activation, x, float(np.log(size)))


# ---- The tangent kernel ----


@claim(
    "liu.eq10",
    at="eq. (10) and the line after it",
    printed="K(x, x) = (1/m) Σ x² σ'(w_i x)² tends to x² E[σ'(wx)²], w ~ N(0, 1); only w is trained.",
    states=Limit(theory.kernel_limit, within=Relative(0.005)),
    plan=WIDTHS.but(
        sizes=(1000, 2000, 4000),
        exponents=(1.0,),
        because="K is a mean of m independent terms: its expectation is the limit at every m",
        cost=lambda size: 3e-4 + 1e-7 * size,
    ),
    **_ON_THE_LINE,
)
def hidden_kernel(size: int, rng: Generator, activation: str, x: float) -> float:
    """Squared norm of the gradient in the hidden weights."""
    gradient = shallow(size, rng, activation).gradient([[x]])[:size]
    return float(gradient @ gradient)


# ---- The Hessian through the tensor ∂²α/∂w² ----

_TENSOR = Erratum(
    cause="the tensor of second derivatives is written with first derivatives",
    note="∂²σ(w_k x)/∂w_k² = σ''(w_k x) x²; eq. (13) has σ'(w_k x) x, which is ∂α_k/∂w_k, and the bound after it "
    "inherits that.",
    credit="The Hessian before eq. (9) and eq. (9) itself have σ'' x²; the conclusion ‖H‖ = O(‖∂f/∂α‖_∞) stands.",
)


@claim(
    "liu.eq12",
    at="eq. (12)",
    printed="‖H‖ ≤ ‖∂²α/∂w²‖_{2,2,1} ‖∂f/∂α‖_∞; tested: quotient ≤ 1 (the tensor is diagonal: its norm is its "
    "largest entry).",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(2, 4), cost=lambda size: 4e-4 + 6e-4 * size),
    **_ON_THE_LINE,
)
def quotient_of_eq12(size: int, rng: Generator, activation: str, x: float) -> float:
    """‖H‖ over the product of the norms."""
    network = shallow(size, rng, activation)
    largest = np.abs(network.activation_gradients([[x]])[0]).max()
    tensor = np.abs(second_derivatives(network.weights[0][:, 0], activation, x)).max()
    return float(_hessian_norm(network, x) / (tensor * largest))


@claim(
    "liu.eq13",
    at="eq. (13)",
    printed="∂²α_k/∂w_i∂w_j = σ'(w_k x) x for i = j = k and 0 else; compared with differences of σ(w_k x) in 40 "
    "digits.",
    corrected="∂²α_k/∂w_i∂w_j = σ''(w_k x) x² for i = j = k and 0 else.",
    states=Identity(within=1e-12),
    plan=WIDTHS.but(sizes=(3, 6), cost=lambda size: 1e-4 + 6e-4 * size),
    erratum=_TENSOR,
    **_ON_THE_LINE,
)
def tensor_error(size: int, rng: Generator, form: str, activation: str, x: float) -> float:
    """Largest error of σ'(w_k x) x, or σ''(w_k x) x², as second derivative, relative to the largest entry."""
    order = 1 if form == "printed" else 2
    weights = shallow(size, rng, activation).weights[0][:, 0]
    truth = second_derivatives(weights, activation, x)
    stated = function_of(activation).derivative(weights * x, order) * x**order
    return relative_gap(stated, truth)


@claim(
    "liu.eq13.norm",
    at="display after eq. (13)",
    printed="‖∂²α/∂w²‖_{2,2,1} ≤ L_σ |x|; tested: quotient ≤ 1, the norm being the largest second derivative "
    "(liu.eq13/corrected has checked those).",
    corrected="‖∂²α/∂w²‖_{2,2,1} ≤ β_σ x²; tested: quotient ≤ 1.",
    states=Bound(1.0),
    over=(ACTIVATION, Parameter("x", "the input x", default=2.0, open_below=True, draw_range=(0.3, 4.0))),
    points=({"activation": "tanh", "x": 2.0}, {"activation": "sigmoid", "x": 4.0}),
    plan=WIDTHS.but(sizes=(20, 40), cost=3e-4),
    evidence=WITH_CONSTANTS,
    erratum=_TENSOR,
)
def tensor_quotient(size: int, rng: Generator, form: str, activation: str, x: float) -> float:
    """Largest second derivative over the bound."""
    weights = shallow(size, rng, activation).weights[0]
    truth = float((np.abs(function_of(activation).derivative(weights * x, 2)) * x**2).max())
    if form == "printed":
        return float(truth / (theory.lipschitz_constant(activation) * abs(x)))
    return float(truth / (theory.curvature_bound(activation) * x**2))


@claim(
    "liu.eq15",
    at="eq. (15)",
    printed="‖∂f/∂α‖_∞ = 1/√m and ‖∂f/∂α‖ = 1; tested: the larger relative error.",
    states=Identity(within=1e-13),
    plan=WIDTHS.but(sizes=(3, 30, 300), cost=3e-4),
    **_ON_THE_LINE,
)
def gradient_norms(size: int, rng: Generator, activation: str, x: float) -> float:
    """Larger of the two relative errors."""
    gradient = shallow(size, rng, activation).activation_gradients([[x]])[0]
    return float(max(abs(np.abs(gradient).max() * np.sqrt(size) - 1), abs(np.linalg.norm(gradient) - 1)))
