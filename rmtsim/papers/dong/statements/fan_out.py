"""The conjecture of `dong` appendix A: in deeper networks the fan-out of a layer makes its Hessian block-diagonal.

Two hidden layers, square loss: the Hessian in the first layer's weights has blocks (2/N) Σ_n g_ni g_nj (J_ni·J_nj)
x_n x_nᵀ with J_ni = V D_n W₂ e_i, D_n the open gates of the second layer. Its neurons have fan-out m₂; C comes after.
"""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Plan, Rate, claim
from rmtsim.papers.dong.simulation.two_hidden_layers import first_layer_ratio
from rmtsim.papers.dong.statements.parameters import integer_parameter

PLAN = Plan(
    sizes=(16, 32, 64, 128),
    size_name="m₂",
    exponents=(1.0,),
    because="products of Gaussian weights over m₂ gated neurons are averages of m₂ terms: moments are series in 1/m₂",
)
CLASSES = integer_parameter("classes", default=5, lowest=2, highest=100, draw_range=(2, 10))


@claim(
    "dong.appendix-a.fan-out",
    states=Rate(1.0, "O", within=0.2),
    over=(CLASSES,),
    points=({"classes": 2}, {"classes": 5}),
    plan=PLAN.but(cost=lambda size, classes: 1.2e-4 + 4e-8 * size * size * classes),
)
def ratio_along_fan_out(size: int, rng: np.random.Generator, classes: int) -> float:
    """‖H_ij‖²/‖H_ii‖² of the first layer at m₂ = ``size`` and C = m₂·classes/5, so that both grow."""
    return first_layer_ratio(size, max(2, size * classes // 5), rng)
