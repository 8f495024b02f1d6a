"""Loops over inputs: rows that factor the softmax curvature diag(p) - ppᵀ, energies of pairs of inputs."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel


@kernel
def curvature_rows(jacobian, confidence, active, out):  # type: ignore[no-untyped-def]
    """Rows of Q_x J D_x, c-1 per input, with Q_xᵀQ_x = A = diag(p) - ppᵀ, so that their Gram matrix is D JᵀA J D.

    Row a of Q_x is √(p_a S_{a+1}/S_a)·(e_a - mean of e_k over k > a with weights p_k), S_a = p_a + … + p_c: the
    variance of a class label, decomposed by testing one class after the other. ``jacobian`` is classes × units
    (shared by all inputs), ``out`` is (inputs·(classes-1)) × units.
    """
    count, classes = confidence.shape
    units = jacobian.shape[1]
    ranks = classes - 1
    tail = np.empty(classes)
    mean = np.empty(units)
    for x in range(count):
        tail[ranks] = confidence[x, ranks]
        for a in range(ranks - 1, -1, -1):
            tail[a] = tail[a + 1] + confidence[x, a]
        for i in range(units):
            mean[i] = jacobian[ranks, i]
        for a in range(ranks - 1, -1, -1):
            share = confidence[x, a] / tail[a] if tail[a] > 0.0 else 0.0
            root = np.sqrt(share * tail[a + 1])
            # Units innermost: neighbours in memory, so that the loop becomes vector code.
            for i in range(units):
                difference = jacobian[a, i] - mean[i]
                out[x * ranks + a, i] = root * difference * active[x, i]
                mean[i] += share * difference


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


@kernel
def scale_blocks(gram, inner, ranks):  # type: ignore[no-untyped-def]
    """The ranks × ranks blocks of ``gram`` times ``inner[x, y]``, in place."""
    rows, columns = inner.shape
    factors = np.empty(columns * ranks)
    for x in range(rows):
        for y in range(columns):
            for b in range(ranks):
                factors[y * ranks + b] = inner[x, y]
        for a in range(ranks):
            row = gram[x * ranks + a]
            for k in range(factors.size):
                row[k] *= factors[k]
