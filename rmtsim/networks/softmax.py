"""The softmax of the simulation side: one definition for every model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_sum_exp", "softmax", "softmax_in_place"]

Array = NDArray[np.float64]


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
    """log Σ exp along the last axis.

    >>> log_sum_exp(np.array([[1000.0, 1000.0]])) - 1000
    array([0.69314718])
    """
    top = logits.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.exp(logits - top).sum(axis=-1)))
