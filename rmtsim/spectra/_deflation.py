"""A data matrix without its largest components."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigsh

from rmtsim._internal.arrays import Matrix

_WHOLE = 300
"""Up to this size all eigenvectors are computed, beyond it only the largest by Lanczos's method."""


def gram(data: Matrix) -> Matrix:
    """XᵀX or XXᵀ, whichever is smaller."""
    return np.asarray(data.conj().T @ data if data.shape[0] >= data.shape[1] else data @ data.conj().T)


def top_vectors(data: Matrix, count: int) -> tuple[Matrix, Matrix]:
    """Left and right singular vectors of the ``count`` largest singular values, as columns."""
    rows, columns = data.shape
    if not count:
        return np.zeros((rows, 0), data.dtype), np.zeros((columns, 0), data.dtype)
    matrix = gram(data)
    size = len(matrix)
    if size > _WHOLE and count < size // 10:
        top = eigsh(matrix, k=count, which="LA", v0=np.ones(size, dtype=matrix.dtype))[1]
    else:
        top = np.linalg.eigh(matrix)[1][:, -count:]
    other = data @ top if rows >= columns else data.conj().T @ top
    other = other / np.maximum(np.linalg.norm(other, axis=0), np.finfo(np.float64).tiny)
    return (other, top) if rows >= columns else (top, other)


def deflated(data: Matrix, vectors: tuple[Matrix, Matrix]) -> Matrix:
    """The data without the components of these singular vectors."""
    left, right = vectors
    if not left.shape[1]:
        return data
    if data.shape[0] >= data.shape[1]:
        return np.asarray(data - (data @ right) @ right.conj().T)
    return np.asarray(data - left @ (left.conj().T @ data))


def without_top(data: Matrix) -> Matrix:
    """A matrix with one row and one column fewer whose singular values are those of the data without the largest.

    Unlike a projection, this leaves no row or column of zeros if a component lies along one of them.
    """
    left, right = top_vectors(data, 1)
    return without_direction(without_direction(data, right[:, 0], 1), left[:, 0], 0)


def without_direction(data: Matrix, vector: Matrix, axis: int) -> Matrix:
    """Coordinates along an axis on the orthogonal complement of a unit vector.

    A Householder reflection maps the vector to the coordinate in which it is largest, which is then left out: other
    rows (or columns) keep their entries but for multiples of the vector's share.
    """
    place = int(np.abs(vector).argmax())
    phase = vector[place] / abs(vector[place])
    # The reflection along e - v/phase maps v/phase to e, the coordinate of its largest entry, which is positive.
    across = -vector / phase
    across[place] += 1.0
    moved = data if axis == 1 else data.T
    # A component of the data along v is Xv for columns and vᴴX, the transpose of Xᵀ conj(v), for rows.
    way = across if axis == 1 else across.conj()
    size = float(np.vdot(way, way).real)
    if size > 1e-28:
        moved = moved - np.outer(moved @ way, way.conj()) * (2 / size)
    kept = np.delete(moved, place, axis=1)
    return np.asarray(kept if axis == 1 else kept.T)
