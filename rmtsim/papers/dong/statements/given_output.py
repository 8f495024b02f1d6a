"""`dong` (87)-(90): the hidden layer's energies given V, before the average over V that errata 4 is about.

(87), (88) hold almost surely at a deterministic V and are tested on single networks: their mean squared relative
distance to the stated limit falls like 1/d (at a wrong limit it would stop falling). (89), (90) are about conditional
expectations and are tested as such. V is drawn once from a seed that is a parameter: another seed is another
V, with another limit.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Law, Limit, Parameter, Plan, Relative, Simulated, claim
from rmtsim.claims._model import Parameters
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, SMALL_CLASSES
from rmtsim.papers.dong.statements.theorem_2_networks import SERIES
from rmtsim.papers.dong.theory.hidden_given_output import hidden_energy_given_output

Array = NDArray[np.float64]

OUTPUT_SEED = Parameter(
    "output_seed", "seed of the fixed V", default=1, integer=True, lowest=0, draw_range=(1, 1000)
)
_GRID: tuple[Parameters, ...] = (
    {"gamma": 1.0, "hidden": 5, "classes": 5, "output_seed": 1},
    {"gamma": 0.5, "hidden": 8, "classes": 10, "output_seed": 2},
)
_PAIRS = 32
"""Independent inputs per drawn W, each with its mirror image."""


def seeded_output(classes: int, hidden: int, output_seed: int) -> Array:
    """V with N(0, 1/m) entries, the same for the same three numbers.

    >>> bool((seeded_output(3, 2, 5) == seeded_output(3, 2, 5)).all())
    True
    """
    rng = np.random.default_rng([output_seed, classes, hidden])
    return np.asarray(rng.standard_normal((classes, hidden)) / math.sqrt(hidden))


@lru_cache(maxsize=256)
def limit_given_output(gamma: float, hidden: int, classes: int, output_seed: int, diagonal: bool) -> float:
    """The right-hand side of (87), (89) (diagonal) or (88), (90)."""
    return hidden_energy_given_output(seeded_output(classes, hidden, output_seed), gamma, diagonal).value


def diagonal_limit(gamma: float, hidden: int, classes: int, output_seed: int) -> float:
    """γE[ξ²|V] + (E[ξ|V])²."""
    return limit_given_output(gamma, hidden, classes, output_seed, True)


def offdiagonal_limit(gamma: float, hidden: int, classes: int, output_seed: int) -> float:
    """γE[η²|V] + (E[η|V])²."""
    return limit_given_output(gamma, hidden, classes, output_seed, False)


# ---- (87), (88): single networks ---------------------------------------------------------------------------------


def energy_of_one_network(
    size: int,
    rng: np.random.Generator,
    gamma: float,
    hidden: int,
    classes: int,
    output_seed: int,
    diagonal: bool,
) -> float:
    """‖G_11‖²/d or ‖G_12‖²/d of a network with the fixed V, drawn W and drawn inputs."""
    from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    inputs = rng.standard_normal((samples, dimension))
    first = rng.standard_normal((hidden, dimension)) / math.sqrt(dimension)
    output = seeded_output(classes, hidden, output_seed)
    state = forward(OneHiddenNetwork(inputs, first, output, np.zeros((samples, classes))), "ce")
    return float(np.square(hidden_block(state, 0, 0 if diagonal else 1)).sum() / dimension)


def _network_cost(size: int, gamma: float) -> float:
    return 3e-4 + 4e-8 * size**2 * max(gamma, 1 / gamma) + 5e-11 * size**3 * max(gamma**2, 1 / gamma)


NETWORKS_PLAN = Plan(
    sizes=(20, 40, 80, 160),
    size_name="min(d, N)",
    exponents=(1.0,),
    because="given W the energy is a smooth function of N weights and of Gaussian inputs, and W enters through W Wᵀ: "
    "variance and squared bias are series in 1/d",
    cost=_network_cost,
)
NETWORKS_THEORY = "the measured quantity is a distance to the stated limit, which is needed to form it"


def _bounded(distance: float) -> float:
    """x²/(1 + x²): single energies have heavy tails."""
    return distance**2 / (1 + distance**2)


@claim(
    "dong.eq87",
    at="eq. (87)",
    standing="lemma",
    printed="At a deterministic V: ‖G_ii‖²_F/d → γE[ξ_C(V)²] + (E[ξ_C(V)])² almost surely; tested: the mean of "
    "x²/(1 + x²) tends to zero, x the relative distance of a single network to that limit.",
    states=Law(0.0, within=0.01),
    over=(GAMMA, HIDDEN, SMALL_CLASSES, OUTPUT_SEED),
    points=_GRID,
    plan=NETWORKS_PLAN,
    evidence=Simulated(theory=NETWORKS_THEORY),
)
def diagonal_distance(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, output_seed: int
) -> float:
    """x²/(1 + x²), x the relative distance of ‖G_11‖²/d to its limit."""
    energy = energy_of_one_network(size, rng, gamma, hidden, classes, output_seed, True)
    return _bounded(energy / diagonal_limit(gamma, hidden, classes, output_seed) - 1)


@claim(
    "dong.eq88",
    at="eq. (88)",
    standing="lemma",
    printed="At a deterministic V: ‖G_ij‖²_F/d → γE[η_C(V)²] + (E[η_C(V)])² almost surely; tested: the mean of "
    "x²/(1 + x²) tends to zero, x the relative distance of a single network to that limit.",
    states=Law(0.0, within=0.01),
    over=(GAMMA, HIDDEN, SMALL_CLASSES, OUTPUT_SEED),
    points=_GRID,
    plan=NETWORKS_PLAN.but(sizes=(40, 80, 160, 320)),
    evidence=Simulated(theory=NETWORKS_THEORY),
)
def offdiagonal_distance(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, output_seed: int
) -> float:
    """x²/(1 + x²), x the relative distance of ‖G_12‖²/d to its limit."""
    energy = energy_of_one_network(size, rng, gamma, hidden, classes, output_seed, False)
    return _bounded(energy / offdiagonal_limit(gamma, hidden, classes, output_seed) - 1)


# ---- (89), (90): expectations given V ----------------------------------------------------------------------------


def expected_energy(
    size: int,
    rng: np.random.Generator,
    gamma: float,
    hidden: int,
    classes: int,
    output_seed: int,
    diagonal: bool,
) -> float:
    """An unbiased value of E[‖G‖²_F | V]/d: W drawn, inputs averaged as in simulation/one_hidden_average.py."""
    from rmtsim.networks._softmax import softmax
    from rmtsim.papers.dong.simulation.one_hidden_average import hidden_kernel
    from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations
    from rmtsim.papers.dong.simulation.proportions import proportional_shape

    dimension, samples = proportional_shape(size, gamma)
    drawn = sample_pre_activations(dimension, hidden, _PAIRS, rng)
    output = seeded_output(classes, hidden, output_seed)
    other = 0 if diagonal else 1
    p = softmax(np.asarray(np.maximum(drawn.values, 0.0) @ output.T))
    spread = p @ (output[:, 0] * output[:, other]) - (p @ output[:, 0]) * (p @ output[:, other])
    spread = spread * ((drawn.values[:, 0] > 0) & (drawn.values[:, other] > 0))
    return float(spread @ hidden_kernel(drawn, samples) @ spread / dimension)


def _average_cost(size: int) -> float:
    return 2e-4


AVERAGE_PLAN = Plan(
    sizes=(40, 160, 640, 2560), size_name="min(d, N)", exponents=(1.0,), because=SERIES, cost=_average_cost
)


@claim(
    "dong.eq89",
    at="eq. (89)",
    standing="lemma",
    printed="Given V: E[‖G_ii‖²_F | V]/d → γE[ξ_C(V)² | V] + (E[ξ_C(V) | V])² as d, N → ∞, d/N → γ.",
    states=Limit(diagonal_limit, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, SMALL_CLASSES, OUTPUT_SEED),
    points=_GRID,
    plan=AVERAGE_PLAN,
)
def diagonal_energy(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, output_seed: int
) -> float:
    """E[‖G_11‖²_F | V]/d."""
    return expected_energy(size, rng, gamma, hidden, classes, output_seed, True)


@claim(
    "dong.eq90",
    at="eq. (90)",
    standing="lemma",
    printed="Given V: E[‖G_ij‖²_F | V]/d → γE[η_C(V)² | V] + (E[η_C(V) | V])² as d, N → ∞, d/N → γ.",
    states=Limit(offdiagonal_limit, within=Relative(0.05)),
    over=(GAMMA, HIDDEN, SMALL_CLASSES, OUTPUT_SEED),
    points=_GRID,
    plan=AVERAGE_PLAN,
)
def offdiagonal_energy(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, output_seed: int
) -> float:
    """E[‖G_12‖²_F | V]/d."""
    return expected_energy(size, rng, gamma, hidden, classes, output_seed, False)
