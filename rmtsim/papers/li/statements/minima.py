"""Claims of `li` on stationary points and steps: Theorem 1(a), (b), (c) and eq. (10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Identity, Plan, Rate, claim
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
    corrected=Corrected(measured=departure_from_the_share, states=Identity(within=1e-9)),
    states=Bound(0.0, within=1e-9),
    over=(LAYERS,),
    points=DEPTHS,
    plan=TRAINED,
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
    corrected=Corrected(
        measured=departure_from_the_multipliers,
        states=Identity(within=1e-8),
        plan=TRAINED.but(sizes=(2,), cost=0.6),
    ),
    states=Bound(0.0, within=1e-9),
    over=(LAYERS,),
    points=({"layers": 2}, {"layers": 3}),
    plan=TRAINED.but(sizes=(2,), cost=0.15),
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
    corrected=Corrected(
        measured=imbalance_without_output,
        states=Identity(within=1e-8),
        plan=TRAINED.but(sizes=(3, 5, 8), cost=0.01),
    ),
    states=Bound(0.0, within=1e-9),
    over=(LAYERS,),
    points=DEPTHS,
    plan=TRAINED,
)
def is_no_saddle(size: int, rng: np.random.Generator, replicates: int, layers: int) -> NDArray[np.float64]:
    """Whether a stationary end of non-zero risk is certified to be a local minimum, hence no saddle."""
    ends = _stationary_ends(size, rng, replicates, layers)
    return np.array([float(end.plateau) for end in ends])


@claim("li.thm1.c", states=Bound(0.0, within=1e-9), plan=TRAINED.but(sizes=(2, 3)))
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
    states=Rate(1.0, "O", within=0.05),
    plan=Plan(sizes=(256, 512, 1024, 2048, 4096), size_name="1/η", exponents=(1.0,), coupled=True, cost=2e-2),
)
def error_of_a_step(sizes: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """|ΔR_m/(η‖∇R_m‖²) + 1| at every η = 1/size over that at 1/8192, the median of 25 networks.

    Width 6, 12 samples, L from 2 to 4. The curvature along the gradient, which differs between networks, cancels.
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
