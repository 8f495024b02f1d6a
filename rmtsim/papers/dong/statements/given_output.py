"""`dong` (87)-(90): the hidden layer's energies given V, before the average over V that entry 4 of the errata is about.

(87), (88) hold almost surely at a deterministic V and are tested on single networks: their mean squared relative
distance to the stated limit falls like 1/d (at a wrong limit it would stop falling). (89), (90) are about conditional
expectations and are tested as such. V is drawn once from a seed that is a parameter: another seed is another
V, with another limit.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from rmtsim.claims import Law, Limit, Parameter, Plan, Relative, Simulated, claim
from rmtsim.papers.dong.simulation.fixed_outputs import energy_of_one_network, seeded_output
from rmtsim.papers.dong.statements.parameters import GAMMA, HIDDEN, SERIES, SMALL_CLASSES
from rmtsim.papers.dong.theory.hidden_given_output import hidden_energy_given_output

OUTPUT_SEED = Parameter(
    "output_seed", "seed of the fixed V", default=1, integer=True, lowest=0, draw_range=(1, 1000)
)
PARAMETERS = (GAMMA, HIDDEN, SMALL_CLASSES, OUTPUT_SEED)
POINTS = (
    {"gamma": 1.0, "hidden": 5, "classes": 5, "output_seed": 1},
    {"gamma": 0.5, "hidden": 8, "classes": 10, "output_seed": 2},
)
_PAIRS = 32
"""Independent inputs per drawn W, each with its mirror image."""


@lru_cache(maxsize=256)
def limit_given_output(gamma: float, hidden: int, classes: int, output_seed: int, block: str) -> float:
    """γE[ξ²|V] + (E[ξ|V])² for diagonal blocks, with η for the others."""
    output = seeded_output(classes, hidden, output_seed)
    return hidden_energy_given_output(output, gamma, block == "diagonal").value


# ---- (87), (88): single networks ---------------------------------------------------------------------------------


NETWORKS_PLAN = Plan(
    sizes=(20, 40, 80, 160),
    size_name="min(d, N)",
    exponents=(1.0,),
    because="given W the energy is a smooth function of N weights and of Gaussian inputs, and W enters through W Wᵀ: "
    "variance and squared bias are series in 1/d",
    cost=lambda size, gamma: (
        3e-4 + 4e-8 * size**2 * max(gamma, 1 / gamma) + 5e-11 * size**3 * max(gamma**2, 1 / gamma)
    ),
)


def distance_to_limit(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, output_seed: int, block: str
) -> float:
    """x²/(1 + x²) (single energies have heavy tails), x the relative distance of ‖G‖²/d to its limit."""
    energy = energy_of_one_network(size, rng, gamma, hidden, classes, output_seed, block)
    distance = energy / limit_given_output(gamma, hidden, classes, output_seed, block) - 1
    return distance**2 / (1 + distance**2)


DISTANCE_TO_LIMIT = Simulated(
    theory="the measured quantity is a distance to the stated limit, which is needed to form it"
)
claim(
    "dong.eq87",
    partial(distance_to_limit, block="diagonal"),
    states=Law(0.0, within=0.01),
    over=PARAMETERS,
    points=POINTS,
    plan=NETWORKS_PLAN,
    evidence=DISTANCE_TO_LIMIT,
)
claim(
    "dong.eq88",
    partial(distance_to_limit, block="offdiagonal"),
    states=Law(0.0, within=0.01),
    over=PARAMETERS,
    # Single energies of these blocks scatter more; with four samples a dimension half as much as with one.
    points=({**POINTS[0], "gamma": 0.25}, POINTS[1]),
    plan=NETWORKS_PLAN.but(sizes=(40, 80, 160, 320)),
    evidence=DISTANCE_TO_LIMIT,
)


# ---- (89), (90): expectations given V ----------------------------------------------------------------------------


def expected_energy(
    size: int, rng: np.random.Generator, gamma: float, hidden: int, classes: int, output_seed: int, block: str
) -> float:
    """An unbiased value of E[‖G‖²_F | V]/d: W drawn, inputs averaged as in simulation/one_hidden_average.py."""
    from rmtsim.networks._softmax import softmax
    from rmtsim.papers.dong.simulation.linear_blocks import proportional_shape
    from rmtsim.papers.dong.simulation.one_hidden_average import hidden_kernel
    from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations

    dimension, samples = proportional_shape(size, gamma)
    drawn = sample_pre_activations(dimension, hidden, _PAIRS, rng)
    output = seeded_output(classes, hidden, output_seed)
    other = 0 if block == "diagonal" else 1
    p = softmax(np.asarray(np.maximum(drawn.values, 0.0) @ output.T))
    spread = p @ (output[:, 0] * output[:, other]) - (p @ output[:, 0]) * (p @ output[:, other])
    spread = spread * ((drawn.values[:, 0] > 0) & (drawn.values[:, other] > 0))
    return float(spread @ hidden_kernel(drawn, samples) @ spread / dimension)


EXPECTATION_PLAN = Plan(
    sizes=(40, 160, 640, 2560), size_name="min(d, N)", exponents=(1.0,), because=SERIES, cost=2e-4
)
claim(
    "dong.eq89",
    partial(expected_energy, block="diagonal"),
    states=Limit(partial(limit_given_output, block="diagonal"), within=Relative(0.05)),
    over=PARAMETERS,
    points=POINTS,
    plan=EXPECTATION_PLAN,
)
claim(
    "dong.eq90",
    partial(expected_energy, block="offdiagonal"),
    states=Limit(partial(limit_given_output, block="offdiagonal"), within=Relative(0.05)),
    over=PARAMETERS,
    points=POINTS,
    plan=EXPECTATION_PLAN,
)
