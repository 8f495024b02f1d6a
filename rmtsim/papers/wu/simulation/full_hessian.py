"""The full Hessian of a two-layer network with biases, both of its terms (``wu`` eq. (251)), by the network engine.

Parameters θ = (W^(1), b^(1), W^(2), b^(2)) at zero biases, cross-entropy. Labels enter by their mean given x alone;
uniform labels that do not depend on x have mean 1/c. The G-term is JᵀAJ, the H-term that of the residuals p - label;
a product with their sum is one pass of :mod:`rmtsim.networks._products`: O(N n m) operations, memory N(m + n) and a few
vectors of length n(m+1) + c(n+1), with m = min(d, N).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.networks import fully_connected
from rmtsim.networks._losses import SoftmaxCurvature
from rmtsim.networks._passes import Linearisation
from rmtsim.networks._products import hessian_product
from rmtsim.papers.wu.simulation.eigenspaces import Eigenspace, lanczos, top_eigenspace
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import curvature_rows
from rmtsim.papers.wu.simulation.relu_network import InputBatch, Response

_TOLERANCE = 1e-8


def _coordinates(inputs: InputBatch) -> Array:
    """Inputs in an orthonormal basis of a space that holds them, of d or N dimensions, whichever are fewer.

    Weights of the first layer enter through their products with the inputs alone: on what is orthogonal to all N inputs
    the Hessian is zero, so that eigenvalues other than zero and inner products of the vectors w_i stay what they are.
    """
    if inputs.values is not None and inputs.dimension <= len(inputs):
        return np.asarray(inputs.values, dtype=np.float64)
    return np.asarray(np.linalg.cholesky(inputs.inner(inputs)))


class FullHessian:
    """E[JᵀAJ] + E[Σ_a (p - label)_a ∇²z_a] over the inputs of a response, for biases zero.

    ``labels`` are their means given each input (inputs × classes), 1/c if left out. Parameters in the engine's order,
    the first layer's in a basis of the span of the inputs where these are fewer than their dimensions.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond
    >>> rng = np.random.default_rng(0)
    >>> net = draw_network(6, 0.3, 3, rng)
    >>> full = FullHessian(net.weights[-1], respond(net, draw_inputs(50, 10, rng)))
    >>> full.size, full.top(2).residual < 1e-6
    (87, True)
    """

    def __init__(self, weights: Array, response: Response, labels: Array | None = None) -> None:
        self.weights, self.response = weights, response
        self.active, self.confidence = response.active[-1], response.confidence
        self.count, self.units = self.active.shape
        self.classes = weights.shape[0]
        mean = np.full_like(self.confidence, 1 / self.classes) if labels is None else labels
        if mean.shape != self.confidence.shape:
            raise ValueError(
                f"labels: shape {mean.shape}, expected {self.confidence.shape} (mean label of each input)"
            )
        inputs = _coordinates(response.inputs)
        widths = (inputs.shape[1], self.units, self.classes)
        biased = fully_connected(widths, "relu", biases=True, loss="cross_entropy")
        passed = replace(response.passed, architecture=biased, reads=(inputs, response.hidden[-1]))
        self.point = Linearisation(
            passed, (self.confidence - mean) / self.count, SoftmaxCurvature(self.confidence), 1 / self.count
        )
        self.size = biased.parameters

    def product(self, vector: Array) -> Array:
        """H times a vector of parameters."""
        return hessian_product(self.point, vector)

    def _outer(self, left: Array, right: Array) -> Array:
        """The vector of parameters (left ⊗ E x̃; right ⊗ E ỹ), x̃ = (x, 1) and ỹ = (y, 1)."""
        x, y = (read.mean(axis=0) for read in self.point.passed.reads)
        return np.concatenate([np.outer(left, x).ravel(), left, np.outer(right, y).ravel(), right])

    def top(self, count: int) -> Eigenspace:
        """The ``count`` algebraically largest eigenpairs by Lanczos; ConvergenceError if they do not converge."""
        count = validate.integer("count", count, maximum=self.size - 1, meaning="dimension of the eigenspace")
        start = self._outer(self.weights[0], np.arange(float(self.classes)))
        start += 1e-2 * np.linalg.norm(start) / np.sqrt(self.size)
        values, vectors, _ = lanczos(
            self.product, start, count, tolerance=_TOLERANCE, name="the full Hessian"
        )
        defects = [np.linalg.norm(self.product(v) - w * v) for v, w in zip(vectors.T, values, strict=True)]
        return Eigenspace(vectors, values, float(max(defects) / abs(values[0])))

    def approximate(self, count: int) -> tuple[Array, Array]:
        """w_i = (u_i^(1) ⊗ E x̃; u_i^(2) ⊗ E ỹ) as columns, and σ_i: eigenpairs of E[GᵀAG], G = (WD, I)."""
        ranks = self.classes - 1
        rows = np.empty((self.count * ranks, self.units + self.classes))
        part = np.empty((self.count * ranks, self.units))
        curvature_rows(self.weights, self.confidence, self.active, part)
        rows[:, : self.units] = part
        own = np.empty((self.count * ranks, self.classes))
        curvature_rows(np.eye(self.classes), self.confidence, np.ones((self.count, self.classes)), own)
        rows[:, self.units :] = own
        output = top_eigenspace(rows.T @ rows / self.count, count)
        columns = [self._outer(u[: self.units], u[self.units :]) for u in output.basis.T]
        return np.stack(columns, axis=1), output.values


def full_hessian_approximation(
    weights: Array, response: Response, labels: Array | None = None
) -> tuple[float, float]:
    """Overlap of the full Hessian's top c-1 eigenspace with span(w_i), and mean λ_i/(σ_i‖w_i‖²).

    The vectors w_i and numbers σ_i of ``wu`` eqs. (261)–(263); ``labels`` as in :class:`FullHessian`.
    """
    hessian = FullHessian(weights, response, labels)
    top = hessian.classes - 1
    space = hessian.top(top)
    columns, sigma = hessian.approximate(top)
    basis, _ = np.linalg.qr(columns)
    ratio = space.values / (sigma * np.sum(columns**2, axis=0))
    return float(np.sum((space.basis.T @ basis) ** 2) / top), float(ratio.mean())
