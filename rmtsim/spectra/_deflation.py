"""A data matrix without its largest components."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse.linalg import eigsh

from rmtsim._internal.arrays import Matrix

_WHOLE = 300
"""Up to this size all eigenvectors are computed, beyond it only the largest by Lanczos's method."""
_CACHED = 100_000
"""Entries of a group of rows."""


def gram(data: Matrix) -> Matrix:
    """XᵀX or XXᵀ, whichever is smaller."""
    return np.asarray(data.conj().T @ data if data.shape[0] >= data.shape[1] else data @ data.conj().T)


def leading(matrix: Matrix, count: int) -> Matrix:
    """Eigenvectors of the ``count`` largest eigenvalues of a matrix :func:`gram`, as columns."""
    size = len(matrix)
    if size > _WHOLE and count < size // 10:
        return np.asarray(eigsh(matrix, k=count, which="LA", v0=np.ones(size, dtype=matrix.dtype))[1])
    return np.asarray(np.linalg.eigh(matrix)[1][:, -count:])


def top_vectors(data: Matrix, count: int, top: Matrix | None = None) -> tuple[Matrix, Matrix]:
    """Left and right singular vectors of the ``count`` largest singular values, as columns.

    ``top`` are those of the shorter side, from :func:`leading`, if they were computed before.
    """
    rows, columns = data.shape
    if not count:
        return np.zeros((rows, 0), data.dtype), np.zeros((columns, 0), data.dtype)
    if top is None:
        top = leading(gram(data), count)
    other = data @ top if rows >= columns else data.conj().T @ top
    other = other / np.maximum(np.linalg.norm(other, axis=0), np.finfo(np.float64).tiny)
    return (other, top) if rows >= columns else (top, other)


class Reduced:
    """A matrix with ``count`` rows and columns fewer that has the singular values of the data without the largest.

    Unlike a projection, this leaves no row or column of zeros if a component lies along one of them. ``top`` as for
    :func:`top_vectors`. It is made some rows at a time, so that large data are not copied.
    """

    def __init__(self, data: Matrix, count: int = 1, top: Matrix | None = None) -> None:
        self._data = data
        left, right = top_vectors(data, count, top)
        across, along = _Reflections(right), _Reflections(left)
        self._places = along.places, across.places
        # Both sets of reflections at once: X - A Rᴴ - L T B with A = X R T' and B = Lᴴ (X - A Rᴴ).
        moved = (data @ across.units) @ across.triangle
        inner = along.units.conj().T @ data - (along.units.conj().T @ moved) @ across.units.conj().T
        self._left = np.hstack([moved, along.units])
        self._right = np.vstack([across.units.conj().T, along.triangle.conj().T @ inner])
        self.shape = data.shape[0] - count, data.shape[1] - count

    def blocks(self) -> Iterator[Matrix]:
        """Groups of rows, one after another."""
        for rows in _groups(self._data):
            part = self._data[rows] - self._left[rows] @ self._right
            gone = [place - rows.start for place in self._places[0] if rows.start <= place < rows.stop]
            yield np.delete(np.delete(part, gone, axis=0), self._places[1], axis=1)

    def whole(self) -> Matrix:
        """All rows."""
        return np.concatenate(list(self.blocks()))


def row_blocks(data: Matrix | Reduced) -> Iterator[Matrix]:
    """Groups of rows that fit in a processor's cache."""
    return data.blocks() if isinstance(data, Reduced) else (data[rows] for rows in _groups(data))


def _groups(data: Matrix) -> Iterator[slice]:
    rows, columns = data.shape
    step = max(1, _CACHED // columns)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def without_top(data: Matrix, count: int = 1) -> Matrix:
    """The matrix :class:`Reduced` as an array."""
    return Reduced(data, count).whole() if count else data


def without_directions(data: Matrix, vectors: Matrix) -> Matrix:
    """Rows as coordinates on the orthogonal complement of orthonormal vectors, given as columns."""
    along = _Reflections(vectors)
    moved = data - along.units @ (along.triangle.conj().T @ (along.units.conj().T @ data))
    return np.asarray(np.delete(moved, along.places, axis=0))


class _Reflections:
    """Householder reflections that map each of several orthonormal vectors to the coordinate in which it is largest.

    These coordinates, ``places``, are then left out: others keep their entries but for multiples of the vectors'
    shares. The product of the reflections is 1 - U T Uᴴ with a triangular matrix T, so that data are changed once; a
    component along v is Xv for columns and vᴴX for rows.
    """

    def __init__(self, vectors: Matrix) -> None:
        turned = np.array(vectors)
        size, count = turned.shape
        self.units = np.zeros((size, count), turned.dtype)
        self.triangle = np.zeros((count, count), turned.dtype)
        self.places: list[int] = []
        for k in range(count):
            vector = turned[:, k]
            place = int(np.abs(vector).argmax())
            self.places.append(place)
            # The reflection along e - v/phase maps v/phase to e, the coordinate of its largest entry.
            across = -vector * (abs(vector[place]) / vector[place])
            across[place] += 1.0
            length = float(np.linalg.norm(across))
            if length <= 1e-14:
                continue
            unit = across / length
            turned -= 2 * np.outer(unit, unit.conj() @ turned)
            self.triangle[:k, k] = -2 * self.triangle[:k, :k] @ (self.units[:, :k].conj().T @ unit)
            self.triangle[k, k] = 2
            self.units[:, k] = unit
