"""One random two-layer ReLU network and its Hessians' pieces, each computed on first access.

Population quantities are estimated from two independent halves of the inputs: products of a quantity with
itself take one factor from each half, so that squared norms are unbiased
(:mod:`rmtsim.papers.wu.simulation.halves`), and
overlaps are corrected by the halves' agreement (:mod:`rmtsim.papers.wu.simulation.eigenspaces`).
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.wu.simulation.activation_pairs import half_means
from rmtsim.papers.wu.simulation.eigenspaces import (
    Eigenspace,
    factored_eigenspace,
    iterated_eigenspace,
    overlap,
    overlap_of_halves,
    row_space,
    shared_energy,
    top_eigenvalues,
)
from rmtsim.papers.wu.simulation.halves import Pair, product
from rmtsim.papers.wu.simulation.kernels import two_layer_norms
from rmtsim.papers.wu.simulation.layer_hessian import (
    LayerEigenspace,
    LayerHessian,
    layer_overlap,
    product_energy,
)
from rmtsim.papers.wu.simulation.output_hessian import independent_rows, input_autocorrelation
from rmtsim.papers.wu.simulation.relu_network import Response, draw_responses

_DENSE = 96
"""Up to so many units M and M* themselves are cheaper than inner products of the rows of their square roots."""


@frozen
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
    def gates(self) -> Array:
        """D of all inputs, as rows."""
        return self.response.active[-1]

    @cached_property
    def curvatures(self) -> Array:
        """E[A] of both halves, 2 × classes × classes."""
        found = np.empty((2, self.classes, self.classes))
        two_layer_norms.mean_curvatures(self.response.confidence, found)
        return found

    @cached_property
    def curvature(self) -> Pair:
        """E[A]."""
        return self.curvatures[0], self.curvatures[1]

    @cached_property
    def output(self) -> Pair:
        """M."""
        units = self.weights.shape[1]
        found = np.empty((2, units, units))
        two_layer_norms.output_hessians(self.weights, self.gates, self.response.confidence, found)
        return found[0], found[1]

    @cached_property
    def output_energy(self) -> float:
        """‖M‖²_F: ⟨M_a, M_b⟩."""
        if "output" in self.__dict__:
            return product(self.output)
        return float(two_layer_norms.output_energy(self.weights, self.gates, self.response.confidence))

    @cached_property
    def independent(self) -> Pair:
        """M*, with activations and E[A] from different halves: the copy D' is independent of A."""
        units = self.weights.shape[1]
        found = np.empty((2, units, units))
        two_layer_norms.independent_hessians(self.weights, self.gates, self.curvatures, found)
        return found[0], found[1]

    @cached_property
    def narrow(self) -> bool:
        """Whether M and M* have square roots with fewer rows than there are units, of which there are many."""
        units = self.weights.shape[1]
        return bool(units > _DENSE and len(self.response.logits) // 2 * (self.classes - 1) < units)

    @cached_property
    def independent_roots(self) -> Pair:
        """R with RᵀR = M*, from the halves as in :attr:`independent`."""
        middle = len(self.gates) // 2
        first, second = self.gates[:middle], self.gates[middle : 2 * middle]
        return (
            independent_rows(self.weights, first, self.curvature[1]),
            independent_rows(self.weights, second, self.curvature[0]),
        )

    @cached_property
    def independent_energy(self) -> float:
        """‖M*‖²_F: ⟨M*_a, M*_b⟩."""
        return float(two_layer_norms.independent_energy(self.weights, self.gates, self.curvatures))

    @cached_property
    def _sandwiches(self) -> Array:
        """W D Wᵀ of every input, classes × classes × inputs: what projections are made of, without n × n matrices."""
        return np.asarray(two_layer_norms.sandwiches(self.weights, self.gates))

    @cached_property
    def projected_output(self) -> Pair:
        """W M Wᵀ, means of (W D Wᵀ)A(W D Wᵀ)."""
        found = np.empty((2, self.classes, self.classes))
        two_layer_norms.projections(self._sandwiches, self.response.confidence, None, found)
        return found[0], found[1]

    @cached_property
    def projected_independent(self) -> Pair:
        """W M* Wᵀ, with gates and E[A] from different halves as in :attr:`independent`."""
        found = np.empty((2, self.classes, self.classes))
        two_layer_norms.projections(self._sandwiches, self.response.confidence, self.curvatures, found)
        return found[0], found[1]

    def lifted_energy(self, pair: Pair) -> float:
        """‖Wᵀ C W‖²_F for the c × c matrix C both estimate, through WWᵀ."""
        gram = self.weights @ self.weights.T
        return float(np.vdot(gram @ pair[0] @ gram, pair[1]))

    @cached_property
    def _near(self) -> Array:
        """Columns ΠWᵀ, Π the activation rates: they nearly span the top eigenspaces of M and M*."""
        return np.asarray((self.weights * half_means(self.gates).sum(axis=0)).T)

    @cached_property
    def output_spaces(self) -> tuple[Eigenspace, Eigenspace]:
        """S₁ with its eigenvalues: top c-1 eigenvectors of M."""
        count = self.classes - 1
        if self.narrow:
            first, second = (layer.rows / np.sqrt(layer.count) for layer in self.layers)
            return factored_eigenspace(first, count, self._near), factored_eigenspace(
                second, count, self._near
            )
        first, second = self.output
        return iterated_eigenspace(first, count, self._near), iterated_eigenspace(second, count, self._near)

    @property
    def output_space(self) -> Pair:
        """S₁: top c-1 eigenvectors of M."""
        return self.output_spaces[0].basis, self.output_spaces[1].basis

    @cached_property
    def independent_space(self) -> Pair:
        """S₂: top c-1 eigenvectors of M*."""
        count = self.classes - 1
        if self.narrow:
            first, second = self.independent_roots
            spaces = (
                factored_eigenspace(first, count, self._near),
                factored_eigenspace(second, count, self._near),
            )
        else:
            first, second = self.independent
            spaces = (
                iterated_eigenspace(first, count, self._near),
                iterated_eigenspace(second, count, self._near),
            )
        return spaces[0].basis, spaces[1].basis

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
        return first.top(self.classes - 1, near=self._near), second.top(self.classes - 1, near=self._near)

    def kronecker_space(self, half: int) -> Array:
        """Left factors s of the top c-1 eigenvectors s ⊗ 1/√d of M ⊗ E[xxᵀ]; fewer where others overtake.

        E[xxᵀ] is known exactly. An eigenvector of M times a direction orthogonal to 1 has eigenvalue
        λ·(π-1)/2π; those that overtake are orthogonal to everything along 1 and contribute no overlap.
        """
        top, bulk = input_autocorrelation(self.response.inputs.dimension)
        space = self.output_spaces[half]
        keep = space.values * top > space.values[0] * bulk
        return space.basis if keep.all() else space.basis[:, keep]

    def layer_overlap(self) -> float:
        """Overlap of V₁ (of H) and V₂ (of M ⊗ E[xxᵀ]), corrected by the halves."""
        count = self.classes - 1
        first, second = self.layer_spaces
        left = self.kronecker_space(0), self.kronecker_space(1)
        cross = 0.5 * (
            float(np.sum(first.against_product(left[1]) ** 2))
            + float(np.sum(second.against_product(left[0]) ** 2))
        )
        own = shared_energy(*left) / count
        return cross / count / math.sqrt(layer_overlap(first, second) * own)

    def kronecker_row_overlap(self) -> float:
        """Overlap of Ĥ's top c-1 eigenspace with the row span of V = W ⊗ 1ᵀ/√d less 1ᵀV (Corollary B.5)."""
        left = self.kronecker_space(0), self.kronecker_space(1)
        count = self.classes - 1
        cross = 0.5 * sum(shared_energy(basis, self.rows) for basis in left) / count
        return cross / math.sqrt(shared_energy(*left) / count)

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
        """Overlap of two population spaces (:func:`rmtsim.papers.wu.simulation.eigenspaces.corrected_overlap`)."""
        return overlap_of_halves(first, second)

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
    """Independent networks on the same random inputs, because drawing inputs dominates the cost for large d.

    ``inner=False`` leaves out inner products of the inputs, which H^(1) and companions need and M does not.
    """
    drawn = draw_responses(width, alpha, classes, inputs, rng, networks=networks, inner=inner)
    return [TwoLayerInstance(later[-1], response) for later, response in drawn]
