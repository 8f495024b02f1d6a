"""Appendix A: weights of deviation σ_m, and the orders that follow for weights N(0, 1/m)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Computed, Corrected, Erratum, Identity, Parameter, Place, Rate, Relative, claim
from rmtsim.networks import Network
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import INPUT as ONES
from rmtsim.papers.liu.simulation.architectures import rescaled, wide
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.lazy_training import ONE_SAMPLE, TRAINED, inverse_root, relative_shift
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, TANH, WIDTHS

Array = NDArray[np.float64]

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
    states=Rate(0.5, within=Relative(0.03), amplitude=inverse_root),
    plan=TRAINED,
    **ONE_SAMPLE,
)
def lecun_shift(size: int, rng: Generator, replicates: int, **point: Any) -> Array:
    """‖w̄* - w̄₀‖/|f - y|: the same path in w̄ = w/√m, where the gradient is √m times that in w and the step 1/m of it."""
    return relative_shift(size, rng, replicates, None, **point) / math.sqrt(size)
