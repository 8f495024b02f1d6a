"""Theorem 4.1, eqs. (32) and (33): the norm of the whole Hessian of the bottleneck network (31)."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Law, Limit, Parameter, Place, Probability, Rate, Relative, claim
from rmtsim.papers.liu.simulation.bottleneck import (
    STRATA,
    bottleneck_gradients,
    bottleneck_norms,
    distance_to_flat_point,
    group_means,
    sample_bottlenecks,
)
from rmtsim.papers.liu.statements.bottleneck_blocks import EDGEWORTH, LAW, X_FOR_X_SQUARED
from rmtsim.papers.liu.statements.parameters import INPUT, RADIUS, WIDTHS
from rmtsim.papers.liu.theory.bottleneck import (
    bottleneck_kernel_mean,
    bottleneck_norm_cdf,
    bottleneck_norm_mean,
    survival_in_ball,
)

Array = NDArray[np.float64]

DELTA = Parameter(
    "delta", "δ of the theorem", default=0.2, open_below=True, highest=0.49, draw_range=(0.05, 0.4)
)
CONSTANT = Parameter("constant", "C₁ of the theorem", default=1.0, open_below=True, draw_range=(0.01, 10.0))
FAR_APART = EDGEWORTH.but(sizes=(16, 64, 256))
"""Sizes far apart: with a correction 1/m alone, the limit is then hardly less certain than the values."""


def _norms(size: int, rng: Generator, replicates: int, x: float) -> Array:
    """‖H(W₀)‖ of fresh networks, over all parameters, to 10⁻⁴."""
    return bottleneck_norms(sample_bottlenecks(size, replicates, rng), x, blocks=3)


def _norm_cost(size: int) -> float:
    """Nominal seconds of one norm, in batches."""
    return 2e-5 + 1.5e-6 * size


def group_cost(size: int) -> float:
    """Nominal seconds of the norms of one group."""
    return STRATA * _norm_cost(size)


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
    plan=LAW.but(
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
        cause=X_FOR_X_SQUARED,
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
        cause=X_FOR_X_SQUARED,
        note="At x = 1 the bound holds with room; at x = 0.01 the norm, of order x⁴, is far below x². Another C₁ moves "
        "the x at which it fails.",
    ),
)
def holds_with_square(
    size: int, rng: Generator, replicates: int, x: float, delta: float, constant: float
) -> NDArray[np.bool_]:
    """Whether ‖H(W₀)‖ is at least the printed bound."""
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
