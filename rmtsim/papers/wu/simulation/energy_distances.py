"""Energy distances between drawn activations or logits and a rectified or plain Gaussian law, unbiased."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.energy_distance import DRAWS, draws


def rectified_energy_distance(values: Array, variance: float) -> float:
    """Mean over columns of the energy distance between a column's law and the rectified N(0, variance).

    E|t - Z| and E|Z - Z'| of Z = max(N(0, variance), 0) are closed forms; only ``values`` are random.
    """
    from rmtsim.papers.wu.simulation.kernels.energy_distances import rectified_sums

    values = draws("values", values)
    count, columns = values.shape
    deviation = math.sqrt(validate.positive_number("variance", variance))
    errors, densities, distances = rectified_sums(np.ascontiguousarray(values), deviation)
    cross = errors + deviation * (2 * densities - values.size) / math.sqrt(2 * math.pi)
    own = 2 * distances / (count * (count - 1))
    return float((2 * cross / count - own) / columns - deviation / math.sqrt(math.pi))


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
    stack = validate.real_array("hidden", hidden, meaning=DRAWS, copy=False)
    if stack.ndim > 2:
        draws("hidden", stack.reshape(-1, stack.shape[-1]))
    else:
        stack = draws("hidden", stack)
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
