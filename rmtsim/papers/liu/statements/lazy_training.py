"""Section 1.1: how far training moves the weights, the criterion of lazy training; appendix A: parametrisations."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import (
    Bound,
    Computed,
    Corrected,
    Erratum,
    Identity,
    Limit,
    Parameter,
    Place,
    Rate,
    Relative,
    claim,
)
from rmtsim.networks import Network, fully_connected
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import INPUT as ONES
from rmtsim.papers.liu.simulation.architectures import rescaled, wide
from rmtsim.papers.liu.simulation.shallow_networks import trained_shift
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, TANH, WIDTHS, WITH_CONSTANTS

Array = NDArray[np.float64]
_ONE_SAMPLE: dict[str, Any] = {
    "over": (ACTIVATION, INPUT, Parameter("label", "the label y", default=1.0, draw_range=(0.5, 2.0))),
    "points": ({"activation": "tanh", "x": 1.0, "label": 1.0},),
}
_TRAINED = WIDTHS.but(
    sizes=(50, 100, 200, 400),
    exponents=(1.0,),
    because="1/√K is a function of a mean over neurons, and ∇Kᵀ∇f is odd in the signs, so that K moves by O(1/m) on "
    "the way: the mean is a series in 1/m (docs/papers/liu/index.md)",
    cost=lambda size: 2e-5 + 1.5e-6 * size,
)


@claim(
    "liu.eq2",
    at="eq. (2)",
    printed="‖w* - w₀‖ ≥ |f(w₀; x) - y|/sup‖∇f‖ at a solution; tested after training, hidden weights only, with the "
    "bound sup‖∇f‖ ≤ L_σ|x|: the quotient of the sides is ≥ 1.",
    states=Bound(1.0, ">=", within=1e-7),
    plan=WIDTHS.but(sizes=(50, 200), cost=lambda size: 1e-4 + 8e-7 * size),
    evidence=WITH_CONSTANTS,
    **_ONE_SAMPLE,
)
def distance_quotient(
    size: int, rng: Generator, replicates: int, activation: str, x: float, label: float
) -> Array:
    """‖w* - w₀‖ L_σ|x| over |f(w₀) - y|."""
    shift, first, last = trained_shift(size, rng, replicates, activation, x, label)
    lipschitz = theory.lipschitz_constant(activation) * abs(x)
    return np.asarray(np.linalg.norm(shift, axis=1) * lipschitz / np.abs(first - last))


def _inverse_root(activation: str, x: float) -> float:
    """1/√K: how far a linear model moves per unit of f(w₀) - y."""
    return 1 / math.sqrt(theory.kernel_limit(activation, x))


@claim(
    "liu.sec1.1.distance",
    at="Section 1.1, ‖w* - w₀‖ = Θ(1)",
    standing="remark",
    printed="The Euclidean change of the weights is Θ(1): ‖w* - w₀‖/|f(w₀) - y| tends to 1/√K, the value of a linear "
    "model, and f(w₀) - y is Θ(1).",
    states=Limit(_inverse_root, within=Relative(0.03)),
    plan=_TRAINED,
    **_ONE_SAMPLE,
)
def euclidean_shift(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖w* - w₀‖/|f(w₀) - y|."""
    return _relative_shift(size, rng, replicates, None, **point)


def _relative_shift(
    size: int,
    rng: Generator,
    replicates: int,
    order: float | None,
    *,
    activation: str,
    x: float,
    label: float,
) -> Array:
    """The norm of this order of w* - w₀, over |f(w₀) - f(w*)|, of trained networks (8)."""
    shift, first, last = trained_shift(size, rng, replicates, activation, x, label)
    return np.asarray(np.linalg.norm(shift, order, axis=1) / np.abs(first - last))


@claim(
    "liu.sec1.1.entry",
    at="Section 1.1, ‖w* - w₀‖_∞ = O(1/√m)",
    standing="remark",
    printed="The largest change of a weight is O(1/√m): √m‖w* - w₀‖_∞/|f(w₀) - y| tends to L_σ|x|/K.",
    states=Rate(
        0.5,
        within=Relative(0.03),
        amplitude=lambda activation, x: (
            theory.lipschitz_constant(activation) * abs(x) * _inverse_root(activation, x) ** 2
        ),
    ),
    plan=_TRAINED.but(
        because="σ' has a smooth maximum: the neuron nearest to it is 1/m away and moves by m^-1/2, both of which cost "
        "the square; the rest is a mean over neurons (docs/papers/liu/index.md)"
    ),
    **_ONE_SAMPLE,
)
def largest_shift(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖w* - w₀‖_∞/|f(w₀) - y|."""
    return _relative_shift(size, rng, replicates, np.inf, **point)


@claim(
    "liu.eq3",
    at="eq. (3), the factor 𝓑 = ‖D²f‖/‖Df‖², and “𝓑 is small” at the end of Section 1.1",
    standing="remark",
    printed="𝓑 = O(1/√m) for one hidden layer with fixed signs: √m𝓑 → sup|σ''|/E[σ'(wx)²].",
    states=Rate(0.5, within=Relative(0.03), amplitude=theory.criterion_constant),
    over=(ACTIVATION, INPUT),
    points=({"activation": "tanh", "x": 1.0},),
    plan=WIDTHS.but(
        sizes=(50, 100, 200),
        exponents=(1.0,),
        because="‖D²f‖ is exact to m^-2, 1/K is the inverse of a mean over neurons: a series in 1/m",
        cost=lambda size: 5e-6 + 1e-7 * size,
    ),
)
def criterion(size: int, rng: Generator, replicates: int, activation: str, x: float) -> Array:
    """‖D²f‖/‖Df‖² of the diagonal Hessian (liu.eq9) and the gradient (liu.eq10) of the same weights."""
    sigma, weights = function_of(activation), rng.standard_normal((replicates, size)) * x
    top = np.abs(sigma.derivative(weights, 2)).max(axis=1) * x**2 / math.sqrt(size)
    return np.asarray(top / (x**2 * (sigma.derivative(weights, 1) ** 2).mean(axis=1)))


@claim(
    "liu.eq4",
    at="eq. (4)",
    printed="κ of αf is ‖f - y/α‖ ‖D²f‖/‖Df‖²; tested: relative error against αf itself, differentiated.",
    states=Identity(within=1e-10),
    over=(ACTIVATION, Parameter("factor", "the factor α", default=3.0, open_below=True)),
    points=({"activation": "tanh", "factor": 3.0},),
    plan=WIDTHS.but(sizes=(3, 6), cost=1e-3),
)
def rescaled_criterion(size: int, rng: Generator, activation: str, factor: float) -> float:
    """Relative error of the right side of eq. (4)."""
    network = fully_connected((3, size, 1), activation, parametrisation="ntk").sample(rng)
    *hidden, last = network.architecture.layers
    scaled = Network(
        replace(network.architecture, layers=(*hidden, replace(last, scale=factor * last.scale))),
        network.parameters,
    )
    label = float(rng.standard_normal())

    def kappa(model: Network, target: float) -> float:
        gradient = model.gradient(ONES)
        miss = abs(float(model.output(ONES)[0, 0]) - target)
        return miss * float(np.linalg.norm(model.hessian(ONES), 2) / (gradient @ gradient))

    truth = kappa(scaled, label)
    return abs(kappa(network, label / factor) - truth) / truth


# ---- Appendix A ----

_RESCALED: dict[str, Any] = {
    "states": Identity(within=1e-10),
    "over": (
        ACTIVATION,
        Parameter(
            "deviation",
            "the deviation σ_m of the weights",
            default=0.1,
            open_below=True,
            draw_range=(0.01, 3.0),
        ),
    ),
    "points": ({"activation": "tanh", "deviation": 0.1},),
}


def _both(size: int, rng: Generator, activation: str, deviation: float) -> tuple[Network, Network]:
    """The network with two hidden layers in W, and the same function in W̄ = σ_m W."""
    network = wide(size, rng, activation, 2)
    return network, rescaled(network, deviation)


@claim(
    "liu.eq36",
    at="eq. (36)",
    printed="∂f/∂w̄ = (1/σ_m) ∂f/∂w; tested: relative error.",
    plan=WIDTHS.but(sizes=(2, 5), cost=5e-4),
    **_RESCALED,
)
def rescaled_gradient(size: int, rng: Generator, activation: str, deviation: float) -> float:
    """Relative error of the stated gradient."""
    plain, barred = _both(size, rng, activation, deviation)
    return relative_gap(plain.gradient(ONES) / deviation, barred.gradient(ONES))


@claim(
    "liu.eq37",
    at="eq. (37)",
    printed="∂²f/∂w̄∂w̄ = (1/σ_m²) ∂²f/∂w∂w; tested: relative error.",
    plan=WIDTHS.but(sizes=(2, 5), cost=1.5e-3),
    **_RESCALED,
)
def rescaled_hessian(size: int, rng: Generator, activation: str, deviation: float) -> float:
    """Relative error of the stated Hessian."""
    plain, barred = _both(size, rng, activation, deviation)
    return relative_gap(plain.hessian(ONES) / deviation**2, barred.hessian(ONES))


@claim(
    "liu.eq38",
    at="eq. (38), the term in the middle",
    printed="K(W̄) = (1/σ_m) K(W), as the middle of eq. (38) has it; tested: relative error.",
    corrected="K(W̄) = (1/σ_m²) K(W).",
    plan=WIDTHS.but(sizes=(2, 5), cost=5e-4),
    erratum=Erratum(
        cause="the kernel is scaled once where it has two gradients",
        note="K is a product of two gradients and carries 1/σ_m² by eq. (36); with 1/σ_m the ratio would be "
        "σ_m‖K‖/‖H‖.",
        credit="The outer equality of eq. (38) stands (liu.eq38.ratio), and eq. (40) has ‖K‖ = O(m), that is 1/σ_m².",
    ),
    **_RESCALED,
)
def rescaled_kernel(size: int, rng: Generator, form: str, activation: str, deviation: float) -> float:
    """Relative error of K(W)/σ_m, or K(W)/σ_m²."""
    plain, barred = _both(size, rng, activation, deviation)
    factor = deviation if form == "printed" else deviation**2
    return relative_gap(plain.tangent_kernel(ONES) / factor, barred.tangent_kernel(ONES))


@claim(
    "liu.eq38.ratio",
    at="eq. (38), its two ends",
    printed="‖K(W̄)‖/‖H(W̄)‖ = ‖K(W)‖/‖H(W)‖; tested: relative error.",
    plan=WIDTHS.but(sizes=(2, 5), cost=1.5e-3),
    **_RESCALED,
)
def ratio_error(size: int, rng: Generator, activation: str, deviation: float) -> float:
    """Relative error of the ratio."""
    plain, barred = (
        float(each.tangent_kernel(ONES)[0, 0] / np.linalg.norm(each.hessian(ONES), 2))
        for each in _both(size, rng, activation, deviation)
    )
    return abs(barred / plain - 1)


@claim(
    "liu.eq40",
    at=Place("eq. (40), ‖H‖ = O(√m)", qualifier="Example"),
    standing="remark",
    printed="With weights N(0, 1/m), all trained: ‖H‖ = O(√m); computed for one hidden layer from the exact law of "
    "‖H‖: its median over √m as ln m grows, the exponent in ln m is ≥ 0.",
    corrected=Corrected(
        "‖H‖ = O(√(m ln m)): the median over √m grows like (ln m)^½.", states=Rate(-0.5, within=0.1)
    ),
    states=Rate(0.0, "O", within=0.1),
    over=(ACTIVATION, INPUT),
    points=({"activation": "tanh", "x": 1.0},),
    plan=WIDTHS.but(
        sizes=(40, 80, 160, 320, 590),
        size_name="ln m",
        exponents=(1.0, 2.0),
        because="the quantile of the largest of m Gaussian terms over √(2 ln m) is a series in 1/ln m, with ln ln m "
        "in it",
        cost=0.02,
    ),
    evidence=Computed(1e-9, chain=("liu.eq9.trained",)),
    erratum=Erratum(
        cause="O is printed where a logarithm belongs",
        note="The largest of m Gaussian output weights is √(2 ln m): √m‖H‖ in the NTK parametrisation, and ‖H‖/√m "
        "here, grow like x² sup|σ''| √(2 ln m).",
        credit="A tilde is missing: Theorems 3.2 and 3.3, of which this is an example, print Õ, and the "
        "introduction says that logarithms are left out; ‖H‖ = o(‖K‖) stands.",
    ),
)
def median_in_logarithm(size: int, activation: str, x: float) -> float:
    """Median of ‖H‖/√m at ln m = size."""
    return theory.trained_hessian_median(activation, x, float(size))


@claim(
    "liu.eq40.kernel",
    at="eq. (40), ‖K‖ = O(m)",
    printed="With weights N(0, 1/m), all trained, two hidden layers: K(x, x) = O(m).",
    states=Rate(-1.0, "O", within=0.1),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(
        sizes=(16, 32, 64, 128),
        exponents=(1.0,),
        because="moments of Gaussian networks are series in 1/m",
        cost=lambda size: 5e-4 + 5e-8 * size**2,
    ),
)
def lecun_kernel(size: int, rng: Generator, activation: str) -> float:
    """K(x, x)."""
    return float(_both(size, rng, activation, size**-0.5)[1].tangent_kernel(ONES)[0, 0])


@claim(
    "liu.eq41",
    at="eq. (41)",
    printed="With weights N(0, 1/m), ‖w* - w₀‖ = Θ(1/√m): √m‖w* - w₀‖/|f(w₀) - y| tends to 1/√K of the NTK "
    "parametrisation.",
    states=Rate(0.5, within=Relative(0.03), amplitude=_inverse_root),
    plan=_TRAINED,
    **_ONE_SAMPLE,
)
def lecun_shift(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖w̄* - w̄₀‖/|f - y|: the same path in w̄ = w/√m, where the gradient is √m times that in w and the step 1/m of it."""
    return _relative_shift(size, rng, replicates, None, **point) / math.sqrt(size)
