"""Deeper ReLU networks on digits, and the matrices of `wu` for each layer: output Hessian E[M], E[xxᵀ], layer Hessian.

Layer p reads x and has the curvature rows R_x = Q_x ∂z/∂z^(p), Q_xᵀQ_x = diag(p) - ppᵀ, so that M_x = R_xᵀR_x. Means
are over the inputs that are given, as for a network with a training set. No biases.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import digits_network
import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from rmtsim.networks import network_from_arrays
from rmtsim.networks._products import hessian_product
from rmtsim.papers.wu.simulation.eigenspaces import lanczos

Array = NDArray[np.float64]


def initial(widths: Sequence[int], rng: np.random.Generator) -> list[Array]:
    """Gaussian weights of variance 2 over the number of inputs; widths from pixels to classes."""
    return [rng.standard_normal((out, into)) * np.sqrt(2 / into) for into, out in itertools.pairwise(widths)]


def responses(weights: list[Array], inputs: Array) -> tuple[list[Array], Array]:
    """What each layer reads, and the probabilities of the classes."""
    reads = [inputs]
    for matrix in weights[:-1]:
        reads.append(np.maximum(reads[-1] @ matrix.T, 0))
    logits = reads[-1] @ weights[-1].T
    logits -= logits.max(axis=1, keepdims=True)
    p = np.exp(logits)
    return reads, p / p.sum(axis=1, keepdims=True)


def gradient(weights: list[Array], inputs: Array, labels: NDArray[np.int_]) -> tuple[float, list[Array]]:
    """Mean cross-entropy and its gradient."""
    reads, p = responses(weights, inputs)
    rows = np.arange(len(labels))
    loss = -float(np.log(np.maximum(p[rows, labels], 1e-300)).mean())
    back = p.copy()
    back[rows, labels] -= 1
    back /= len(labels)
    result = []
    for matrix, read in zip(weights[::-1], reads[::-1], strict=True):
        result.append(back.T @ read)
        back = (back @ matrix) * (read > 0)
    return loss, result[::-1]


def training(
    weights: list[Array], inputs: Array, labels: NDArray[np.int_], checks: Sequence[int]
) -> Iterator[tuple[int, float]]:
    """Full-batch Adam in place: pauses at the steps in ``checks`` (increasing, from 0), with the loss there."""
    optimiser = digits_network.Adam(0.01)
    for step in range(max(checks) + 1):
        loss, gradients = gradient(weights, inputs, labels)
        if step in checks:
            yield step, loss
        optimiser.update(weights, gradients)


@dataclass(frozen=True)
class Layer:
    """One layer over a set of inputs."""

    reads: Array
    """x, inputs × fan-in."""
    rows: Array
    """R_x, inputs × classes × outputs."""

    @cached_property
    def output(self) -> Array:
        """E[M]."""
        flat = self.rows.reshape(-1, self.rows.shape[2])
        return np.asarray(flat.T @ flat / len(self.reads))

    @cached_property
    def autocorrelation(self) -> Array:
        """E[xxᵀ]."""
        return np.asarray(self.reads.T @ self.reads / len(self.reads))

    @cached_property
    def hessian(self) -> Array:
        """E[M ⊗ xxᵀ], its index (output, input) with the input fastest: one product of all M_x with all xxᵀ."""
        count, fan = self.reads.shape
        units = self.rows.shape[2]
        outputs = np.matmul(self.rows.transpose(0, 2, 1), self.rows).reshape(count, -1)
        pairs = (self.reads[:, :, None] * self.reads[:, None, :]).reshape(count, -1)
        blocks = (outputs.T @ pairs / count).reshape(units, units, fan, fan)
        return np.asarray(blocks.transpose(0, 2, 1, 3).reshape(units * fan, units * fan))

    @cached_property
    def direction(self) -> Array:
        """t₁, the top eigenvector of E[xxᵀ]."""
        return np.asarray(np.linalg.eigh(self.autocorrelation)[1][:, -1])

    @cached_property
    def decoupling_error(self) -> float:
        """‖E[M] ⊗ E[xxᵀ] - H‖/‖H‖ in spectral norm."""
        difference = np.kron(self.output, self.autocorrelation) - self.hessian
        start = np.ones(len(difference))
        ends = [
            lanczos(lambda v, s=sign: s * (difference @ v), start, 1, tolerance=1e-4, name="a difference")[0][
                0
            ]
            for sign in (1, -1)
        ]
        return float(max(ends) / self.top(1)[0][0])

    def top(self, count: int) -> tuple[Array, Array]:
        """Top eigenvalues and eigenvectors (columns) of H."""
        return top(self.hessian, count)

    def kronecker(self, count: int) -> tuple[Array, Array]:
        """The same of E[M] ⊗ E[xxᵀ], from its factors."""
        left_values, left = np.linalg.eigh(self.output)
        right_values, right = np.linalg.eigh(self.autocorrelation)
        products = np.multiply.outer(left_values, right_values)
        order = np.argsort(products, axis=None)[::-1][:count]
        pairs = [np.unravel_index(k, products.shape) for k in order]
        vectors = np.stack([np.kron(left[:, i], right[:, j]) for i, j in pairs], axis=1)
        return products.ravel()[order], vectors


def top(matrix: Array, count: int) -> tuple[Array, Array]:
    """Top eigenvalues, decreasing, and eigenvectors as columns."""
    size = len(matrix)
    values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(size - min(count, size), size - 1))
    return values[::-1], vectors[:, ::-1]


def layers(weights: list[Array], inputs: Array) -> list[Layer]:
    """Every layer of a network over ``inputs``."""
    reads, p = responses(weights, inputs)
    rows = np.sqrt(p)[:, :, None] * (np.eye(p.shape[1]) - p[:, None, :])
    found = []
    for matrix, read in zip(weights[::-1], reads[::-1], strict=True):
        found.append(Layer(read, rows))
        rows = (rows @ matrix) * (read > 0)[:, None, :]
    return found[::-1]


def overlap_curve(first: Array, second: Array) -> list[float]:
    """Overlaps of the first k columns, k = 1, 2, …"""
    squares = (first.T @ second) ** 2
    return [float(squares[:k, :k].sum() / k) for k in range(1, len(squares) + 1)]


def full_hessian(
    weights: list[Array], found: list[Layer], inputs: Array, labels: NDArray[np.int_]
) -> tuple[float, float]:
    """Overlap of the full Hessian's top c-1 space with `wu`'s (262), and mean λ_i/(σ_i‖w_i‖²) of (263).

    Both terms of the Hessian, all weights; w_i joins u_i^(p) ⊗ E x^(p) over the layers, u_i and σ_i eigenpairs of
    E[GᵀAG] over all layers' outputs.
    """
    classes = weights[-1].shape[0]
    network = network_from_arrays(weights, activation="relu", loss="cross_entropy")
    point = network.linearise(inputs, labels)
    rows = np.concatenate([layer.rows.reshape(-1, layer.rows.shape[2]) for layer in found], axis=1)
    sigma, joined = top(rows.T @ rows / len(inputs), classes - 1)
    ends = np.cumsum([layer.rows.shape[2] for layer in found])[:-1]
    means = [layer.reads.mean(axis=0) for layer in found]
    columns = np.concatenate(
        [
            (part[:, None, :] * mean[None, :, None]).reshape(-1, classes - 1)
            for part, mean in zip(np.split(joined, ends), means, strict=True)
        ]
    )
    values, vectors, _ = lanczos(
        lambda v: hessian_product(point, v),
        columns.sum(axis=1),
        classes - 1,
        tolerance=1e-6,
        name="the Hessian",
    )
    basis = np.linalg.qr(columns)[0]
    share = float(np.sum((vectors.T @ basis) ** 2) / (classes - 1))
    return share, float(np.mean(values / (sigma * np.sum(columns**2, axis=0))))
