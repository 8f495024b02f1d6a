"""Companions of second order for norms of many two-layer networks: quadratic functions of known conditional mean.

:mod:`rmtsim.papers.wu.simulation.known_averages` takes the noise of order n^{-1/2} from the norms of a network
of width n. What is
left is of order 1/n and skewed, and nearly all of it is quadratic in the deviations from their centres of

    B_a = K diag(u_a) Kᵀ,    u = ((π̂ + π̂')/2, π̂ π̂', 1) by units,    K = W - (1/c)11ᵀW.

Given the gates K is Gaussian, K_i = √(1/n) times a standard normal vector of the m = c-1 dimensions orthogonal to 1,
independent over units. So with μ_a the mean of u_a over units, s_ab = Σ_i u_ai u_bi/n², P = I - 11ᵀ/c,

    E tr(B_a - μ_a P)(B_b - μ_b P) = (m² + m) s_ab,    E tr(B_a - μ_a P) tr(B_b - μ_b P) = 2m s_ab :

Σ_ij u_ai u_bj (g_i·g_j)²/n² has E|g|⁴ = m² + 2m for i = j and E(g·g')² = m otherwise. A quadratic form of the
deviations less this conditional mean has expectation zero at every n, whatever its coefficients.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.wu.simulation.activation_pairs import half_pair_means
from rmtsim.papers.wu.simulation.network_batches import NetworkBatch


@frozen
class Expansion:
    """Second-order expansion of a function of the matrices B_a at multiples ``centre`` of the identity.

    f ≈ f₀ + Σ_a gradient_a tr δ_a/m + Σ_ab (squares_ab tr δ_aδ_b + traces_ab tr δ_a tr δ_b), δ_a = B_a - centre_a P.
    """

    centre: Array
    gradient: Array
    squares: Array
    traces: Array
    bias: float = 0.0
    """Slope in the logits' bias z̄·Pz̄'/m."""


def _matrices(batch: NetworkBatch) -> tuple[Array, Array]:
    """u, networks × 3 × units, and B, networks × 3 × classes × classes."""
    weights = batch.responses.weights.astype(np.float64)
    centred = weights - weights.mean(axis=1, keepdims=True)
    first, second = batch.rates
    by_unit = np.stack([(first + second) / 2, first * second, np.ones_like(first)], axis=1)
    scaled = centred[:, None] * by_unit[:, :, None]
    return by_unit, np.asarray(scaled @ centred.transpose(0, 2, 1)[:, None])


def linear_deviations(batch: NetworkBatch) -> Array:
    """Deviations of tr B_a/m and of the logits' bias from their exact means given the inputs, networks × 4.

    The same as :func:`rmtsim.papers.wu.simulation.known_averages.deviations`, network by network.
    """
    ranks = batch.classes - 1
    both, product = half_pair_means(batch.responses.inputs)
    _, matrices = _matrices(batch)
    averages = np.trace(matrices, axis1=2, axis2=3) / ranks
    first, second = (batch.responses.logits[:, half].mean(axis=1) for half in batch.slices)
    bias = np.einsum("bc,bc->b", first - first.mean(axis=1, keepdims=True), second) / ranks
    return np.column_stack([averages - np.array([0.5, both, 1.0]), bias - product])


def quadratic_deviations(batch: NetworkBatch, expansion: Expansion) -> Array:
    """The quadratic part of an expansion less its exact mean given the gates, one number a network."""
    ranks = batch.classes - 1
    by_unit, matrices = _matrices(batch)
    plane = np.eye(batch.classes) - 1 / batch.classes
    deviation = matrices - expansion.centre[:, None, None] * plane
    traces = np.trace(deviation, axis1=2, axis2=3)
    own = np.einsum("naij,nbij,ab->n", deviation, deviation, expansion.squares)
    own += np.einsum("na,nb,ab->n", traces, traces, expansion.traces)
    # Given the gates: δ_a has the mean (μ_a - centre_a)P and covariances as at the head of the module.
    shift = by_unit.mean(axis=2) - expansion.centre
    second = np.einsum("nai,nbi->nab", by_unit, by_unit) / batch.units**2
    of_squares = ranks * shift[:, :, None] * shift[:, None, :] + (ranks**2 + ranks) * second
    of_traces = ranks**2 * shift[:, :, None] * shift[:, None, :] + 2 * ranks * second
    mean = np.einsum("nab,ab->n", of_squares, expansion.squares)
    mean += np.einsum("nab,ab->n", of_traces, expansion.traces)
    return np.asarray(own - mean)


@frozen
class QuieterBatch:
    """A statistic of every network less its dependence, to second order, on averages of known mean.

    The coefficients only determine how much noise is removed; the expectation does not depend on them.
    """

    statistic: Callable[[NetworkBatch], Array]
    expansion: Expansion

    def __call__(self, batch: NetworkBatch) -> Array:
        """The statistic of every network with less noise."""
        slopes = np.append(self.expansion.gradient, self.expansion.bias)
        known = linear_deviations(batch) @ slopes + quadratic_deviations(batch, self.expansion)
        return np.asarray(self.statistic(batch) - known)
