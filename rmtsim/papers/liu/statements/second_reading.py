"""Steps of `liu` that lack a sign, a factor, an index or a hypothesis: appendices A, C, E, F.3, H, I.5 and I.7."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Computed, Corrected, Identity, Parameter, Plan, Rate, claim
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu import theory
from rmtsim.papers.liu.simulation.architectures import INPUT as ONES
from rmtsim.papers.liu.simulation.architectures import bottleneck, shallow, wide
from rmtsim.papers.liu.simulation.wide_networks import of_many
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, INPUT, TANH, WIDTHS, WITH_CONSTANTS
from rmtsim.papers.liu.statements.wide_networks import norms_of, root_log

# ---- Appendix A ----


@claim(
    "liu.eq39",
    states=Rate(0.5, "O", within=0.1),
    over=(ACTIVATION, INPUT),
    points=({"activation": "tanh", "x": 1.0},),
    plan=WIDTHS.but(
        sizes=(64, 128, 256, 512, 1024), exponents=(0.5, 1.0), cost=lambda size: 2e-6 + 2e-7 * size
    ),
)
def curvature_over_kernel(
    size: int, rng: Generator, replicates: int, form: str, activation: str, x: float
) -> Array:
    """‖H‖/(K√(ln m)) of Σ v_i σ(w_i x), all parameters; H is a sum of 2 × 2 blocks of w_i and v_i."""
    w, v = rng.standard_normal((2, replicates, size))
    v /= math.sqrt(size)
    if form == "printed":
        w /= math.sqrt(size)
    sigma = function_of(activation)
    bend, slope = v * sigma.derivative(w * x, 2) * x**2, sigma.derivative(w * x, 1) * x
    norms = ((np.abs(bend) + np.sqrt(bend**2 + 4 * slope**2)) / 2).max(axis=1)
    kernels = (sigma(w * x) ** 2).sum(axis=1) + (v**2 * slope**2).sum(axis=1)
    return np.asarray(norms / kernels / root_log(size))


# ---- Appendix C and Section 3.1 ----


@claim(
    "liu.prop2.2.levels",
    states=Identity(within=1e-12),
    plan=Plan(sizes=(2, 5), size_name="number of parameters", cost=1e-4),
)
def level_gap(size: int, rng: Generator, form: str) -> float:
    """|f - a|/(|a| + |f(0)|) at a point of the stated level set of an affine f."""
    slope, start, level = (
        rng.standard_normal(size),
        float(rng.standard_normal()),
        float(rng.standard_normal()),
    )
    c = float(np.linalg.norm(slope))
    across = rng.standard_normal(size)
    across -= (across @ slope) / c**2 * slope
    height = (level if form == "printed" else level - start) / c
    value = float((height * slope / c + across) @ slope) + start
    return abs(value - level) / (abs(level) + abs(start))


@claim(
    "liu.sec3.1.order",
    states=Rate(0.0, within=0.05),
    over=(ACTIVATION,),
    points=TANH,
    plan=Plan(sizes=(2, 4, 8, 16), size_name="factor", exponents=(1.0,), cost=4e-4),
)
def kernel_over_norm(size: int, rng: Generator, form: str, activation: str) -> float:
    """K/‖∂f/∂α‖, or K/‖∂f/∂α‖², of ``size`` times a network (8) of 200 neurons, x = 1."""
    network = shallow(200, rng, activation)
    gradient = size * network.gradient([[1.0]])[:200]
    norm = size * float(np.linalg.norm(network.activation_gradients([[1.0]])[0]))
    return float(gradient @ gradient) / norm ** (1 if form == "printed" else 2)


# ---- Appendix E ----


@claim(
    "liu.thm3.1.count",
    states=Bound(1.0, within=1e-9),
    plan=Plan(sizes=(2, 4), size_name="L", cost=2e-4),
)
def block_quotient(size: int, rng: Generator, form: str) -> float:
    """Σ‖H^(l₁,l₂)‖, or ‖H‖, over L max‖H^(l₁,l₂)‖; half of the matrices have equal blocks, where ‖H‖ attains it."""
    side = 3
    if rng.random() < 0.5:
        block = rng.standard_normal((side, side))
        whole = np.tile(block + block.T, (size, size))
    else:
        drawn = rng.standard_normal((size * side, size * side))
        whole = drawn + drawn.T
    blocks = whole.reshape(size, side, size, side).transpose(0, 2, 1, 3)
    norms = np.linalg.norm(blocks, 2, axis=(2, 3))
    left = norms.sum() if form == "printed" else np.linalg.norm(whole, 2)
    return float(left / (size * norms.max()))


# ---- Footnote 5: widths that differ ----


@claim(
    "liu.footnote5",
    corrected=Corrected(states=Rate(-1.0, "O", within=0.1)),
    states=Rate(0.0, "O", within=0.1),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(
        sizes=(6, 12, 24, 48), exponents=(0.5, 1.0), cost=lambda size: 1e-4 + 4e-8 * size**2 * (10 + size)
    ),
)
def tensor_between_widths(size: int, rng: Generator, activation: str) -> float:
    """‖∂²α₂/∂α₁²‖_{2,2,1} with m₁ = m, m₂ = m²: λ_max(Wᵀ|σ''|W)/m₁, attained at equal vectors by Cauchy–Schwarz."""
    network = wide(size, rng, activation, 1)
    first = network.weights[0] @ ONES[0] * network.architecture.layers[0].scale
    hidden = function_of(activation)(first)
    weights = rng.standard_normal((size**2, size))
    bend = np.abs(function_of(activation).derivative(weights @ hidden / math.sqrt(size), 2))
    return float(np.linalg.eigvalsh((weights.T * bend) @ weights)[-1] / size)


@claim(
    "liu.thm3.3.expanding",
    states=Rate(0.5, "O", within=0.1),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(
        sizes=(8, 14, 24, 40, 64), exponents=(0.5, 1.0), cost=lambda size: 5e-4 + 1.5e-6 * size**3
    ),
)
def expanding_norm(size: int, rng: Generator, replicates: int, activation: str) -> Array:
    """‖H‖/√(ln m) at distance 1 from W₀, widths m and m²."""
    values = of_many(
        (size, size**2),
        rng,
        replicates,
        activation,
        lambda batch: norms_of(batch.on_the_sphere(rng, 1.0), rng),
    )
    return values / root_log(size)


# ---- Appendices I.5 and I.7 ----


@claim(
    "liu.lemmaF.4.first",
    states=Bound(1.0, within=1e-12),
    plan=WIDTHS.but(sizes=(2, 3, 10, 100), cost=1e-5),
    evidence=Computed(1e-14, chain=("liu.lemmaF.4",)),
)
def tail_quotient(size: int, form: str) -> float:
    """P(|G| ≥ ln m)/(2e^{-c ln² m}), L_σ = 1 and ‖x‖² = d: c = 1 as printed, ½ as the line before has it."""
    level = math.log(size)
    rate = 1.0 if form == "printed" else 0.5
    return float(special.erfc(level / math.sqrt(2)) / (2 * math.exp(-rate * level**2)))


@claim(
    "liu.lemmaF.6.remainder",
    states=Bound(1.0, within=1e-12),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(sizes=(2, 6), cost=1e-4),
    evidence=WITH_CONSTANTS,
)
def remainder_quotient(size: int, rng: Generator, form: str, activation: str) -> float:
    """|b_i| over the stated bound; b sums to zero, the weights W_ki are equal in size."""
    sigma = function_of(activation)
    signs = np.resize([1.0, -1.0], size) * rng.choice([-1.0, 1.0])
    column, own = rng.choice([-1.0, 1.0], size) * rng.exponential(), float(rng.standard_normal())
    others = rng.standard_normal(size)
    slope = sigma.derivative(others, 1)
    moved = sigma.derivative(others + column * own / math.sqrt(size), 1)
    left = abs(float(column * moved @ signs)) / math.sqrt(size)
    first = abs(float(column * slope @ signs)) / math.sqrt(size)
    weights = signs if form == "printed" else np.abs(signs)
    second = theory.curvature_bound(activation) * abs(own * float(column**2 @ weights)) / size
    return left / (first + second)


@claim(
    "liu.lemmaF.6.index",
    states=Identity(within=1e-12),
    over=(ACTIVATION,),
    points=TANH,
    plan=WIDTHS.but(sizes=(3, 6), cost=8e-4),
)
def recursion_gap(size: int, rng: Generator, form: str, activation: str) -> float:
    """Relative error of b^(2) = m^{-1/2}(W^(l))ᵀΣ'^(l)b^(3) with l = 2 as printed, l = 3 corrected; L = 3."""
    network = wide(size, rng, activation, 3)
    sigma, value, slopes = function_of(activation), ONES[0], []
    for layer, weights in zip(network.architecture.layers[:3], network.weights[:3], strict=True):
        before = layer.scale * weights @ value
        slopes.append(sigma.derivative(before, 1))
        value = sigma(before)
    place = 1 if form == "printed" else 2
    gradients = [np.ravel(each) for each in network.activation_gradients(ONES)]
    stated = network.weights[place].T @ (slopes[place] * gradients[2]) / math.sqrt(size)
    return relative_gap(stated, gradients[1])


# ---- Appendix H ----

_DELTA = Parameter("delta", "δ of the theorem", 0.2, lowest=0.05, highest=0.45)
_WIDE = Parameter("radius", "radius R of the ball", 8.0, open_below=True, draw_range=(6.0, 12.0))


@claim(
    "liu.eq110",
    corrected=Corrected(points=({"radius": 0.5, "delta": 0.45},)),
    states=Bound(lambda delta: 1 - 2 * delta - math.exp(-4.0), ">=", of="probability"),
    over=(_WIDE, _DELTA),
    points=({"radius": 8.0, "delta": 0.2},),
    plan=WIDTHS.but(sizes=(64,), cost=1.5e-3),
)
def above_product(size: int, rng: Generator, form: str, radius: float, delta: float) -> bool:
    """Whether ‖∂²f/∂(w²)²‖ at W₀, x = 1, is at least the right side of (110), C₁ = 17."""
    first = 0.5 - radius**2 / size
    second = math.sqrt(3) * 17 * delta**3 - (3 * math.log(4 / delta) * radius**4 + radius**3) / math.sqrt(
        size
    )
    if form == "corrected":
        first, second = max(first, 0.0), max(second, 0.0)
    block = bottleneck(size, rng).hessian_block([[1.0]], None, 1, 1)
    return bool(np.linalg.norm(block) >= first * second / 4)


@claim(
    "liu.appH.shift",
    states=Bound(1 - math.exp(-4.0), ">=", of="probability"),
    plan=WIDTHS.but(sizes=(64,), cost=2e-6),
)
def shortest_weights(size: int, rng: Generator, replicates: int, form: str) -> NDArray[np.bool_]:
    """Whether the shortest w within R = √m/2 of w₀ has the stated length: (‖w₀‖ - R)₊² is its square."""
    lengths = np.linalg.norm(rng.standard_normal((replicates, size)), axis=1)
    radius = math.sqrt(size) / 2
    shortest = np.maximum(lengths - radius, 0.0) ** 2
    least = size / 2 - radius**2 if form == "printed" else max(math.sqrt(size / 2) - radius, 0.0) ** 2
    return np.asarray(shortest >= least)


# ---- Section 6: an output that is not in Theorem 5.1; eq. (91): even filters ----


ONCE = Plan(sizes=(1,), size_name="-", cost=1e-4)


def _swish_slope(z: Array) -> Array:
    gate = 1 / (1 + np.exp(-z / 10))
    return np.asarray(gate * (1 + z / 10 * (1 - gate)))


def slope_at_its_zero(size: int) -> float:
    """|φ'| at -10(1 + W(1/e))."""
    return float(abs(_swish_slope(np.array(-10 * (1 + special.lambertw(math.exp(-1)).real)))))


@claim(
    "liu.sec6.swish",
    corrected=Corrected(measured=slope_at_its_zero, states=Identity(within=1e-12)),
    states=Bound(0.01, ">="),
    plan=ONCE,
    evidence=Computed(1e-12),
)
def least_swish_slope(size: int) -> float:
    """The least |φ'| on a grid of [-50, 50]."""
    return float(np.abs(_swish_slope(np.linspace(-50, 50, 100001))).min())


@claim(
    "liu.eq91.odd",
    corrected=Corrected(plan=ONCE.but(sizes=(1, 3, 5, 7), size_name="K")),
    states=Identity(within=1e-12),
    plan=ONCE.but(sizes=(1, 2, 3, 4), size_name="K"),
    evidence=Computed(1e-12),
)
def distance_from_an_index(size: int) -> float:
    """Distance of (K + 1)/2 from the nearest integer."""
    return abs((size + 1) / 2 - round((size + 1) / 2))
