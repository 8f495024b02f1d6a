"""The constants behind the conjecture of `dong` appendix A: energies of the first of two hidden layers, square loss.

Not in the paper. Simulated networks of growing d and N against :mod:`rmtsim.papers.dong.theory.fan_out`, which
averages over
both later layers in closed form. By its formula the ratio of mean energies tends to a constant over C as m₂ grows at
fixed C, and to a constant over m₂ as C grows at fixed m₂.
"""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Limit, Parameter, Plan, Relative, claim
from rmtsim.papers.dong.simulation.two_hidden_layers import first_layer_energies
from rmtsim.papers.dong.statements.parameters import GAMMA, blocks, integer_parameter
from rmtsim.papers.dong.theory import fan_out as theory

FIRST = integer_parameter("hidden", default=4, lowest=2, highest=64, draw_range=(2, 6))
WIDTH = Parameter(
    "width", "second width m₂", default=10, integer=True, lowest=1, highest=400, draw_range=(5, 40)
)
CLASSES = integer_parameter("classes", default=5, lowest=1, highest=400, draw_range=(2, 20))


@claim(
    "dong.appendix-a.fan-out.{block}",
    over=[
        blocks(
            pair=("", ", i ≠ j"),
            value=(
                "a known function of γ, C, m₂ that grows like C²",
                "C(C + 2)A/m₂ + C(1 - 1/m₂)B with A, B known from γ and m₁: over the diagonal one part of order 1/m₂, "
                "one of 1/C",
            ),
            states=(
                Limit(lambda **point: theory.first_layer_diagonal(**point).value, within=Relative(0.05)),
                Limit(lambda **point: theory.first_layer_offdiagonal(**point).value, within=Relative(0.05)),
            ),
        ),
        GAMMA,
        FIRST,
        WIDTH,
        CLASSES,
    ],
    points=(
        {"gamma": 1.0, "hidden": 4, "width": 10, "classes": 5},
        {"gamma": 0.5, "hidden": 3, "width": 40, "classes": 10},
    ),
    plan=Plan(
        sizes=(40, 160, 640, 2560),
        size_name="min(d, N)",
        exponents=(1.0,),
        cost=lambda size, hidden, width, classes: 4e-4 + 2e-7 * hidden * width * (1 + classes / 8),
    ),
)
def mean_energy(
    size: int, rng: np.random.Generator, block: str, gamma: float, hidden: int, width: int, classes: int
) -> float:
    """Mean of E‖H_ii‖²/d over the neurons, or of E‖H_ij‖²/d over pairs of different neurons."""
    energies = first_layer_energies(size, rng, gamma, hidden, width, classes)
    diagonal = np.trace(energies)
    if block == "diagonal":
        return float(diagonal / hidden)
    return float((energies.sum() - diagonal) / (hidden * (hidden - 1)))
