"""Many linear softmax models in one call: softmax of their logits, reduced to block energies."""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel
from rmtsim.kernels.softmax import softmax_columns

__all__ = ["linear_energies"]


@kernel
def linear_energies(grams, logits, out):  # type: ignore[no-untyped-def]
    """A row of ``out`` a replicate: mean ‖H_ii‖², Σ_{i≠j}‖H_ij‖², ‖XᵀX/N‖², variance of the logits over classes.

    ``grams`` are XXᵀ, replicates × samples × samples, ``logits`` replicates × classes × samples: two products that BLAS
    does best. The logits are overwritten.
    """
    _, classes, samples = logits.shape
    squares = np.empty((classes, samples))
    pair = np.empty(samples)
    both = np.empty(samples)
    own = np.empty(samples)
    for replicate in range(out.shape[0]):
        p = logits[replicate]
        gram = grams[replicate]
        spread = 0.0
        for n in range(samples):
            total = 0.0
            square = 0.0
            for c in range(classes):
                total += p[c, n]
                square += p[c, n] * p[c, n]
            spread += square / classes - (total / classes) ** 2
        softmax_columns(p)
        for c in range(classes):
            for n in range(samples):
                squares[c, n] = p[c, n] * p[c, n]
        diagonal = 0.0
        off = 0.0
        data = 0.0
        for n in range(samples):
            for m in range(n + 1):
                pair[m] = 0.0
                both[m] = 0.0
                own[m] = 0.0
            for c in range(classes):
                first = p[c, n]
                second = squares[c, n]
                variance = first - second
                for m in range(n + 1):
                    pair[m] += first * p[c, m]
                    both[m] += second * squares[c, m]
                    own[m] += variance * (p[c, m] - squares[c, m])
            for m in range(n + 1):
                weight = gram[n, m] * gram[n, m]
                if m < n:
                    weight *= 2.0
                data += weight
                off += weight * (pair[m] * pair[m] - both[m])
                diagonal += weight * own[m]
        out[replicate, 0] = diagonal / classes / samples**2
        out[replicate, 1] = off / samples**2
        out[replicate, 2] = data / samples**2
        out[replicate, 3] = spread / samples
