"""Adam for many small one-hidden-layer networks at once: the arrays of all of them in one step.

A step of one network with N = 200, d = C = 20, m = 4 takes a tenth of the time of ``one_hidden_training.train``,
where the overhead of calls dominates; use that function for large networks.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork
from rmtsim.papers.dong.simulation.one_hidden_training import adam_step


def train_together(
    networks: Sequence[OneHiddenNetwork],
    loss: Literal["mse", "ce"],
    steps: int,
    rate: float,
    checks: Container[int],
) -> Iterator[tuple[int, list[OneHiddenNetwork]]]:
    """(step, networks) at the steps in ``checks``: Adam (0.9, 0.999, 1e-8) at a constant rate, each on its own data.

    All networks have the same sizes. Losses are (7) ("mse") and (13) ("ce") of `dong`, as for
    ``one_hidden_training.train``, of which this is the batch.

    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> rng = np.random.default_rng(0)
    >>> start = [sample_one_hidden(4, 12, 3, 5, rng, labels="balanced") for _ in range(2)]
    >>> [(step, len(found)) for step, found in train_together(start, "ce", 50, 0.05, {0, 50})]
    [(0, 2), (50, 2)]
    """
    try:
        networks = list(networks)
    except TypeError:
        raise TypeError(
            f"networks: expected a sequence of OneHiddenNetwork, not {type(networks).__name__}"
        ) from None
    if not networks or not all(isinstance(network, OneHiddenNetwork) for network in networks):
        raise TypeError("networks: expected at least one OneHiddenNetwork, and nothing else")
    if len({network.sizes for network in networks}) > 1:
        raise ValueError(f"networks of sizes {sorted({n.sizes for n in networks})}: expected equal sizes")
    validate.choice("loss", loss, ("mse", "ce"))
    steps = validate.integer("steps", steps, meaning="number of Adam steps")
    rate = validate.positive_number("rate", rate, meaning="learning rate")
    return _steps(networks, loss, steps, rate, checks)


def _steps(
    networks: list[OneHiddenNetwork], loss: str, steps: int, rate: float, checks: Container[int]
) -> Iterator[tuple[int, list[OneHiddenNetwork]]]:
    inputs, targets = (np.array([getattr(n, name) for n in networks]) for name in ("inputs", "targets"))
    weights = [np.array([getattr(n, name) for n in networks]) for name in ("hidden", "output")]
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    for step in range(steps + 1):
        if step in checks:
            yield (
                step,
                [
                    replace(network, hidden=hidden.copy(), output=output.copy())
                    for network, hidden, output in zip(networks, *weights, strict=True)
                ],
            )
        if step == steps:
            return
        gradients = _gradients(inputs, targets, weights[0], weights[1], loss)
        for w, g, m, v in zip(weights, gradients, first, second, strict=True):
            adam_step(w, g, m, v, step, rate)


def _gradients(inputs: Array, targets: Array, hidden: Array, output: Array, loss: str) -> tuple[Array, Array]:
    """Gradients in W and V of every network."""
    features = inputs @ hidden.transpose(0, 2, 1)
    np.maximum(features, 0.0, out=features)
    values = features @ output.transpose(0, 2, 1)
    if loss == "mse":
        values -= targets
        values *= 2
    else:
        values -= values.max(axis=2, keepdims=True)
        np.exp(values, out=values)
        values /= values.sum(axis=2, keepdims=True)
        values -= targets
    values /= inputs.shape[1]
    pulled = values @ output
    pulled *= features > 0
    return pulled.transpose(0, 2, 1) @ inputs, values.transpose(0, 2, 1) @ features
