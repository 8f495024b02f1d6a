"""Hessians of small ReLU networks under the hinge loss, over random data: whole matrices, traces, fourth moments.

Weights N(0, 2/n), normal inputs. With all hinges active and fair labels the Hessian is −(1/m)Σ y_i ∇²T(x_i), of mean
zero at given weights.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks import Network
from rmtsim.papers.li.simulation.hinge_training import hinge_problem


def drawn_hessian(size: int, rng: np.random.Generator, layers: int) -> Array:
    """The Hessian of a drawn network on 2n samples, drawn again if no sample reaches the output."""
    while True:
        network, inputs, labels = hinge_problem(size, layers, 2 * size, rng)
        hessian = network.hessian(inputs, labels)
        if hessian.any():
            return hessian


def centred_hessian(network: Network, samples: int, rng: np.random.Generator) -> Array:
    """−(1/m)Σ y_i ∇²T(x_i) for fresh samples with fair labels: mean zero at given weights."""
    inputs = rng.standard_normal((samples, network.architecture.inputs))
    labels = 2.0 * rng.integers(0, 2, (samples, 1)) - 1.0
    return network.with_loss("none").hessian(inputs, -labels)


def sample_hessians(network: Network, inputs: Array) -> tuple[Array, Array]:
    """T and ∇²T of every sample for L = 3, the latter as rows whose inner products are those of the matrices.

    ∂²T/∂W₁∂W₂, ∂²T/∂W₁∂α and ∂²T/∂W₂∂α have the entries x_a h_b h'_d α_d, x_a h_b W_bd h'_d and (h_b z_b) h'_d and
    zeros; each occurs twice in ∇²T, hence √2. A data set's Hessian is the mean of its rows.
    """
    first, second, last = network.weights
    reach = inputs @ first.T
    gates, after = (reach > 0).astype(float), np.maximum(reach, 0.0)
    top = after @ second.T
    gates_above = (top > 0).astype(float)
    pairs = gates[:, :, None] * gates_above[:, None, :]
    parts = (
        (inputs[:, :, None, None] * (pairs * last[0])[:, None]).reshape(len(inputs), -1),
        (inputs[:, :, None, None] * (pairs * second.T)[:, None]).reshape(len(inputs), -1),
        (after[:, :, None] * gates_above[:, None, :]).reshape(len(inputs), -1),
    )
    return np.maximum(top, 0.0) @ last[0], np.sqrt(2) * np.concatenate(parts, axis=1)


def skewness(size: int, rng: np.random.Generator) -> float:
    """The skewness of the spectrum of a network with L = 3, from its three blocks.

    With Q_abd = (1/m)Σ l'_i x_a h_b h'_d and v_bd = (1/m)Σ l'_i z_b h'_d, z the first activations, the blocks are
    α_d Q, (W₂)_bd Q and v, so tr H³ = 6 Σ α_d (W₂)_bd v_bd Q_abd² and tr H² = 2 Σ (α_d² + (W₂)_bd²) Q_abd² + 2 Σ v_bd².
    """
    while True:
        network, inputs, labels = hinge_problem(size, 3, 2 * size, rng)
        first, second, last = network.weights
        reach = inputs @ first.T
        top = np.maximum(reach, 0.0) @ second.T
        outputs = np.maximum(top, 0.0) @ last[0]
        slopes = np.where(labels[:, 0] * outputs < 1, -labels[:, 0], 0.0) / len(inputs)
        above = slopes[:, None] * (top > 0)
        pairs = ((reach > 0)[:, :, None] * above[:, None, :]).reshape(len(inputs), -1)
        squares = np.square(inputs.T @ pairs).sum(axis=0).reshape(size, size)
        ends = np.maximum(reach, 0.0).T @ above
        second_moment = 2 * float(((last[0] ** 2 + second.T**2) * squares).sum() + np.square(ends).sum())
        if second_moment > 0:
            third = 6 * float((last[0] * second.T * ends * squares).sum())
            return float(third * np.sqrt(network.parameters.size) / second_moment**1.5)


# ---- Fourth moments of the bulk ------------------------------------------------------------------------------------

DATA_SETS = 4
"""Drawn at one draw of the weights: their pairs give S without bias."""


@frozen
class FourthMoments:
    """tr H⁴ at one draw of the weights: the network's, the equation's, and what single samples add to it."""

    network: float
    equation: float
    single_samples: float

    @property
    def gap(self) -> float:
        """(network − equation − term of single samples)/(network + equation)."""
        return (self.network - self.equation - self.single_samples) / (self.network + self.equation)


def bulk_moments(size: int, samples: int, rng: np.random.Generator) -> FourthMoments:
    """Fourth moments of the bulk for L = 3, a draw of the weights.

    The blocks of W₁ and W₂ are, for every unit b of the first layer, A_b = (1/m)Σ ξ_i h_ib x_i (h'_i ∘ α)ᵀ with ξ = −y.
    The mean p of the gates h' over the data makes one direction per b, p ∘ α, with a much larger eigenvalue, and the
    n parameters α make n more. Both are fixed by the weights and are left out: h' − p for h', no rows of α. That
    removes 2n of the 2n² + n dimensions, and moves the distribution of the eigenvalues, and the law, by O(1/n) at
    most.
    """
    first, second = (rng.standard_normal((size, size)) * np.sqrt(2 / size) for _ in range(2))
    last = rng.standard_normal(size) * np.sqrt(2 / size)

    def gates(count: int) -> tuple[Array, Array, Array]:
        inputs = rng.standard_normal((count, size))
        reach = inputs @ first
        return inputs, (reach > 0).astype(float), (np.maximum(reach, 0.0) @ second > 0).astype(float)

    # The error of p leaves one direction of the relative weight 1/4096.
    mean_gates = gates(4096)[2].mean(axis=0)
    inputs, below, above = gates(1024)
    tops = np.square((above - mean_gates) * last).sum(axis=1)
    # ∇²T of one sample has Σ_b h_b singular values |x||y|, each twice in tr (∇²T)⁴.
    single = 2 * float((below.sum(axis=1) * np.square(inputs).sum(axis=1) ** 2 * tops**2).mean()) / samples**3
    left, right = [], []
    for _ in range(DATA_SETS):
        inputs, below, above = gates(samples)
        signs = 2.0 * rng.integers(0, 2, samples) - 1.0
        rows = (signs / samples * below.T)[:, :, None] * inputs
        blocks = rows.transpose(0, 2, 1) @ ((above - mean_gates) * last)
        left.append(blocks @ blocks.transpose(0, 2, 1))
        right.append(blocks.transpose(0, 2, 1) @ blocks)
    own = 2 * float(np.mean([np.square(each).sum() for each in left]))
    cross = [
        (left[a] * left[b]).sum() + (right[a] * right[b]).sum() for a in range(DATA_SETS) for b in range(a)
    ]
    return FourthMoments(own, 2 * float(np.mean(cross)), single)
