"""Claims of `li` on stationary points and steps: Theorem 1(a), (b), (c) and eq. (10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Erratum, Identity, Place, Plan, Rate, claim
from rmtsim.papers.li.simulation.hinge_training import (
    TrainedHinge,
    hinge_problem,
    stationary_without_output,
    train_hinge,
)
from rmtsim.papers.li.simulation.spectral_symmetry import mirror_error
from rmtsim.papers.li.statements.parameters import depth

if TYPE_CHECKING:
    from rmtsim.papers.li.simulation.hinge_kinks import KinkPoint

LAYERS = depth(meaning="L, layers with the output's", highest=6, draw_range=(2, 6))
DEPTHS = ({"layers": 2}, {"layers": 3}, {"layers": 4})
TRAINED = Plan(sizes=(2, 3, 4), size_name="n", cost=3e-3)
ERRATUM = Erratum(cause="local minima on which the Hessian vanishes, or which lie on kinks, are left out")


def _stationary_ends(size: int, rng: np.random.Generator, replicates: int, layers: int) -> list[TrainedHinge]:
    """Trained networks (2n samples) at which the gradient is exactly zero and the risk is not, as many as asked for."""
    found: list[TrainedHinge] = []
    while len(found) < replicates:
        ends = train_hinge(size, layers, 2 * size, rng, replicates)
        found += [end for end in ends if end.stationary and end.risk > 0]
    return found[:replicates]


def departure_from_the_share(
    size: int, rng: np.random.Generator, replicates: int, layers: int
) -> NDArray[np.float64]:
    """|R_m − share of active samples| at a stationary end, or the largest change of R_m near it if that is larger."""
    found = []
    for end in _stationary_ends(size, rng, replicates, layers):
        changes = [abs(end.risk - end.active_share)]
        if end.plateau:
            theta = end.network.parameters
            for _ in range(4):
                near = end.network.with_parameters(theta + 1e-7 * rng.standard_normal(theta.shape))
                changes.append(abs(near.loss(end.inputs, end.labels) - end.risk))
        found.append(max(changes))
    return np.array(found)


@claim(
    "li.thm1.a",
    at="Theorem 1(a)",
    standing="theorem",
    printed="Asked of networks as they are: all local minima of R_m are global minima with zero risk; networks trained "
    "on 2n samples until the gradient is exactly zero, the risk counted where the end is certified to be a local "
    "minimum.",
    corrected=Corrected(
        "Near a point off the kinks R_m is a harmonic function (linear in every weight), so at a local minimum it is "
        "constant nearby, and equal to the share of samples with a loss: k/m. Measured at the ends of training with "
        "exactly zero gradient.",
        measured=departure_from_the_share,
        states=Identity(within=1e-9),
    ),
    states=Bound(0.0, within=1e-9),
    over=(LAYERS,),
    points=DEPTHS,
    plan=TRAINED,
    erratum=ERRATUM.but(
        note="The proof takes H ≠ 0 wherever the risk is not zero. A sample for which every gate of a layer is closed "
        "has a loss of 1 and no derivative: where all samples with a loss are such, R_m is constant, H = 0, and "
        "Condition 4.5 does not hold. (It holds for no Hessian of the form (6): see li.cond4.5.)",
        credit="The theorem is conditional, and as a conditional it is not contradicted: no Hessian of the form (6) "
        "satisfies its Condition 4.5 (li.cond4.5). Remark D.4 and section 5.2 say that the conditions are observed, "
        "not derived.",
    ),
)
def risk_at_a_local_minimum(
    size: int, rng: np.random.Generator, replicates: int, layers: int
) -> NDArray[np.float64]:
    """R_m where training ended, if that is certified to be a local minimum; else zero."""
    ends = train_hinge(size, layers, 2 * size, rng, replicates)
    return np.array([end.risk if end.stationary and end.plateau else 0.0 for end in ends])


def _kinks_reached(size: int, rng: np.random.Generator, count: int, layers: int) -> list[KinkPoint]:
    """Where ``count`` networks (2n samples) end whose gradient is not zero after training, after one walk to a kink."""
    # Imported here because it loads scipy.optimize, which is not needed to list claims.
    from rmtsim.papers.li.simulation.hinge_kinks import descend_to_kink

    found: list[KinkPoint] = []
    while len(found) < count:
        ends = train_hinge(size, layers, 2 * size, rng, 8)
        found += [descend_to_kink(end, rng, walks=1) for end in ends if not end.stationary]
    return found[:count]


def departure_from_the_multipliers(
    size: int, rng: np.random.Generator, replicates: int, layers: int
) -> NDArray[np.float64]:
    """|R_m − E_m[μ]| at stationary points on kinks of the margins, as many as asked for."""
    found: list[float] = []
    while len(found) < replicates:
        points = _kinks_reached(size, rng, 2, layers)
        found += [
            abs(point.risk - float(point.multipliers.mean()))
            for point in points
            if point.on_kink.any() and point.residual < 1e-10
        ]
    return np.array(found[:replicates])


@claim(
    "li.thm1.a.kinks",
    at="Theorem 1(a)",
    standing="theorem",
    printed="Asked of networks as they are, where training never comes to rest: all local minima of R_m are global "
    "minima with zero risk; ends on kinks, followed by linear programmes and Newton's method, the risk counted where "
    "the end is certified to be a local minimum on margins y T(x) = 1.",
    corrected=Corrected(
        "At a stationary point on margins y T(x) = 1, off the kinks of the gates, R_m = E_m[μ]: μ_i is 1 where the "
        "margin is below 1, 0 where it is above, and the multiplier of Σμ_iy_i∇T_i = 0 where it is 1. Off the kinks "
        "this is the share k/m.",
        measured=departure_from_the_multipliers,
        states=Identity(within=1e-8),
        plan=TRAINED.but(sizes=(2,), cost=0.6),
    ),
    states=Bound(0.0, within=1e-9),
    over=(LAYERS,),
    points=({"layers": 2}, {"layers": 3}),
    plan=TRAINED.but(sizes=(2,), cost=0.15),
    erratum=ERRATUM.but(
        note="On a kink R_m has no Hessian, and the proof's step from H to minima says nothing. Samples with margin 1 "
        "can hold up those with a loss: R_m grows in every direction in which an output changes.",
        credit="As for (a): the theorem is conditional, and its Condition 4.5 holds for no network.",
    ),
)
def risk_on_a_kink(size: int, rng: np.random.Generator, replicates: int, layers: int) -> NDArray[np.float64]:
    """R_m at the end, if that is certified to be a local minimum on kinks of the margins; else zero."""
    points = _kinks_reached(size, rng, replicates, layers)
    return np.array([point.risk if point.certified else 0.0 for point in points])


def imbalance_without_output(size: int, rng: np.random.Generator, layers: int) -> float:
    """Σ|λ_i + λ_{N+1−i}|/Σ|λ_i| of the Hessian at a stationary point with α = 0 (4n samples)."""
    while True:
        network, inputs, labels = stationary_without_output(size, layers, 4 * size, rng)
        spectrum = np.linalg.eigvalsh(network.hessian(inputs, labels))
        if np.abs(spectrum).max() > 1e-6:
            return mirror_error(spectrum)


@claim(
    "li.thm1.b",
    at="Theorem 1(b)",
    standing="theorem",
    printed="Asked of networks as they are: all stationary points of non-zero risk are saddle points with half of the "
    "non-zero eigenvalues negative; measured as whether a stationary end of training is certified to be none.",
    corrected=Corrected(
        "A stationary point off the kinks with H ≠ 0 is a saddle since tr H = 0. If α = 0 there, only blocks with α "
        "are non-zero, H is bipartite and its spectrum exactly symmetric; measured as Σ|λ_i + λ_{N+1−i}|/Σ|λ_i| there.",
        measured=imbalance_without_output,
        states=Identity(within=1e-8),
        plan=TRAINED.but(sizes=(3, 5, 8), cost=0.01),
    ),
    states=Bound(0.0, within=1e-9),
    over=(LAYERS,),
    points=DEPTHS,
    plan=TRAINED,
    erratum=ERRATUM.but(
        note="As for (a): the proof takes H ≠ 0 wherever the risk is not zero.",
        credit="As a conditional it is not contradicted, as (a). Wherever R_m is smooth and H ≠ 0 the point is a "
        "saddle: (6) has trace zero, which needs no random matrices.",
    ),
)
def is_no_saddle(size: int, rng: np.random.Generator, replicates: int, layers: int) -> NDArray[np.float64]:
    """Whether a stationary end of non-zero risk is certified to be a local minimum, hence no saddle."""
    ends = _stationary_ends(size, rng, replicates, layers)
    return np.array([float(end.plateau) for end in ends])


@claim(
    "li.thm1.c",
    at="Theorem 1(c)",
    standing="theorem",
    printed="‖H‖₂ ≤ E_m[l'(T(X), Y)] λ₀ with λ₀ = max ‖∇²T(x_i)‖ as in the proof; measured as ‖H‖/λ₀ − E_m[l'].",
    corrected="‖H‖₂ ≤ E_m|l'(T(X), Y)| λ₀ with λ₀ = max ‖∇²T(x_i)‖: for the hinge, the share of samples with a loss "
    "times λ₀.",
    states=Bound(0.0, within=1e-9),
    plan=TRAINED.but(sizes=(2, 3)),
    erratum=Erratum(
        cause="the absolute value of l' is lost",
        note="l' = −y of the hinge has both signs: with balanced labels the printed bound is zero or negative, and H "
        "is not zero.",
        credit="The line above the last in the proof has |l'|.",
    ),
)
def excess_norm(size: int, rng: np.random.Generator, form: str) -> float:
    """(‖H‖ − E_m[l'] λ₀)/λ₀, corrected with |l'|; λ₀ the largest ‖∇²T(x_i)‖ (2n samples, L from 2 to 4)."""
    while True:
        network, inputs, labels = hinge_problem(size, int(rng.integers(2, 5)), 2 * size, rng)
        outputs = network.with_loss("none")
        single = np.array([outputs.hessian(row[None, :]) for row in inputs])
        largest = float(np.abs(np.linalg.eigvalsh(single)).max())
        slopes = np.where(labels * network.output(inputs) < 1, -labels, 0.0)
        if largest > 0 and slopes.any():
            mean = float(np.mean(np.abs(slopes) if form == "corrected" else slopes))
            return float(np.abs(np.linalg.eigvalsh(network.hessian(inputs, labels))).max()) / largest - mean


@claim(
    "li.eq10",
    at=Place("eq. (10)", qualifier="≈"),
    standing="heuristic",
    printed="A step θ' = θ − η∇R_m changes the risk by ΔR_m ≈ −η‖∇R_m‖²; measured as the relative error over that of a "
    "step 1/8192, median over networks, which is to vanish like η (size = 1/η).",
    states=Rate(1.0, "O", within=0.15),
    plan=Plan(
        sizes=(256, 512, 1024, 2048, 4096),
        size_name="1/η",
        exponents=(1.0,),
        coupled=True,
        because="within a cell of gates R_m is a polynomial, so the relative error is a series in η; few steps meet a "
        "kink, and they do not move a median",
        cost=2e-2,
    ),
)
def error_of_a_step(sizes: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """|ΔR_m/(η‖∇R_m‖²) + 1| at every η = 1/size over that at 1/8192, the median of 25 networks.

    Width 6, 12 samples, L from 2 to 4. What the networks differ by, their curvature along the gradient, cancels.
    """
    errors: list[NDArray[np.float64]] = []
    steps = np.array((*sizes, 8192))
    while len(errors) < 25:
        network, inputs, labels = hinge_problem(6, int(rng.integers(2, 5)), 12, rng)
        gradient, before = network.gradient(inputs, labels), network.loss(inputs, labels)
        if gradient.any():
            moved = [network.with_parameters(network.parameters - gradient / size) for size in steps]
            changes = np.array([each.loss(inputs, labels) for each in moved]) - before
            found = np.abs(changes * steps / float(gradient @ gradient) + 1)
            # Below 10⁻¹⁰ rounding takes over: such a network is linear along its gradient, and there is no error.
            if found[-1] > 1e-10:
                errors.append(found[:-1] / found[-1])
    return np.asarray(np.median(errors, axis=0))
