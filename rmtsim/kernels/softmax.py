"""The softmax inside compiled loops; outside them it is :func:`rmtsim.networks.softmax.softmax`."""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel

__all__ = ["softmax_columns"]


@kernel
def softmax_columns(logits):  # type: ignore[no-untyped-def]
    """Each column in place: classes are rows, so that later sums over classes run along samples.

    Such sums the compiler turns into vector code without changing the order of any of them.
    """
    classes, samples = logits.shape
    for n in range(samples):
        top = logits[0, n]
        for c in range(1, classes):
            top = max(top, logits[c, n])
        total = 0.0
        for c in range(classes):
            logits[c, n] = np.exp(logits[c, n] - top)
            total += logits[c, n]
        for c in range(classes):
            logits[c, n] /= total
