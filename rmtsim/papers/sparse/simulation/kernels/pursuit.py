"""Compiled loops of sparse coding: batch orthogonal matching pursuit, and the best support by exhaustion."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel


@kernel
def matching_pursuit(gram, correlations, sparsity, codes, supports):  # type: ignore[no-untyped-def]
    """k steps of OMP for every row of ``correlations`` = yᵀB, from the Gram matrix alone (Rubinstein et al., 2008).

    The Cholesky factor of the chosen columns grows by a row a step. A step stops the pursuit of a measurement if no
    column correlates with its residual, or if the best one depends on those chosen; supports then end in -1.
    """
    count, atoms = correlations.shape
    factor = np.zeros((sparsity, sparsity))
    row = np.empty(sparsity)
    solved = np.empty(sparsity)
    left = np.empty(atoms)
    for n in range(count):
        largest = 0.0
        for j in range(atoms):
            left[j] = correlations[n, j]
            largest = max(largest, abs(left[j]))
        chosen = 0
        while chosen < sparsity:
            best = -1
            top = 1e-13 * largest
            for j in range(atoms):
                if abs(left[j]) > top:
                    fresh = True
                    for i in range(chosen):
                        if supports[n, i] == j:
                            fresh = False
                    if fresh:
                        best, top = j, abs(left[j])
            if best < 0:
                break
            square = gram[best, best]
            for i in range(chosen):
                value = gram[best, supports[n, i]]
                for m in range(i):
                    value -= row[m] * factor[i, m]
                row[i] = value / factor[i, i]
                square -= row[i] * row[i]
            if square <= 1e-12 * gram[best, best]:
                break
            for i in range(chosen):
                factor[chosen, i] = row[i]
            factor[chosen, chosen] = np.sqrt(square)
            supports[n, chosen] = best
            chosen += 1
            for i in range(chosen):
                value = correlations[n, supports[n, i]]
                for m in range(i):
                    value -= factor[i, m] * solved[m]
                solved[i] = value / factor[i, i]
            for i in range(chosen - 1, -1, -1):
                value = solved[i]
                for m in range(i + 1, chosen):
                    value -= factor[m, i] * solved[m]
                solved[i] = value / factor[i, i]
            if chosen < sparsity:
                for j in range(atoms):
                    value = correlations[n, j]
                    for i in range(chosen):
                        value -= gram[j, supports[n, i]] * solved[i]
                    left[j] = value
        for i in range(chosen):
            codes[n, supports[n, i]] = solved[i]


@kernel
def _next_subset(subset, atoms):  # type: ignore[no-untyped-def]
    """The next subset in lexicographic order, in place; False after the last."""
    size = subset.size
    for i in range(size - 1, -1, -1):
        if subset[i] < atoms - size + i:
            subset[i] += 1
            for j in range(i + 1, size):
                subset[j] = subset[j - 1] + 1
            return True
    return False


@kernel
def best_supports(gram, correlations, sparsity, energies, supports):  # type: ignore[no-untyped-def]
    """Largest ‖P_S y‖² over all supports of that size, for every row of ``correlations`` = yᵀB, and its support.

    Each support is factorised once for all measurements. A column that depends on earlier ones of its support adds
    nothing to the span and is passed over.
    """
    count, atoms = correlations.shape
    subset = np.arange(sparsity)
    factor = np.zeros((sparsity, sparsity))
    solved = np.empty(sparsity)
    energies[:] = -1.0
    going = True
    while going:
        for i in range(sparsity):
            for j in range(i + 1):
                value = gram[subset[i], subset[j]]
                for m in range(j):
                    value -= factor[i, m] * factor[j, m]
                if j < i:
                    factor[i, j] = value / factor[j, j] if factor[j, j] > 0.0 else 0.0
                else:
                    factor[i, i] = np.sqrt(value) if value > 1e-12 * gram[subset[i], subset[i]] else 0.0
        for n in range(count):
            energy = 0.0
            for i in range(sparsity):
                if factor[i, i] == 0.0:
                    solved[i] = 0.0
                    continue
                value = correlations[n, subset[i]]
                for m in range(i):
                    value -= factor[i, m] * solved[m]
                solved[i] = value / factor[i, i]
                energy += solved[i] * solved[i]
            if energy > energies[n]:
                energies[n] = energy
                for i in range(sparsity):
                    supports[n, i] = subset[i]
        going = _next_subset(subset, atoms)


@kernel
def extreme_eigenvalues(gram, sparsity):  # type: ignore[no-untyped-def]
    """Least and largest eigenvalue of A_SᵀA_S over all supports S of that size."""
    subset = np.arange(sparsity)
    part = np.empty((sparsity, sparsity))
    low, high = np.inf, -np.inf
    going = True
    while going:
        for i in range(sparsity):
            for j in range(sparsity):
                part[i, j] = gram[subset[i], subset[j]]
        values = np.linalg.eigvalsh(part)
        low, high = min(low, values[0]), max(high, values[-1])
        going = _next_subset(subset, gram.shape[0])
    return low, high
