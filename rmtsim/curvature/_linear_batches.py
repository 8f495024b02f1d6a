"""Mean block energies of many linear softmax models, drawn and reduced together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.curvature._linear_model import checked_sizes


@frozen
class MeanEnergies:
    """Averages over the blocks of many independent models, one number a model; companions as in LinearEnergies."""

    diagonal: NDArray[np.float64]
    """Mean ‖H_ii‖²."""
    offdiagonal: NDArray[np.float64]
    """Mean ‖H_ij‖², i ≠ j."""
    data: NDArray[np.float64]
    logit_variance: NDArray[np.float64]


_COMPILED_CLASSES = 200
"""Number of classes up to which the compiled loop is faster than NumPy at every measured size (docs/benchmarks.md)."""


_DRAWN = 2**16
"""Numbers drawn at once for the compiled loop: enough to amortise a call, few enough for the cache."""


def sample_mean_energies(
    dimension: int, samples: int, classes: int, rng: np.random.Generator, replicates: int
) -> MeanEnergies:
    """Mean block energies of ``replicates`` models, drawn one after the other as sample_block_energies draws them.

    With few classes many of them are drawn at once and reduced in one compiled call; values agree with
    :func:`~rmtsim.curvature._linear_energies.sample_block_energies` to rounding.

    >>> from rmtsim.curvature._linear_energies import sample_block_energies
    >>> found = sample_mean_energies(3, 5, 4, np.random.default_rng(0), 2)
    >>> one = sample_block_energies(3, 5, 4, np.random.default_rng(0))
    >>> bool(np.isclose(found.diagonal[0], one.mean_diagonal) and np.isclose(found.data[0], one.data))
    True
    """
    replicates = validate.integer("replicates", replicates, minimum=0)
    dimension, samples, classes = checked_sizes(dimension, samples, classes)
    rng = validate.generator("rng", rng)
    table = np.empty((replicates, 4))
    if classes > _COMPILED_CLASSES:
        from rmtsim.curvature._linear_energies import sample_block_energies

        for row in table:
            one = sample_block_energies(dimension, samples, classes, rng)
            row[:] = one.mean_diagonal, one.offdiagonal, one.data, one.logit_variance
    else:
        validate.memory(
            8.0 * (3 * samples**2 + samples * (dimension + 6 * classes) + 2 * classes * dimension),
            f"a model with dimension={dimension}, samples={samples}",
        )
        numbers = (samples + classes) * dimension
        step = max(1, _DRAWN // numbers)
        for start in range(0, replicates, step):
            part = table[start : start + step]
            drawn = rng.standard_normal((len(part), samples + classes, dimension))
            inputs, weights = drawn[:, :samples], drawn[:, samples:]
            weights /= np.sqrt(dimension)
            columns = inputs.transpose(0, 2, 1)
            reduce_models(inputs @ columns, weights @ columns, part)
    return MeanEnergies(table[:, 0], table[:, 1] / (classes * (classes - 1)), table[:, 2], table[:, 3])


def reduce_models(
    grams: NDArray[np.float64], logits: NDArray[np.float64], table: NDArray[np.float64]
) -> None:
    """A row of ``table`` a model: mean ‖H_ii‖², Σ_{i≠j}‖H_ij‖², ‖XᵀX/N‖², variance of the logits over classes.

    ``grams`` are XXᵀ, models × samples × samples, ``logits`` models × classes × samples. Both are overwritten.
    """
    # Imported here because numba is slow to import.
    from rmtsim._kernels.softmax import curvature_vectors, linear_energies

    models, classes, samples = logits.shape
    vectors = np.empty((models, 2 * classes, samples))
    curvature_vectors(logits, vectors, table[:, 3])
    np.square(grams, out=grams)
    linear_energies(grams, logits.transpose(0, 2, 1) @ logits, vectors, vectors @ grams, table)
