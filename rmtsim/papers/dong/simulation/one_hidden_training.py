"""Adam for one-hidden-layer networks on full batches, in NumPy, with a cosine schedule or a constant rate.

A step at N = 5000, d = C = 500, m = 8 takes about 7 ms of one core for the square loss and 40 ms for the cross-entropy:
the square loss needs no N × C array at all (its gradients are those of Gram matrices of m columns), the cross-entropy
one pass of exponentials in bands that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.dong.simulation.one_hidden import OneHiddenNetwork

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Loss = Literal["mse", "ce"]

_BAND = 2**17
"""Logits computed at once: 1 MiB."""

_SAFE = 300.0
"""Largest logit whose exponential needs no shift: sums and products of such numbers stay far below overflow."""


@frozen
class Checkpoint:
    """The network before a step (or after the last), its loss, and the length of the gradient."""

    step: int
    loss: float
    gradient: float
    network: OneHiddenNetwork


def loss_and_gradients(
    inputs: Array, targets: csr_array, hidden: Array, output: Array, loss: Loss
) -> tuple[float, Array, Array]:
    """The loss (7) ("mse") or (13) ("ce") of `dong` and its gradients in W, V; ``targets`` samples × classes, sparse.

    >>> from scipy.sparse import csr_array
    >>> labels, hidden, output = csr_array(np.eye(3)[[0, 1, 2, 0]]), np.zeros((5, 2)), np.zeros((3, 5))
    >>> value, *_ = loss_and_gradients(np.ones((4, 2)), labels, hidden, output, "ce")
    >>> bool(np.isclose(value, np.log(3)))
    True
    """
    samples = len(inputs)
    before = inputs @ hidden.T
    features = np.maximum(before, 0.0)
    aimed = targets @ output
    value = -float((features * aimed).sum())
    if loss == "mse":
        # l = V f: Σ|l|² and both gradients need only FᵀF and VᵀV.
        own, other = features.T @ features, output.T @ output
        value = float((own * other).sum()) + 2 * value + float((targets.data**2).sum())
        pulled = 2 * (features @ other - aimed)
        second = 2 * (output @ own - targets.T @ features)
    else:
        normalisers, pulled, second = _softmax_sums(features, output)
        value += normalisers
        pulled -= aimed
        second -= targets.T @ features
    pulled *= before > 0
    return value / samples, pulled.T @ inputs / samples, second / samples


def _softmax_sums(features: Array, output: Array) -> tuple[float, Array, Array]:
    """Σ_n log Σ_c e^{l_nc}, P V and Pᵀ F for P = softmax(F Vᵀ), without keeping P."""
    samples, classes = len(features), len(output)
    largest = np.sqrt(np.square(features).sum(axis=1).max() * np.square(output).sum(axis=1).max())
    total, pulled, second = 0.0, np.empty_like(features), np.zeros_like(output)
    height = max(1, _BAND // classes)
    transposed = np.ascontiguousarray(output.T)
    for start in range(0, samples, height):
        band = slice(start, start + height)
        weights = features[band] @ transposed
        if largest > _SAFE:
            top = weights.max(axis=1, keepdims=True)
            weights -= top
            total += float(top.sum())
        np.exp(weights, out=weights)
        sums = weights.sum(axis=1)
        total += float(np.log(sums).sum())
        np.divide(weights @ output, sums[:, None], out=pulled[band])
        second += weights.T @ (features[band] / sums[:, None])
    return total, pulled, second


def train(
    network: OneHiddenNetwork,
    loss: Loss,
    steps: int,
    rate: float,
    checks: Container[int],
    *,
    annealed: bool = True,
) -> Iterator[Checkpoint]:
    """Checkpoints at the steps in ``checks`` (0 is the start, ``steps`` the end); the rate falls from ``rate`` to zero.

    Adam with its usual constants (0.9, 0.999, 1e-8) on the whole data; unless ``annealed`` the rate stays.
    Source: `dong` appendix B.3.

    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> network = sample_one_hidden(4, 12, 3, 5, np.random.default_rng(0), labels="balanced")
    >>> first, last = train(network, "ce", 50, 0.05, {0, 50})
    >>> last.step, bool(last.loss < first.loss)
    (50, True)
    """
    if not isinstance(network, OneHiddenNetwork):
        raise TypeError(f"network={type(network).__name__}: expected a OneHiddenNetwork")
    if loss not in ("mse", "ce"):
        raise ValueError(f"loss={loss!r}: expected 'mse' (square loss) or 'ce' (cross-entropy)")
    steps = validate.integer("steps", steps, meaning="number of Adam steps")
    rate = validate.positive_number("rate", rate, meaning="learning rate")
    annealed = validate.flag("annealed", annealed)
    return _steps(network, loss, steps, rate, checks, annealed)


def _steps(
    network: OneHiddenNetwork, loss: Loss, steps: int, rate: float, checks: Container[int], annealed: bool
) -> Iterator[Checkpoint]:
    # Loaded here: SciPy's sparse arrays are slow to import, and few need them.
    from scipy.sparse import csr_array

    targets = csr_array(network.targets)
    weights = [network.hidden.copy(), network.output.copy()]
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    for step in range(steps + 1):
        value, *gradients = loss_and_gradients(network.inputs, targets, weights[0], weights[1], loss)
        if step in checks:
            length = float(np.sqrt(sum(float(np.square(g).sum()) for g in gradients)))
            now = replace(network, hidden=weights[0].copy(), output=weights[1].copy())
            yield Checkpoint(step, value, length, now)
        if step == steps:
            return
        learning = rate * (1 + np.cos(np.pi * step / steps)) / 2 if annealed else rate
        for w, g, m, v in zip(weights, gradients, first, second, strict=True):
            adam_step(w, g, m, v, step, learning)


def adam_step(weights: Array, gradient: Array, first: Array, second: Array, step: int, rate: float) -> None:
    """One step of Adam (0.9, 0.999, 1e-8) in place, ``step`` counted from zero; moments begin at zero.

    >>> w, m, v = np.ones(1), np.zeros(1), np.zeros(1)
    >>> adam_step(w, np.array([5.0]), m, v, 0, 0.1)  # the first step has the length of the rate
    >>> w.round(6)
    array([0.9])
    """
    first += 0.1 * (gradient - first)
    second += 0.001 * (gradient * gradient - second)
    corrected = np.sqrt(second / (1 - 0.999 ** (step + 1))) + 1e-8
    weights -= rate * (first / (1 - 0.9 ** (step + 1))) / corrected
