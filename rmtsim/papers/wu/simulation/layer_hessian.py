"""The layer Hessian H^(1) = E[D WᵀA W D ⊗ xxᵀ], never formed: its Gram side, eigenspaces and norms.

With the c-1 rows q_{xa} of Q_x W D_x (Q_xᵀQ_x = A) the mean over N inputs is H = F Fᵀ, where the columns of F are
q_{xa} ⊗ x/√N. Its non-zero eigenvalues are those of the Gram matrix K = FᵀF of size N(c-1), whose product with
a vector r needs only the N × N inner products of the inputs:

    t_x = Σ_a r_{xa} q_{xa},    s = (X Xᵀ/N) t,    (K r)_{xa} = q_{xa} · s_x .

An eigenvector of H is then v = Fr/√λ, kept as the N × n matrix T with v = TᵀX. Memory: N² + a few N·n
doubles (n units), never n·d × n·d.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.wu.simulation.eigenspaces import iterated_eigenspace, lanczos, top_eigenspace
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import curvature_rows, pair_energy, scale_blocks
from rmtsim.papers.wu.simulation.output_hessian import input_autocorrelation
from rmtsim.papers.wu.simulation.relu_network import InputBatch, Response

_TOLERANCE = 1e-9
_SMALL = 256
_DENSE = 2048
"""Up to this many rows, inputs·(classes-1), the Gram matrix itself is formed (one product, not one per iteration)."""


@frozen
class LayerEigenspace:
    """Orthonormal eigenvectors v_j = T_jᵀX of a layer Hessian, with eigenvalues and a posteriori residual."""

    coefficients: Array
    """T, eigenvectors × inputs × units."""
    inputs: InputBatch
    values: Array
    """Eigenvalues in decreasing order, possibly more than eigenvectors."""
    residual: float
    """At least max ‖Hv - λv‖/λ₁ over the eigenvectors."""
    products: int
    """Gram products spent."""

    def against_product(self, left: Array) -> Array:
        """Inner products ⟨v_j, left_k ⊗ 1/√d⟩, eigenvectors × columns of ``left``."""
        along = self.inputs.sums / np.sqrt(self.inputs.dimension)
        return np.asarray(along @ self.coefficients @ left)

    def matricized(self, index: int) -> Array:
        """Mat(v_index), units × d: the eigenvector in the shape of the weights (``wu`` Definition 2.2)."""
        if self.inputs.values is None:
            raise ValueError("inputs: only inner products were kept; use singular_values")
        return np.asarray(self.coefficients[index].T @ self.inputs.values, dtype=np.float64)

    def singular_values(self, index: int) -> Array:
        """Singular values of Mat(v_index) in decreasing order, from Mat Matᵀ = Tᵀ(XXᵀ)T."""
        spread = self.coefficients[index]
        squares = np.linalg.eigvalsh(spread.T @ (self.inputs.inner(self.inputs) @ spread))
        return np.asarray(np.sqrt(np.maximum(squares[::-1], 0.0)))


class LayerHessian:
    """H^(1) of a two-layer network, as a mean over the inputs of a response; an operator, not a matrix.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond
    >>> rng = np.random.default_rng(1)
    >>> net = draw_network(12, 0.3, 3, rng)
    >>> hessian = LayerHessian(net.weights[-1], respond(net, draw_inputs(40, net.weights[0].shape[1], rng)))
    >>> space = hessian.top(2)
    >>> space.residual < 1e-7
    True
    """

    def __init__(self, weights: Array, response: Response) -> None:
        self.response = response
        self.weights = weights
        count, units = response.active[-1].shape
        ranks = self.weights.shape[0] - 1
        validate.memory(
            8.0 * (count**2 + (2 * ranks + 6) * count * units), f"layer Hessian over {count} inputs"
        )
        self.count, self.units, self.ranks = count, units, ranks
        self.rows = np.empty((count * ranks, units))
        curvature_rows(self.weights, response.confidence, response.active[-1], self.rows)

    @cached_property
    def input_gram(self) -> Array:
        """X Xᵀ/N."""
        return np.asarray(self.response.inputs.inner(self.response.inputs) / self.count)

    def spread(self, coefficients: Array) -> Array:
        """T with TᵀX = F r for every column r: t_x = Σ_a r_{xa} q_{xa}/√N, columns × inputs × units."""
        blocks = self.rows.reshape(self.count, self.ranks, self.units)
        weights = coefficients.reshape(self.count, self.ranks, -1, 1) / np.sqrt(self.count)
        found = weights[:, 0].swapaxes(0, 1) * blocks[:, 0]
        for rank in range(1, self.ranks):
            found += weights[:, rank].swapaxes(0, 1) * blocks[:, rank]
        return np.asarray(found)

    def gather(self, spread: Array) -> Array:
        """Fᵀv for every v = TᵀX, as columns."""
        blocks = self.rows.reshape(self.count, self.ranks, self.units)
        folded = (self.input_gram @ spread).transpose(1, 2, 0)
        return np.asarray(
            np.matmul(blocks, folded).reshape(self.count * self.ranks, -1) * np.sqrt(self.count)
        )

    @cached_property
    def dense_gram(self) -> Array | None:
        """K where it is small enough to be formed, else None."""
        size = self.count * self.ranks
        if size > _DENSE:
            return None
        gram = np.asarray(self.rows @ self.rows.T)
        scale_blocks(gram, self.input_gram, self.ranks)
        return gram

    def gram_product(self, coefficients: Array) -> Array:
        """K r for a vector r or every column of a matrix, by the Gram matrix once it has been formed."""
        gram = self.__dict__.get("dense_gram")
        if gram is not None:
            return np.asarray(gram @ coefficients)
        return self.gather(self.spread(coefficients)).reshape(coefficients.shape)

    def start(self) -> Array:
        """Fᵀ(u ⊗ 1) for the top eigenvector u of M: nearly the answer where the theorem holds."""
        along = np.repeat(self.response.inputs.sums, self.ranks)
        vector = self.rows.T @ (self.rows.sum(axis=1) * along)
        guess = self.rows @ vector * along
        return np.asarray(guess + 1e-3 * np.linalg.norm(guess) / np.sqrt(guess.size))

    def top(
        self, count: int, extra: int = 0, tolerance: float = _TOLERANCE, near: Array | None = None
    ) -> LayerEigenspace:
        """The ``count`` top eigenvectors and ``extra`` further eigenvalues, on the Gram side.

        ``tolerance`` is relative to the eigenvalue; what does not meet it raises ConvergenceError. ``near`` has columns
        that nearly span the top eigenspace of M: times 1 they nearly span that of H.
        """
        wanted = validate.integer("count", count, meaning="dimension of the eigenspace") + extra
        size = self.count * self.ranks
        if wanted >= size:
            raise ValueError(f"count={count}: expected fewer than {size} = inputs·(classes-1)")
        # Eigenvalues inside the bulk take Lanczos a few dozen products, less than forming the Gram matrix costs.
        if (extra == 0 or size <= _SMALL) and self.dense_gram is not None:
            if near is None or extra:
                space = top_eigenspace(self.dense_gram, count, extra)
            else:
                along = np.repeat(self.response.inputs.sums, self.ranks)
                space = iterated_eigenspace(self.dense_gram, count, self.rows @ near * along[:, None])
            values, calls = space.values, 0
            vectors = space.basis
            # Hv - λv = F(Kr - λr)/√λ, and ‖F‖² = λ₁.
            residual = space.residual * float(np.sqrt(values[0] / values[count - 1]))
        else:
            values, vectors, calls = lanczos(
                self.gram_product, self.start(), wanted, tolerance=tolerance, name="the layer Hessian"
            )
            residual = self._residual(values[:count], vectors[:, :count])
        kept = np.sqrt(values[:count])[:, None, None]
        coefficients = self.spread(np.ascontiguousarray(vectors[:, :count])) / kept
        return LayerEigenspace(coefficients, self.response.inputs, values, residual, calls)

    def _residual(self, values: Array, vectors: Array) -> float:
        """max ‖Hv - λv‖/λ₁ of v = Fr/√λ: Hv - λv = F(Kr - λr)/√λ, and ‖Fδ‖² = δᵀKδ."""
        defects = self.gram_product(vectors) - values * vectors
        energies = np.einsum("rj,rj->j", defects, self.gram_product(defects)) / values
        return float(np.sqrt(max(0.0, float(energies.max()))) / values[0])

    def projected(self) -> Array:
        """V H Vᵀ for V = W ⊗ 1ᵀ/√d, classes × classes: E[(1·x)²/d · W D WᵀA W D Wᵀ]."""
        inputs = self.response.inputs
        along = inputs.sums / np.sqrt(inputs.dimension)
        rows = (self.rows @ self.weights.T) * np.repeat(along, self.ranks)[:, None]
        return np.asarray(rows.T @ rows / self.count)


def product_energy(first: LayerHessian, second: LayerHessian) -> float:
    """⟨H_a, H_b⟩_F of two means over different inputs: an unbiased estimate of the population's ‖H‖²_F."""
    inner = np.ascontiguousarray(first.response.inputs.inner(second.response.inputs))
    total = np.zeros(1)
    ranks = first.ranks
    step = max(1, 2**22 // (second.count * ranks**2))
    for start in range(0, first.count, step):
        stop = min(start + step, first.count)
        gram = first.rows[start * ranks : stop * ranks] @ second.rows.T
        pair_energy(gram, inner[start:stop], ranks, total)
    return float(total[0] / (first.count * second.count))


def layer_overlap(first: LayerEigenspace, second: LayerEigenspace) -> float:
    """Overlap of two layer eigenspaces from different inputs: ‖V₁ᵀV₂‖²_F/k by the inputs' inner products."""
    inner = np.ascontiguousarray(first.inputs.inner(second.inputs))
    count = first.coefficients.shape[0]
    moved = (inner @ second.coefficients).reshape(len(second.coefficients), -1)
    products = first.coefficients.reshape(count, -1) @ moved.T
    return float(np.vdot(products, products) / count)


def rayleigh_quotient(space: LayerEigenspace, hessian: LayerHessian, index: int = 0) -> float:
    """vᵀHv for an eigenvector of one half and H on the other half: unbiased for the population's, at most λ₁."""
    spread = hessian.response.inputs.inner(space.inputs) @ space.coefficients[index]
    blocks = hessian.rows.reshape(hessian.count, hessian.ranks, hessian.units)
    return float(np.sum(np.matmul(blocks, spread[:, :, None]) ** 2) / hessian.count)


def decoupling_energy(
    first: LayerHessian, second: LayerHessian, first_output: Array, second_output: Array
) -> float:
    """⟨H_a - M_a ⊗ X, H_b - M_b ⊗ X⟩_F with X = E[xxᵀ] exact: unbiased for ‖E[M ⊗ xxᵀ] - E[M] ⊗ E[xxᵀ]‖²_F.

    Uses ⟨M_x ⊗ xxᵀ, M ⊗ X⟩ = ⟨M_x, M⟩ xᵀXx and xᵀXx = (1·x)²/(2π) + ((π-1)/(2π))‖x‖².
    """

    def against(hessian: LayerHessian, output: Array) -> float:
        inputs = hessian.response.inputs
        squares = inputs.squares
        along = inputs.sums**2 / (2 * np.pi) + (np.pi - 1) / (2 * np.pi) * squares
        energies = np.einsum("ri,ri->r", hessian.rows @ output, hessian.rows)
        return float(energies.reshape(-1, hessian.ranks).sum(axis=1) @ along / hessian.count)

    top, bulk = input_autocorrelation(first.response.inputs.dimension)
    product = top**2 + (first.response.inputs.dimension - 1) * bulk**2
    return (
        product_energy(first, second)
        - against(first, second_output)
        - against(second, first_output)
        + float(np.sum(first_output * second_output)) * product
    )


def dense_layer_hessian(weights: Array, response: Response) -> Array:
    """H^(1) itself, units·d square, for networks small enough to be formed; index (unit, input) with the input fastest.

    >>> from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond
    >>> rng = np.random.default_rng(0)
    >>> net = draw_network(3, 0.3, 2, rng)
    >>> dense_layer_hessian(net.weights[-1], respond(net, draw_inputs(5, 4, rng))).shape
    (12, 12)
    """
    inputs = response.inputs.values
    if inputs is None:
        raise ValueError("inputs: only inner products were kept; draw the inputs by value")
    count, units = response.active[-1].shape
    ranks, dimension = weights.shape[0] - 1, inputs.shape[1]
    size = units * dimension
    validate.memory(16.0 * size**2, f"H^(1) of size {size}")
    rows = np.empty((count * ranks, units))
    curvature_rows(weights, response.confidence, response.active[-1], rows)
    result = np.zeros((size, size))
    step = max(1, 2**22 // (size * ranks))
    for start in range(0, count, step):
        stop = min(start + step, count)
        left = rows[start * ranks : stop * ranks].reshape(stop - start, ranks, units)
        part = (left[:, :, :, None] * inputs[start:stop, None, None, :]).reshape(-1, size)
        result += part.T @ part
    result /= count
    return result
