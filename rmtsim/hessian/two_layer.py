"""One random two-layer ReLU network and its Hessians' pieces, each computed when it is first asked for.

Population quantities are estimated from two independent halves of the inputs: products of a quantity with
itself take one factor from each half, so that squared norms are unbiased (:mod:`rmtsim.hessian.halves`), and
overlaps are corrected by the halves' agreement (:mod:`rmtsim.hessian.eigenspaces`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rmtsim.hessian.eigenspaces import (
    Eigenspace,
    corrected_overlap,
    factored_eigenspace,
    overlap,
    row_space,
    top_eigenspace,
    top_eigenvalues,
)
from rmtsim.hessian.halves import Pair, product
from rmtsim.hessian.layer_hessian import LayerEigenspace, LayerHessian, layer_overlap, product_energy
from rmtsim.hessian.output_hessian import (
    independent_output_hessian,
    independent_rows,
    input_autocorrelation,
    mean_curvature_of,
    output_hessian,
)
from rmtsim.kernels import two_layer_norms
from rmtsim.sampling.relu_network import Response, draw_responses

__all__ = ["TwoLayerInstance", "draw_instance", "draw_instances"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TwoLayerInstance:
    """Last weights W = W^(2) and the response to random inputs.

    Names: A the curvature diag(p) - ppᵀ of the softmax, D the gates, M = E[DWᵀAWD] the output Hessian, M* the same with
    gates independent of A, H = E[DWᵀAWD ⊗ xxᵀ] the layer Hessian, d the input dimension.
    """

    weights: Array
    response: Response

    @property
    def classes(self) -> int:
        """c."""
        return int(self.weights.shape[0])

    @cached_property
    def halves(self) -> tuple[Response, Response]:
        """The two independent halves of the inputs."""
        return self.response.halves()

    @cached_property
    def curvature(self) -> Pair:
        """E[A]."""
        p = self.response.confidence
        middle = len(p) // 2
        return mean_curvature_of(p[:middle]), mean_curvature_of(p[middle : 2 * middle])

    @cached_property
    def output(self) -> Pair:
        """M."""
        first, second = self.halves
        return output_hessian(self.weights, first), output_hessian(self.weights, second)

    @cached_property
    def output_energy(self) -> float:
        """‖M‖²_F: ⟨M_a, M_b⟩, through the inner products of curvature rows where these are few: (N c)² n operations."""
        if not self.narrow:
            return product(self.output)
        first, second = self.layers
        gram = first.rows @ second.rows.T
        return float(np.sum(gram**2) / (first.count * second.count))

    @cached_property
    def independent(self) -> Pair:
        """M*, with activations and E[A] from different halves: the copy D' is independent of A."""
        first, second = self.halves
        return (
            independent_output_hessian(self.weights, first.active[-1], self.curvature[1]),
            independent_output_hessian(self.weights, second.active[-1], self.curvature[0]),
        )

    @cached_property
    def narrow(self) -> bool:
        """Whether M and M* have square roots with fewer rows than there are units; then these are cheaper."""
        return bool(len(self.response.logits) // 2 * (self.classes - 1) < self.weights.shape[1])

    @cached_property
    def independent_roots(self) -> Pair:
        """R with RᵀR = M*, from the halves as in :attr:`independent`."""
        first, second = self.halves
        return (
            independent_rows(self.weights, first.active[-1], self.curvature[1]),
            independent_rows(self.weights, second.active[-1], self.curvature[0]),
        )

    @cached_property
    def independent_energy(self) -> float:
        """‖M*‖²_F: ⟨M*_a, M*_b⟩, through the inner products of the roots' rows where these are few."""
        if not self.narrow:
            active, curvature = self.response.active[-1], np.array(self.curvature)
            return float(two_layer_norms.independent_energy(self.weights, active, curvature))
        first, second = self.independent_roots
        return float(np.sum((first @ second.T) ** 2))

    @cached_property
    def _projected(self) -> Array:
        """W M Wᵀ and W M* Wᵀ, of both halves.

        Means of (W D Wᵀ)A(W D Wᵀ), so they cost O(n c²) per input; n × n matrices need not be formed.
        """
        found = np.empty((2, 2, self.classes, self.classes))
        response = self.response
        two_layer_norms.projections(
            self.weights, response.active[-1], response.confidence, np.array(self.curvature), *found
        )
        return found

    @property
    def projected_output(self) -> Pair:
        """W M Wᵀ."""
        return self._projected[0, 0], self._projected[0, 1]

    @property
    def projected_independent(self) -> Pair:
        """W M* Wᵀ, with gates and E[A] from different halves as in :attr:`independent`."""
        return self._projected[1, 0], self._projected[1, 1]

    def lifted_energy(self, pair: Pair) -> float:
        """‖Wᵀ C W‖²_F for the c × c matrix C both estimate, through WWᵀ."""
        gram = self.weights @ self.weights.T
        return float(np.sum((gram @ pair[0] @ gram) * pair[1]))

    @cached_property
    def output_spaces(self) -> tuple[Eigenspace, Eigenspace]:
        """S₁ with its eigenvalues: top c-1 eigenvectors of M."""
        count = self.classes - 1
        if self.narrow:
            first, second = (layer.rows / np.sqrt(layer.count) for layer in self.layers)
            return factored_eigenspace(first, count), factored_eigenspace(second, count)
        return top_eigenspace(self.output[0], count), top_eigenspace(self.output[1], count)

    @property
    def output_space(self) -> Pair:
        """S₁: top c-1 eigenvectors of M."""
        return self.output_spaces[0].basis, self.output_spaces[1].basis

    @cached_property
    def independent_space(self) -> Pair:
        """S₂: top c-1 eigenvectors of M*."""
        pair, find = (
            (self.independent_roots, factored_eigenspace)
            if self.narrow
            else (self.independent, top_eigenspace)
        )
        return find(pair[0], self.classes - 1).basis, find(pair[1], self.classes - 1).basis

    @cached_property
    def rows(self) -> Array:
        """Row span of W without 1ᵀW."""
        return row_space(self.weights)

    def output_gap(self) -> float:
        """λ_c/λ_{c-1} of M, extrapolated in the number of inputs: twice the value at N less that at N/2."""
        whole = 0.5 * (self.output[0] + self.output[1])
        return 2 * self._gap(whole) - 0.5 * (self._gap(self.output[0]) + self._gap(self.output[1]))

    def _gap(self, matrix: Array) -> float:
        values = top_eigenvalues(matrix, self.classes)
        return float(values[-1] / values[-2])

    @cached_property
    def layers(self) -> tuple[LayerHessian, LayerHessian]:
        """H^(1) on both halves."""
        first, second = self.halves
        return LayerHessian(self.weights, first), LayerHessian(self.weights, second)

    @cached_property
    def layer_spaces(self) -> tuple[LayerEigenspace, LayerEigenspace]:
        """V₁: top c-1 eigenvectors of H^(1) on both halves."""
        first, second = self.layers
        return first.top(self.classes - 1), second.top(self.classes - 1)

    def kronecker_space(self, half: int) -> Array:
        """Left factors s of the top c-1 eigenvectors s ⊗ 1/√d of M ⊗ E[xxᵀ]; fewer where others overtake.

        E[xxᵀ] is known exactly. An eigenvector of M times a direction orthogonal to 1 has eigenvalue
        λ·(π-1)/2π; those that overtake are orthogonal to everything along 1 and contribute no overlap.
        """
        top, bulk = input_autocorrelation(self.response.inputs.dimension)
        space = self.output_spaces[half]
        keep = space.values * top > space.values[0] * bulk
        return space.basis[:, keep]

    def layer_overlap(self) -> float:
        """Overlap of V₁ (of H) and V₂ (of M ⊗ E[xxᵀ]), corrected by the halves."""
        count = self.classes - 1
        first, second = self.layer_spaces
        left = self.kronecker_space(0), self.kronecker_space(1)
        cross = 0.5 * (
            float(np.sum(first.against_product(left[1]) ** 2))
            + float(np.sum(second.against_product(left[0]) ** 2))
        )
        own = float(np.sum((left[0].T @ left[1]) ** 2)) / count
        return cross / count / float(np.sqrt(layer_overlap(first, second) * own))

    def kronecker_row_overlap(self) -> float:
        """Overlap of Ĥ's top c-1 eigenspace with the row span of V = W ⊗ 1ᵀ/√d less 1ᵀV (Corollary B.5)."""
        left = self.kronecker_space(0), self.kronecker_space(1)
        count = self.classes - 1
        cross = 0.5 * sum(float(np.sum((basis.T @ self.rows) ** 2)) for basis in left) / count
        return cross / float(np.sqrt(float(np.sum((left[0].T @ left[1]) ** 2)) / count))

    def layer_gap(self) -> float:
        """λ_c/λ_{c-1} of H^(1), extrapolated in the number of inputs as in :meth:`output_gap`."""
        count = self.classes - 1

        def gap(hessian: LayerHessian) -> float:
            values = hessian.top(count, extra=1, tolerance=1e-4).values
            return float(values[count] / values[count - 1])

        whole = LayerHessian(self.weights, self.response)
        return 2 * gap(whole) - 0.5 * (gap(self.layers[0]) + gap(self.layers[1]))

    @cached_property
    def layer_energy(self) -> float:
        """‖H/d‖²_F."""
        return product_energy(*self.layers) / self.response.inputs.dimension**2

    @cached_property
    def layer_projected(self) -> Pair:
        """V (H/d) Vᵀ."""
        d = self.response.inputs.dimension
        return self.layers[0].projected() / d, self.layers[1].projected() / d

    def autocorrelation_energy(self) -> float:
        """‖E[xxᵀ]/d‖²_F."""
        d = self.response.inputs.dimension
        top, bulk = input_autocorrelation(d)
        return (top**2 + (d - 1) * bulk**2) / d**2

    def autocorrelation_top(self) -> float:
        """λ₁(E[xxᵀ]/d)."""
        d = self.response.inputs.dimension
        return input_autocorrelation(d)[0] / d

    def corrected(self, first: Pair, second: Pair) -> float:
        """Overlap of two population spaces (:func:`corrected_overlap`)."""
        return corrected_overlap(first, second)

    def agreement(self, pair: Pair) -> float:
        """Overlap of the two halves' estimates of one space."""
        return overlap(*pair)


def draw_instance(
    width: int, alpha: float, classes: int, inputs: int, rng: np.random.Generator
) -> TwoLayerInstance:
    """A random network and its response to ``inputs`` random inputs.

    >>> instance = draw_instance(60, 0.3, 3, 200, np.random.default_rng(0))
    >>> 0.9 < instance.corrected(instance.output_space, instance.independent_space) < 1.1
    True
    """
    return draw_instances(width, alpha, classes, inputs, 1, rng)[0]


def draw_instances(
    width: int,
    alpha: float,
    classes: int,
    inputs: int,
    networks: int,
    rng: np.random.Generator,
    *,
    inner: bool = True,
) -> list[TwoLayerInstance]:
    """Independent networks on the same random inputs: drawing inputs is what costs where d is large.

    ``inner=False`` leaves out inner products of the inputs, which H^(1) and companions need and M does not.
    """
    drawn = draw_responses(width, alpha, classes, inputs, rng, networks=networks, inner=inner)
    return [TwoLayerInstance(later[-1], response) for later, response in drawn]
