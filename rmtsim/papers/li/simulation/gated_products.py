"""One sample in a deep ReLU network, in `li`'s notation: the factors of the printed formulas, and the loss itself.

T(x) = xᵀ W₁ dg(h₁) W₂ … W_{L−1} dg(h_{L−1}) α: weights have shape (in, out), and vec stacks columns, so that the entry
(i, j) of W_p has the index j·n + i. :mod:`rmtsim.networks` has its parameters in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen


@frozen
class Sample:
    """An input and its label in a network whose layers all have as many neurons as the input has coordinates."""

    inputs: Array
    label: float
    matrices: tuple[Array, ...]
    """W₁ … W_{L−1}."""
    alpha: Array
    gates: tuple[Array, ...]
    """h₁ … h_{L−1}, zeros and ones."""
    loss: str

    @property
    def layers(self) -> int:
        """L, the last one being α."""
        return len(self.matrices) + 1

    @property
    def width(self) -> int:
        """n."""
        return len(self.inputs)

    @property
    def parameters(self) -> Array:
        """(vec W₁, …, vec W_{L−1}, α)."""
        return np.concatenate([*(weights.T.ravel() for weights in self.matrices), self.alpha])

    def place(self, layer: int) -> slice:
        """Indices of the parameters of a layer (1 … L)."""
        block = self.width**2
        return slice((layer - 1) * block, min(layer * block, (self.layers - 1) * block + self.width))

    def gated(self, layer: int) -> Array:
        """W_k dg(h_k)."""
        return self.matrices[layer - 1] * self.gates[layer - 1]

    def output(self) -> float:
        """T(x) by the product of eq. (3)."""
        return float(self.forward(self.layers - 1) @ self.alpha)

    def slope(self) -> float:
        """l'(T(x), y)."""
        value = self.output()
        if self.loss == "hinge":
            return -self.label if self.label * value < 1 else 0.0
        return float(np.sign(value - self.label))

    def forward(self, last: int) -> Array:
        """x̃_last = W_lastᵀ-activations: xᵀ W₁dg(h₁) … W_last dg(h_last)."""
        row = self.inputs
        for layer in range(1, last + 1):
            row = row @ self.gated(layer)
        return row

    def backward(self, first: int) -> Array:
        """dg(h_q) W_{q+1}dg(h_{q+1}) … α for q = ``first`` < L, without l'; 1 for q = L, where α is the matrix W_L."""
        if first == self.layers:
            return np.ones(1)
        column = self.alpha
        for layer in range(self.layers - 1, first, -1):
            column = self.gated(layer) @ column
        return self.gates[first - 1] * column

    def between(self, low: int, high: int) -> Array:
        """dg(h_p) W_{p+1}dg(h_{p+1}) … W_{q−1}dg(h_{q−1})."""
        matrix = np.diag(self.gates[low - 1])
        for layer in range(low + 1, high):
            matrix = matrix @ self.gated(layer)
        return matrix

    def block(self, low: int, high: int) -> Array:
        """H_pq of eqs. (5) and (12), rows vec W_q and columns vec W_p: α̃_q ⊗ W̃ᵀ ⊗ x̃ᵀ."""
        left = self.slope() * self.backward(high)[:, None]
        return np.asarray(np.kron(np.kron(left, self.between(low, high).T), self.forward(low - 1)[None, :]))


def draw(
    size: int, rng: np.random.Generator, layers: int, loss: str = "hinge", alive: tuple[int, ...] = ()
) -> Sample:
    """A network with weights N(0, 2/n), a normal input and a label at which the hinge is active.

    Drawn again until every layer has an open gate (and, for the layers of ``alive``, an open and a closed one), so that
    no block vanishes as a whole and every gate matters.
    """
    while True:
        inputs = rng.standard_normal(size)
        matrices = tuple(rng.standard_normal((size, size)) * np.sqrt(2 / size) for _ in range(layers - 1))
        alpha = rng.standard_normal(size) * np.sqrt(2 / size)
        row, gates = inputs, []
        for weights in matrices:
            reach = row @ weights
            gates.append((reach > 0).astype(float))
            row = np.maximum(reach, 0.0)
        mixed = all(0 < gates[layer - 1].sum() < size for layer in alive)
        if mixed and all(gate.any() for gate in gates):
            label = -1.0 if row @ alpha > 0 else 1.0
            return Sample(inputs, label, matrices, alpha, tuple(gates), loss)


def loss_of_parameters(sample: Sample, final: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Any]:
    """θ ↦ final(T(x; θ)) in mpmath, neuron by neuron from eq. (2): no gate or product of ``sample`` is used."""
    n, depth = sample.width, sample.layers

    def value(theta: Sequence[Any]) -> Any:
        activations = [mpmath.mpf(float(each)) for each in sample.inputs]
        for layer in range(depth - 1):
            start = layer * n * n
            reach = [mpmath.fdot(theta[start + j * n : start + (j + 1) * n], activations) for j in range(n)]
            activations = [each if each > 0 else mpmath.mpf(0) for each in reach]
        return final(mpmath.fdot(theta[(depth - 1) * n * n :], activations))

    return value
