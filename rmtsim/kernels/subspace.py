"""Top eigenvectors of a dense matrix by block iteration with Rayleigh–Ritz, top eigenvalues by Lanczos; row spans."""

from __future__ import annotations

import numpy as np

from rmtsim.kernels.jit import kernel

__all__ = ["row_span", "top_ritz_values", "top_subspace"]


@kernel
def top_subspace(matrix, start, count, powers, tolerance, rounds):  # type: ignore[no-untyped-def]
    """(vectors, values in decreasing order, residual) of the ``count`` largest eigenvalues; residual max ‖Mv - λv‖/λ₁.

    ``start`` is a block with more columns than are wanted; a round multiplies it by the matrix ``powers`` times before
    it is made orthonormal, and once after. Ends when the residual is at most ``tolerance``, or after
    that many ``rounds`` with the residual that was reached.
    """
    size = matrix.shape[0]
    basis = np.empty(start.shape)
    other = np.empty(start.shape)
    moved = start.copy()
    vectors = np.empty((size, count))
    values = np.empty(count)
    residual = np.inf
    for _ in range(rounds):
        for _power in range(powers):
            np.dot(matrix, moved, other)
            moved, other = other, moved
        basis[:] = np.linalg.qr(moved)[0]
        np.dot(matrix, basis, moved)
        small, mixing = np.linalg.eigh(np.dot(basis.T, moved))
        kept = np.ascontiguousarray(mixing[:, ::-1][:, :count])
        values[:] = small[::-1][:count]
        np.dot(basis, kept, vectors)
        error = np.dot(moved, kept)
        largest = 0.0
        for j in range(count):
            square = 0.0
            for i in range(size):
                square += (error[i, j] - vectors[i, j] * values[j]) ** 2
            largest = max(largest, square)
        residual = np.sqrt(largest) / max(abs(values[0]), 1e-300)
        if residual <= tolerance:
            break
    return vectors, values, residual


@kernel
def top_ritz_values(matrix, start, count, tolerance, steps):  # type: ignore[no-untyped-def]
    """(the ``count`` largest eigenvalues of a symmetric matrix in increasing order, their residual over the largest).

    Lanczos with all vectors kept orthogonal, looked at every eight steps; the residual is infinite where ``steps`` did
    not reach the ``tolerance`` or the vectors came to span an invariant space.
    """
    size = matrix.shape[0]
    vectors = np.empty((steps + 1, size))
    diagonal = np.empty(steps)
    beside = np.empty(steps)
    vectors[0] = start / np.sqrt(np.dot(start, start))
    for k in range(steps):
        image = np.dot(matrix, vectors[k])
        diagonal[k] = np.dot(image, vectors[k])
        for _ in range(2):
            image -= np.dot(np.dot(vectors[: k + 1], image), vectors[: k + 1])
        beside[k] = np.sqrt(np.dot(image, image))
        if not beside[k] > 1e-14 * abs(diagonal[0]):
            break
        vectors[k + 1] = image / beside[k]
        taken = k + 1
        if taken % 8 == 0 and taken >= count + 8:
            small = np.zeros((taken, taken))
            for i in range(taken):
                small[i, i] = diagonal[i]
                if i:
                    small[i, i - 1] = beside[i - 1]
                    small[i - 1, i] = beside[i - 1]
            values, mixing = np.linalg.eigh(small)
            residual = np.abs(mixing[taken - 1, taken - count :]).max() * beside[k]
            if residual <= tolerance * abs(values[taken - 1]):
                return values[taken - count :].copy(), residual / abs(values[taken - 1])
    return np.zeros(count), np.inf


@kernel
def row_span(weights):  # type: ignore[no-untyped-def]
    """Orthonormal basis, as columns, of {Wᵀv : v ⊥ 1}: what the rows less the last one span."""
    classes, units = weights.shape
    columns = np.empty((units, classes - 1))
    for c in range(classes - 1):
        for i in range(units):
            columns[i, c] = weights[c, i] - weights[classes - 1, i]
    return np.linalg.qr(columns)[0]
