"""Squared norms and small projections of one two-layer network's output Hessians, from two halves of its inputs.

Names as in :mod:`rmtsim.hessian.two_layer`: W the last weights (classes × units), ``active`` the gates D and
``confidence`` the softmax p as rows, A = diag(p) - ppᵀ, M = E[DWᵀAWD], M* the same with gates independent of A. The
first half of the inputs gives one estimate, the second half the other; an odd input is left out.
"""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel

__all__ = ["independent_energy", "projections", "unit_averages"]


@kernel
def independent_energy(weights, active, curvature):  # type: ignore[no-untyped-def]
    """⟨M*_a, M*_b⟩_F, gates of one half with E[A] of the other (``curvature`` 2 × classes × classes)."""
    middle = active.shape[0] // 2
    ones, twos = active[:middle], active[middle : 2 * middle]
    first = np.dot(ones.T, ones) * np.dot(weights.T, np.dot(curvature[1], weights))
    second = np.dot(twos.T, twos) * np.dot(weights.T, np.dot(curvature[0], weights))
    return _inner(first, second) / middle**2


@kernel
def _inner(first, second):  # type: ignore[no-untyped-def]
    """⟨first, second⟩_F, a part for every column: such sums become vector code."""
    rows, columns = first.shape
    sums = np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            sums[j] += first[i, j] * second[i, j]
    return sums.sum()


@kernel
def projections(weights, active, confidence, curvature, output, independent):  # type: ignore[no-untyped-def]
    """``output`` = W M Wᵀ and ``independent`` = W M* Wᵀ on both halves (2 × classes × classes).

    Means of (W D Wᵀ) A (W D Wᵀ) with A of the input, and with the other half's E[A]: c × c matrices alone.
    """
    classes, units = weights.shape
    middle = active.shape[0] // 2
    products = np.empty((units, classes * classes))
    for i in range(units):
        for a in range(classes):
            for b in range(classes):
                products[i, a * classes + b] = weights[a, i] * weights[b, i]
    gates = np.dot(active, products).reshape(active.shape[0], classes, classes)
    moved = np.empty((classes, classes))
    mean = np.empty(classes)
    for half in range(2):
        output[half] = 0.0
        independent[half] = 0.0
        other = curvature[1 - half]
        for x in range(half * middle, (half + 1) * middle):
            gate = gates[x]
            p = confidence[x]
            # A G = p∘(G - pᵀG).
            for b in range(classes):
                mean[b] = 0.0
            for a in range(classes):
                for b in range(classes):
                    mean[b] += p[a] * gate[a, b]
            for a in range(classes):
                for b in range(classes):
                    moved[a, b] = p[a] * (gate[a, b] - mean[b])
            _add_product(gate, moved, output[half])
            for a in range(classes):
                for b in range(classes):
                    moved[a, b] = 0.0
                for k in range(classes):
                    for b in range(classes):
                        moved[a, b] += other[a, k] * gate[k, b]
            _add_product(gate, moved, independent[half])
        output[half] /= middle
        independent[half] /= middle


@kernel
def _add_product(first, second, out):  # type: ignore[no-untyped-def]
    """out += first second."""
    size = first.shape[0]
    for a in range(size):
        for k in range(size):
            value = first[a, k]
            for b in range(size):
                out[a, b] += value * second[k, b]


@kernel
def unit_averages(weights, active, logits):  # type: ignore[no-untyped-def]
    """(projected, energy, length, bias) of :mod:`rmtsim.hessian.known_averages`, before their means are taken off."""
    classes, units = weights.shape
    middle = active.shape[0] // 2
    rates = np.zeros((2, units))
    means = np.zeros((2, classes))
    for half in range(2):
        for x in range(half * middle, (half + 1) * middle):
            for i in range(units):
                rates[half, i] += active[x, i]
            for c in range(classes):
                means[half, c] += logits[x, c]
    projected = 0.0
    energy = 0.0
    length = 0.0
    for i in range(units):
        common = 0.0
        for c in range(classes):
            common += weights[c, i]
        common /= classes
        square = 0.0
        for c in range(classes):
            square += (weights[c, i] - common) ** 2
        projected += square * (rates[0, i] + rates[1, i])
        energy += square * rates[0, i] * rates[1, i]
        length += square
    common = means[0].sum() / classes
    bias = 0.0
    for c in range(classes):
        bias += (means[0, c] - common) * means[1, c]
    ranks = classes - 1
    return (
        projected / (2.0 * middle * ranks),
        energy / (middle**2 * ranks),
        length / ranks,
        bias / (middle**2 * ranks),
    )
