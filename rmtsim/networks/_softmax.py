"""The softmax of the simulation side: one definition for every model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array


def softmax(logits: Array) -> Array:
    """softmax along the last axis, shifted by the maximum so that no exponential overflows.

    >>> softmax(np.array([[0.0, 0.0], [1e9, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return softmax_in_place(np.array(logits, dtype=np.float64))


def softmax_in_place(logits: Array) -> Array:
    """The same, overwriting ``logits``: with many classes temporaries would cost more than the exponentials."""
    with np.errstate(over="ignore"):  # a gap beyond the largest double is a probability of zero
        logits -= logits.max(axis=-1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=-1, keepdims=True)
    return logits


def log_sum_exp(logits: Array) -> Array:
    """log Σ exp along the last axis, as top + log(1 + the others): nothing of a small sum of others is lost.

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

    A softmax and its derivatives see differences of v alone. Counted from the likeliest class, a saturated softmax
    (p_top = 1 - 1e-20) multiplies its small probabilities by them; nothing cancels.
    """
    return np.asarray(vectors - vectors[..., np.arange(len(top)), top][..., None])
