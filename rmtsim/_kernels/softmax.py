"""The softmax inside compiled loops; outside them it is :func:`rmtsim.networks._softmax.softmax`."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim._kernels.exponential import exponential


@kernel
def softmax_columns(logits):  # type: ignore[no-untyped-def]
    """Each column in place: classes are rows, so that every loop runs along samples.

    Such loops the compiler turns into vector code without changing the order of any sum.
    """
    classes, samples = logits.shape
    top = np.empty(samples)
    total = np.zeros(samples)
    for n in range(samples):
        top[n] = logits[0, n]
    for c in range(1, classes):
        for n in range(samples):
            top[n] = logits[c, n] if logits[c, n] > top[n] else top[n]
    for c in range(classes):
        for n in range(samples):
            value = exponential(logits[c, n] - top[n])
            logits[c, n] = value
            total[n] += value
    for n in range(samples):
        total[n] = 1.0 / total[n]
    for c in range(classes):
        for n in range(samples):
            logits[c, n] *= total[n]
