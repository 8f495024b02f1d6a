"""A two-layer ReLU network without biases on scikit-learn's handwritten digits: data, training, gradients (NumPy only).

Needs the optional extra: pip install "rmtsim[studies]".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def load(binary: bool, rng: np.random.Generator) -> tuple[Array, NDArray[np.int_], Array, NDArray[np.int_]]:
    """Training inputs in [0, 1] and labels (four fifths), then test ones; ``binary`` joins 0–4 and 5–9."""
    from sklearn.datasets import load_digits

    inputs, labels = load_digits(return_X_y=True)
    labels = (labels >= 5).astype(int) if binary else labels
    order = rng.permutation(len(labels))
    inputs, labels = inputs[order] / 16.0, labels[order]
    cut = 4 * len(labels) // 5
    return inputs[:cut], labels[:cut], inputs[cut:], labels[cut:]


def initial(width: int, classes: int, rng: np.random.Generator) -> list[Array]:
    return [rng.standard_normal((width, 64)) / 8, rng.standard_normal((classes, width)) / np.sqrt(width)]


def loss_and_gradient(
    weights: list[Array], inputs: Array, labels: NDArray[np.int_]
) -> tuple[float, list[Array]]:
    """Mean cross-entropy and its gradient."""
    hidden = np.maximum(inputs @ weights[0].T, 0)
    logits = hidden @ weights[1].T
    logits -= logits.max(axis=1, keepdims=True)
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -float(np.log(p[rows, labels]).mean())
    p[rows, labels] -= 1
    p /= len(labels)
    back = (p @ weights[1]) * (hidden > 0)
    return loss, [back.T @ inputs, p.T @ hidden]


def error(weights: list[Array], inputs: Array, labels: NDArray[np.int_]) -> float:
    """Share of wrong classifications."""
    return float(((np.maximum(inputs @ weights[0].T, 0) @ weights[1].T).argmax(axis=1) != labels).mean())


class Adam:
    """Adam steps on a list of arrays."""

    def __init__(self, rate: float) -> None:
        self.rate, self.step, self.first, self.second = rate, 0, None, None

    def update(self, values: list[Array], gradients: list[Array]) -> None:
        """One step in place."""
        self.step += 1
        if self.first is None:
            self.first, self.second = [np.zeros_like(v) for v in values], [np.zeros_like(v) for v in values]
        for value, gradient, m, v in zip(values, gradients, self.first, self.second, strict=True):
            m += 0.1 * (gradient - m)
            v += 0.001 * (gradient**2 - v)
            scale = np.sqrt(1 - 0.999**self.step) / (1 - 0.9**self.step)
            value -= self.rate * scale * m / (np.sqrt(v) + 1e-9)


def train(weights: list[Array], inputs: Array, labels: NDArray[np.int_], steps: int) -> float:
    """Full-batch training in place; the final loss."""
    optimiser = Adam(0.01)
    loss = float("nan")
    for _ in range(steps):
        loss, gradients = loss_and_gradient(weights, inputs, labels)
        optimiser.update(weights, gradients)
    return loss
