"""Gated sample covariances, one replicate after the other without arrays of all of them."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel


@kernel
def gated_pair_sums(inputs, weights, gates, out):  # type: ignore[no-untyped-def]
    """``out[r]`` = Σ_{n≠n'} λ_n λ_n' (x_n·x_n')², λ_n = 1 where the first ``gates`` of x_n·w_k are positive.

    ``inputs`` replicates × N × d, ``weights`` replicates × d × gates.
    """
    replicates, samples, dimension = inputs.shape
    chosen = np.empty(samples, dtype=np.int64)
    for r in range(replicates):
        count = 0
        for n in range(samples):
            is_open = True
            for k in range(gates):
                product = 0.0
                for j in range(dimension):
                    product += inputs[r, n, j] * weights[r, j, k]
                if product <= 0.0:
                    is_open = False
            if is_open:
                chosen[count] = n
                count += 1
        total = 0.0
        for a in range(count):
            for b in range(a):
                product = 0.0
                for j in range(dimension):
                    product += inputs[r, chosen[a], j] * inputs[r, chosen[b], j]
                total += product * product
        out[r] = 2.0 * total
