"""Infinitely wide fully connected networks in the NTK parametrisation: variances, gradients, tangent kernel.

Layers z_l = W_l a_{l-1}/√fan-in, a_l = σ(z_l), f = vᵀa_L/√m, all weights N(0, 1); ``variance`` is |x|²/d. As the
widths grow, z_l has independent N(0, q_{l-1}) entries with q_0 = variance, q_l = E[σ(z_l)²]; the entries of √m ∂f/∂a_l
are N(0, χ_{l+1}⋯χ_L), χ_l = E[σ'(z_l)²].
"""

from __future__ import annotations

import math

from rmtsim._internal import validate
from rmtsim._internal.arrays import records_take_arrays, takes_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.liu.theory.activations import curvature_bound, derivative
from rmtsim.papers.liu.theory.gaussian import expectation

__all__ = ["WideLimit", "logarithm_as_power", "logarithmic_constant", "tangent_kernel_limit", "wide_limit"]


@frozen
class WideLimit:
    """Limits of the layers l = 1 … L."""

    kernels: tuple[float, ...]
    """Θ_l: tangent kernel of one pre-activation z_l in the weights up to layer l."""
    activations: tuple[float, ...]
    """q_l = |a_l|²/m."""
    gradients: tuple[float, ...]
    """|∂f/∂a_l|², also the variance of an entry of √m ∂f/∂a_l."""
    kernel: float
    """K(x, x) of the network, output weights included."""


@records_take_arrays(whole=("depth",))
def wide_limit(activation: str, depth: int, variance: float = 1.0) -> WideLimit:
    """Θ_1 = q_0, Θ_{l+1} = q_l + χ_l Θ_l; K(x, x) = Θ_{L+1}.

    >>> round(wide_limit("identity", 2).kernel, 12)  # every layer adds one
    3.0
    """
    depth = validate.integer("depth", depth, maximum=10_000, meaning="number L of hidden layers")
    variance = validate.positive_number("variance", variance, meaning="|x|²/d")
    kernels, activations, slopes = [variance], [], []
    before = variance
    for _ in range(depth):
        activations.append(expectation(lambda z: derivative(activation, z) ** 2, before))
        slopes.append(expectation(lambda z: derivative(activation, z, 1) ** 2, before))
        kernels.append(activations[-1] + slopes[-1] * kernels[-1])
        before = activations[-1]
    gradients = tuple(math.prod(slopes[layer + 1 :]) for layer in range(depth))
    return WideLimit(tuple(kernels[:-1]), tuple(activations), gradients, kernels[-1])


@takes_arrays
def tangent_kernel_limit(activation: str, depth: int, variance: float = 1.0) -> float:
    """lim K(x, x), all layers trained.

    >>> round(tangent_kernel_limit("tanh", 2), 6)
    0.78305
    >>> tangent_kernel_limit("tanh", [1, 2, 3]).round(4)
    array([0.8587, 0.783 , 0.7357])
    """
    return wide_limit(activation, depth, variance).kernel


@takes_arrays
def logarithmic_constant(activation: str, depth: int, variance: float = 1.0) -> float:
    """lim √m‖H‖/√(2 ln m) = max_l sup|σ''| Θ_l |∂f/∂a_l| at a Gaussian initialisation, all layers trained.

    Along one neuron the Hessian has (∂f/∂a_i)σ''(z_i)∇z_i∇z_iᵀ; among m Gaussian entries √m ∂f/∂a_i the largest is
    √(2 ln m) standard deviations, |∇z_i|² = Θ_l, and everything else in √m H is bounded. Convergence is logarithmic.

    >>> round(logarithmic_constant("tanh", 1) / curvature_bound("tanh"), 12)
    1.0
    """
    limit = wide_limit(activation, depth, variance)
    return curvature_bound(activation) * max(
        kernel * math.sqrt(gradient) for kernel, gradient in zip(limit.kernels, limit.gradients, strict=True)
    )


@takes_arrays
def logarithm_as_power(smallest: float, largest: float) -> float:
    """The power of m that ln m looks like between two widths: ln(ln m₂/ln m₁)/ln(m₂/m₁); √(ln m) looks like half of it.

    Two rates that differ by a factor ln m have slopes that differ by this much: an interval for the slope that is
    wider cannot tell them apart.

    >>> [round(logarithm_as_power(m, 16 * m), 3) for m in (16, 256, 4096, 1e6)]
    [0.25, 0.146, 0.104, 0.066]
    """
    low = validate.finite_number("smallest", smallest, meaning="a width > 1")
    high = validate.finite_number("largest", largest, meaning="a width larger than the smallest")
    if not 1 < low < high:
        raise ValueError(f"smallest={smallest}, largest={largest}: expected 1 < smallest < largest (widths)")
    return math.log(math.log(high) / math.log(low)) / math.log(high / low)
