"""Scrambled Sobol points, the quasi-random inputs of every averaged prediction."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

_MOST_COLUMNS = 2000
_MOST_KEPT = 2**16
"""Numbers of a set of points that is kept for the next average: half a megabyte."""


def sobol_points(count: int, columns: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """``count`` (a power of two) scrambled Sobol points in [0, 1)^columns, one a row.

    Beyond 2000 columns random points are returned: there so few Sobol points are not better, and SciPy's Sobol
    sequence ends at 21 201 columns.

    >>> points = sobol_points(8, 2, np.random.default_rng(0))
    >>> sorted((points[:, 0] * 8).astype(int).tolist())       # one in every eighth
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    if columns > _MOST_COLUMNS:
        return rng.random((count, columns))
    # Imported where it is used: workers load the claims but never predict, and it takes a second.
    from scipy.stats import qmc

    return np.asarray(qmc.Sobol(columns, scramble=True, rng=rng).random(count))


def seeded_points(count: int, columns: int, *seed: int) -> NDArray[np.float64]:
    """The same from a generator with this seed; small sets are made once, since many averages use them. Read only.

    >>> bool((seeded_points(8, 2, 3) == sobol_points(8, 2, np.random.default_rng([3]))).all())
    True
    """
    return (_kept if count * columns <= _MOST_KEPT else _fresh)(count, columns, *seed)


def _fresh(count: int, columns: int, *seed: int) -> NDArray[np.float64]:
    points = sobol_points(count, columns, np.random.default_rng(seed))
    points.flags.writeable = False
    return points


_kept = functools.lru_cache(maxsize=64)(_fresh)
