"""Conjugate and tangent kernels of wide networks: laws of sums of Gram matrices of the layers' outputs.

With X_0 the data and X_l the outputs of layer l, all divided by the root of their number of rows, the Gram matrix of
layer l is in the limit that of X_l = b W_l X_{l-1} + c Z_l with independent Gaussian W_l and Z_l, where b² + c² = 1.
The vector Σ q_l X_lᵀ X_l v follows from forward vectors y_l = X_l v and backward vectors p_l = q_l y_l + b W_{l+1}ᵀ
p_{l+1}, which satisfy linear equations with Gaussian coefficients: a linearisation with two blocks for each layer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim.laws.dyson._law import MatrixDyson
from rmtsim.laws.self_energy._block import Block


def conjugate_kernel(inputs: float, widths: ArrayLike, linear: float) -> MatrixDyson:
    """Law of the conjugate kernel of a wide network: the Gram matrix of its last layer.

    Parameters
    ----------
    inputs : float
        Limit of d/n for n samples of dimension d.
    widths : float or array_like
        Limits of width/n, from the first layer to the last.
    linear : float
        E[f(g) g] of the activation f, which is centred and scaled to E[f(g)] = 0 and E[f(g)²] = 1, with g standard
        normal; in [-1, 1].

    Returns
    -------
    MatrixDyson
        The law of X_Lᵀ X_L for X_l = f(W_l X_{l-1})/√width, entries of W_l standard normal and those of X_0 normal
        of variance 1/d. Its mean is one.

    Raises
    ------
    ValueError
        If a ratio is not positive or ``linear`` is not in [-1, 1].

    See Also
    --------
    tangent_kernel : The kernel of the gradients.
    random_features : One layer, seen from the features.

    Notes
    -----
    See [1]_. Layer by layer the law is that of a sample covariance with population b² X_{l-1}ᵀX_{l-1} + (1 - b²) 1.

    References
    ----------
    .. [1] Z. Fan and Z. Wang, "Spectra of the conjugate kernel and neural tangent kernel for linear-width neural
       networks", NeurIPS 2020.

    Examples
    --------
    With an activation without a linear part the last layer does not depend on its input.

    >>> from rmtsim.laws import MarchenkoPastur
    >>> from rmtsim.laws.dyson import conjugate_kernel
    >>> law = conjugate_kernel(2.0, [1.5, 4.0], 0.8)
    >>> round(law.moment(1), 9), [round(end, 6) for end in law.support[0]]
    (1.0, [0.15377, 3.679541])
    >>> abs(conjugate_kernel(2.0, 4.0, 0.0).density(1.0) - MarchenkoPastur(0.25).density(1.0)) < 1e-12
    True
    """
    sides, share = _ratios(inputs, widths), _linear(linear)
    return _gram_sum(sides, share, [0.0] * (len(sides) - 1) + [1.0], 0.0)


def tangent_kernel(inputs: float, widths: ArrayLike, linear: float, slope: float) -> MatrixDyson:
    """Law of the tangent kernel of a wide network with a linear output.

    Parameters
    ----------
    inputs, widths, linear : float or array_like
        As for :func:`conjugate_kernel`.
    slope : float
        E[f'(g)²] of the same activation; at least one.

    Returns
    -------
    MatrixDyson
        The law of the Gram matrix of the gradients of wᵀX_L by all parameters, with standard normal weights. Its
        mean is Σ slope^k for k from 0 to the number of layers.

    Raises
    ------
    ValueError
        If a ratio is not positive, ``linear`` is not in [-1, 1], or ``slope`` is below one (Poincaré's inequality).

    See Also
    --------
    conjugate_kernel : The kernel of the last layer.

    Notes
    -----
    Derivatives of later layers are independent of the sample up to b² off the diagonal, so that the kernel is
    Σ_l b^(2(L-l)) X_lᵀX_l plus a multiple Σ_l (a^(L-l) - b^(2(L-l))) of the identity, a = ``slope``, b = ``linear``
    (Fan and Wang, as for :func:`conjugate_kernel`).

    Examples
    --------
    Rectified linear units, centred and scaled:

    >>> import math
    >>> from rmtsim.laws.dyson import tangent_kernel
    >>> variance = 0.5 - 1 / (2 * math.pi)
    >>> law = tangent_kernel(2.0, [1.5], 0.5 / math.sqrt(variance), 0.5 / variance)
    >>> round(law.moment(1), 9) == round(1 + 0.5 / variance, 9)
    True
    >>> [round(end, 4) for end in law.support[0]]
    [0.9406, 6.6038]
    """
    sides, share = _ratios(inputs, widths), _linear(linear)
    slope = validate.finite_number("slope", slope, meaning="E[f'(g)²] of the scaled activation")
    if not 1 <= slope <= 1e6:
        raise ValueError(
            f"slope={slope}: expected a number in [1, 1e6] (E[f'(g)²] of an activation with variance one)"
        )
    depth = len(sides) - 1
    weights = [share ** (2 * (depth - layer)) for layer in range(depth + 1)]
    shift = math.fsum(slope ** (depth - layer) - weights[layer] for layer in range(depth))
    return _gram_sum(sides, share, weights, shift)


def _ratios(inputs: float, widths: ArrayLike) -> list[float]:
    first = validate.positive_number("inputs", inputs, meaning="dimension over samples")
    rest = np.atleast_1d(validate.real_array("widths", widths, meaning="widths over samples"))
    if rest.ndim != 1 or not 1 <= len(rest) <= 20 or not np.all((rest > 0) & np.isfinite(rest)):
        raise ValueError(f"widths={widths!r:.60}: expected 1 to 20 numbers > 0 (widths over samples)")
    sides = [first, *map(float, rest)]
    if not all(1e-6 <= side <= 1e6 for side in sides):
        raise ValueError(f"inputs, widths: expected ratios in [1e-6, 1e6], got {sides!r:.80}")
    return sides


def _linear(linear: float) -> float:
    share = validate.finite_number("linear", linear, meaning="E[f(g) g] of the scaled activation")
    if not -1 <= share <= 1:
        raise ValueError(
            f"linear={share}: expected a number in [-1, 1] (E[f(g) g] of an activation with variance one)"
        )
    return abs(share)


def _gram_sum(sides: Sequence[float], share: float, weights: Sequence[float], shift: float) -> MatrixDyson:
    """Law of shift + Σ weights[l] X_lᵀX_l. Blocks: the samples, then backward and forward vectors of each layer."""
    if share == 0:
        # Without a linear part a layer does not depend on the one before; only the last one has a weight.
        sides, weights = sides[-1:], weights[-1:]
    count = len(sides)
    rest = math.sqrt((1 - share) * (1 + share))
    size = 1 + 2 * count
    mean = np.zeros((size, size))
    mean[0, 0] = shift
    blocks = []
    for layer, side in enumerate(sides):
        back, forth = 1 + layer, 1 + count + layer
        mean[back, forth] = mean[forth, back] = -1.0
        mean[forth, forth] = weights[layer]
        noise = 1.0 if layer == 0 else rest
        if noise > 0:
            blocks.append(_coefficient(size, back, 0, noise / math.sqrt(side)))
        if layer:
            blocks.append(_coefficient(size, back, forth - 1, share / math.sqrt(side)))
    return MatrixDyson(mean, Block(general=blocks, weights=(1.0, *sides, *sides), spectral=(0,)))


def _coefficient(size: int, row: int, column: int, value: float) -> np.ndarray:
    result = np.zeros((size, size))
    result[row, column] = value
    return result
