"""Energy distances between samples, or between a sample and a rectified or plain Gaussian law, unbiased.

The energy distance 2E‖Y-Z‖ - E‖Y-Y'‖ - E‖Z-Z'‖ of two laws is zero if and only if they are equal. Each
expectation is estimated over pairs of different draws, so the estimate has no bias at any number of inputs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate

__all__ = ["energy_distance", "logit_energy_distance", "logit_scale", "rectified_energy_distance"]

Array = NDArray[np.float64]


def _rows(name: str, values: Array, columns: int | None = None) -> Array:
    """A sample: at least two draws, one a row (a vector is a column), of a size whose squares are doubles."""
    array = validate.real_array(name, values, meaning=_DRAWS, copy=False)
    column = array[:, None] if array.ndim == 1 else array
    checked = validate.matrix(name, column, columns=columns, meaning=_DRAWS)
    if len(checked) < 2 or np.abs(checked).max() > _LARGEST:
        raise ValueError(f"{name}: expected at least two draws, none beyond ±{_LARGEST:g}")
    return checked


_LARGEST = 1e150
_DRAWS = "one draw a row, at least two"


def rectified_energy_distance(values: Array, variance: float) -> float:
    """Mean over columns of the energy distance between a column's law and the rectified N(0, variance).

    E|t - Z| and E|Z - Z'| of Z = max(N(0, variance), 0) are closed forms; only ``values`` are random.
    """
    from rmtsim._kernels.energy_distances import rectified_sums

    values = _rows("values", values)
    count, columns = values.shape
    deviation = math.sqrt(validate.positive_number("variance", variance))
    errors, densities, distances = rectified_sums(np.ascontiguousarray(values), deviation)
    cross = errors + deviation * (2 * densities - values.size) / math.sqrt(2 * math.pi)
    own = 2 * distances / (count * (count - 1))
    return float((2 * cross / count - own) / columns - deviation / math.sqrt(math.pi))


def _mean_distance(first: Array, second: Array | None = None) -> float:
    """Mean distance over pairs: all of two samples, or different ones of one sample."""
    if second is None:
        count = first.shape[0]
        return float(_mean_distance(first, first) * count / (count - 1))
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2 * first @ second.T
    return float(np.sqrt(np.maximum(squares, 0.0)).mean())


def energy_distance(first: Array, second: Array) -> float:
    """Energy distance of the laws of two independent samples (rows), unbiased.

    >>> rng = np.random.default_rng(0)
    >>> same = energy_distance(rng.standard_normal((400, 2)), rng.standard_normal((400, 2)))
    >>> abs(same) < 0.02
    True
    """
    first = _rows("first", first)
    second = _rows("second", second, columns=first.shape[1])
    return 2 * _mean_distance(first, second) - _mean_distance(first) - _mean_distance(second)


def logit_scale(classes: int, units: int) -> float:
    """Mean over W^(2) of ‖W^(2)v‖/‖v‖: E‖N(0, I_c)‖/√n = √2 Γ((c+1)/2)/(Γ(c/2)√n).

    Given the hidden activations every distance between logits is that of a Gaussian vector, so its mean over the last
    weights needs no last weights.
    """
    classes = validate.integer("classes", classes, meaning="number of classes c")
    units = validate.integer("units", units, meaning="units of the last hidden layer")
    ratio = math.lgamma((classes + 1) / 2) - math.lgamma(classes / 2)
    return math.sqrt(2 / units) * math.exp(ratio)


def logit_energy_distance(hidden: Array, classes: int, variance: float) -> float | Array:
    """Energy distance between the logits' law given the weights and N(0, variance I_c), averaged over W^(2).

    ``hidden`` holds activations y as rows; of a stack of such samples (… × inputs × units) an array is returned.
    Given y and y' the logits W^(2)y are N(0, |y|²/n I_c) and their differences N(0, |y-y'|²/n I_c), and the norm of a
    Gaussian vector has a closed mean.

    >>> same = logit_energy_distance(np.ones((5, 100)), 3, 1.0)      # one activation only: the logits are a point
    >>> abs(same - math.sqrt(2) * logit_scale(3, 1)) < 1e-12
    True
    """
    stack = validate.real_array("hidden", hidden, meaning=_DRAWS, copy=False)
    if stack.ndim > 2:
        _rows("hidden", stack.reshape(-1, stack.shape[-1]))
    else:
        stack = _rows("hidden", stack)
    variance = validate.positive_number("variance", variance, meaning="variance of a logit")
    count, units = stack.shape[-2:]
    if count < 2:
        raise ValueError(f"hidden: expected at least two draws, not {count}")
    products = stack @ stack.mT
    squares = np.einsum("...xx->...x", products).copy()
    cross = np.sqrt(squares / units + variance).mean(axis=-1)
    products *= -2
    products += squares[..., :, None]
    products += squares[..., None, :]
    # Over pairs of different inputs; an input's distance to itself is zero.
    own = np.sqrt(np.maximum(products, 0.0, out=products)).sum(axis=(-2, -1)) / (count * (count - 1))
    distances = logit_scale(classes, 1) * (2 * cross - own / math.sqrt(units) - math.sqrt(2 * variance))
    return float(distances) if stack.ndim == 2 else np.asarray(distances)
