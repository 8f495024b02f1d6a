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


def top_vectors(data: Matrix, count: int, known: Matrix | None = None) -> tuple[Matrix, Matrix]:
    """Left and right singular vectors of the ``count`` largest singular values, as columns.

    ``known`` is the matrix :func:`gram` of the data, if it was computed before.
    """
    rows, columns = data.shape
    if not count:
        return np.zeros((rows, 0), data.dtype), np.zeros((columns, 0), data.dtype)
    matrix = gram(data) if known is None or len(known) != min(data.shape) else known
    size = len(matrix)
    if size > _WHOLE and count < size // 10:
        top: Matrix = eigsh(matrix, k=count, which="LA", v0=np.ones(size, dtype=matrix.dtype))[1]
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


def without_top(data: Matrix, count: int = 1, known: Matrix | None = None) -> Matrix:
    """A matrix with ``count`` rows and columns fewer that has the singular values of the data without the largest.

    Unlike a projection, this leaves no row or column of zeros if a component lies along one of them.
    """
    if not count:
        return data
    left, right = top_vectors(data, count, known)
    return without_directions(without_directions(data, right, 1), left, 0)


def without_directions(data: Matrix, vectors: Matrix, axis: int) -> Matrix:
    """Coordinates along an axis on the orthogonal complement of orthonormal vectors, given as columns.

    Householder reflections map each vector to the coordinate in which it is largest, which is then left out: other
    rows (or columns) keep their entries but for multiples of the vectors' shares. Their product is 1 - U T Uᴴ with a
    triangular matrix T, so that the data are changed once.
    """
    turned = np.array(vectors)
    size, count = turned.shape
    units, triangle = np.zeros((size, count), turned.dtype), np.zeros((count, count), turned.dtype)
    places = []
    for k in range(count):
        vector = turned[:, k]
        place = int(np.abs(vector).argmax())
        places.append(place)
        # The reflection along e - v/phase maps v/phase to e, the coordinate of its largest entry, which is positive.
        across = -vector * (abs(vector[place]) / vector[place])
        across[place] += 1.0
        length = float(np.linalg.norm(across))
        if length <= 1e-14:
            continue
        units[:, k] = across / length
        turned -= 2 * np.outer(units[:, k], units[:, k].conj() @ turned)
        triangle[:k, k] = -2 * triangle[:k, :k] @ (units[:, :k].conj().T @ units[:, k])
        triangle[k, k] = 2
    if axis == 1:
        moved = data - ((data @ units) @ triangle) @ units.conj().T
    else:  # a component along v is Xv for columns and vᴴX for rows
        moved = data - units @ (triangle.conj().T @ (units.conj().T @ data))
    return np.asarray(np.delete(moved, places, axis=axis))
