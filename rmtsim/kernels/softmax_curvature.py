"""Loops over inputs: softmax, rows that factor its curvature diag(p) - ppᵀ, energies of pairs of inputs."""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel

__all__ = ["curvature_rows", "pair_energy", "softmax_rows"]


@kernel
def softmax_rows(logits, out):  # type: ignore[no-untyped-def]
    """``out[x] = softmax(logits[x])``, shifted by the row's maximum so that nothing overflows."""
    count, classes = logits.shape
    for x in range(count):
        top = logits[x, 0]
        for a in range(1, classes):
            top = max(top, logits[x, a])
        total = 0.0
        for a in range(classes):
            out[x, a] = np.exp(logits[x, a] - top)
            total += out[x, a]
        for a in range(classes):
            out[x, a] /= total


@kernel
def curvature_rows(jacobian, confidence, active, out):  # type: ignore[no-untyped-def]
    """Rows of Q_x J D_x, c-1 per input, with Q_xᵀQ_x = A = diag(p) - ppᵀ, so that their Gram matrix is D JᵀA J D.

    Row a of Q_x is √(p_a S_{a+1}/S_a)·(e_a - mean of e_k over k > a with weights p_k), S_a = p_a + … + p_c: the
    variance of a class label taken apart by asking "is it class a?" for one class after the other. ``jacobian`` is
    classes × units (shared by all inputs), ``out`` is (inputs·(classes-1)) × units.
    """
    count, classes = confidence.shape
    units = jacobian.shape[1]
    ranks = classes - 1
    root = np.empty(ranks)
    tail = np.empty(classes)
    for x in range(count):
        tail[ranks] = confidence[x, ranks]
        for a in range(ranks - 1, -1, -1):
            tail[a] = tail[a + 1] + confidence[x, a]
            root[a] = np.sqrt(confidence[x, a] * tail[a + 1] / tail[a]) if tail[a] > 0.0 else 0.0
        for i in range(units):
            if active[x, i] == 0.0:
                for a in range(ranks):
                    out[x * ranks + a, i] = 0.0
            else:
                mean = jacobian[ranks, i]
                for a in range(ranks - 1, -1, -1):
                    difference = jacobian[a, i] - mean
                    out[x * ranks + a, i] = root[a] * difference
                    if tail[a] > 0.0:
                        mean += confidence[x, a] / tail[a] * difference


@kernel
def pair_energy(gram, inner, ranks, out):  # type: ignore[no-untyped-def]
    """``out[0] += Σ_{x,y} inner[x, y]² ‖block(x, y)‖²_F`` with ``gram`` in ranks × ranks blocks."""
    rows, columns = inner.shape
    total = 0.0
    for x in range(rows):
        for y in range(columns):
            energy = 0.0
            for a in range(ranks):
                for b in range(ranks):
                    value = gram[x * ranks + a, y * ranks + b]
                    energy += value * value
            total += energy * inner[x, y] * inner[x, y]
    out[0] += total
