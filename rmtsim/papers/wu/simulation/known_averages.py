"""Averages over a random two-layer network whose expectation is known exactly: companions of its norms and overlaps.

Nearly all the noise of the norms and overlaps of a network of width n comes from a few averages over its units, of
which their limits are functions. Given the inputs, with K = W - (1/c)11ᵀW the last weights without their common part
and π̂ the activation rates on the two halves of the inputs,

    projected = Σ_i |K_i|² (π̂_i + π̂'_i)/2 / (c-1)    has mean 1/2            (weights are symmetric about zero),
    energy    = Σ_i |K_i|² π̂_i π̂'_i / (c-1)          has mean ⟨P(active at x and x')⟩ over pairs of inputs,
    length    = Σ_i |K_i|² / (c-1)                   has mean 1,
    bias      = z̄·P z̄'/(c-1)                         has mean ⟨E[y(x) y(x')]⟩ over pairs of inputs,

because E|K_i|² = (c-1)/n independently of W^(1) (:mod:`rmtsim.papers.wu.simulation.activation_pairs` for the
pairs). Subtracting any multiple of a deviation from these means changes no expectation at any n.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal.docstrings import frozen
from rmtsim.papers.wu.simulation.activation_pairs import half_pair_means
from rmtsim.papers.wu.simulation.kernels.two_layer_norms import unit_averages
from rmtsim.papers.wu.simulation.two_layer import TwoLayerInstance


def deviations(instance: TwoLayerInstance) -> tuple[float, float, float, float]:
    """Deviations of (projected, energy, length, bias) from their exact conditional means: expectation zero.

    >>> from rmtsim.papers.wu.simulation.two_layer import draw_instance
    >>> instance = draw_instance(400, 0.3, 3, 64, np.random.default_rng(0))
    >>> max(abs(value) for value in deviations(instance)) < 0.2
    True
    """
    response = instance.response
    both, product = half_pair_means(response.inputs)
    projected, energy, length, bias = unit_averages(instance.weights, response.active[-1], response.logits)
    return projected - 0.5, energy - both, length - 1.0, bias - product


@frozen
class Quieter:
    """A statistic less its first-order dependence on the averages above.

    ``slopes`` are the derivatives, at the limit, of what the statistic tends to as a function of those averages. They
    only determine how much noise is removed; the expectation does not depend on them.
    """

    statistic: Callable[[TwoLayerInstance], float]
    slopes: tuple[float, float, float, float]

    def __call__(self, instance: TwoLayerInstance) -> float:
        """The statistic of ``instance`` with less noise."""
        return self.statistic(instance) - float(np.dot(self.slopes, deviations(instance)))
