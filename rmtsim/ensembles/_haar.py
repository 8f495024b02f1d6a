"""Haar-distributed matrices of the classical groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.randomness import RandomSource
from rmtsim.ensembles._entries import dyson_index, gaussian_entries


def haar(size: int, rng: RandomSource, *, beta: int = 2, special: bool = False) -> NDArray[Any]:
    """Draw a Haar-distributed matrix of a classical group: O(n), U(n) or Sp(n).

    Parameters
    ----------
    size : int
        Size n of the group.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness.
    beta : {1, 2, 4}, optional
        1 for the orthogonal, 2 for the unitary (default), 4 for the symplectic group.
    special : bool, optional
        Whether the determinant is one: SO(n) for ``beta=1``, SU(n) for ``beta=2``; Sp(n) has determinant one
        anyway.

    Returns
    -------
    ndarray
        A matrix of shape (n, n), real for ``beta=1``; for ``beta=4`` a complex matrix of shape (2n, 2n).

    Raises
    ------
    ValueError
        If ``beta`` is not 1, 2 or 4.

    Notes
    -----
    The matrix is the unitary factor of the polar decomposition of a Gaussian matrix. That factor is equivariant
    under multiplication by any fixed element of the group, hence Haar-distributed.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import haar
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
