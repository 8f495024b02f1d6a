"""Dyson's circular ensembles COE, CUE, CSE."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.randomness import RandomSource
from rmtsim.ensembles._entries import dyson_index
from rmtsim.ensembles._haar import haar


def circular(size: int, rng: RandomSource, *, beta: int = 2) -> NDArray[Any]:
    """Draw a matrix of a circular ensemble (COE, CUE or CSE).

    Parameters
    ----------
    size : int
        Number n of eigenvalues.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness.
    beta : {1, 2, 4}, optional
        Dyson index: 1 for the orthogonal, 2 for the unitary (default), 4 for the symplectic ensemble.

    Returns
    -------
    ndarray of complex
        A unitary matrix of shape (n, n); for ``beta=4`` of shape (2n, 2n), with every eigenvalue twice.

    Raises
    ------
    ValueError
        If ``beta`` is not 1, 2 or 4.

    See Also
    --------
    haar : Haar-distributed matrices of the classical groups.

    Notes
    -----
    The eigenvalues ``exp(iθ_j)`` have joint density proportional to ``Π_{j<k} |exp(iθ_j) − exp(iθ_k)|^β`` [1]_.
    With a Haar unitary matrix U the result is U for β = 2 and UᵀU (symmetric) for β = 1; for β = 4 it is UᴿU, with
    Uᴿ the quaternion dual of a Haar unitary matrix of size 2n.

    References
    ----------
    .. [1] F. J. Dyson, "Statistical theory of the energy levels of complex systems I", J. Math. Phys. 3 (1962).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import circular
    >>> u = circular(4, np.random.default_rng(0), beta=1)
    >>> bool(np.allclose(u, u.T)), bool(np.allclose(u @ u.conj().T, np.eye(4)))
    (True, True)
    """
    beta = dyson_index(beta)
    if beta == 2:
        return haar(size, rng)
    if beta == 1:
        unitary = haar(size, rng)
        return np.asarray(unitary.T @ unitary)
    unitary = haar(2 * size, rng)
    zero, one = np.zeros((size, size)), np.eye(size)
    turn = np.block([[zero, one], [-one, zero]])
    return np.asarray(turn @ unitary.T @ turn.T @ unitary)
