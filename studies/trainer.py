"""Adam with a cosine schedule for one-hidden-layer networks, full batches, in NumPy: what the training studies need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rmtsim.hessian.one_hidden import Loss, forward, loss_value
from rmtsim.sampling.one_hidden import OneHiddenNetwork


def train(
    network: OneHiddenNetwork, loss: Loss, steps: int, rate: float
) -> Iterator[tuple[int, float, OneHiddenNetwork]]:
    """(step, loss, network) before every step and after the last one; learning rate from ``rate`` to zero."""
    weights = [network.hidden.copy(), network.output.copy()]
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    for step in range(steps + 1):
        network = replace(network, hidden=weights[0].copy(), output=weights[1].copy())
        state = forward(network, loss)
        yield step, loss_value(state), network
        if step == steps:
            return
        samples = len(network.inputs)
        back = state.gates * (state.residuals @ network.output)
        gradients = [back.T @ network.inputs / samples, state.residuals.T @ state.features / samples]
        learning = rate * (1 + np.cos(np.pi * step / steps)) / 2
        for w, g, m, v in zip(weights, gradients, first, second, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= learning * (m / (1 - 0.9 ** (step + 1))) / (np.sqrt(v / (1 - 0.999 ** (step + 1))) + 1e-8)
