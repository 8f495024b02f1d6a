"""Simulated networks with many classes: the functions of C whose limits `dong` states, measured at large finite C.

(24)-(26) and (30)-(34) are limits in C of functions that are computed (`theorem_1`, `theorem_2_limits`), partly with
the help of the closed forms that they tend to; a comparison of two sides that share a formula does not test the
formula. Here the same functions are measured at C = 10³, 10⁴ and, where the cost allows it, 10⁵, on networks into
which no theory enters. A computed statement names the simulated ones it depends on in ``chain``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.claims import Choice, Limit, Option, Relative, Simulated, claim, with_companions
from rmtsim.papers.dong.simulation import linear_blocks
from rmtsim.papers.dong.simulation.mean_energies import Block, energy_cost, mean_energies
from rmtsim.papers.dong.statements import theorem_1 as linear
from rmtsim.papers.dong.statements import theorem_2_networks as networks
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, blocks, integer_parameter
from rmtsim.papers.dong.theory import hidden_finite as finite
from rmtsim.papers.dong.theory import linear as theory

MANY_CLASSES = integer_parameter(
    "classes",
    default=1000,
    lowest=2,
    highest=10**6,
    draw_range=(300, 3000),
    assumption="d, N → ∞ at a fixed C ≥ 2",
)
_SIZES = (160, 640, 2560)
_FAR_SIZES = (160, 2560, 40960)
"""Sizes where energies scatter most: far apart, at the same cost, so that the limit is hardly extrapolated."""

# ---- The linear model ----------------------------------------------------------------------------------------------

_INPUTS = 32
"""Inputs of a linear model that an estimate draws."""


def linear_energy(offdiagonal: bool) -> Callable[..., Array]:
    """A sampler of (C²/d)‖H_ii‖²_F or (C⁴/d)‖H_ij‖²_F whose noise is reduced by the companions of Theorem 1.

    Inputs are averaged at the given d and N (:mod:`rmtsim.papers.dong.simulation.linear_average`), so that
    sizes in the thousands cost no more than small ones.
    """

    def energy_and_companions(
        size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
    ) -> Array:
        from rmtsim.papers.dong.simulation.linear_average import sample_average_energies

        dimension, samples = linear_blocks.shape(size, gamma)
        found = sample_average_energies(dimension, samples, classes, rng, replicates, inputs=_INPUTS)
        energy = found.offdiagonal if offdiagonal else found.diagonal
        scaled = float(classes) ** (4 if offdiagonal else 2) * (energy / dimension)
        return np.column_stack([scaled, found.logit_variance, found.data / dimension])

    return with_companions(energy_and_companions, linear_blocks.companion_means, pilot_size=_SIZES[0])


def linear_cost(size: int, gamma: float, classes: int) -> float:
    """Nominal seconds of a replicate."""
    dimension, _ = linear_blocks.shape(size, gamma)
    return 2e-4 + _INPUTS * (1.6e-8 * dimension + 4.2e-8 * classes)


def linear_memory(size: int, gamma: float, classes: int) -> float:
    """Bytes of a replicate."""
    dimension, _ = linear_blocks.shape(size, gamma)
    return 8.0 * _INPUTS * (dimension + 4.0 * classes)


# A wrong formula is off by more than five per cent, or the tests against 30 digits detect it.
claim(
    "dong.thm1.{block}-limit.join",
    over=[
        blocks(
            equation=("62", "63"),
            power=("C²", "C⁴"),
            limit=("24", "25"),
            measured=(linear_energy(offdiagonal=False), linear_energy(offdiagonal=True)),
            states=(
                Limit(
                    lambda gamma, classes: float(classes) ** 2 * theory.diagonal_energy(gamma, classes),
                    within=Relative(0.02),
                ),
                Limit(
                    lambda gamma, classes: float(classes) ** 4 * theory.offdiagonal_energy(gamma, classes),
                    within=Relative(0.02),
                ),
            ),
        ),
        linear.GAMMA,
        MANY_CLASSES,
    ],
    points=tuple({"gamma": 1.0, "classes": classes} for classes in (10**3, 10**4)),
    plan=linear.ENERGY_PLAN.but(sizes=_SIZES, cost=linear_cost, memory=linear_memory),
    evidence=Simulated(revision=2),
)

# ---- One hidden layer ----------------------------------------------------------------------------------------------


@frozen
class ScaledEnergy:
    """The energy of a kind of block times a power of C."""

    block: Block
    power: int
    spread: float = 1.0
    """How widely inputs are drawn."""


def scaled_by_classes(value: float, power: int, classes: int) -> float:
    """``value`` times C to the ``power``."""
    return value * float(classes) ** power if power >= 0 else value / float(classes) ** -power


WIDE = math.sqrt(1.4)
"""The off-diagonal energy of the output layer grows like (s·s')² exp(2 s·s'/m): rare large inputs contribute most of
it, and are drawn more often."""


def join_cost(size: int, energy: ScaledEnergy, hidden: int, classes: int) -> float:
    """Nominal seconds of a replicate."""
    return energy_cost(size, hidden, energy.block, classes)


JOIN_PLAN = networks.NETWORKS_PLAN.but(
    sizes=_SIZES, cost=join_cost, memory=lambda size, classes: 3e7 + 2e3 * classes
)


def join(
    energy: ScaledEnergy,
    value: Callable[..., float],
    gamma: float,
    classes: tuple[int, ...],
    *texts: str,
    revision: int = 1,
    sizes: tuple[int, ...] = _SIZES,
) -> Option:
    """One member of the family.

    ``value`` times the power of C is the limit; ``texts`` are the place in the paper, the energy, its limit, and the
    equation that states the limit in C.
    """

    def limit(**point: Any) -> float:
        return scaled_by_classes(value(**point), energy.power, point["classes"])

    return Option(
        energy,
        points=tuple({"gamma": gamma, "hidden": 8, "classes": count} for count in classes),
        words=dict(zip(("place", "measured", "value", "limit"), texts, strict=True)),
        states=Limit(limit, within=Relative(0.05)),
        plan=JOIN_PLAN.but(sizes=sizes),
        evidence=Simulated(revision=revision),
    )


@claim(
    "dong.thm2.{energy}.join",
    over=[
        Choice(
            "energy",
            {
                "hidden-ce-diagonal": join(
                    ScaledEnergy(("hidden", "ce", 0), 0),
                    networks.h_ii,
                    0.1,
                    (10**3, 10**4, 10**5),
                    "(27) with (89)",
                    "E‖∂²ℓ_CE/∂w_i∂w_iᵀ‖²_F/d",
                    "h_ii(γ, C)",
                    "30",
                ),
                "hidden-ce-offdiagonal": join(
                    ScaledEnergy(("hidden", "ce", 1), 1),
                    networks.h_ij,
                    0.1,
                    (10**3, 10**4),
                    "(27) with (90)",
                    "C·E‖∂²ℓ_CE/∂w_i∂w_jᵀ‖²_F/d",
                    "C·h_ij(γ, C)",
                    "30",
                    sizes=_FAR_SIZES,
                ),
                "hidden-mse-diagonal": join(
                    ScaledEnergy(("hidden", "mse", 0), -2),
                    finite.hidden_mse_diagonal,
                    1.0,
                    (10**3, 10**4, 10**5),
                    "(28)",
                    "E‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/(C²d)",
                    "u_ii(γ, C)/C² with the factor 4 of the loss (7)",
                    "31, corrected: 4 times the printed value",
                ),
                "hidden-mse-offdiagonal": join(
                    ScaledEnergy(("hidden", "mse", 1), -1),
                    finite.hidden_mse_offdiagonal,
                    1.0,
                    (10**3, 10**4),
                    "(28)",
                    "E‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/(Cd)",
                    "u_ij(γ, C)/C with the factor 4 of the loss (7)",
                    "31, corrected: 4 times the printed value",
                ),
                "output-ce-diagonal": join(
                    ScaledEnergy(("output", "ce", 0), 2),
                    networks.q_ii,
                    1.0,
                    (10**3, 10**4),
                    "(29), (107)",
                    "C² E‖∂²ℓ_CE/∂v_i∂v_iᵀ‖²_F",
                    "C² q_ii(C)",
                    "32",
                    sizes=_FAR_SIZES,
                ),
                "output-ce-offdiagonal": join(
                    ScaledEnergy(("output", "ce", 1), 4, WIDE),
                    networks.q_ij,
                    1.0,
                    (10**3, 10**4),
                    "(29), (107)",
                    "C⁴ E‖∂²ℓ_CE/∂v_i∂v_jᵀ‖²_F",
                    "C⁴ q_ij(C)",
                    "33",
                    revision=2,
                    sizes=_FAR_SIZES,
                ),
            },
        ),
        GAMMA,
        HIDDEN,
        MANY_CLASSES,
    ],
    plan=JOIN_PLAN,
)
def scaled_energy(
    size: int, rng: np.random.Generator, energy: ScaledEnergy, gamma: float, hidden: int, classes: int
) -> float:
    """The mean energy of one kind of block times a power of C."""
    (value,) = mean_energies(energy.block, size, rng, 1, gamma, hidden, classes, spread=energy.spread)
    return scaled_by_classes(float(value), energy.power, classes)
