"""Claims of `li` on scaling the weights: Corollary F.1 and Proposition F.1.

A ReLU network without biases is homogeneous in each layer, so W → √d W multiplies T by d^{L/2} and ∂²T/∂W_p∂W_q by
d^{(L-2)/2}. The Hessian of the loss also has the slope l'(T, y), which the scaled output may change.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Identity, Plan, claim
from rmtsim.networks import fully_connected
from rmtsim.papers.li.statements.parameters import depth, positive_factor


def scaling_error(
    size: int, rng: np.random.Generator, form: str, layers: int, factor: float, *, samples: int
) -> float:
    """Relative error of H(dc) = d^{(L-2)/2} H(c), c = 2, for the hinge loss on some samples.

    Corrected: each sample's ∂²T is weighted by its slope at the scaled output.
    """
    network = fully_connected((*(size,) * layers, 1), "relu", gain=2.0, loss="hinge").sample(rng)
    x, y = rng.standard_normal((samples, size)), rng.choice([-1.0, 1.0], size=(samples, 1))
    if form == "printed":
        hessian = network.hessian(x, y)
    else:
        slopes = np.where(y * factor ** (layers / 2) * network.output(x) < 1, -y, 0.0)
        hessian = network.with_loss("none").hessian(x, slopes)
    found = network.with_parameters(network.parameters * np.sqrt(factor)).hessian(x, y)
    return _error(found, factor ** (layers / 2 - 1) * hessian)


def _error(found: NDArray[np.float64], stated: NDArray[np.float64]) -> float:
    scale = max(float(np.abs(found).max()), float(np.abs(stated).max()))
    return float(np.abs(found - stated).max()) / scale if scale else 0.0


OVER = (
    depth(default=4, highest=10, draw_range=(2, 5)),
    positive_factor(
        "d, by which every variance is multiplied", default=4.0, highest=100.0, draw_range=(0.2, 9.0)
    ),
)
POINTS = ({"layers": 3, "factor": 4.0}, {"layers": 4, "factor": 0.25})
PLAN = Plan(sizes=(3, 6), size_name="n", cost=4e-3)

claim(
    "li.propF.1",
    partial(scaling_error, samples=6),
    states=Identity(within=1e-10),
    over=OVER,
    points=POINTS,
    plan=PLAN,
)
claim(
    "li.corF.1",
    partial(scaling_error, samples=1),
    states=Identity(within=1e-10),
    over=OVER,
    points=POINTS,
    plan=PLAN,
)
