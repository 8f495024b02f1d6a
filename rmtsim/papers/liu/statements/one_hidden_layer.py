"""Section 3.1: one hidden layer with fixed signs at the output, its Hessian and its tangent kernel."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import (
    Bound,
    Corrected,
    Erratum,
    Identity,
    Limit,
    Parameter,
    Probability,
    Relative,
    Simulated,
    Tolerance,
    claim,
)
from rmtsim.networks import Network, activation, fully_connected
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.statements.digits import DIGITS, sigma
from rmtsim.papers.liu.statements.parameters import ACTIVATION, CONSTANTS, INPUT, SMOOTH, STATEMENT_PLAN

Array = NDArray[np.float64]

SLACK = Tolerance(absolute=1e-9)
"""Room for rounding in quotients that a bound compares with one."""
_POINTS = ({"activation": 0, "x": 1.0}, {"activation": 3, "x": 2.0})


def shallow(size: int, rng: np.random.Generator, activation: int, *, signs: bool = True) -> Network:
    """Eq. (8): m^{-1/2} Σ v_i σ(w_i x), w_i ~ N(0, 1), v_i = ±1 (or Gaussian)."""
    architecture = fully_connected((1, size, 1), SMOOTH[activation], parametrisation="ntk")
    hidden, last = architecture.layers
    drawn = replace(architecture, layers=(replace(hidden, scale=1.0), last)).sample(rng)
    if not signs:
        return drawn
    weights = np.array(drawn.parameters)
    weights[size:] = rng.choice((-1.0, 1.0), size=size)
    return drawn.with_parameters(weights)


def fixed_output_hessian(network: Network, x: float) -> Array:
    """H in the hidden weights alone, as the engine has it (the paper's diagonal form is not used)."""
    return network.hessian_block([[x]], None, 0, 0)


def largest_curvatures(size: int, rng: np.random.Generator, replicates: int, number: int, x: float) -> Array:
    """√m‖H‖ of many networks with fixed signs: x² max|σ''(w_i x)|. That H is diagonal and has these entries is
    liu.eq9.
    """
    weights = rng.standard_normal((replicates, size))
    return np.asarray(x**2 * np.abs(_sigma(number, weights * x, 2)).max(axis=1))


# ---- The Hessian ----


@claim(
    "liu.eq9",
    at="eq. (9)",
    printed="‖H‖ = x² max|v_i σ''(w_i x)|/√m ≤ β_σ x²/√m, H the Hessian in the hidden weights, dense; "
    "tested: √m‖H‖/(β_σ x²) "
    "plus the relative error of the equation is ≤ 1.",
    states=Bound(1.0, within=SLACK),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(sizes=(2, 6, 18), cost=lambda size: 3e-4 + 3e-5 * size),
    evidence=Simulated(theory=CONSTANTS),
)
def scaled_norm(size: int, rng: np.random.Generator, activation: int, x: float) -> float:
    """√m‖H‖ over the bound, plus the relative error of its formula."""
    network = shallow(size, rng, activation)
    norm = float(np.sqrt(size) * np.linalg.norm(fixed_output_hessian(network, x), 2))
    formula = float(x**2 * np.abs(_sigma(activation, network.weights[0] * x, 2)).max())
    return norm / (theory.curvature_bound(SMOOTH[activation]) * x**2) + abs(norm - formula) / formula


@claim(
    "liu.eq9.constant",
    at="eq. (9), the constant beyond the paper",
    printed="√m‖H‖ → x² sup|σ''|: the bound (9) is attained in the limit.",
    states=Limit(
        lambda activation, x: theory.hessian_constant(SMOOTH[activation], x), within=Relative(0.002)
    ),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(
        sizes=(100, 200, 400, 800),
        exponents=(2.0,),
        because="the w_i nearest to a maximiser of |σ''| is 1/m away, and |σ''| is quadratic there "
        "(docs/papers/liu/index.md)",
        cost=lambda size: 1e-5 + 6e-8 * size,
    ),
)
def constant_with_fixed_signs(
    size: int, rng: np.random.Generator, replicates: int, activation: int, x: float
) -> Array:
    """√m‖H‖, H in the hidden weights."""
    return largest_curvatures(size, rng, replicates, activation, x)


@claim(
    "liu.eq9.law",
    at="eq. (9), the distribution beyond the paper",
    printed="m√(1 - √m‖H‖/(x² sup|σ''|)) tends to an exponential variable of the rate Λ of docs/papers/liu/index.md; "
    "tested: its "
    "mean times Λ tends to 1.",
    states=Limit(1.0, within=0.05),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(
        sizes=(40, 80, 160, 320),
        exponents=(1.0,),
        because="density and deficit are smooth in the distance to the maximiser, which is a multiple of 1/m",
        cost=lambda size: 1e-5 + 6e-8 * size,
    ),
    evidence=Simulated(
        theory="the deficit is measured from the stated supremum and in units of the stated rate"
    ),
)
def deficit(size: int, rng: np.random.Generator, replicates: int, activation: int, x: float) -> Array:
    """Λ m √(relative deficit)."""
    name = SMOOTH[activation]
    short = 1 - largest_curvatures(size, rng, replicates, activation, x) / theory.hessian_constant(name, x)
    return np.asarray(size * np.sqrt(np.maximum(short, 0.0)) * theory.hessian_deficit_rate(name, x))


@claim(
    "liu.eq9.trained",
    at="Section 3.1 with Gaussian output weights that are trained too (as from Section 3.3 on)",
    standing="remark",
    printed="P(√m‖H‖ ≤ s) = F(s)^m with the F of docs/papers/liu/index.md, at every m; tested: √m‖H‖ is at most the "
    "predicted "
    "median with probability 1/2.",
    states=Probability(0.5, within=0.03),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(
        sizes=(8, 32, 128),
        exponents=(1.0,),
        because="the law is exact at every m: there is no correction",
        cost=lambda size: 2e-6 + 2e-7 * size,
    ),
    evidence=Simulated(theory="the event's threshold is the predicted median"),
)
def below_median(size: int, rng: np.random.Generator, replicates: int, activation: int, x: float) -> Array:
    """Whether √m‖H‖, all parameters, lies below the predicted median."""
    weights, outputs = rng.standard_normal((2, replicates, size))
    norms = trained_norms(weights, outputs, activation, x)
    return np.asarray(norms <= median(activation, x, size), dtype=np.float64)


def trained_norms(weights: Array, outputs: Array, number: int, x: float) -> Array:
    """√m‖H‖ with both layers trained: the largest norm of the blocks [[a, b], [b, 0]] of the neurons, last axis."""
    a = outputs * _sigma(number, weights * x, 2) * x**2
    b = _sigma(number, weights * x, 1) * x
    return np.asarray((np.abs(a) / 2 + np.hypot(a / 2, b)).max(axis=-1))


_MEDIANS: dict[tuple[int, float, int], float] = {}


def median(activation: int, x: float, size: int) -> float:
    """Predicted median, computed once per point and size."""
    key = (activation, x, size)
    if key not in _MEDIANS:
        _MEDIANS[key] = theory.trained_hessian_median(SMOOTH[activation], x, float(np.log(size)))
    return _MEDIANS[key]


# ---- The tangent kernel ----


@claim(
    "liu.eq10",
    at="eq. (10) and the line after it",
    printed="K(x, x) = (1/m) Σ x² σ'(w_i x)² tends to x² E[σ'(wx)²], w ~ N(0, 1); only w is trained.",
    states=Limit(lambda activation, x: theory.kernel_limit(SMOOTH[activation], x), within=Relative(0.005)),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(
        sizes=(1000, 2000, 4000),
        exponents=(1.0,),
        because="K is a mean of m independent terms: its expectation is the limit at every m",
        cost=lambda size: 3e-4 + 1e-7 * size,
    ),
)
def hidden_kernel(size: int, rng: np.random.Generator, activation: int, x: float) -> float:
    """Squared norm of the gradient in the hidden weights."""
    gradient = shallow(size, rng, activation).gradient([[x]])[:size]
    return float(gradient @ gradient)


# ---- The Hessian through the tensor ∂²α/∂w² ----

_TENSOR = "the tensor of second derivatives is written with first derivatives"
_TENSOR_NOTE = (
    "∂²σ(w_k x)/∂w_k² = σ''(w_k x) x²; eq. (13) has σ'(w_k x) x, which is ∂α_k/∂w_k, and the bound after it "
    "inherits that."
)
_TENSOR_CREDIT = (
    "The Hessian before eq. (9) and eq. (9) itself have σ'' x²; the conclusion ‖H‖ = O(‖∂f/∂α‖_∞) stands."
)


@claim(
    "liu.eq12",
    at="eq. (12)",
    printed="‖H‖ ≤ ‖∂²α/∂w²‖_{2,2,1} ‖∂f/∂α‖_∞; tested: quotient ≤ 1 (the tensor is diagonal: its norm "
    "is its "
    "largest entry).",
    states=Bound(1.0, within=SLACK),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(sizes=(2, 4), cost=lambda size: 4e-4 + 6e-4 * size),
)
def quotient_of_eq12(size: int, rng: np.random.Generator, activation: int, x: float) -> float:
    """‖H‖ over the product of the norms."""
    network = shallow(size, rng, activation)
    largest = np.abs(network.activation_gradients([[x]])[0]).max()
    tensor = np.abs(second_derivatives(network, activation, x)).max()
    return float(np.linalg.norm(fixed_output_hessian(network, x), 2) / (tensor * largest))


def second_derivatives(network: Network, number: int, x: float) -> Array:
    """∂²α_k/∂w_k² of every neuron, by differences of 40 digits."""
    import mpmath

    bend = sigma(number)
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -10
        found = []
        for weight in network.weights[0][:, 0]:
            w = mpmath.mpf(float(weight))
            a, b, c = (bend((w + k * step) * x) for k in (-1, 0, 1))
            found.append(float((a - 2 * b + c) / step**2))
    return np.array(found)


def tensor_error(size: int, rng: np.random.Generator, activation: int, x: float, order: int = 1) -> float:
    """Largest error of σ^(order)(w_k x) x^order as second derivative, relative to the largest entry."""
    network = shallow(size, rng, activation)
    truth = second_derivatives(network, activation, x)
    stated = _sigma(activation, network.weights[0][:, 0] * x, order) * x**order
    return float(np.abs(stated - truth).max() / np.abs(truth).max())


claim(
    "liu.eq13",
    tensor_error,
    at="eq. (13)",
    printed="∂²α_k/∂w_i∂w_j = σ'(w_k x) x for i = j = k and 0 else; compared with differences of σ(w_k "
    "x) in 40 digits.",
    corrected=Corrected(
        "∂²α_k/∂w_i∂w_j = σ''(w_k x) x² for i = j = k and 0 else.", measured=partial(tensor_error, order=2)
    ),
    states=Identity(within=1e-12),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(sizes=(3, 6), cost=lambda size: 1e-4 + 6e-4 * size),
    erratum=Erratum(cause=_TENSOR, note=_TENSOR_NOTE, credit=_TENSOR_CREDIT),
)


def _sigma(number: int, z: Array, order: int) -> Array:
    return activation(SMOOTH[number]).derivative(z, order)


WIDE_INPUT = Parameter("x", "the input x", default=2.0, open_below=True, draw_range=(0.3, 4.0))


def tensor_quotient(size: int, rng: np.random.Generator, activation: int, x: float, order: int = 1) -> float:
    """Largest second derivative over sup|σ^(order)| |x|^order."""
    name = SMOOTH[activation]
    weights = shallow(size, rng, activation).weights[0]
    truth = float((np.abs(_sigma(activation, weights * x, 2)) * x**2).max())
    largest = theory.lipschitz_constant(name) if order == 1 else theory.curvature_bound(name)
    return float(truth / (largest * abs(x) ** order))


claim(
    "liu.eq13.norm",
    tensor_quotient,
    at="display after eq. (13)",
    printed="‖∂²α/∂w²‖_{2,2,1} ≤ L_σ |x|; tested: quotient ≤ 1, the norm being the largest second "
    "derivative (liu.eq13/corrected has checked those).",
    corrected=Corrected(
        "‖∂²α/∂w²‖_{2,2,1} ≤ β_σ x²; tested: quotient ≤ 1.", measured=partial(tensor_quotient, order=2)
    ),
    states=Bound(1.0, within=SLACK),
    over=(ACTIVATION, WIDE_INPUT),
    points=({"activation": 0, "x": 2.0}, {"activation": 1, "x": 4.0}),
    plan=STATEMENT_PLAN.but(sizes=(20, 40), cost=3e-4),
    evidence=Simulated(theory=CONSTANTS),
    erratum=Erratum(cause=_TENSOR, note=_TENSOR_NOTE, credit=_TENSOR_CREDIT),
)


@claim(
    "liu.eq15",
    at="eq. (15)",
    printed="‖∂f/∂α‖_∞ = 1/√m and ‖∂f/∂α‖ = 1; tested: the larger relative error.",
    states=Identity(within=1e-13),
    over=(ACTIVATION, INPUT),
    points=_POINTS,
    plan=STATEMENT_PLAN.but(sizes=(3, 30, 300), cost=3e-4),
)
def gradient_norms(size: int, rng: np.random.Generator, activation: int, x: float) -> float:
    """Larger of the two relative errors."""
    gradient = shallow(size, rng, activation).activation_gradients([[x]])[0]
    return float(max(abs(np.abs(gradient).max() * np.sqrt(size) - 1), abs(np.linalg.norm(gradient) - 1)))
