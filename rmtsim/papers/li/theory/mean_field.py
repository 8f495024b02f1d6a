"""Exact second moments of a ReLU network at initialisation: activations, gradients, Hessian blocks.

The network is `li`'s (3): T(x) = xᵀ W₁ dg(h₁) ⋯ W_{L-1} dg(h_{L-1}) α, with widths n₀ (inputs), n₁, …, n_{L-1} and
independent Gaussian weights of variance c/fan-in, α included. No independence of activations and gradients is
assumed. Derivation: docs/papers/li/index.md, "Scaling".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, takes_arrays

__all__ = ["activation_energies", "entry_variance", "gradient_energies", "hessian_energies"]


def _widths(widths: Sequence[int]) -> Array:
    given = validate.sequence("widths", widths, meaning="of integers >= 1: inputs, then hidden layers")
    numbers = [validate.integer(f"widths[{k}]", each) for k, each in enumerate(given)]
    if not numbers:
        raise ValueError("widths=(): expected the number of inputs and then of units in each hidden layer")
    return np.array(numbers, dtype=np.float64)


def _factor(factor: float) -> float:
    return validate.positive_number("factor", factor, meaning="c, fan-in times the variance of a weight")


@takes_arrays(whole=("widths",))
def activation_energies(widths: Sequence[int], factor: float) -> Array:
    """E‖y_l‖²/‖x‖² = (c/2)^l n_l/n₀ for l = 0, …, L-1; ``widths`` are n₀, …, n_{L-1}.

    Parameters: ``widths`` of the inputs and the hidden layers, ``factor`` c. Returns L numbers.

    >>> activation_energies((4, 4, 8), factor=1.0)
    array([1. , 0.5, 0.5])
    >>> activation_energies((4, 4, 8), factor=[1.0, 2.0])
    array([[1. , 0.5, 0.5],
           [1. , 1. , 2. ]])
    """
    n, c = _widths(widths), _factor(factor)
    return np.asarray((c / 2) ** np.arange(len(n)) * n / n[0])


@takes_arrays(whole=("widths",))
def gradient_energies(widths: Sequence[int], factor: float) -> Array:
    """E‖∂T/∂W_p‖²/‖x‖² = (c/2)^{L-1} n_{p-1}/n₀ for p = 1, …, L (W_L = α); ``widths`` are n₀, …, n_{L-1}.

    With all widths equal the sum is L(c/2)^{L-1}: no power of the width beyond that of ‖x‖².

    >>> gradient_energies((4, 4, 8), factor=1.0)
    array([0.25, 0.25, 0.5 ])
    """
    n, c = _widths(widths), _factor(factor)
    return np.asarray((c / 2) ** (len(n) - 1) * n / n[0])


@takes_arrays(whole=("widths",))
def hessian_energies(widths: Sequence[int], factor: float) -> Array:
    """E‖∂²T/∂W_p∂W_q‖²_F/‖x‖² = ½ (c/2)^{L-2} n_{p-1}n_{q-1}/n₀ for p ≠ q, zero for p = q; L × L.

    With all widths n it sums to ½ L(L-1) n (c/2)^{L-2}.

    >>> hessian_energies((4, 4, 4), factor=2.0)
    array([[0., 2., 2.],
           [2., 0., 2.],
           [2., 2., 0.]])
    """
    n, c = _widths(widths), _factor(factor)
    blocks = 0.5 * (c / 2) ** (len(n) - 2) * np.outer(n, n) / n[0]
    np.fill_diagonal(blocks, 0.0)
    return np.asarray(blocks)


@takes_arrays
def entry_variance(width: int, layers: int, factor: float, input_variance: float = 1.0) -> float:
    """Variance of an entry of H_pq, 1 < p + 1 < q < L, all widths n: ½ (c/2)^{L-2} Var[x]/n².

    >>> entry_variance(10, layers=5, factor=2.0)
    0.005
    >>> entry_variance([10, 20], layers=5, factor=2.0)
    array([0.005  , 0.00125])
    """
    n = validate.integer("width", width)
    depth = validate.integer("layers", layers, minimum=4, meaning="L; p + 1 < q < L needs four layers")
    variance = validate.positive_number("input_variance", input_variance)
    try:
        return 0.5 * (_factor(factor) / 2) ** (depth - 2) * variance / n**2
    except OverflowError:
        raise OverflowError(
            f"factor={factor}, layers={layers}: the variance leaves the range of doubles"
        ) from None
