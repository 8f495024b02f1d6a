"""Section 3.1: one hidden layer with fixed signs at the output, its Hessian and its tangent kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rmtsim.claims.liu.parameters import ACTIVATION, INPUT, SMOOTH, statement
from rmtsim.claims.model import Tolerance
from rmtsim.networks import Network, fully_connected
from rmtsim.predict.liu import kernel_limit


def shallow(size: int, rng: np.random.Generator, activation: int) -> Network:
    """Eq. (8): m^{-1/2} Σ v_i σ(w_i x), w_i ~ N(0, 1), v_i = ±1."""
    architecture = fully_connected((1, size, 1), SMOOTH[activation], parametrisation="ntk")
    hidden, last = architecture.layers
    drawn = replace(architecture, layers=(replace(hidden, scale=1.0), last)).sample(rng)
    weights = np.array(drawn.parameters)
    weights[size:] = rng.choice((-1.0, 1.0), size=size)
    return drawn.with_parameters(weights)


@statement(
    "liu.eq10",
    source="eq. (10) and the line after it",
    statement="K(x, x) = (1/m) Σ x² σ'(w_i x)² tends to x² E[σ'(wx)²], w ~ N(0, 1); only w is trained.",
    limit=lambda activation, x: kernel_limit(SMOOTH[activation], x),
    tolerance=Tolerance(relative=0.005),
    parameters=(ACTIVATION, INPUT),
    grid=({"activation": 0, "x": 1.0}, {"activation": 3, "x": 2.0}),
    sizes=(1000, 2000, 4000),
    exponents=(1.0,),
    because="K is a mean of m independent terms: its expectation is the limit at every m",
    cost=lambda size: 3e-4 + 1e-7 * size,
)
def hidden_kernel(size: int, rng: np.random.Generator, activation: int, x: float) -> float:
    """Squared norm of the gradient in the hidden weights."""
    gradient = shallow(size, rng, activation).gradient([[x]])[:size]
    return float(gradient @ gradient)
