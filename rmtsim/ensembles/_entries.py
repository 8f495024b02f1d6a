"""Common parts of the classical ensembles: Gaussian entries of the three kinds, checks, spikes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.randomness import RandomSource


def dyson_index(beta: Any) -> int:
    """``beta`` if it is 1 (real), 2 (complex) or 4 (quaternion)."""
    if isinstance(beta, (bool, np.bool_)) or not isinstance(beta, (int, np.integer)) or beta not in (1, 2, 4):
        raise ValueError(
            f"beta={validate.shown(beta)}: expected 1, 2 or 4 (real, complex, quaternion entries)"
        )
    return int(beta)


def any_beta(beta: Any) -> float:
    """``beta`` if it is a positive number: tridiagonal forms exist for all of them."""
    value = validate.positive_number("beta", beta, meaning="repulsion of the eigenvalues")
    if not 1e-3 <= value <= 1e6:
        raise ValueError(f"beta={value}: expected a number in [0.001, 1e6] (repulsion of the eigenvalues)")
    return value


def gaussian_entries(rows: int, columns: int, beta: int, rng: RandomSource) -> NDArray[Any]:
    """Independent entries with E|x|² = 1; quaternions as complex blocks [[A, B], [-B̄, Ā]] of twice the size."""
    rng = validate.generator("rng", rng)
    validate.memory(8.0 * beta**2 * 3 * rows * columns, f"a {rows}×{columns} matrix (size={rows})")
    if beta == 1:
        return rng.standard_normal((rows, columns))
    parts = rng.standard_normal((beta, rows, columns)) / math.sqrt(beta)
    a = parts[0] + 1j * parts[1]
    if beta == 2:
        return np.asarray(a)
    b = parts[2] + 1j * parts[3]
    return np.block([[a, b], [-b.conj(), a.conj()]])


def spike_values(spikes: ArrayLike, size: int, *, positive: bool) -> NDArray[np.float64]:
    """Checked spikes, at most as many as the matrix has rows."""
    values = np.atleast_1d(validate.real_array("spikes", spikes, meaning="eigenvalues of the perturbation"))
    if values.ndim != 1 or values.size > size:
        raise ValueError(f"spikes of shape {values.shape}: expected at most {size} numbers")
    if positive and (values <= 0).any():
        raise ValueError(f"spikes={values[values <= 0][0]}: expected positive numbers (population variances)")
    return values
