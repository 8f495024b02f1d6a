"""The full Hessian of a two-layer network with biases, both of its terms (``wu`` eq. (251)), as an operator.

Parameters θ = (W̃^(1), W̃^(2)) with the biases as last columns, x̃ = (x, 1), ỹ = (y, 1). For a direction (V, U)

    J_x(V, U) = W D V x̃ + U ỹ,    G-term: J_xᵀ A J_x,    H-term: the derivative of Σ_a (p - label)_a z_a taken twice,

and only W^(1) with W^(2) has a mixed second derivative, ∂²z_a/∂W^(2)_ai ∂W^(1)_ij = D_i x_j. Labels enter by their
mean given x alone; uniform labels that do not depend on x have mean 1/c. Nothing of the size of the Hessian is formed:
a product costs O(N n d), memory is N(d + n) and a few vectors of length n(d+1) + c(n+1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate
from rmtsim.hessian.eigenspaces import Eigenspace, lanczos, top_eigenspace
from rmtsim.kernels.softmax_curvature import curvature_rows
from rmtsim.sampling.relu_network import Response

__all__ = ["FullHessian", "full_hessian_approximation"]

Array = NDArray[np.float64]
_TOLERANCE = 1e-8


def _extended(values: NDArray[np.floating]) -> Array:
    return np.hstack([np.asarray(values, dtype=np.float64), np.ones((len(values), 1))])


class FullHessian:
    """E[JᵀAJ] + E[Σ_a (p - label)_a ∇²z_a] over the inputs of a response, for biases zero.

    ``labels`` are their means given each input (inputs × classes), 1/c if left out.

    >>> from rmtsim.sampling.relu_network import draw_inputs, draw_network, respond
    >>> rng = np.random.default_rng(0)
    >>> net = draw_network(6, 0.3, 3, rng)
    >>> full = FullHessian(net.last, respond(net, draw_inputs(50, net.first.shape[1], rng)))
    >>> full.size, full.top(2).residual < 1e-6
    (87, True)
    """

    def __init__(self, weights: Array, response: Response, labels: Array | None = None) -> None:
        if response.inputs.values is None:
            raise ValueError("inputs: only inner products were kept; draw the inputs by value")
        self.weights, self.response = weights, response
        self.inputs, self.hidden = _extended(response.inputs.values), _extended(response.hidden[-1])
        self.active, self.confidence = response.active[-1], response.confidence
        self.count, self.units = self.active.shape
        self.classes = weights.shape[0]
        mean = np.full_like(self.confidence, 1 / self.classes) if labels is None else labels
        if mean.shape != self.confidence.shape:
            raise ValueError(
                f"labels: shape {mean.shape}, expected {self.confidence.shape} (mean label of each input)"
            )
        self.residuals = self.confidence - mean
        self.first = self.units * self.inputs.shape[1]
        self.size = self.first + self.classes * self.hidden.shape[1]

    def product(self, vector: Array) -> Array:
        """H(V, U), with V and U flattened one after the other."""
        units, weights, p, on = self.units, self.weights, self.confidence, self.active
        along_first = vector[: self.first].reshape(units, -1)
        along_last = vector[self.first :].reshape(self.classes, -1)
        moved = on * (self.inputs @ along_first.T)
        logits = moved @ weights.T + self.hidden @ along_last.T
        curved = p * logits - p * (p * logits).sum(axis=1, keepdims=True)
        back = on * (curved @ weights + self.residuals @ along_last[:, :units])
        result_first = back.T @ self.inputs
        result_last = curved.T @ self.hidden
        result_last[:, :units] += self.residuals.T @ moved
        return np.asarray(np.concatenate([result_first.ravel(), result_last.ravel()]) / self.count)

    def top(self, count: int) -> Eigenspace:
        """The ``count`` algebraically largest eigenpairs by Lanczos; ConvergenceError where they do not settle."""
        count = validate.integer("count", count, maximum=self.size - 1, meaning="dimension of the eigenspace")
        start = np.concatenate(
            [
                np.outer(self.weights[0], self.inputs.mean(axis=0)).ravel(),
                np.outer(np.arange(self.classes), self.hidden.mean(axis=0)).ravel(),
            ]
        )
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
        means = self.inputs.mean(axis=0), self.hidden.mean(axis=0)
        columns = [
            np.concatenate(
                [np.outer(u[: self.units], means[0]).ravel(), np.outer(u[self.units :], means[1]).ravel()]
            )
            for u in output.basis.T
        ]
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
