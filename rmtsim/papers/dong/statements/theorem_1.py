"""Claims of `dong` on the linear softmax model: eq. (5) and Theorem 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import (
    Computed,
    Corrected,
    Identity,
    Limit,
    Plan,
    Rate,
    Relative,
    Simulated,
    claim,
    with_companions,
)
from rmtsim.papers.dong.simulation import linear_blocks
from rmtsim.papers.dong.statements import parameters
from rmtsim.papers.dong.statements.parameters import blocks, integer_parameter
from rmtsim.papers.dong.theory import linear as theory

GAMMA = replace(parameters.GAMMA, assumption="Theorem 1 assumes d/N → γ in (0, ∞)")
CLASSES = integer_parameter(
    "classes", default=10, lowest=2, draw_range=(2, 50), assumption="Theorem 1 assumes a fixed C ≥ 2"
)
FEW_CLASSES = integer_parameter("classes", default=3, lowest=2, highest=50, draw_range=(2, 6))


@claim(
    "dong.eq5",
    states=Identity(within=1e-12),
    over=(FEW_CLASSES,),
    points=({"classes": 2}, {"classes": 4}),
    plan=Plan(sizes=(2, 3), size_name="d", cost=lambda size, classes: 4e-4 * size**3 * (size + 1) * classes),
    evidence=Simulated(revision=2),
)
def printed_blocks_error(size: int, rng: np.random.Generator, classes: int) -> float:
    """Largest entry-wise error of eq. (5), relative to the largest entry, over the blocks of a drawn model."""
    from rmtsim.curvature import sample_linear
    from rmtsim.curvature._differentiation import SecondDifferences
    from rmtsim.papers.dong.simulation.stated_losses import linear_cross_entropy
    from rmtsim.papers.dong.statements.printed_hessians import eq_5

    samples = size + 1
    model = sample_linear(size, samples, classes, rng)
    loss = linear_cross_entropy(model.inputs, np.eye(classes)[rng.integers(classes, size=samples)])
    # One diagonal and one off-diagonal block, every entry: by symmetry of classes these are all cases.
    i, j = rng.choice(classes, size=2, replace=False)
    differentiated = SecondDifferences(loss, model.weights)
    worst = 0.0
    for a, b in ((i, i), (i, j)):
        truth = differentiated(range(a * size, (a + 1) * size), range(b * size, (b + 1) * size))
        stated = eq_5(model.weights, model.inputs, int(a), int(b))
        worst = max(worst, float(np.abs(stated - truth).max() / np.abs(truth).max()))
    return worst


# ---- Blocks at fixed C, d and N growing together -----------------------------------------------------------------

_SIZES = (40, 80, 160, 320)


def quiet_energy(energy: Callable[[linear_blocks.LinearBlocks], Array]) -> Callable[..., Array]:
    """A sampler of an energy whose noise is reduced by the companions.

    The companions fluctuate on a fixed scale, and so must what they explain: the energies do, ‖H‖_F/d does not.
    """

    def energy_and_companions(
        size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
    ) -> Array:
        found = linear_blocks.draw_block_energies(size, rng, replicates, gamma, classes)
        return np.column_stack([energy(found), found.companions])

    return with_companions(energy_and_companions, linear_blocks.companion_means, pilot_size=_SIZES[0])


BLOCK_ENERGY = {
    "diagonal": quiet_energy(lambda found: found.diagonal / found.dimension),
    "offdiagonal": quiet_energy(lambda found: found.offdiagonal / found.dimension),
}
"""Samplers of (1/d)‖H_ii‖²_F and (1/d)‖H_ij‖²_F."""

GAMMA_AND_CLASSES_POINTS = ({"gamma": 1.0, "classes": 10}, {"gamma": 2.0, "classes": 20})
ENERGY_PLAN = Plan(
    sizes=_SIZES,
    size_name="n, min(d, N) ≈ n·min(γ, 1/γ)^¼",
    exponents=(1.0,),
    because="given the data, the logits are Gaussian with covariance x_n·x_m/d, so the mean energy is a smooth "
    "function of these products averaged over the data: a series in 1/d (docs/papers/dong/theorem-1.md)",
    cost=linear_blocks.energy_cost,
    memory=linear_blocks.energy_memory,
)
"""The sizes of linear models, and why their energies are series in 1/d."""


@claim(
    "dong.thm1.{block}",
    corrected=Corrected(plan=ENERGY_PLAN),
    over=[
        blocks(
            equation=("22", "23"),
            states=(
                Limit(theory.diagonal_energy, within=Relative(0.02)),
                Limit(theory.offdiagonal_energy, within=Relative(0.02)),
            ),
        ),
        GAMMA,
        CLASSES,
    ],
    points=GAMMA_AND_CLASSES_POINTS,
    plan=ENERGY_PLAN.but(exponents=None),
    evidence=Simulated(revision=2),
)
def block_norm(
    size: int, rng: np.random.Generator, replicates: int, form: str, block: str, gamma: float, classes: int
) -> Array:
    """‖H‖_F/d as printed, the mean over C blocks of a model, or ‖H‖²_F/d, the mean over all of them."""
    if form == "corrected":
        return BLOCK_ENERGY[block](size, rng, replicates, gamma=gamma, classes=classes)
    return linear_blocks.draw_block_norms(size, rng, replicates, gamma, classes, diagonal=block == "diagonal")


claim(
    "dong.thm1.ratio",
    quiet_energy(lambda found: found.offdiagonal / found.diagonal),
    states=Limit(theory.ratio, within=Relative(0.02)),
    over=(GAMMA, CLASSES),
    points=GAMMA_AND_CLASSES_POINTS,
    plan=ENERGY_PLAN,
)


# ---- The limits as C grows: computed ---------------------------------------------------------------------------

CLASSES_PLAN = Plan(
    sizes=(1_000, 4_000, 16_000, 64_000, 256_000),
    size_name="C",
    exponents=(1.0,),
    because="moments of the softmax at many classes are series in 1/C (docs/papers/dong/softmax-moments.md)",
    cost=0.05,
)
GAMMA_POINTS = ({"gamma": 0.1}, {"gamma": 1.0}, {"gamma": 5.0})


@claim(
    "dong.thm1.{block}-limit",
    over=[
        blocks(
            ((2, theory.diagonal_energy), (4, theory.offdiagonal_energy)),
            equation=("24", "25"),
            scaled=("C² g_ii", "C⁴ g_ij"),
            limit=("γe + 1", "γe² + 1"),
            states=(
                Limit(theory.diagonal_limit, within=Relative(1e-3)),
                Limit(theory.offdiagonal_limit, within=Relative(1e-3)),
            ),
        ),
        GAMMA,
    ],
    points=GAMMA_POINTS,
    plan=CLASSES_PLAN,
    evidence=Computed(1e-12, chain=("dong.thm1.{block}-limit.join",)),
)
def scaled_energy(size: int, block: tuple[int, Callable[..., float]], gamma: float) -> float:
    """C² g_ii or C⁴ g_ij at C = ``size``."""
    power, energy = block
    return float(size) ** power * energy(gamma, size)


@claim(
    "dong.thm1.ratio-rate",
    states=Rate(2.0, within=Relative(1e-3), amplitude=theory.ratio_limit),
    over=(GAMMA,),
    points=GAMMA_POINTS,
    plan=CLASSES_PLAN,
    evidence=Computed(1e-12, chain=("dong.thm1.diagonal-limit.join", "dong.thm1.offdiagonal-limit.join")),
)
def ratio_of_limits(size: int, gamma: float) -> float:
    """g_ij/g_ii."""
    return theory.ratio(gamma, size)
