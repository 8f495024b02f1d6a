"""Claims of `dong` on the linear softmax model: eq. (5) and Theorem 1."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import (
    Computed,
    Corrected,
    Erratum,
    Identity,
    Limit,
    Parameter,
    Plan,
    Rate,
    Relative,
    Simulated,
    claim,
)
from rmtsim.claims._companions import with_companions
from rmtsim.papers.dong.statements.printed_hessians import eq_5
from rmtsim.papers.dong.theory import linear as theory

Array = NDArray[np.float64]

GAMMA = Parameter(
    "gamma",
    "limit of d/N",
    default=1.0,
    open_below=True,
    draw_range=(0.2, 5.0),
    assumption="Theorem 1 assumes d/N → γ in (0, ∞)",
)
CLASSES = Parameter(
    "classes",
    "number of classes C",
    default=10,
    integer=True,
    lowest=2,
    draw_range=(2, 50),
    assumption="Theorem 1 assumes a fixed C ≥ 2",
)
FEW_CLASSES = Parameter(
    "classes", "number of classes C", default=3, integer=True, lowest=2, highest=50, draw_range=(2, 6)
)


@claim(
    "dong.eq5",
    at="eq. (5)",
    standing="equation",
    printed="The Hessian of the cross-entropy loss (4) has the blocks H_ii = (1/N) Σ p_ni(1-p_ni) x_n x_nᵀ and "
    "H_ij = -(1/N) Σ p_ni p_nj x_n x_nᵀ.",
    states=Identity(within=1e-12),
    over=(FEW_CLASSES,),
    points=({"classes": 2}, {"classes": 4}),
    plan=Plan(sizes=(2, 3), size_name="d", cost=lambda size, classes: 4e-4 * size**3 * (size + 1) * classes),
    evidence=Simulated(revision=2),
)
def printed_blocks_error(size: int, rng: np.random.Generator, classes: int) -> float:
    """Largest entry-wise error of eq. (5), relative to the largest entry, over the blocks of a drawn model."""
    import mpmath

    from rmtsim.curvature._differentiation import SecondDifferences
    from rmtsim.curvature._linear_model import sample_linear

    samples = size + 1
    model = sample_linear(size, samples, classes, rng)
    labels = rng.integers(classes, size=samples)

    def loss(theta):  # type: ignore[no-untyped-def]
        total = mpmath.mpf(0)
        for x, label in zip(model.inputs, labels, strict=True):
            logits = [
                mpmath.fdot(theta[c * size : (c + 1) * size], [mpmath.mpf(float(v)) for v in x])
                for c in range(classes)
            ]
            total -= mpmath.log(
                mpmath.exp(logits[label]) / mpmath.fsum(mpmath.exp(logit) for logit in logits)
            )
        return total / samples

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


UNIT = 40
"""The smallest size, of which the others are multiples."""


def shape(size: int, gamma: float) -> tuple[int, int]:
    """(d, N) of a size: the more lopsided the ratio, the smaller the smaller side, which bounds the N²d of work.

    Sizes are multiples of a unit whose (d, N) is rounded once: rounded at each size, d would leave its proportion to
    the size by a per cent or two, which no series in 1/size describes.
    """
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    unit = UNIT if size % UNIT == 0 else size
    dimension, samples = proportional_shape(max(2, round(unit * min(gamma, 1 / gamma) ** 0.25)), gamma)
    return dimension * (size // unit), samples * (size // unit)


def block_energies(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> tuple[Array, Array, tuple[Array, Array], int]:
    """(mean ‖H_ii‖², mean ‖H_ij‖², (variance of the logits, ‖XᵀX/N‖²/d), d) of freshly drawn models.

    The theorem is about one block; all blocks of a kind have one distribution, so their average has the
    same limit and less noise.
    """
    from rmtsim.curvature._linear_energies import sample_mean_energies

    dimension, samples = shape(size, gamma)
    found = sample_mean_energies(dimension, samples, classes, rng, replicates)
    return found.diagonal, found.offdiagonal, (found.logit_variance, found.data / dimension), dimension


def companion_means(size: int, gamma: float, classes: int) -> tuple[float, float]:
    """Exact means of the companions: logits have variance |x|²/d given x, and E‖XᵀX/N‖²/d = (d + 1 + N)/N.

    The latter from E(x_n·x_m)² = d for n ≠ m and E|x_n|⁴ = d(d + 2).
    """
    dimension, samples = shape(size, gamma)
    return 1 - 1 / classes, (dimension + 1 + samples) / samples


def diagonal_norm_over_d(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> Array:
    """(1/d)‖H_ii‖_F, as printed."""
    diagonal, _, _, dimension = block_energies(size, rng, replicates, gamma, classes)
    return np.sqrt(diagonal) / dimension


def offdiagonal_norm_over_d(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> Array:
    """(1/d)‖H_ij‖_F, as printed."""
    _, offdiagonal, _, dimension = block_energies(size, rng, replicates, gamma, classes)
    return np.sqrt(offdiagonal) / dimension


def diagonal_energy_over_d(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> Array:
    """(1/d)‖H_ii‖²_F and its companions, one row a model."""
    diagonal, _, companions, dimension = block_energies(size, rng, replicates, gamma, classes)
    return np.stack([diagonal / dimension, *companions], axis=1)


def offdiagonal_energy_over_d(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> Array:
    """(1/d)‖H_ij‖²_F and its companions, one row a model."""
    _, offdiagonal, companions, dimension = block_energies(size, rng, replicates, gamma, classes)
    return np.stack([offdiagonal / dimension, *companions], axis=1)


def energy_ratio(size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int) -> Array:
    """‖H_ij‖²_F/‖H_ii‖²_F and its companions, one row a model."""
    diagonal, offdiagonal, companions, _ = block_energies(size, rng, replicates, gamma, classes)
    return np.stack([offdiagonal / diagonal, *companions], axis=1)


def energy_cost(size: int, gamma: float, classes: int) -> float:
    """Nominal seconds of a replicate."""
    dimension, samples = shape(size, gamma)
    return (
        1.5e-4
        + 2e-8 * (samples + classes) * dimension
        + samples**2 * (2.2e-8 + 6e-11 * (dimension + 3 * classes))
    )


def energy_memory(size: int, gamma: float, classes: int) -> float:
    """Bytes of a replicate."""
    dimension, samples = shape(size, gamma)
    return float(8.0 * (samples * (dimension + classes) + 3.0 * samples**2))


_SIZES = (40, 80, 160, 320)
# The companions fluctuate on a fixed scale, and so must what they explain: the energies do, ‖H‖_F/d does not.
quieter = partial(with_companions, means=companion_means, pilot_size=_SIZES[0])
BLOCKS_PLAN = Plan(
    sizes=_SIZES, size_name="n, min(d, N) ≈ n·min(γ, 1/γ)^¼", cost=energy_cost, memory=energy_memory
)
BLOCKS_POINTS = ({"gamma": 1.0, "classes": 10}, {"gamma": 2.0, "classes": 20})
_SMOOTH = (
    "given the data, the logits are Gaussian with covariance x_n·x_m/d, so the mean energy is a smooth function of "
    "these products averaged over the data: a series in 1/d (docs/papers/dong/theorem-1.md)"
)
_ROOT = (
    "the printed quantity is √(energy/d): a series in 1/d times d^-1/2; other powers are admitted beside it"
)
_SQUARE = "the norm lacks its square"
_SLIP = (
    "The proof bounds the second moment of the block's spectrum, which is ‖H‖²_F/d: the printed norm lacks its "
    "square. ‖H‖_F/d itself is √(g/d)(1 + o(1)) and tends to zero."
)
_CREDIT = "Proposition 3 and eq. (26) have the square."

claim(
    "dong.thm1.diagonal",
    diagonal_norm_over_d,
    at="Theorem 1, eq. (22)",
    standing="theorem",
    printed="For fixed C and d, N → ∞ with d/N → γ: (1/d)‖H_ii‖_F → g_ii(γ, C) almost surely; "
    "tested: the mean over networks.",
    corrected=Corrected(
        "For fixed C and d, N → ∞ with d/N → γ: (1/d)‖H_ii‖²_F → g_ii(γ, C) almost surely; "
        "tested: the mean over networks.",
        measured=quieter(diagonal_energy_over_d),
        plan=BLOCKS_PLAN.but(because=_SMOOTH, exponents=(1.0,)),
    ),
    states=Limit(theory.diagonal_energy, within=Relative(0.02)),
    over=(GAMMA, CLASSES),
    points=BLOCKS_POINTS,
    plan=BLOCKS_PLAN.but(because=_ROOT),
    erratum=Erratum(cause=_SQUARE, note=_SLIP, credit=_CREDIT),
)
claim(
    "dong.thm1.offdiagonal",
    offdiagonal_norm_over_d,
    at="Theorem 1, eq. (23)",
    standing="theorem",
    printed="For fixed C and d, N → ∞ with d/N → γ: (1/d)‖H_ij‖_F → g_ij(γ, C) almost surely; "
    "tested: the mean over networks.",
    corrected=Corrected(
        "For fixed C and d, N → ∞ with d/N → γ: (1/d)‖H_ij‖²_F → g_ij(γ, C) almost surely; "
        "tested: the mean over networks.",
        measured=quieter(offdiagonal_energy_over_d),
        plan=BLOCKS_PLAN.but(because=_SMOOTH, exponents=(1.0,)),
    ),
    states=Limit(theory.offdiagonal_energy, within=Relative(0.02)),
    over=(GAMMA, CLASSES),
    points=BLOCKS_POINTS,
    plan=BLOCKS_PLAN.but(because=_ROOT),
    erratum=Erratum(cause=_SQUARE, note=_SLIP, credit=_CREDIT),
)
claim(
    "dong.thm1.ratio",
    quieter(energy_ratio),
    at="Theorem 1, eq. (26, first part)",
    standing="lemma",
    printed="For fixed C and d, N → ∞ with d/N → γ: ‖H_ij‖²_F/‖H_ii‖²_F → g_ij(γ, C)/g_ii(γ, C).",
    states=Limit(theory.ratio, within=Relative(0.02)),
    over=(GAMMA, CLASSES),
    points=BLOCKS_POINTS,
    plan=BLOCKS_PLAN.but(exponents=(1.0,), because=_SMOOTH),
)


# ---- The limits as C grows: computed ---------------------------------------------------------------------------

CLASSES_PLAN = Plan(
    sizes=(1_000, 4_000, 16_000, 64_000, 256_000),
    size_name="C",
    exponents=(1.0,),
    because="moments of the softmax at many classes are series in 1/C (docs/papers/dong/softmax-moments.md)",
    cost=0.05,
)


@claim(
    "dong.thm1.diagonal-limit",
    at="Theorem 1, eq. (24)",
    standing="theorem",
    printed="lim C² g_ii(γ, C) = γe + 1 as C → ∞.",
    states=Limit(theory.diagonal_limit, within=Relative(1e-3)),
    over=(GAMMA,),
    points=({"gamma": 0.1}, {"gamma": 1.0}, {"gamma": 5.0}),
    plan=CLASSES_PLAN,
    evidence=Computed(1e-12, chain=("dong.thm1.diagonal-limit.join",)),
)
def scaled_diagonal_energy(size: int, gamma: float) -> float:
    """C² g_ii."""
    return float(size) ** 2 * theory.diagonal_energy(gamma, size)


@claim(
    "dong.thm1.offdiagonal-limit",
    at="Theorem 1, eq. (25)",
    standing="theorem",
    printed="lim C⁴ g_ij(γ, C) = γe² + 1 as C → ∞.",
    states=Limit(theory.offdiagonal_limit, within=Relative(1e-3)),
    over=(GAMMA,),
    points=({"gamma": 0.1}, {"gamma": 1.0}, {"gamma": 5.0}),
    plan=CLASSES_PLAN,
    evidence=Computed(1e-12, chain=("dong.thm1.offdiagonal-limit.join",)),
)
def scaled_offdiagonal_energy(size: int, gamma: float) -> float:
    """C⁴ g_ij."""
    return float(size) ** 4 * theory.offdiagonal_energy(gamma, size)


@claim(
    "dong.thm1.ratio-rate",
    at="Theorem 1, eq. (26)",
    standing="lemma",
    printed="The ratio g_ij/g_ii vanishes like C⁻²: lim C² g_ij/g_ii = (γe² + 1)/(γe + 1) as C → ∞.",
    states=Rate(2.0, within=Relative(1e-3), amplitude=theory.ratio_limit),
    over=(GAMMA,),
    points=({"gamma": 0.1}, {"gamma": 1.0}, {"gamma": 5.0}),
    plan=CLASSES_PLAN,
    evidence=Computed(1e-12, chain=("dong.thm1.diagonal-limit.join", "dong.thm1.offdiagonal-limit.join")),
)
def ratio_of_limits(size: int, gamma: float) -> float:
    """g_ij/g_ii."""
    return theory.ratio(gamma, size)
