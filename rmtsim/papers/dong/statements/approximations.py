"""The "intuitive" approximations of `dong` section 4 within a layer: (6), (10), (16), (17)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Computed, Corrected, Limit, Plan, Probability, Relative, claim
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN
from rmtsim.papers.dong.theory import hidden_finite, hidden_limits
from rmtsim.papers.dong.theory import linear as theory

# ---- (6) and (17): computed after d, N → ∞, the ratio that of root mean squares -----------------------------------

MANY_CLASSES_PLAN = Plan(sizes=(10**5, 10**6, 10**7, 10**8, 10**9), size_name="C", cost=0.05)


def linear_ratio_limit(gamma: float) -> float:
    """√((γe² + 1)/(γe + 1))."""
    return math.sqrt(theory.ratio_limit(gamma))


@claim(
    "dong.eq6",
    states=Limit(1.0, within=Relative(0.02)),
    corrected=linear_ratio_limit,
    over=(GAMMA,),
    points=({"gamma": 0.1}, {"gamma": 1.0}, {"gamma": 5.0}),
    plan=MANY_CLASSES_PLAN.but(sizes=(1_000, 4_000, 16_000, 64_000), exponents=(1.0,)),
    evidence=Computed(1e-11, chain=("dong.thm1.diagonal-limit.join", "dong.thm1.offdiagonal-limit.join")),
)
def linear_ratio(size: int, gamma: float) -> float:
    """(C-1) √(g_ij/g_ii)."""
    return (size - 1) * math.sqrt(theory.ratio(gamma, size))


def output_ratio_limit(hidden: int) -> float:
    """Root of the corrected limit (33) over the corrected limit (32)."""
    return math.sqrt(
        hidden_limits.output_ce_offdiagonal_limit(hidden) / hidden_limits.output_ce_diagonal_limit(hidden)
    )


@claim(
    "dong.eq17",
    states=Limit(1.0, within=Relative(0.02)),
    corrected=output_ratio_limit,
    over=(GAMMA, HIDDEN),
    points=({"gamma": 1.0, "hidden": 5}, {"gamma": 1.0, "hidden": 8}),
    plan=MANY_CLASSES_PLAN.but(exponents=(2 / 3, 1.0)),
    evidence=Computed(
        2e-3, chain=("dong.thm2.output-ce-diagonal.join", "dong.thm2.output-ce-offdiagonal.join")
    ),
)
def output_ratio(size: int, gamma: float, hidden: int) -> float:
    """(C-1) √(q_ij/q_ii), which does not depend on γ."""
    above = hidden_finite.output_ce_offdiagonal(hidden, size).value
    below = hidden_finite.output_ce_diagonal(hidden, size).value
    return (size - 1) * math.sqrt(above / below)


# ---- (10): simulated ---------------------------------------------------------------------------------------------


def gate_ratio_limit(gamma: float) -> float:
    """√((1 + 4γ)/(4 + 8γ)), the limit of ‖L_ij‖/‖L_ii‖."""
    return math.sqrt((1 + 4 * gamma) / (4 + 8 * gamma))


@claim(
    "dong.eq10",
    states=Limit(1.0, within=Relative(0.03)),
    corrected=gate_ratio_limit,
    over=(GAMMA, HIDDEN),
    points=({"gamma": 0.5, "hidden": 5}, {"gamma": 2.0, "hidden": 8}),
    plan=Plan(
        sizes=(20, 60, 180),
        size_name="min(d, N)",
        exponents=(1.0,),
        cost=lambda size, gamma: 4e-4 + 3e-10 * size**3 * max(gamma, 1 / gamma) ** 2,
    ),
)
def gate_ratio(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, hidden: int
) -> NDArray[np.float64]:
    """‖H_ij‖/‖H_ii‖ over |Σ v_ci v_cj|/Σ v_ci², averaged over pairs: weights cancel, ‖L_ij‖/‖L_ii‖ is left."""
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
    from rmtsim.papers.dong.simulation.one_hidden_stack import draw_stacks
    from rmtsim.papers.dong.simulation.one_hidden_stack_hessian import hidden_square_energies

    dimension, samples = proportional_shape(size, gamma)
    off = ~np.eye(hidden, dtype=bool)
    means = []
    for stack in draw_stacks(dimension, samples, hidden, 2 * hidden, replicates, rng):
        energies, gram = hidden_square_energies(stack), stack.output.mT @ stack.output
        norms, stated = (
            matrices / np.diagonal(matrices, axis1=1, axis2=2)[:, :, None]
            for matrices in (energies, np.abs(gram))
        )
        means.append((np.sqrt(norms[:, off]) / stated[:, off]).mean(axis=1))
    return np.concatenate(means)


# ---- (16): simulated ---------------------------------------------------------------------------------------------


_DRAWN = 2**14
"""Pairs of weights drawn at once: they stay in the processor's cache until they are summed."""


@claim(
    "dong.eq16",
    states=Probability(1.0, within=0.02),
    over=(HIDDEN,),
    points=({"hidden": 8},),
    plan=Plan(sizes=(1600, 3200, 6400, 12_800), size_name="C", cost=lambda size: 4e-8 * size),
)
def quotient_is_small(
    size: int, rng: np.random.Generator, replicates: int, form: str, hidden: int
) -> NDArray[np.float64]:
    """Whether |Σ v_i v_j - share (Σ v_i)(Σ v_j)| < 0.1 |Σ v_i² - share (Σ v_i)²|, sums over C = ``size`` classes.

    The share is one as printed, and 1/C in the corrected form. The variance 1/``hidden`` of the weights is a factor
    of both sides and left out.
    """
    share = 1.0 if form == "printed" else 1 / size
    result = np.empty(replicates)
    ones = np.ones(size)
    step = max(1, _DRAWN // size)
    for start in range(0, replicates, step):
        v = rng.standard_normal((min(step, replicates - start), size, 2))
        total, gram = ones @ v, v.transpose(0, 2, 1) @ v
        above = gram[:, 0, 1] - share * total[:, 0] * total[:, 1]
        below = gram[:, 0, 0] - share * total[:, 0] ** 2
        result[start : start + step] = np.abs(above) < 0.1 * np.abs(below)
    return result


# ---- The first ≈ of (16): simulated as printed, computed as corrected ----------------------------------------------

_SIDE = 48
"""d = N of the networks whose norms are compared with the sums over V."""


def first_sides_agree(size: int, rng: np.random.Generator, gamma: float, hidden: int) -> float:
    """Whether ‖H_12‖/‖H_11‖ and the printed middle of (16) agree up to a factor of two, at C = ``size``."""
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
    from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block

    network = sample_one_hidden(*proportional_shape(_SIDE, gamma), hidden, size, rng)
    state = forward(network, "ce")
    below, above = (float(np.linalg.norm(hidden_block(state, 0, j))) for j in (0, 1))
    v = network.output[:, :2]
    total = v.sum(axis=0)
    middle = abs((v[:, 0] @ v[:, 1] - total[0] * total[1]) / (v[:, 0] @ v[:, 0] - total[0] ** 2))
    return float(middle / 2 < above / max(below, 1e-300) < 2 * middle)


def mean_square_quotient(size: int, gamma: float, hidden: int) -> float:
    """E‖H_ij‖²/E‖H_ii‖² over E[cov²]/E[var²] = 1/(C+1), cov and var with their 1/C, after d, N → ∞."""
    above = hidden_finite.hidden_ce_offdiagonal(gamma, hidden, size).value
    below = hidden_finite.hidden_ce_diagonal(gamma, hidden, size).value
    return (size + 1) * above / below


def mean_square_quotient_limit(gamma: float, hidden: int) -> float:
    """The corrected limit (30, second part) over the first."""
    above = hidden_limits.hidden_ce_offdiagonal_limit(gamma, hidden)
    return above / hidden_limits.hidden_ce_diagonal_limit(gamma, hidden)


claim(
    "dong.eq16.first",
    first_sides_agree,
    corrected=Corrected(
        measured=mean_square_quotient,
        states=Limit(mean_square_quotient_limit, within=Relative(0.02)),
        plan=MANY_CLASSES_PLAN.but(exponents=(1 / 3, 0.5, 2 / 3, 1.0)),
        evidence=Computed(
            4e-3, chain=("dong.thm2.hidden-ce-diagonal.join", "dong.thm2.hidden-ce-offdiagonal.join")
        ),
    ),
    states=Probability(1.0, within=0.05),
    over=(GAMMA, HIDDEN),
    points=({"gamma": 1.0, "hidden": 8},),
    plan=Plan(
        sizes=(50, 200, 800),
        size_name="C",
        exponents=(0.5, 1.0),
        cost=lambda size, gamma: 6e-4 + 1.5e-6 * size / min(gamma, 1.0),
    ),
)
