"""Gradient descent on a few samples until they are fitted, and how far the tangent kernel has moved by then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.errors import ConvergenceError
from rmtsim.networks import Network, loss

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trained:
    """The end of a training: the network, its loss over the first one, and sup_t ‖K_t - K_0‖_F/‖K_0‖_F."""

    network: Network
    loss: float
    change: float
    steps: int


def descend(
    network: Network, inputs: Array, targets: Array, *, until: float = 1e-3, most: int = 5000, every: int = 2
) -> Trained:
    """Gradient descent on the mean of ½‖f - y‖² with step size 0.4 N/‖K_t‖, renewed ``every`` few steps.

    Raises ConvergenceError if the loss is not below ``until`` times the first one after ``most`` steps.
    """
    current = network.with_loss(loss("square", factor=0.5))
    first = kernel = current.tangent_kernel(inputs)
    start = current.loss(inputs, targets)
    length, change = float(np.linalg.norm(first)), 0.0
    for step in range(most + 1):
        value = current.loss(inputs, targets)
        done = value <= until * start
        if step % every == 0 or done:
            kernel = current.tangent_kernel(inputs)
            change = max(change, float(np.linalg.norm(kernel - first)) / length)
        if done:
            return Trained(current, value / start, change, step)
        rate = 0.4 * len(inputs) / float(np.linalg.eigvalsh(kernel)[-1])
        current = current.with_parameters(current.parameters - rate * current.gradient(inputs, targets))
    raise ConvergenceError(
        f"loss {value / start:.2e} of the first one after {most} steps",
        residual=value / start,
        iterations=most,
    )
