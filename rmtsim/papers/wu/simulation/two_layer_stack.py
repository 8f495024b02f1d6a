"""Norms of the output Hessians of several two-layer networks on the same inputs, each computed on first access.

Names and estimates are those of :class:`rmtsim.papers.wu.simulation.two_layer.TwoLayerInstance`, with networks
along the first axis of every array. At widths of a few dozen, measuring networks separately would mostly cost the
overhead of calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.wu.simulation.activation_pairs import half_pair_means
from rmtsim.papers.wu.simulation.halves import Pair, products
from rmtsim.papers.wu.simulation.kernels import two_layer_stack as compiled
from rmtsim.papers.wu.simulation.output_hessian import input_autocorrelation
from rmtsim.papers.wu.simulation.relu_network import StackedResponses, draw_stack


class TwoLayerStack:
    """Several networks on the same inputs; every quantity is an array over networks.

    >>> stack = draw_networks(60, 0.3, 3, 64, 5, np.random.default_rng(0))
    >>> stack.output_energy.shape, bool((stack.output_energy > 0).all())
    ((5,), True)
    """

    def __init__(self, responses: StackedResponses) -> None:
        self.responses = responses
        self.weights, self.active = responses.weights, responses.active

    @cached_property
    def curvatures(self) -> Array:
        """E[A], networks × 2 halves × classes × classes."""
        return np.asarray(compiled.curvatures(self.responses.confidence))

    @property
    def curvature(self) -> Pair:
        """E[A]."""
        return self.curvatures[:, 0], self.curvatures[:, 1]

    @cached_property
    def output_energy(self) -> Array:
        """‖M‖²_F."""
        return np.asarray(compiled.output_energies(self.weights, self.active, self.responses.confidence))

    @cached_property
    def independent_energy(self) -> Array:
        """‖M*‖²_F, with gates and E[A] from different halves."""
        return np.asarray(compiled.independent_energies(self.weights, self.active, self.curvatures))

    @cached_property
    def projected_output(self) -> Pair:
        """W M Wᵀ."""
        found = compiled.projected(self.weights, self.active, self.responses.confidence, None)
        return found[:, 0], found[:, 1]

    @cached_property
    def projected_independent(self) -> Pair:
        """W M* Wᵀ, with gates and E[A] from different halves."""
        found = compiled.projected(self.weights, self.active, self.responses.confidence, self.curvatures)
        return found[:, 0], found[:, 1]

    @cached_property
    def gram(self) -> Array:
        """WWᵀ."""
        return np.asarray(self.weights @ self.weights.mT)

    def lifted_energy(self, pair: Pair) -> Array:
        """‖Wᵀ C W‖²_F for the c × c matrices C that both estimate."""
        return products((self.gram @ pair[0] @ self.gram, pair[1]))

    def formula_sums(self) -> Array:
        """Sums over units of the product s of the halves' (WᵀE[A]W)_ii, and of s times both activation rates."""
        return np.asarray(compiled.formula_sums(self.weights, self.active, self.curvatures))

    def autocorrelation(self) -> tuple[float, float]:
        """λ₁(E[xxᵀ]/d) and ‖E[xxᵀ]/d‖²_F."""
        d = self.responses.inputs.dimension
        top, bulk = input_autocorrelation(d)
        return top / d, (top**2 + (d - 1) * bulk**2) / d**2

    def deviations(self) -> Array:
        """Deviations of four averages from their exact means (``known_averages``), networks × 4."""
        both, product = half_pair_means(self.responses.inputs)
        found = compiled.averages(self.weights, self.active, self.responses.logits)
        return np.asarray(found - np.array((0.5, both, 1.0, product)))


@frozen
class QuieterStack:
    """A statistic of every network less its first-order dependence on averages of exactly known mean.

    As :class:`rmtsim.papers.wu.simulation.known_averages.Quieter`.
    """

    statistic: Callable[[TwoLayerStack], Array]
    slopes: tuple[float, float, float, float]

    def __call__(self, stack: TwoLayerStack) -> Array:
        """The statistic of every network with less noise."""
        return np.asarray(self.statistic(stack) - stack.deviations() @ self.slopes)


def draw_networks(
    width: int, alpha: float, classes: int, inputs: int, networks: int, rng: np.random.Generator
) -> TwoLayerStack:
    """Independent random networks on the same random inputs, with the numbers of ``draw_instances``."""
    return TwoLayerStack(draw_stack(width, alpha, classes, inputs, rng, networks=networks))
