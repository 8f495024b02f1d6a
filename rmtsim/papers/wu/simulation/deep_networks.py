"""Output Hessians of random networks with several hidden layers."""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from rmtsim.papers.wu.simulation.halves import Pair

INPUTS = 128


def draw_deep(
    size: int, rng: np.random.Generator, alpha: float, classes: int, depth: int
) -> tuple[Pair, Pair, NDArray[np.float64]]:
    """M^(1) and E[A] of a random network, each from both halves of the inputs, and S = W^(L)⋯W^(2)."""
    from rmtsim.papers.wu.simulation.output_hessian import deep_output_hessian, mean_curvature
    from rmtsim.papers.wu.simulation.relu_network import draw_response

    later, response = draw_response(size, alpha, classes, INPUTS, rng, depth=depth)
    first, second = response.halves()
    outputs = deep_output_hessian(later, first, 1), deep_output_hessian(later, second, 1)
    return outputs, (mean_curvature(first), mean_curvature(second)), reduce(np.matmul, later[::-1])
