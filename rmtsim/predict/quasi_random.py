"""Scrambled Sobol points, the quasi-random inputs of every averaged prediction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["sobol_points"]


def sobol_points(count: int, columns: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """``count`` (a power of two) scrambled Sobol points in [0, 1)^columns, one a row.

    >>> points = sobol_points(8, 2, np.random.default_rng(0))
    >>> sorted((points[:, 0] * 8).astype(int).tolist())       # one in every eighth
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    # Imported where it is used: workers load the claims but never predict, and it takes a second.
    from scipy.stats import qmc

    return np.asarray(qmc.Sobol(columns, scramble=True, rng=rng).random(count))
