"""Section 4, second half, and appendix H: the bottleneck network (31), Theorem 4.1, eqs. (30)-(33), (107)-(109)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import (
    Corrected,
    Erratum,
    Identity,
    Law,
    Limit,
    Parameter,
    Place,
    Probability,
    Rate,
    Relative,
    claim,
)
from rmtsim.networks import Network, activation
from rmtsim.papers.liu.simulation.architectures import bottleneck
from rmtsim.papers.liu.simulation.bottleneck import (
    bottleneck_gradients,
    bottleneck_norms,
    distance_to_flat_point,
    sample_bottlenecks,
    stratified_bottlenecks,
)
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import INPUT, RADIUS, WIDTHS
from rmtsim.papers.liu.theory.bottleneck import (
    block_norm_cdf,
    block_norm_mean,
    bottleneck_kernel_mean,
    bottleneck_norm_cdf,
    bottleneck_norm_mean,
    curvature_mean,
    survival_in_ball,
)

Array = NDArray[np.float64]

DELTA = Parameter(
    "delta", "δ of the theorem", default=0.2, open_below=True, highest=0.49, draw_range=(0.05, 0.4)
)
CONSTANT = Parameter("constant", "C₁ of the theorem", default=1.0, open_below=True, draw_range=(0.01, 10.0))
ALPHA = Parameter(
    "alpha", "value α of the bottleneck's unit", default=1.0, open_below=True, draw_range=(0.2, 3.0)
)
EDGEWORTH = WIDTHS.but(
    exponents=(1.0,),
    because="S is odd in w⁴, b in w²: odd orders of the Edgeworth series vanish; the rest are means of m terms",
)
FAR_APART = EDGEWORTH.but(sizes=(16, 64, 256))
"""Sizes far apart: with a correction 1/m alone, the limit is then hardly less certain than the values."""
_LAW = WIDTHS.but(sizes=(16, 32, 64, 128, 256), exponents=(0.5, 1.0))
"""Distances from a law are skewed and need hundreds of replicates at every size: so no larger ones."""
_X_FOR_X_SQUARED = "α_i = ½(w_i x)² is taken for ½ w_i x"


def _parts(network: Network) -> tuple[Array, Array, Array, Array]:
    """w¹, w², w³, w⁴ as vectors."""
    first, second, third, fourth = (weights.ravel() for weights in network.weights)
    return first, second, third, fourth


def _norms(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """‖H(W₀)‖ of fresh networks, over all parameters, to 10⁻⁴."""
    return bottleneck_norms(sample_bottlenecks(size, replicates, rng), x, blocks=3)


STRATA = 16


def group_means(size: int, rng: Generator, replicates: int, measure: Callable[[Array], Array]) -> Array:
    """Means of a quantity over groups of sixteen networks, stratified in S and b: a replicate is a group."""
    found = []
    for start in range(0, replicates, 64):
        drawn = stratified_bottlenecks(size, min(64, replicates - start), STRATA, rng)
        found.append(measure(drawn).reshape(-1, STRATA).mean(axis=1))
    return np.concatenate(found)


def _norm_cost(size: int) -> float:
    """Nominal seconds of one norm, in batches."""
    return 2e-5 + 1.5e-6 * size


def group_cost(size: int) -> float:
    """Nominal seconds of the norms of one group."""
    return STRATA * _norm_cost(size)


# ---- (30) ----


@claim(
    "liu.eq30",
    at="eq. (30)",
    printed="The (2, 2, 1)-norm of the 1 × 1 × m tensor ∂²α^(l+1)/∂(α^(l))² behind a bottleneck of width one is "
    "Σ w_i²|σ''(w_i α)| = Θ(m): over m it tends to E[w²|σ''(wα)|], σ = tanh; second derivatives by differences.",
    states=Limit(curvature_mean, within=Relative(0.01)),
    over=(ALPHA,),
    plan=WIDTHS.but(
        sizes=(250, 500, 1000, 2000),
        exponents=(1.0,),
        because="a mean of m independent terms has the limit as its expectation",
        cost=lambda size: 1e-4 + 2e-7 * size,
    ),
)
def tensor_norm(size: int, rng: Generator, alpha: float) -> float:
    """Σ_i |∂²σ(w_i α)/∂α²|/m: vectors of length one have one entry ±1."""
    w = rng.standard_normal(size)
    step = 1e-4
    values = [np.tanh(w * (alpha + shift)) for shift in (-step, 0.0, step)]
    return float(np.abs(values[0] - 2 * values[1] + values[2]).sum() / step**2 / size)


# ---- (107)-(109): the block of the weights into the bottleneck ----

_EXACT: dict[str, Any] = {"over": (INPUT,), "plan": WIDTHS.but(sizes=(2, 7), cost=1e-3)}


@claim(
    "liu.eq107",
    at="eq. (107)",
    printed="∂f/∂w²_i = (1/m) Σ_j w⁴_j σ'(w³_j b) w³_j α_i; measured as the largest relative gap to complex-step "
    "derivatives of (31).",
    states=Identity(within=1e-12),
    **_EXACT,
)
def gradient_gap(size: int, rng: Generator, x: float) -> float:
    """max |∂f/∂w² - printed|/max |∂f/∂w²|."""
    w1, w2, w3, w4 = _parts(bottleneck(size, rng))
    before = (w1 * x) ** 2 / 2
    unit = ((w2 + 1e-30j * np.eye(size)) @ before) / math.sqrt(size)  # one weight moves in each row
    exact = ((w3 * unit[:, None]) ** 2 / 2 @ w4).imag / math.sqrt(size) / 1e-30
    value = float(w2 @ before) / math.sqrt(size)
    printed = (w4 * (w3 * value) * w3).sum() / size * before
    return relative_gap(printed, exact)


@claim(
    "liu.eq108",
    at="eq. (108)",
    printed="∂²f/∂w²_i∂w²_k = m^{-3/2} Σ_j w⁴_j (w³_j)² α_i α_k; measured as the largest relative gap to the "
    "Hessian of (31).",
    states=Identity(within=1e-11),
    **_EXACT,
)
def block_gap(size: int, rng: Generator, x: float) -> float:
    """max |block - printed|/max |block|."""
    network = bottleneck(size, rng)
    w1, _, w3, w4 = _parts(network)
    before = activation("quadratic")(w1 * x)
    printed = float(w4 @ w3**2) * size**-1.5 * np.outer(before, before)
    return relative_gap(printed, network.hessian_block([[x]], None, 1, 1))


@claim(
    "liu.eq109",
    at="eq. (109)",
    printed="‖∂²f/∂(w²)²‖ = m^{-3/2}|Σ_j w⁴_j (w³_j)²|·‖α‖²; measured as the relative gap.",
    states=Identity(within=1e-11),
    **_EXACT,
)
def block_norm_gap(size: int, rng: Generator, x: float) -> float:
    """|norm - printed|/norm."""
    network = bottleneck(size, rng)
    w1, _, w3, w4 = _parts(network)
    printed = abs(float(w4 @ w3**2)) * size**-1.5 * float(np.sum(((w1 * x) ** 2 / 2) ** 2))
    exact = float(np.linalg.norm(network.hessian_block([[x]], None, 1, 1), 2))
    return float(abs(exact - printed) / exact)


@claim(
    "liu.appH.activations",
    at="appendix H, display before eq. (110)",
    printed="‖α^(1)‖² = (x²/4) Σ (w¹_i)² for σ(z) = z²/2; measured as the relative gap.",
    corrected="‖α^(1)‖² = (x⁴/4) Σ (w¹_i)⁴, which over m tends to 3x⁴/4.",
    states=Identity(within=1e-12),
    plan=WIDTHS.but(sizes=(2, 7), cost=1e-4),
    erratum=Erratum(
        cause=_X_FOR_X_SQUARED,
        note="α_i = σ(w_i x) = ½ w_i² x², so its square is ¼ w_i⁴ x⁴; the display squares w_i x/2.",
    ),
)
def activation_gap(size: int, rng: Generator, form: str) -> float:
    """Relative error of the stated ‖α‖² at an input away from one."""
    w, x = rng.standard_normal(size), float(rng.choice([0.5, 2.0, 3.0]))
    exact = float(np.square(activation("quadratic")(w * x)).sum())
    stated = x**2 / 4 * float(w @ w) if form == "printed" else x**4 / 4 * float(np.sum(w**4))
    return float(abs(exact - stated) / exact)


@claim(
    "liu.eq109.mean",
    at=Place("eq. (109)", note="The law is ours; the paper bounds it from below."),
    printed="The norm of the block tends in law to (3√3/4) x⁴ |G|; here its mean, (3√3/4) x⁴ √(2/π).",
    states=Limit(block_norm_mean, within=Relative(0.02)),
    over=(INPUT,),
    points=({"x": 1.0}, {"x": 0.5}),
    plan=EDGEWORTH.but(sizes=(32, 64, 128, 256, 512), cost=lambda size: 2e-6 + 7e-8 * size),
)
def block_norms(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """‖∂²f/∂(w²)²‖ by eq. (109), which `liu.eq109` tries against the network itself."""
    w1, w3, w4 = rng.standard_normal((3, replicates, size))
    sums = np.abs((w4 * w3**2).sum(axis=1)) * np.square((w1 * x) ** 2 / 2).sum(axis=1)
    return np.asarray(sums * size**-1.5)


@claim(
    "liu.eq109.law",
    at=Place("eq. (109)", note="The law is ours."),
    printed="The norm of the block follows the half-normal law (3√3/4) x⁴ |G| in the limit; measured as the "
    "distance of 8m norms from it, x = 1.",
    states=Law(lambda values: block_norm_cdf(values, 1.0), within=0.02),
    plan=_LAW.but(
        because="8m values deviate by order m^(-1/2) from any law, and their law by 1/m from its limit",
        cost=lambda size: 6e-7 * size**2,
    ),
)
def block_norm_sample(size: int, rng: Generator) -> Array:
    """8m norms of independent networks of width m."""
    return np.asarray(block_norms(size, rng, 8 * size, 1.0))


# ---- ‖H‖ at W₀: the limiting law of the whole Hessian ----


@claim(
    "liu.thm4.1.start",
    at=Place("Theorem 4.1, text before it", note="The law is ours; the paper bounds the norm from below."),
    printed="‖H(W₀)‖ does not vanish: it tends in law to (7√3/8) x⁴ (|G₁| + √(G₁² + 4G₂²)); here its mean.",
    states=Limit(bottleneck_norm_mean, within=Relative(0.03)),
    over=(INPUT,),
    points=({"x": 1.0}, {"x": 0.5}),
    plan=FAR_APART.but(cost=group_cost),
)
def whole_norm(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """Mean of ‖H(W₀)‖ over a group."""
    return group_means(size, rng, replicates, lambda point: bottleneck_norms(point, x, blocks=3))


@claim(
    "liu.thm4.1.law",
    at=Place("Theorem 4.1", note="The law is ours."),
    printed="‖H(W₀)‖ follows (7√3/8) x⁴ (|G₁| + √(G₁² + 4G₂²)) in the limit; measured as the distance of m/2 norms "
    "from it, x = 1.",
    states=Law(lambda values: bottleneck_norm_cdf(values, 1.0), within=0.05),
    plan=_LAW.but(
        because="m/2 values deviate by order m^(-1/2) from any law, and their law by 1/m from its limit",
        cost=lambda size: _norm_cost(size) * size / 2,
    ),
)
def whole_norm_sample(size: int, rng: Generator) -> Array:
    """m/2 norms of independent networks of width m."""
    return _norms(size, rng, size // 2, 1.0)


@claim(
    "liu.table1.bottleneck-kernel-mean",
    at="Table 1, bottleneck",
    standing="remark",
    printed="K(x, x) of the bottleneck network (31) is Θ(1): its mean tends to 441/64 x⁸.",
    states=Limit(bottleneck_kernel_mean, within=Relative(0.1)),
    over=(INPUT,),
    plan=WIDTHS.but(
        sizes=(64, 128, 256, 512, 1024),
        exponents=(1.0,),
        because="a mean of a polynomial in sums of independent terms: a polynomial in 1/m",
        cost=lambda size: 5e-6 + 1.5e-7 * size,
    ),
)
def whole_kernel(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """‖∇f‖²."""
    _, gradients = bottleneck_gradients(sample_bottlenecks(size, replicates, rng), x)
    return np.asarray((gradients**2).sum(axis=(0, 2)))


# ---- (32), (33): the dependence on x ----

_WIDTH = 64


@claim(
    "liu.eq32",
    at="Theorem 4.1, eq. (32)",
    standing="theorem",
    printed="‖H‖ is at least a constant times x², at W₀ and for every x (as R → 0 the right side is (x²/8)√3C₁δ³): "
    "‖H‖^{-1/2} = O(1/|x|) as x → 0; m = 64.",
    corrected=Corrected(
        "‖H‖ is x⁴ times a law that does not depend on x: ‖H‖^{-1/2} grows exactly like x^(-2).",
        states=Rate(-2.0, within=0.1),
    ),
    states=Rate(-1.0, "O", within=0.1),
    plan=WIDTHS.but(
        sizes=(1, 2, 4, 8),
        size_name="1/x",
        exponents=(1.0,),
        because="f is homogeneous of degree four in x, so is H: no correction at all",
        cost=_norm_cost(_WIDTH),
    ),
    erratum=Erratum(
        cause=_X_FOR_X_SQUARED,
        note="The display before (110) has x² where the activations give x⁴; no C₁ serves all x.",
    ),
)
def inverse_root_norm(size: int, rng: Generator, replicates: int) -> Array:
    """‖H(W₀)‖^{-1/2} at x = 1/size; the root has finite variance."""
    return np.asarray(_norms(_WIDTH, rng, replicates, 1 / size) ** -0.5)


def _holds_with_fourth_power(
    size: int, rng: Generator, replicates: int, x: float, delta: float
) -> NDArray[np.bool_]:
    bound = 3 * math.sqrt(3) / 4 * math.sqrt(math.pi / 2) * delta * x**4
    return np.asarray(_norms(size, rng, replicates, x) >= bound)


@claim(
    "liu.eq33",
    at="Theorem 4.1, eq. (33)",
    standing="theorem",
    printed="As m → ∞, ‖H‖ ≥ (√3/8) C₁ δ³ x² with probability at least 1 - 2δ, at W₀; C₁ = 1, δ = 0.2 (the "
    "tolerance is 2δ: a probability within 2δ of one). The paper has some C₁ > 0; each fails at some x (liu.eq32).",
    corrected=Corrected(
        "As m → ∞, ‖H(W₀)‖ ≥ (3√3/4)√(π/2) δ x⁴ with probability at least 1 - δ: linear in δ, without a "
        "constant, since the block alone is (3√3/4) x⁴|G| and P(|G| ≤ t) ≤ t√(2/π); δ = 0.2.",
        measured=_holds_with_fourth_power,
        states=Probability(1.0, within=0.2),
        over=(INPUT, DELTA),
    ),
    states=Probability(1.0, within=0.4),
    over=(INPUT, DELTA, CONSTANT),
    points=({"x": 1.0}, {"x": 0.01}),
    plan=EDGEWORTH.but(sizes=(32, 64, 128), cost=_norm_cost),
    erratum=Erratum(
        cause=_X_FOR_X_SQUARED,
        note="At x = 1 the bound holds with room; at x = 0.01 the norm, of order x⁴, is far below x². Another C₁ moves "
        "the x at which it fails.",
    ),
)
def holds_with_square(
    size: int, rng: Generator, replicates: int, x: float, delta: float, constant: float
) -> NDArray[np.bool_]:
    """Whether ‖H(W₀)‖ reaches the printed bound."""
    bound = math.sqrt(3) / 8 * constant * delta**3 * x**2
    return np.asarray(_norms(size, rng, replicates, x) >= bound)


# ---- Theorem 4.1 over the ball: W is chosen after W₀ ----


def farther_than(size: int, rng: Generator, replicates: int, radius: float) -> Array:
    """Share of a group for which the nearest point with S = b = 0, where H vanishes, lies outside the ball."""
    return group_means(
        size,
        rng,
        replicates,
        lambda point: np.where(distance_to_flat_point(point, 1.0)[1] <= radius, 0.0, 1.0),
    )


@claim(
    "liu.thm4.1",
    at="Theorem 4.1",
    standing="theorem",
    printed="Read for all W at once: with probability 1 - 2δ (- e^(-m/16)) the norm ‖H(W)‖ is bounded below "
    "for every W in B(W₀, R), as m → ∞ by a positive constant; measured as the probability that no W with H(W) = "
    "0 is found in the ball; R = 1, δ = 0.2 (the tolerance is 2δ).",
    corrected=Corrected(
        "The probability that no W within R of W₀ has H(W) = 0 tends to e^(-7R²/6); that H vanishes at the "
        "points found is part of the printed form's measurement.",
        measured=farther_than,
        states=Limit(survival_in_ball, within=0.03),
        points=({"radius": 1.0}, {"radius": 0.5}),
        plan=FAR_APART.but(cost=lambda size: STRATA * (4e-6 + 4.5e-7 * size), support=(0.0, 1.0)),
    ),
    states=Probability(1.0, within=0.4),
    over=(RADIUS,),
    plan=EDGEWORTH.but(sizes=(32, 64, 128, 256), cost=lambda size: 2 * _norm_cost(size)),
    erratum=Erratum(
        cause="a shift that depends on W₀ is treated as fixed",
        note="Lemma H.1 fixes the shift before it takes the expectation over W₀: it says nothing of a W chosen "
        "after W₀. Moving w³, w⁴ by |S|/|∇S| and w¹, w² by |b|/|∇b|, both O(1), makes S = b = 0, and H = 0.",
        credit="The words also allow one W at a time, at a shift from W₀ that does not depend on W₀. So read the "
        "bound holds (but for x², `liu.eq32`), at W₀ to begin with (`liu.thm4.1.start`), and that is enough for the "
        "conclusion that the model is not linear near W₀.",
    ),
)
def survives(size: int, rng: Generator, replicates: int, radius: float) -> Array:
    """One unless a point with H = 0, to rounding, lies in the ball."""
    flat, distances = distance_to_flat_point(sample_bottlenecks(size, replicates, rng), 1.0)
    found = (distances <= radius) & (bottleneck_norms(flat, 1.0) < 1e-9)
    return np.where(found, 0.0, 1.0)
