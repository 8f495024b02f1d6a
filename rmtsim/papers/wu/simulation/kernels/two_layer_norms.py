"""Squared norms and small projections of two-layer networks' output Hessians, from two halves of their inputs.

Names as in :mod:`rmtsim.papers.wu.simulation.two_layer`: W the last weights (classes × units), ``active`` the
gates D and
``confidence`` the softmax p as rows, A = diag(p) - ppᵀ, M = E[DWᵀAWD], M* the same with gates independent of A. The
first half of the inputs gives one estimate, the second half the other; an odd input is left out.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel
from rmtsim.papers.wu.simulation.kernels.gate_counts import add_counts, packed_gates
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import curvature_rows

_COLUMNS = 32
"""Columns of a symmetric product that are found at once: blocks below the diagonal are not computed."""


@kernel
def mean_curvatures(confidence, out):  # type: ignore[no-untyped-def]
    """``out`` = E[A] = diag(E p) - E[ppᵀ] of both halves, 2 × classes × classes."""
    inputs, classes = confidence.shape
    middle = inputs // 2
    for half in range(2):
        mean = out[half]
        mean[:] = 0.0
        for x in range(half * middle, (half + 1) * middle):
            for a in range(classes):
                for b in range(classes):
                    mean[a, b] -= confidence[x, a] * confidence[x, b]
        for a in range(classes):
            # A row p sums to one, so that E p = E[ppᵀ]1.
            own = 0.0
            for b in range(classes):
                mean[a, b] /= middle
                own += mean[a, b]
            mean[a, a] -= own


@kernel
def output_hessians(weights, active, confidence, out):  # type: ignore[no-untyped-def]
    """``out`` = M of both halves, 2 × units × units."""
    classes, units = weights.shape
    middle = active.shape[0] // 2
    rows = np.empty((middle * (classes - 1), units))
    for half in range(2):
        start, stop = half * middle, (half + 1) * middle
        curvature_rows(weights, confidence[start:stop], active[start:stop], rows)
        _symmetric_product(rows, out[half])
        for i in range(units):
            for j in range(units):
                out[half, i, j] /= middle


@kernel
def _symmetric_product(rows, out):  # type: ignore[no-untyped-def]
    """``out`` = RᵀR for the matrix R of ``rows``."""
    length, units = rows.shape
    blocks = (units + _COLUMNS - 1) // _COLUMNS
    packed = np.zeros((blocks, length, _COLUMNS))
    for r in range(length):
        for i in range(units):
            packed[i // _COLUMNS, r, i % _COLUMNS] = rows[r, i]
    product = np.empty((_COLUMNS, _COLUMNS))
    for one in range(blocks):
        for two in range(one + 1):
            np.dot(packed[one].T, packed[two], product)
            first, second = one * _COLUMNS, two * _COLUMNS
            for i in range(min(_COLUMNS, units - first)):
                for k in range(min(_COLUMNS, units - second)):
                    out[first + i, second + k] = product[i, k]
                    out[second + k, first + i] = product[i, k]


@kernel
def output_energy(weights, active, confidence):  # type: ignore[no-untyped-def]
    """⟨M_a, M_b⟩_F, through the inner products of curvature rows where these are not many more than units."""
    classes, units = weights.shape
    middle = active.shape[0] // 2
    length = middle * (classes - 1)
    if length >= 2 * units:
        matrices = np.empty((2, units, units))
        output_hessians(weights, active, confidence, matrices)
        return _inner(matrices[0], matrices[1])
    rows = np.empty((2, length, units))
    for half in range(2):
        start, stop = half * middle, (half + 1) * middle
        curvature_rows(weights, confidence[start:stop], active[start:stop], rows[half])
    gram = np.dot(rows[0], rows[1].T)
    return _inner(gram, gram) / middle**2


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
def _core_row(weights, moved, unit, row):  # type: ignore[no-untyped-def]
    """``row[k]`` = (WᵀE[A]W)_ik for i = ``unit``, with ``moved`` = E[A]W."""
    row[:] = 0.0
    for c in range(weights.shape[0]):
        value, column = moved[c, unit], weights[c]
        for k in range(row.size):
            row[k] += value * column[k]


@kernel
def independent_hessians(weights, active, curvature, out):  # type: ignore[no-untyped-def]
    """``out`` = M* of both halves (2 × units × units): gates of one with E[A] of the other (``curvature``)."""
    units = weights.shape[1]
    middle = active.shape[0] // 2
    counts = np.empty(units, dtype=np.int64)
    for half in range(2):
        packed = packed_gates(active[half * middle : (half + 1) * middle])
        moved = np.dot(curvature[1 - half], weights)
        for i in range(units):
            row = out[half, i]
            _core_row(weights, moved, i, row)
            counts[:] = 0
            add_counts(packed, i, counts)
            for k in range(units):
                row[k] *= counts[k] / middle


@kernel
def independent_energy(weights, active, curvature):  # type: ignore[no-untyped-def]
    """⟨M*_a, M*_b⟩_F, gates of one half with E[A] of the other (``curvature`` 2 × classes × classes)."""
    units = weights.shape[1]
    middle = active.shape[0] // 2
    first, second = packed_gates(active[:middle]), packed_gates(active[middle : 2 * middle])
    one, two = np.dot(curvature[1], weights), np.dot(curvature[0], weights)
    counts = np.empty((2, units), dtype=np.int64)
    rows = np.empty((2, units))
    sums = np.zeros(units)
    for i in range(units):
        # Both matrices are symmetric: entries left of the diagonal count twice.
        counts[:, : i + 1] = 0
        add_counts(first, i, counts[0, : i + 1])
        add_counts(second, i, counts[1, : i + 1])
        _core_row(weights, one, i, rows[0, : i + 1])
        _core_row(weights, two, i, rows[1, : i + 1])
        for k in range(i):
            sums[k] += 2.0 * (counts[0, k] * counts[1, k]) * (rows[0, k] * rows[1, k])
        sums[i] += counts[0, i] * counts[1, i] * (rows[0, i] * rows[1, i])
    return sums.sum() / middle**2


@kernel
def sandwiches(weights, active):  # type: ignore[no-untyped-def]
    """W D Wᵀ for every input, classes × classes × inputs."""
    classes, units = weights.shape
    products = np.empty((classes * classes, units))
    for a in range(classes):
        for b in range(classes):
            for i in range(units):
                products[a * classes + b, i] = weights[a, i] * weights[b, i]
    return np.dot(products, active.T).reshape(classes, classes, active.shape[0])


@kernel
def projections(gates, confidence, curvature, out):  # type: ignore[no-untyped-def]
    """``out`` = W M Wᵀ on both halves, or W M* Wᵀ where a ``curvature`` (2 × classes × classes) is given.

    Means of G A G with G = W D Wᵀ (``gates``, classes × classes × inputs) and A of the input, or the other half's E[A].
    """
    classes, _, inputs = gates.shape
    middle = inputs // 2
    moved = np.empty((classes, inputs))
    mean = np.empty(inputs)
    terms = np.empty(inputs)
    for b in range(classes):
        # Column b of A G: every loop runs along inputs.
        if curvature is None:
            mean[:] = 0.0
            for a in range(classes):
                for x in range(inputs):
                    mean[x] += confidence[x, a] * gates[a, b, x]
            for a in range(classes):
                for x in range(inputs):
                    moved[a, x] = confidence[x, a] * (gates[a, b, x] - mean[x])
        else:
            moved[:] = 0.0
            for half in range(2):
                for a in range(classes):
                    for k in range(classes):
                        value = curvature[1 - half, a, k]
                        for x in range(half * middle, (half + 1) * middle):
                            moved[a, x] += value * gates[k, b, x]
        for a in range(b + 1):
            terms[:] = 0.0
            for k in range(classes):
                for x in range(inputs):
                    terms[x] += gates[a, k, x] * moved[k, x]
            for half in range(2):
                total = 0.0
                for x in range(half * middle, (half + 1) * middle):
                    total += terms[x]
                out[half, a, b] = total / middle
                out[half, b, a] = total / middle


@kernel
def unit_averages(weights, active, logits):  # type: ignore[no-untyped-def]
    """(projected, energy, length, bias) of ``known_averages``, before their means are taken off."""
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
