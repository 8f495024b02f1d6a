"""Claims of `li` on what its hypotheses contain: losses, architectures, norms of covariances, domains."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Choice, Corrected, Identity, Limit, Option, Plan, Rate, Simulated, claim
from rmtsim.papers.li.simulation.architectures import curvature_of_one_layer
from rmtsim.papers.li.simulation.hinge_training import hinge_problem, train_hinge
from rmtsim.papers.li.statements.ensembles import LAWS, WIGNER
from rmtsim.papers.li.statements.theorems import eigenvalue_cost

Rng = np.random.Generator
Array = NDArray[np.float64]

# ---- Definition 3.1: kinks of the loss in the mean over many samples -----------------------------------------------

MARGIN_DENSITY = math.exp(-1 / 4) / math.sqrt(4 * math.pi)
"""Density at 1 of the margin of a wide network with weights N(0, 2/n): N(0, 2)."""


@claim(
    "li.def3.1.curvature",
    corrected=Corrected(states=Limit(MARGIN_DENSITY, within=0.01)),
    states=Limit(0.0, within=0.01),
    plan=Plan(
        sizes=(8, 16, 32, 64), size_name="n", exponents=(1.0, 2.0), cost=lambda size: 2e-4 + 6e-7 * size**2
    ),
)
def curvature_of_the_risk(size: int, rng: Rng) -> float:
    """(R((1 + h)α) + R((1 − h)α) − 2R(α))/h², h = 1/n, the hinge risk of 16n inputs with either label, L = 3.

    The mean over sixteen α at the same two layers below, which cost more.
    """
    values = rng.standard_normal((16 * size, size))
    for _ in range(2):
        values = np.maximum(values @ (rng.standard_normal((size, size)) * math.sqrt(2 / size)), 0.0)
    outputs = values @ (rng.standard_normal((size, 16)) * math.sqrt(2 / size))
    margins = np.stack([outputs, -outputs])
    step = 1 / size
    risks = [float(np.maximum(0.0, 1 - scale * margins).mean()) for scale in (1 + step, 1 - step, 1.0)]
    return (risks[0] + risks[1] - 2 * risks[2]) / step**2


# ---- Remark D.3: architectures -------------------------------------------------------------------------------------

KINDS = {
    "convolution": Option("convolution", "three circular convolutions with shared weights"),
    "residual": Option("residual", "a layer and a residual block of two"),
}


@claim(
    "li.remarkD.3.{kind}",
    states=Identity(within=1e-10),
    over=(Choice("kind", KINDS),),
    plan=Plan(sizes=(3, 6), size_name="n", cost=6e-4),
)
def bend_within_a_layer(size: int, rng: Rng, form: str, kind: str) -> float:
    """|d²R/dt²| along one layer over that along all, with batch normalisation; corrected: without."""
    return curvature_of_one_layer(size, rng, kind, normalised=form == "printed")


# ---- Section 4.2: signs of the eigenvalues -------------------------------------------------------------------------


@claim(
    "li.sec4.2.signs",
    corrected=Corrected(states=Identity(within=1e-12)),
    states=Bound(0.0, within=1e-9),
    plan=Plan(sizes=(2, 3), size_name="n", cost=8e-3),
)
def signs_at_a_minimum(size: int, rng: Rng, form: str) -> float:
    """At an end of training certified to be a local minimum: 1 unless all eigenvalues of H are positive.

    Corrected: the largest of their sizes.
    """
    while True:
        (end,) = train_hinge(size, 2, 2 * size, rng, 1)
        if end.stationary and end.plateau:
            spectrum = np.linalg.eigvalsh(end.network.hessian(end.inputs, end.labels))
            return float(np.abs(spectrum).max() if form == "corrected" else not (spectrum > 0).all())


# ---- Theorem 1(c) for the whole class ------------------------------------------------------------------------------


def _slopes_of_a_loss(outputs: Array, rng: Rng) -> Array:
    """l' at these outputs, l a random convex piecewise linear loss with minimum zero and four kinks."""
    kinks = np.sort(rng.standard_normal(4))
    slopes = np.sort(rng.standard_normal(5))
    slopes[0], slopes[-1] = -abs(slopes[0]) - 0.1, abs(slopes[-1]) + 0.1
    return np.asarray(slopes[np.searchsorted(kinks, outputs)])


@claim("li.thm1.c.class", states=Bound(0.0, within=1e-9), plan=Plan(sizes=(2, 3), size_name="n", cost=2e-3))
def excess_for_a_loss(size: int, rng: Rng, form: str) -> float:
    """(‖H‖ − E_m[l'] λ₀)/λ₀ for a random loss of the class, corrected with |l'|; one to three samples, L = 3."""
    while True:
        network, inputs, _ = hinge_problem(size, 3, int(rng.integers(1, 4)), rng)
        outputs = network.with_loss("none")
        single = np.array([outputs.hessian(row[None, :]) for row in inputs])
        largest = float(np.abs(np.linalg.eigvalsh(single)).max())
        slopes = _slopes_of_a_loss(network.output(inputs)[:, 0], rng)
        if largest > 0 and slopes.any():
            hessian = np.einsum("i,ijk->jk", slopes, single) / len(slopes)
            mean = float(np.mean(np.abs(slopes) if form == "corrected" else slopes))
            return float(np.abs(np.linalg.eigvalsh(hessian)).max()) / largest - mean


# ---- Condition 4.4: norms of covariances ---------------------------------------------------------------------------


@claim(
    "li.cond4.4",
    corrected=Corrected(states=Limit(1 / (2 * math.pi), within=0.01)),
    states=Rate(0.0, "O", within=0.1),
    plan=Plan(
        sizes=(8, 16, 32, 64, 128), size_name="n", exponents=(1.0,), cost=lambda size: 1e-4 + 5e-7 * size**2
    ),
)
def covariance_norm(size: int, rng: Rng, form: str) -> float:
    """A lower bound of |||κ|||₂^av over the mean variance of the entries of the block (W₁, W₂); corrected: over n².

    L = 3, weights given, normal inputs, fair labels. An entry is −y x_i h_j h'_l α_l. The unit vector v with
    sign(α_l)/n on the entries of one i has |||κ|||₂^av ≥ v·κv = the variance of Σ_jl |α_l| x_i h_j h'_l/n. The mean
    over i and 256 inputs.
    """
    first, second = (rng.standard_normal((size, size)) * math.sqrt(2 / size) for _ in range(2))
    weights = np.abs(rng.standard_normal(size))
    inputs = rng.standard_normal((256, size))
    reach = inputs @ first
    below = (reach > 0).astype(float)
    above = (np.maximum(reach, 0.0) @ second > 0).astype(float)
    squares = np.square(inputs).mean(axis=1)
    joint = float((squares * below.sum(axis=1) ** 2 * (above @ weights) ** 2).mean()) / size**2
    single = float((squares * below.mean(axis=1) * (above @ weights**2)).mean()) / size
    return joint / single / (size**2 if form == "corrected" else 1)


# ---- Condition D.4 against Condition D.3 ---------------------------------------------------------------------------


@claim(
    "li.condD.4",
    states=Bound(1.0, within=1e-9),
    plan=Plan(sizes=(10, 100, 1000), size_name="1/p", cost=2e-4),
)
def quotient_on_the_edge(size: int, rng: Rng, form: str) -> float:
    """The largest N³κ(f, g)/(‖f‖₂‖g‖₂) over functions f and g of two variables that are 1 with probability p, else 0.

    Their covariance is the largest for which Condition D.4 holds, with ‖·‖₃, corrected with ‖·‖₂. Every function that
    is not constant is a multiple of X − a, so that a scan over a finds the least norms; p is between half of 1/size
    and 1/size.
    """
    p = rng.uniform(0.5, 1.0) / size
    places = np.linspace(0.0, 1.0, 4001)

    def least_norm(power: int) -> float:
        return float(((p * (1 - places) ** power + (1 - p) * places**power) ** (1 / power)).min())

    return (least_norm(3 if form == "printed" else 2) / least_norm(2)) ** 2


# ---- The domain of Theorem 2(c) ------------------------------------------------------------------------------------


@functools.cache
def _density(place: float) -> float:
    return float(LAWS[WIGNER](1.0).pdf(place))


@claim(
    "li.thm2.c.domain",
    states=Limit(1.0, within=0.05),
    plan=Plan(
        sizes=(16, 32, 64, 128),
        size_name="N",
        exponents=(0.5, 1.0),
        support=(0.0, 1.0),
        cost=eigenvalue_cost,
    ),
    evidence=Simulated(theory="the corrected domain is defined by the law of the equation"),
)
def share_in_the_domain(size: int, rng: Rng, form: str) -> float:
    """Share of 32 places x in [−1, 1] with μ(x) + dist(x, supp μ) ≥ N^(−1/2), Wigner matrices, Im z aside.

    μ is the empirical distribution as printed: places between eigenvalues have μ(x) = 0. Corrected: the law of the
    equation, whose support holds all places.
    """
    if form == "corrected":
        places = np.round(rng.uniform(-1.0, 1.0, 32), 2)
        return float(np.mean([_density(float(x)) >= size**-0.5 for x in places]))
    places = rng.uniform(-1.0, 1.0, 32)
    distances = np.abs(places[:, None] - WIGNER.eigenvalues(size, rng, 1.0)).min(axis=1)
    return float(np.mean(distances >= size**-0.5))


# ---- Corollary D.1 -------------------------------------------------------------------------------------------------


@claim(
    "li.corD.1",
    states=Limit(0.0, within=0.005),
    plan=Plan(
        sizes=(2, 4, 8), size_name="entries of a set", exponents=(1.0,), cost=lambda size: 2e-4 + 1e-4 * size
    ),
)
def covariance_of_functions(size: int, rng: Rng) -> float:
    """κ(f, g)/(‖f‖₂‖g‖₂), f = cos(u·w + a) of one set and g of the other, the mean over 2048 pairs of draws.

    Gaussian entries with random covariances within each set, none between them, and means that are not zero.
    """
    values = []
    for _ in range(2):
        factor = rng.standard_normal((size, size))
        u = rng.standard_normal(size)
        u /= np.linalg.norm(u @ factor)
        draws = rng.standard_normal((2, 2048, size)) @ factor.T + rng.standard_normal(size)
        found = np.cos(draws @ u + rng.uniform(0.0, 2 * math.pi))
        values.append(found / math.sqrt(float(np.square(found).mean())))
    f, g = values
    return float(((f[0] - f[1]) * (g[0] - g[1])).mean() / 2)
