"""Loops over inputs for ``wu``: softmax, curvature rows, projected curvature, pair energies."""

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
    """Rows of Q_x J D_x, with Q_x = diag(√p)(I - 1pᵀ), so that their Gram matrix is D JᵀA J D.

    ``jacobian`` is classes × units (shared by all inputs), ``out`` is (inputs·classes) × units.
    """
    count, classes = confidence.shape
    units = jacobian.shape[1]
    root = np.empty(classes)
    for x in range(count):
        for a in range(classes):
            root[a] = np.sqrt(confidence[x, a])
        for i in range(units):
            if active[x, i] == 0.0:
                for a in range(classes):
                    out[x * classes + a, i] = 0.0
            else:
                mean = 0.0
                for a in range(classes):
                    mean += confidence[x, a] * jacobian[a, i]
                for a in range(classes):
                    out[x * classes + a, i] = root[a] * (jacobian[a, i] - mean)


@kernel
def pair_energy(gram, inner, classes, out):  # type: ignore[no-untyped-def]
    """``out[0] += Σ_{x,y} inner[x, y]² ‖block(x, y)‖²_F`` with ``gram`` in classes × classes blocks."""
    rows, columns = inner.shape
    total = 0.0
    for x in range(rows):
        for y in range(columns):
            energy = 0.0
            for a in range(classes):
                for b in range(classes):
                    value = gram[x * classes + a, y * classes + b]
                    energy += value * value
            total += energy * inner[x, y] * inner[x, y]
    out[0] += total
