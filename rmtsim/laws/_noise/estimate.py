"""Maximum-likelihood variances of rows and columns of a matrix of independent Gaussian entries."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim.errors import ConvergenceError

_STEPS = 500
_SETTLED = 1e-10


def separable_variances(squares: FloatArray, rows: bool, columns: bool) -> tuple[FloatArray, FloatArray]:
    """Variances r_i and t_j with E squares_ij = r_i t_j; those of a side that is not estimated are equal.

    The columns have mean one. Rows and columns of zeros get variance zero and do not enter the others.
    """
    total = float(squares.mean())
    if not total > 0:
        raise ValueError("data: all entries are zero; expected noise")
    used = np.ix_(squares.any(axis=1), squares.any(axis=0))
    kept = squares[used]
    first, second = np.full(kept.shape[0], float(kept.mean())), np.ones(kept.shape[1])
    change = np.inf
    for _ in range(_STEPS):
        before = first, second
        whitened = kept / second
        first = whitened.mean(axis=1) if rows else np.full(first.shape, float(whitened.mean()))
        if columns:
            second = (kept / first[:, None]).mean(axis=0)
            scale = float(second.mean())
            first, second = first * scale, second / scale
        change = max(
            float(np.abs(new / old - 1).max()) for new, old in zip((first, second), before, strict=True)
        )
        if change <= _SETTLED:
            break
    else:
        raise ConvergenceError(
            f"variances of rows and columns still change by {change:.2g} after {_STEPS} steps",
            residual=change,
            iterations=_STEPS,
        )
    full = np.zeros(squares.shape[0]), np.zeros(squares.shape[1])
    full[0][squares.any(axis=1)] = first if rows else first[0]
    full[1][squares.any(axis=0)] = second if columns else 1.0
    return full
