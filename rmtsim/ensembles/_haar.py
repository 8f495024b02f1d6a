"""Haar-distributed matrices of the classical groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.ensembles._entries import dyson_index, gaussian_entries

__all__ = ["haar"]


def haar(size: int, rng: np.random.Generator, *, beta: int = 2, special: bool = False) -> NDArray[Any]:
    """A uniform element of O(n) (β = 1), U(n) (β = 2) or Sp(n) (β = 4, as a 2n×2n complex matrix).

    The unitary factor of the polar decomposition of a Gaussian matrix, which commutes with multiplication by any fixed
    element. ``special`` gives SO(n) by a reflection where the determinant is -1, and SU(n) by its n-th root's phase.

    >>> q = haar(4, np.random.default_rng(0), beta=1, special=True)
    >>> bool(np.allclose(q @ q.T, np.eye(4))), round(float(np.linalg.det(q)), 9)
    (True, 1.0)
    """
    size = validate.integer("size", size, meaning="size of the group")
    beta = dyson_index(beta)
    special = validate.flag("special", special, meaning="determinant one")
    left, _, right = np.linalg.svd(gaussian_entries(size, size, beta, rng))
    matrix = left @ right
    if special and beta == 1 and np.linalg.slogdet(matrix)[0] < 0:
        matrix[0] = -matrix[0]
    if special and beta == 2:
        matrix[0] = matrix[0] * np.conj(np.linalg.slogdet(matrix)[0])
    return np.asarray(matrix)
