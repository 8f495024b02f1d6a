"""Shapes in the proportional regime d, N → ∞ with d/N → γ, and block energies of linear softmax models drawn in it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array

UNIT = 40
"""The smallest size, of which the others are multiples."""


class LinearBlocks(NamedTuple):
    """Mean energies of the blocks of one kind, one number per model, and quantities of known mean."""

    diagonal: Array
    offdiagonal: Array
    companions: Array
    dimension: int


def proportional_shape(size: int, gamma: float) -> tuple[int, int]:
    """(dimension, samples) with the smaller of the two close to ``size`` and their ratio close to ``gamma``.

    Rounding one of the two would disturb the ratio by up to 1/(2·size), an irregular error that finite-size
    fits cannot model. Among shapes whose smaller side is within 4 % above ``size`` this takes the best
    ratio (the smallest such shape if several are equally good).

    >>> proportional_shape(100, 0.5), proportional_shape(100, 3.0), proportional_shape(40, 0.7)
    ((100, 200), (300, 100), (42, 60))
    """
    size = validate.integer("size", size, meaning="smaller of dimension and samples")
    gamma = validate.positive_number("gamma", gamma, meaning="gamma = d/N")
    if not size * max(gamma, 1 / gamma) <= validate.MAXIMUM_SIZE:
        raise ValueError(
            f"gamma={gamma}: the larger side would exceed {validate.MAXIMUM_SIZE} at size={size}"
        )
    return _best_shape(size, gamma)


@cache
def _best_shape(size: int, gamma: float) -> tuple[int, int]:
    """Kept, because samplers ask for the same shape in every replicate."""
    factor = max(gamma, 1 / gamma)
    smaller = min(
        range(size, size + max(size // 25, 2) + 1),
        key=lambda side: abs(round(side * factor) / (side * factor) - 1),
    )
    larger = validate.integer("larger side", round(smaller * factor), meaning=f"size={size}, gamma={gamma}")
    return (smaller, larger) if gamma <= 1 else (larger, smaller)


def shape(size: int, gamma: float) -> tuple[int, int]:
    """(d, N) of a size; the further the ratio is from one, the smaller the smaller side, which bounds the N²d of work.

    Sizes are multiples of a unit whose (d, N) is rounded once: rounded at each size, d would deviate from its
    proportion to the size by a per cent or two, which no series in 1/size describes.
    """
    unit = UNIT if size % UNIT == 0 else size
    dimension, samples = proportional_shape(max(2, round(unit * min(gamma, 1 / gamma) ** 0.25)), gamma)
    return dimension * (size // unit), samples * (size // unit)


def draw_block_energies(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int
) -> LinearBlocks:
    """Mean ‖H_ii‖² and ‖H_ij‖² of drawn models; companions: the variance of the logits and ‖XᵀX/N‖²/d.

    The theorem is about one block; all blocks of a kind have one distribution, so their average has the
    same limit and less noise.
    """
    from rmtsim.curvature._linear_batches import sample_mean_energies

    dimension, samples = shape(size, gamma)
    found = sample_mean_energies(dimension, samples, classes, rng, replicates)
    companions = np.stack([found.logit_variance, found.data / dimension], axis=1)
    return LinearBlocks(found.diagonal, found.offdiagonal, companions, dimension)


def draw_block_norms(
    size: int, rng: np.random.Generator, replicates: int, gamma: float, classes: int, *, diagonal: bool
) -> Array:
    """(1/d)‖H_ii‖_F, or (1/d)‖H_ij‖_F for j = i + 1 mod C: the mean over the classes i, one number per drawn model.

    A mean of norms is not the root of a mean energy: the two differ by a relative variance of the energies, which
    vanishes only with growing size.
    """
    from rmtsim.networks._softmax import softmax_in_place

    dimension, samples = shape(size, gamma)
    norms, inputs, form = np.empty(replicates), np.empty((samples, dimension)), np.empty((samples, samples))
    for replicate in range(replicates):
        rng.standard_normal(out=inputs)
        outputs = rng.standard_normal((classes, dimension))
        outputs /= np.sqrt(dimension)
        p = softmax_in_place(inputs @ outputs.T)
        weights = p * (1 - p) if diagonal else p * np.concatenate([p[:, 1:], p[:, :1]], axis=1)
        np.matmul(inputs, inputs.T, out=form)
        np.square(form, out=form)
        applied = form @ weights
        applied *= weights
        norms[replicate] = np.sqrt(applied.sum(axis=0)).mean() / (samples * dimension)
    return norms


def companion_means(size: int, gamma: float, classes: int) -> tuple[float, float]:
    """Exact means of the companions: logits have variance |x|²/d given x, and E‖XᵀX/N‖²/d = (d + 1 + N)/N.

    The latter from E(x_n·x_m)² = d for n ≠ m and E|x_n|⁴ = d(d + 2).
    """
    dimension, samples = shape(size, gamma)
    return 1 - 1 / classes, (dimension + 1 + samples) / samples


def energy_cost(size: int, gamma: float, classes: int) -> float:
    """Nominal seconds of a replicate."""
    dimension, samples = shape(size, gamma)
    return (
        1.5e-4
        + 2e-8 * (samples + classes) * dimension
        + samples**2 * (2.2e-8 + 6e-11 * (dimension + 3 * classes))
    )


def energy_memory(size: int, gamma: float, classes: int) -> float:
    """Bytes of a replicate."""
    dimension, samples = shape(size, gamma)
    return float(8.0 * (samples * (dimension + classes) + 3.0 * samples**2))
