"""Many linear softmax models in one call: softmax of their logits, reduced to block energies."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim._kernels.softmax import softmax_columns


@kernel
def linear_energies(grams, logits, out):  # type: ignore[no-untyped-def]
    """A row of ``out`` a replicate: mean ‖H_ii‖², Σ_{i≠j}‖H_ij‖², ‖XᵀX/N‖², variance of the logits over classes.

    ``grams`` are XXᵀ, replicates × samples × samples, ``logits`` replicates × classes × samples: two products that BLAS
    does best. The logits are overwritten. With K = (x·x')²/N², Σ_{i≠j}‖H_ij‖² = Σ K_nm ((p_n·p_m)² - Σ_c p_cn² p_cm²):
    all but (p·p')² are forms of K in vectors over the samples, and a product with K is one of BLAS for all classes.
    """
    _, classes, samples = logits.shape
    form = np.empty((samples, samples))
    # p_c² in the first rows, p_c - p_c² in the others.
    vectors = np.empty((2 * classes, samples))
    first = np.empty(samples)
    second = np.empty(samples)
    third = np.empty(samples)
    fourth = np.empty(samples)
    for replicate in range(out.shape[0]):
        p = logits[replicate]
        gram = grams[replicate]
        first[:] = 0.0
        second[:] = 0.0
        for c in range(classes):
            for n in range(samples):
                first[n] += p[c, n]
                second[n] += p[c, n] * p[c, n]
        spread = 0.0
        for n in range(samples):
            spread += second[n] / classes - (first[n] / classes) ** 2
        softmax_columns(p)
        for c in range(classes):
            for n in range(samples):
                square = p[c, n] * p[c, n]
                vectors[c, n] = square
                vectors[classes + c, n] = p[c, n] - square
        products = np.dot(p.T, p)
        # Sums of K, of K(p·p')², and of the two forms, a part in every entry: such sums become vector code.
        first[:] = 0.0
        second[:] = 0.0
        third[:] = 0.0
        fourth[:] = 0.0
        for n in range(samples):
            for m in range(samples):
                weight = gram[n, m] * gram[n, m]
                form[n, m] = weight
                first[m] += weight
                second[m] += weight * (products[n, m] * products[n, m])
        applied = np.dot(vectors, form)
        for c in range(classes):
            for n in range(samples):
                third[n] += vectors[c, n] * applied[c, n]
                fourth[n] += vectors[classes + c, n] * applied[classes + c, n]
        data = 0.0
        off = 0.0
        diagonal = 0.0
        for n in range(samples):
            data += first[n]
            off += second[n] - third[n]
            diagonal += fourth[n]
        out[replicate, 0] = diagonal / classes / samples**2
        out[replicate, 1] = off / samples**2
        out[replicate, 2] = data / samples**2
        out[replicate, 3] = spread / samples
