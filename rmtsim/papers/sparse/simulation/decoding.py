"""From a measurement to a sparse code: greedily (orthogonal matching pursuit), or by trying every support."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.sparse.simulation.checks import checked_dictionary, checked_measurements, checked_sparsity
from rmtsim.papers.sparse.simulation.kernels.pursuit import best_supports, matching_pursuit

MOST_SUPPORTS = 5_000_000
"""Exhaustion beyond this many supports is refused."""


@frozen
class Pursuit:
    """Sparse codes and the supports they were found on, one row per measurement."""

    codes: Array
    supports: NDArray[np.int64]
    """Columns in the order of their choice; -1 where the pursuit ended early."""


def orthogonal_matching_pursuit(measurements: Any, dictionary: Any, sparsity: int) -> Pursuit:
    """g_OMP(y, B, k) of Section 2.2.2: k times the column with the largest |B_jᵀr|, r the least-squares residual.

    Columns are not normalised for the choice (as in scikit-learn). The pursuit ends early where no column correlates
    with the residual beyond rounding, or where the best one depends linearly on those chosen.

    >>> found = orthogonal_matching_pursuit([0.1, 3.0, -2.0], np.eye(3), 2)
    >>> found.codes.tolist(), found.supports.tolist()
    ([[0.0, 3.0, -2.0]], [[1, 2]])
    """
    matrix = checked_dictionary("dictionary", dictionary)
    rows = checked_measurements(measurements, matrix.shape[0])
    k = checked_sparsity(sparsity, matrix.shape[1])
    return pursue(matrix, rows, k)


def pursue(matrix: Array, rows: Array, sparsity: int) -> Pursuit:
    """The same for arguments that have been checked."""
    codes = np.zeros((rows.shape[0], matrix.shape[1]))
    supports = np.full((rows.shape[0], sparsity), -1, dtype=np.int64)
    matching_pursuit(matrix.T @ matrix, rows @ matrix, sparsity, codes, supports)
    return Pursuit(codes, supports)


def check_supports(atoms: int, sparsity: int) -> None:
    """Refuse an exhaustion that would not end.

    >>> check_supports(1000, 5)
    Traceback (most recent call last):
        ...
    ValueError: sparsity=5: 8.25e+12 supports out of 1000 atoms; expected at most 5000000 to exhaust
    """
    count = math.comb(atoms, sparsity)
    if count > MOST_SUPPORTS:
        raise ValueError(
            f"sparsity={sparsity}: {count:.3g} supports out of {atoms} atoms; expected at most {MOST_SUPPORTS} "
            "to exhaust"
        )


def explained_energy(measurements: Any, dictionary: Any, sparsity: int) -> tuple[Array, NDArray[np.int64]]:
    """max over supports |S| ≤ k of ‖P_S y‖² for every measurement, and the support, by exhaustion.

    >>> energy, support = explained_energy([0.1, 3.0, -2.0], np.eye(3), 2)
    >>> energy.tolist(), support.tolist()
    ([13.0], [[1, 2]])
    """
    matrix = checked_dictionary("dictionary", dictionary)
    rows = checked_measurements(measurements, matrix.shape[0])
    k = checked_sparsity(sparsity, matrix.shape[1])
    if k == 1:
        squares = (rows @ (matrix / np.linalg.norm(matrix, axis=0))) ** 2
        places = squares.argmax(axis=1)
        return squares[np.arange(rows.shape[0]), places], places[:, None].astype(np.int64)
    check_supports(matrix.shape[1], k)
    energies = np.empty(rows.shape[0])
    supports = np.zeros((rows.shape[0], k), dtype=np.int64)
    best_supports(matrix.T @ matrix, rows @ matrix, k, energies, supports)
    return energies, supports


def best_codes(measurements: Any, dictionary: Any, sparsity: int) -> Pursuit:
    """arg min over k-sparse ẑ of ‖y - Bẑ‖, by exhaustion: least squares on the best support.

    >>> best_codes([0.1, 3.0, -2.0], np.eye(3), 1).codes.tolist()
    [[0.0, 3.0, 0.0]]
    """
    matrix = checked_dictionary("dictionary", dictionary)
    rows = checked_measurements(measurements, matrix.shape[0])
    _, supports = explained_energy(rows, matrix, sparsity)
    codes = np.zeros((rows.shape[0], matrix.shape[1]))
    for code, row, support in zip(codes, rows, supports, strict=True):
        code[support] = np.linalg.lstsq(matrix[:, support], row, rcond=None)[0]
    return Pursuit(codes, supports)
