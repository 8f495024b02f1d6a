"""A data matrix without its largest components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

Matrix = NDArray[Any]

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
