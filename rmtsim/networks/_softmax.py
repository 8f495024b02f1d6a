"""The softmax, used by all simulated models."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array

Real = TypeVar("Real", bound=np.floating[Any])


_CACHED = 2**15
"""Numbers in a group of rows."""


def softmax(logits: Array) -> Array:
    """softmax along the last axis, shifted by the maximum so that no exponential overflows.

    >>> softmax(np.array([[0.0, 0.0], [1e9, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return softmax_in_place(np.array(logits, dtype=np.float64))


def softmax_in_place(logits: NDArray[Real]) -> NDArray[Real]:
    """The same, overwriting ``logits``: with many classes temporaries cost more than the exponentials.

    Rows are taken in groups that stay in the processor's cache from one pass to the next.
    """
    group = max(1, _CACHED // logits.shape[-1]) if logits.ndim == 2 and logits.size > _CACHED else len(logits)
    for start in range(0, len(logits), group):
        part = logits[start : start + group]
        with np.errstate(over="ignore"):  # a gap beyond the largest double is a probability of zero
            part -= part.max(axis=-1, keepdims=True)
        np.exp(part, out=part)
        part /= part.sum(axis=-1, keepdims=True)
    return logits


def log_sum_exp(logits: Array) -> Array:
    """log Σ exp along the last axis, as top + log(1 + the others), which is accurate if the sum of the others is small.

    >>> log_sum_exp(np.array([[1000.0, 1000.0]])) - 1000
    array([0.69314718])
    >>> log_sum_exp(np.array([[0.0, -50.0]]))
    array([1.92874985e-22])
    """
    top = logits.max(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):  # as in the softmax
        exponentials = np.exp(logits - top)
    np.put_along_axis(exponentials, logits.argmax(axis=-1)[..., None], 0.0, axis=-1)
    return np.asarray(top[..., 0] + np.log1p(exponentials.sum(axis=-1)))


def others(probabilities: Array, chosen: NDArray[np.intp]) -> Array:
    """Σ of a row's probabilities but the chosen one: 1 - p without cancellation where p is nearly one.

    >>> others(np.array([[1.0, 1e-30]]), np.array([0]))
    array([1.e-30])
    """
    left = probabilities.copy()
    left[np.arange(len(left)), chosen] = 0.0
    return np.asarray(left.sum(axis=1))


def from_top(vectors: Array, top: NDArray[np.intp]) -> Array:
    """v - v_top for vectors of shape (…, samples, classes), ``top`` the likeliest class of each sample.

    A softmax and its derivatives depend on differences of v alone. Relative to the likeliest class, they are
    multiplied by small probabilities if the softmax is saturated (p_top = 1 - 1e-20), so that nothing cancels.
    """
    return np.asarray(vectors - vectors[..., np.arange(len(top)), top][..., None])
