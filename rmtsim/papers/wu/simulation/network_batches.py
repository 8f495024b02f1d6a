"""Norms of the Hessians of many two-layer networks at once: :mod:`rmtsim.papers.wu.simulation.two_layer` as
arrays over networks.

Names and estimates are those of :class:`rmtsim.papers.wu.simulation.two_layer.TwoLayerInstance`: population
quantities come from two
independent halves of the inputs, and squared norms take one factor from each. No n × n matrix is formed.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.simulation.eigenspaces import largest_eigenvalues
from rmtsim.papers.wu.simulation.halves import Pair, products
from rmtsim.papers.wu.simulation.output_hessian import input_autocorrelation
from rmtsim.papers.wu.simulation.relu_batches import NetworkResponses
from rmtsim.papers.wu.simulation.relu_network import InputBatch

_RESIDUAL = 1e-7
"""Of eigenvalues that are compared, over the largest: their own error is of the order of its square."""


class NetworkBatch:
    """Several networks on the same inputs; every quantity is an array over networks, computed on first access.

    >>> from rmtsim.papers.wu.simulation.relu_batches import draw_network_batches
    >>> (batch,) = (NetworkBatch(each) for each in draw_network_batches(60, 0.3, 3, 64, 5, np.random.default_rng(0)))
    >>> batch.output_energy.shape, bool((batch.output_energy > 0).all())
    ((5,), True)
    """

    def __init__(self, responses: NetworkResponses) -> None:
        self.responses = responses
        self.networks, self.classes, self.units = responses.weights.shape
        self.count = responses.active.shape[1] // 2
        """Inputs of a half."""
        self.dimension = responses.inputs.dimension
        self.slices = slice(0, self.count), slice(self.count, 2 * self.count)

    @cached_property
    def inputs(self) -> tuple[InputBatch, InputBatch]:
        """The two halves of the inputs."""
        first, second = (self.responses.inputs.part(half) for half in self.slices)
        return first, second

    @cached_property
    def rates(self) -> Pair:
        """Activation rates π̂ on both halves, networks × units."""
        first, second = (
            self.responses.active[:, half].mean(axis=1).astype(np.float64) for half in self.slices
        )
        return first, second

    @cached_property
    def gram(self) -> Array:
        """WWᵀ."""
        weights = self.responses.weights.astype(np.float64)
        return np.asarray(weights @ weights.transpose(0, 2, 1))

    @cached_property
    def curvatures(self) -> Array:
        """A = diag(p) - ppᵀ of every input, networks × inputs × classes × classes."""
        p = self.responses.confidence
        result = -p[..., :, None] * p[..., None, :]
        diagonal = np.arange(self.classes)
        result[..., diagonal, diagonal] += p
        return np.asarray(result)

    @cached_property
    def curvature(self) -> Pair:
        """E[A]."""
        first, second = (self.curvatures[:, half].mean(axis=1) for half in self.slices)
        return first, second

    @cached_property
    def sandwiched(self) -> Array:
        """W D_x Wᵀ for every input, networks × inputs × classes × classes."""
        weights, c = self.responses.weights, self.classes
        outer = (weights[:, :, None, :] * weights[:, None, :, :]).reshape(self.networks, c * c, self.units)
        folded = (self.responses.active @ outer.transpose(0, 2, 1)).astype(np.float64)
        return np.asarray(folded.reshape(self.networks, 2 * self.count, c, c))

    def _folded(self, curvature: Array, half: int, weights: Array | None = None) -> Array:
        """Mean over a half's inputs of (W D Wᵀ)·curvature·(W D Wᵀ), with weights where some are given."""
        gates = self.sandwiched[:, self.slices[half]]
        terms = gates @ curvature @ gates
        if weights is not None:
            terms = terms * weights[:, None, None]
        return np.asarray(terms.mean(axis=1))

    @cached_property
    def projected_output(self) -> Pair:
        """W M Wᵀ."""
        first, second = (self._folded(self.curvatures[:, self.slices[half]], half) for half in range(2))
        return first, second

    @cached_property
    def projected_independent(self) -> Pair:
        """W M* Wᵀ, with gates and E[A] from different halves."""
        first, second = (self._folded(self.curvature[1 - half][:, None], half) for half in range(2))
        return first, second

    @cached_property
    def layer_projected(self) -> Pair:
        """V (H/d) Vᵀ for V = W ⊗ 1ᵀ/√d."""
        first, second = (
            self._folded(
                self.curvatures[:, self.slices[half]], half, (self.inputs[half].sums / self.dimension) ** 2
            )
            for half in range(2)
        )
        return first, second

    def lifted_energy(self, pair: Pair) -> Array:
        """‖Wᵀ C W‖²_F for the c × c matrices C that both estimate."""
        return products((self.gram @ pair[0] @ self.gram, pair[1]))

    @cached_property
    def roots(self) -> Array:
        """Q with QᵀQ = A, networks × inputs × (classes - 1) × classes.

        The rows of Q belong to tests of one class after the other
        (:func:`rmtsim.papers.wu.simulation.kernels.softmax_curvature.curvature_rows`).
        """
        p = self.responses.confidence
        ranks = self.classes - 1
        tail = np.cumsum(p[..., ::-1], axis=-1)[..., ::-1]
        parts = np.zeros((*p.shape[:2], ranks, self.classes))
        for a in range(ranks):
            root = np.sqrt(p[..., a] * tail[..., a + 1] / tail[..., a])
            parts[..., a, a] = root
            parts[..., a, a + 1 :] = -(root / tail[..., a + 1])[..., None] * p[..., a + 1 :]
        return parts

    def rows(self, roots: Array, inputs: slice) -> NDArray[np.float32]:
        """Rows Q_x W D_x of some inputs, networks × (inputs·(classes - 1)) × units."""
        product = np.asarray(roots, dtype=np.float32) @ self.responses.weights[:, None]
        product = product * self.responses.active[:, inputs, None, :]
        return np.asarray(product.reshape(self.networks, -1, self.units))

    @cached_property
    def row_products(self) -> Array:
        """Squared inner products of curvature rows, summed over the rows of an input: networks × inputs × inputs'."""
        return self._squared(*(self.roots[:, half] for half in self.slices))

    def _squared(self, first: Array, second: Array) -> Array:
        """‖Q_x W D_x D_x' Wᵀ Q_x'ᵀ‖²_F for every pair of inputs of the two halves; Q as inputs × rows × classes."""
        ranks = self.classes - 1
        left, right = self.rows(first, self.slices[0]), self.rows(second, self.slices[1])
        inner = left @ right.transpose(0, 2, 1)
        squares = (inner * inner).reshape(self.networks, self.count, ranks, self.count, ranks)
        return np.asarray(squares.sum(axis=(2, 4), dtype=np.float64))

    @cached_property
    def output_energy(self) -> Array:
        """‖M‖²_F."""
        return np.asarray(self.row_products.mean(axis=(1, 2)))

    @cached_property
    def layer_energy(self) -> Array:
        """‖H/d‖²_F."""
        inner = self.inputs[0].inner(self.inputs[1]) / self.dimension
        return np.asarray((self.row_products * inner**2).mean(axis=(1, 2)))

    @cached_property
    def independent_energy(self) -> Array:
        """‖M*‖²_F, with gates and E[A] from different halves: rows E[A]^{1/2} W D_x."""
        roots = []
        for half in range(2):
            values, vectors = np.linalg.eigh(self.curvature[1 - half])
            # The smallest eigenvalue is zero: E[A]1 = 0.
            root = vectors[..., 1:] * np.sqrt(np.maximum(values[..., None, 1:], 0.0))
            roots.append(root.transpose(0, 2, 1)[:, None])
        return np.asarray(self._squared(*roots).mean(axis=(1, 2)))

    def autocorrelation_top(self) -> float:
        """λ₁(E[xxᵀ]/d)."""
        return input_autocorrelation(self.dimension)[0] / self.dimension

    def output_gaps(self) -> Array:
        """λ_c/λ_{c-1} of M, extrapolated in the number of inputs: twice the value at N less that at N/2."""
        found = np.empty(self.networks)
        halves = [self.rows(self.roots[:, half], half) for half in self.slices]
        for index in range(self.networks):
            first, second = (
                np.asarray(rows[index].T @ rows[index], dtype=np.float64) / self.count for rows in halves
            )
            found[index] = self._extrapolated(0.5 * (first + second), first, second)
        return found

    def layer_gaps(self, networks: int) -> Array:
        """λ_c/λ_{c-1} of H^(1) of the first networks, extrapolated in the same way, from the Gram side of each."""
        found = np.empty(min(networks, self.networks))
        everything = slice(0, 2 * self.count)
        rows = self.rows(self.roots, everything)
        whole = self.responses.inputs.part(everything)
        inner = np.repeat(np.repeat(whole.inner(whole), self.classes - 1, 0), self.classes - 1, 1)
        cut = self.count * (self.classes - 1)
        for index in range(len(found)):
            gram = np.asarray(rows[index] @ rows[index].T, dtype=np.float64) * inner
            # Scales cancel in a ratio of eigenvalues.
            found[index] = self._extrapolated(gram, gram[:cut, :cut], gram[cut:, cut:])
        return found

    def _extrapolated(self, whole: Array, first: Array, second: Array) -> float:
        gaps = [self._gap(matrix) for matrix in (whole, first, second)]
        return 2 * gaps[0] - 0.5 * (gaps[1] + gaps[2])

    def _gap(self, matrix: Array) -> float:
        """λ_c/λ_{c-1} of a symmetric matrix."""
        values = largest_eigenvalues(matrix, self.classes, _RESIDUAL)
        return float(values[-1] / values[-2])
