"""Dyson's circular ensembles COE, CUE, CSE."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.ensembles._entries import dyson_index
from rmtsim.ensembles._haar import haar

__all__ = ["circular"]


def circular(size: int, rng: np.random.Generator, *, beta: int = 2) -> NDArray[Any]:
    """A unitary matrix whose angles have density ∝ Π|e^{iθ_j} - e^{iθ_k}|^β; β = 1, 2, 4.

    β = 2 is Haar; β = 1 is UᵀU, symmetric; β = 4 is UᴿU, Uᴿ the dual of a Haar U of size 2n, with angles in pairs.

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
