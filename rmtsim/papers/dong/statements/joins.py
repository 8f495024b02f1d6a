"""First links: simulated networks with many classes, joined to the finite-C functions that the limits of `dong` follow.

(24)-(26) and (30)-(34) are limits in C of functions that are computed (`theorem_1`, `theorem_2_limits`), partly with
the help of the very closed forms that they tend to; two sides that share a formula prove nothing about it. Here the
same functions are measured at C = 10³, 10⁴ and, where it can be paid for, 10⁵, on networks into which no theory enters.
A computed statement names the joins it rests on in ``chain``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Limit, Plan, Relative, Simulated, claim
from rmtsim.claims._companions import with_companions
from rmtsim.claims._model import Parameters
from rmtsim.papers.dong.statements import theorem_1 as linear
from rmtsim.papers.dong.statements import theorem_2_networks as networks
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, integer_parameter
from rmtsim.papers.dong.theory import hidden_finite as finite
from rmtsim.papers.dong.theory import linear as theory

Array = NDArray[np.float64]

_INPUTS = 32
"""Inputs of a linear model that an estimate draws."""
MANY_CLASSES = integer_parameter(
    "classes",
    default=1000,
    lowest=2,
    highest=10**6,
    draw_range=(300, 3000),
    assumption="d, N → ∞ at a fixed C ≥ 2",
)

# A wrong formula is off by more than five per cent or lies within what the tests against 30 digits see.
JOIN_PLAN = Plan(size_name="min(d, N)", exponents=(1.0,))

_SIZES = (160, 640, 2560)

# ---- The linear model ----------------------------------------------------------------------------------------------


def linear_energies(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> tuple[Array, Array, Array]:
    """(mean ‖H_ii‖²/d, mean ‖H_ij‖²/d, the companions of Theorem 1, two columns), one row an estimate.

    Inputs are averaged at the given d and N (:mod:`rmtsim.papers.dong.simulation.linear_average`), so that
    sizes in the thousands cost no more than small ones.
    """
    from rmtsim.papers.dong.simulation.linear_average import sample_average_energies

    dimension, samples = linear.shape(size, gamma)
    found = sample_average_energies(dimension, samples, classes, rng, replicates, inputs=_INPUTS)
    companions = np.stack([found.logit_variance, found.data / dimension], axis=1)
    return found.diagonal / dimension, found.offdiagonal / dimension, companions


def linear_diagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> Array:
    """(C²/d)‖H_ii‖²_F and its companions."""
    diagonal, _, companions = linear_energies(size, rng, replicates, gamma, classes)
    return np.column_stack([float(classes) ** 2 * diagonal, companions])


def linear_offdiagonal(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> Array:
    """(C⁴/d)‖H_ij‖²_F and its companions."""
    _, offdiagonal, companions = linear_energies(size, rng, replicates, gamma, classes)
    return np.column_stack([float(classes) ** 4 * offdiagonal, companions])


def scaled_g_ii(gamma: float, classes: int) -> float:
    """C² g_ii."""
    return float(classes) ** 2 * theory.diagonal_energy(gamma, classes)


def scaled_g_ij(gamma: float, classes: int) -> float:
    """C⁴ g_ij."""
    return float(classes) ** 4 * theory.offdiagonal_energy(gamma, classes)


def linear_cost(size: int, gamma: float, classes: int) -> float:
    """Nominal seconds of a replicate."""
    dimension, _ = linear.shape(size, gamma)
    return 2e-4 + _INPUTS * (1.6e-8 * dimension + 4.2e-8 * classes)


def linear_memory(size: int, gamma: float, classes: int) -> float:
    """Bytes of a replicate."""
    dimension, _ = linear.shape(size, gamma)
    return 8.0 * _INPUTS * (dimension + 4.0 * classes)


LINEAR_JOIN_PLAN = JOIN_PLAN.but(
    sizes=_SIZES,
    size_name="n, min(d, N) ≈ n·min(γ, 1/γ)^¼",
    because="given the data, the logits are Gaussian with covariance x_n·x_m/d, so the mean energy is a smooth "
    "function of these products averaged over the data: a series in 1/d (docs/papers/dong/theorem-1.md)",
    cost=linear_cost,
    memory=linear_memory,
)
LINEAR_JOIN_POINTS = tuple({"gamma": 1.0, "classes": classes} for classes in (10**3, 10**4))
claim(
    "dong.thm1.diagonal-limit.join",
    with_companions(linear_diagonal, means=linear.companion_means, pilot_size=_SIZES[0]),
    at="Proposition 3, eq. (62), many classes",
    standing="remark",
    printed="Linear models with many classes: (C²/d)‖H_ii‖²_F tends to C² g_ii(γ, C), which (24) follows in C.",
    states=Limit(scaled_g_ii, within=Relative(0.02)),
    over=(linear.GAMMA, MANY_CLASSES),
    points=LINEAR_JOIN_POINTS,
    plan=LINEAR_JOIN_PLAN,
    evidence=Simulated(revision=2),
)
claim(
    "dong.thm1.offdiagonal-limit.join",
    with_companions(linear_offdiagonal, means=linear.companion_means, pilot_size=_SIZES[0]),
    at="Proposition 3, eq. (63), many classes",
    standing="remark",
    printed="Linear models with many classes: (C⁴/d)‖H_ij‖²_F tends to C⁴ g_ij(γ, C), which (25) follows in C.",
    states=Limit(scaled_g_ij, within=Relative(0.02)),
    over=(linear.GAMMA, MANY_CLASSES),
    points=LINEAR_JOIN_POINTS,
    plan=LINEAR_JOIN_PLAN,
    evidence=Simulated(revision=2),
)

# ---- One hidden layer ----------------------------------------------------------------------------------------------


def _points(gamma: float, *classes: int) -> tuple[Parameters, ...]:
    return tuple({"gamma": gamma, "hidden": 8, "classes": count} for count in classes)


def _memory(size: int, classes: int) -> float:
    return 3e7 + 2e3 * classes


NETWORK_JOIN_PLAN = JOIN_PLAN.but(sizes=_SIZES, because=networks.SERIES, memory=_memory)


@claim(
    "dong.thm2.hidden-ce-diagonal.join",
    at="eq. (27) with (89), many classes",
    standing="remark",
    printed="Networks with many classes: E‖∂²ℓ_CE/∂w_i∂w_iᵀ‖²_F/d tends to h_ii(γ, C), which (30) follows in C.",
    states=Limit(networks.h_ii, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, MANY_CLASSES),
    points=_points(0.1, 10**3, 10**4, 10**5),
    plan=NETWORK_JOIN_PLAN.but(cost=networks.hidden_ce_cost),
)
def hidden_diagonal(size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int) -> float:
    """‖∂²ℓ_CE/∂w_i∂w_iᵀ‖²_F/d."""
    return float(networks.hidden_ce_diagonal(size, rng, 1, gamma, hidden, classes)[0])


def scaled_h_ij(gamma: float, hidden: int, classes: int) -> float:
    """C·h_ij."""
    return classes * networks.h_ij(gamma, hidden, classes)


@claim(
    "dong.thm2.hidden-ce-offdiagonal.join",
    at="eq. (27) with (90), many classes",
    standing="remark",
    printed="Networks with many classes: C·E‖∂²ℓ_CE/∂w_i∂w_jᵀ‖²_F/d tends to C·h_ij(γ, C), which (30) follows "
    "in C.",
    states=Limit(scaled_h_ij, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, MANY_CLASSES),
    points=_points(0.1, 10**3, 10**4),
    plan=NETWORK_JOIN_PLAN.but(cost=networks.hidden_ce_cost),
)
def scaled_hidden_offdiagonal(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> float:
    """C‖∂²ℓ_CE/∂w_i∂w_jᵀ‖²_F/d."""
    return classes * float(networks.hidden_ce_offdiagonal(size, rng, 1, gamma, hidden, classes)[0])


def scaled_u_ii(gamma: float, hidden: int, classes: int) -> float:
    """u_ii/C²."""
    return finite.hidden_mse_diagonal(gamma, hidden, classes) / float(classes) ** 2


@claim(
    "dong.thm2.hidden-mse-diagonal.join",
    at="eq. (28), many classes",
    standing="remark",
    printed="Networks with many classes: E‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/(C²d) tends to u_ii(γ, C)/C², which (31) "
    "follows in C.",
    states=Limit(scaled_u_ii, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, MANY_CLASSES),
    points=_points(1.0, 10**3, 10**4, 10**5),
    plan=NETWORK_JOIN_PLAN.but(cost=networks.hidden_mse_cost),
)
def scaled_mse_diagonal(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> float:
    """‖∂²ℓ_MSE/∂w_i∂w_iᵀ‖²_F/(C²d)."""
    return float(networks.hidden_mse_diagonal(size, rng, 1, gamma, hidden, classes)[0]) / float(classes) ** 2


def scaled_u_ij(gamma: float, hidden: int, classes: int) -> float:
    """u_ij/C."""
    return finite.hidden_mse_offdiagonal(gamma, hidden, classes) / classes


@claim(
    "dong.thm2.hidden-mse-offdiagonal.join",
    at="eq. (28), many classes",
    standing="remark",
    printed="Networks with many classes: E‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/(Cd) tends to u_ij(γ, C)/C, which (31) follows "
    "in C.",
    states=Limit(scaled_u_ij, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, MANY_CLASSES),
    points=_points(1.0, 10**3, 10**4),
    plan=NETWORK_JOIN_PLAN.but(cost=networks.hidden_mse_cost),
)
def scaled_mse_offdiagonal(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> float:
    """‖∂²ℓ_MSE/∂w_i∂w_jᵀ‖²_F/(Cd)."""
    return float(networks.hidden_mse_offdiagonal(size, rng, 1, gamma, hidden, classes)[0]) / classes


def scaled_q_ii(hidden: int, classes: int) -> float:
    """C² q_ii."""
    return float(classes) ** 2 * networks.q_ii(hidden, classes)


@claim(
    "dong.thm2.output-ce-diagonal.join",
    at="eq. (29), (107), many classes",
    standing="remark",
    printed="Networks with many classes: C² E‖∂²ℓ_CE/∂v_i∂v_iᵀ‖²_F tends to C² q_ii(C), which (32) follows in C.",
    states=Limit(scaled_q_ii, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, MANY_CLASSES),
    points=_points(1.0, 10**3, 10**4),
    plan=NETWORK_JOIN_PLAN.but(cost=networks.output_ce_cost),
)
def scaled_output_diagonal(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> float:
    """C²‖∂²ℓ_CE/∂v_i∂v_iᵀ‖²_F."""
    return float(classes) ** 2 * float(networks.output_ce_diagonal(size, rng, 1, gamma, hidden, classes)[0])


def scaled_q_ij(hidden: int, classes: int) -> float:
    """C⁴ q_ij."""
    return float(classes) ** 4 * networks.q_ij(hidden, classes)


_SPREAD = math.sqrt(1.4)
"""The energy grows like (s·s')² exp(2 s·s'/m): rare large inputs carry it, and are drawn more often."""


@claim(
    "dong.thm2.output-ce-offdiagonal.join",
    at="eq. (29), (107), many classes",
    standing="remark",
    printed="Networks with many classes: C⁴ E‖∂²ℓ_CE/∂v_i∂v_jᵀ‖²_F tends to C⁴ q_ij(C), which (33) follows in C.",
    states=Limit(scaled_q_ij, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, MANY_CLASSES),
    points=_points(1.0, 10**3, 10**4),
    plan=NETWORK_JOIN_PLAN.but(cost=networks.output_ce_cost),
    evidence=Simulated(revision=2),
)
def scaled_output_offdiagonal(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int
) -> float:
    """C⁴‖∂²ℓ_CE/∂v_i∂v_jᵀ‖²_F."""
    _, energy, _ = networks.mean_energies(size, rng, 1, gamma, hidden, classes, "output", "ce", _SPREAD)
    return float(classes) ** 4 * float(energy[0])
