"""Gaussian matrices without symmetry: elliptic (real) and Ginibre (complex)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import describes
from rmtsim._internal.randomness import RandomSource
from rmtsim.ensembles._entries import dyson_index, gaussian_entries

_described = describes(
    size="int\n    Rows n.",
    rng="None, int, numpy.random.Generator, SeedSequence or BitGenerator\n    Source of randomness.",
)


@_described
def elliptic(
    size: int, rng: RandomSource, *, correlation: float = 0.0, variance: float = 1.0
) -> NDArray[np.float64]:
    """Real Gaussian matrix with correlated pairs of entries.

    Parameters
    ----------
    correlation : float, optional
        τ in [-1, 1], the correlation of h_ij and h_ji: 1 is symmetric, -1 antisymmetric.
    variance : float, optional
        n times the variance of an off-diagonal entry.

    Returns
    -------
    ndarray of shape (size, size)
        √((1+τ)/2) S + √((1-τ)/2) A with S symmetric and A antisymmetric Gaussian.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the matrix does not fit in memory.

    Examples
    --------
    >>> h = elliptic(3, np.random.default_rng(0), correlation=-1.0)
    >>> bool((h == -h.T).all())
    True
    """
    size = validate.integer("size", size, meaning="rows of the matrix")
    rng = validate.generator("rng", rng)
    correlation = validate.finite_number("correlation", correlation, meaning="correlation of h_ij and h_ji")
    if not -1 <= correlation <= 1:
        raise ValueError(
            f"correlation={correlation}: expected a number in [-1, 1] (correlation of h_ij and h_ji)"
        )
    variance = validate.positive_number("variance", variance, meaning="n times an entry's variance")
    validate.memory(32.0 * size * size, f"a {size}×{size} matrix (size={size})")
    first, second = rng.standard_normal((2, size, size))
    symmetric = (first + first.T) * math.sqrt((1 + correlation) / 4)
    antisymmetric = (second - second.T) * math.sqrt((1 - correlation) / 4)
    return np.asarray((symmetric + antisymmetric) * math.sqrt(variance / size))


@_described
def ginibre(size: int, rng: RandomSource, *, beta: int = 2) -> NDArray[Any]:
    """Gaussian matrix with independent entries of variance 1/n.

    Parameters
    ----------
    beta : {1, 2, 4}, optional
        Real, complex or quaternion entries; β = 4 gives a complex matrix of twice the size.

    Returns
    -------
    ndarray
        The matrix; its eigenvalues fill the unit disc.

    Raises
    ------
    ValueError
        If ``beta`` is not 1, 2 or 4, or the matrix does not fit in memory.

    Examples
    --------
    >>> ginibre(3, np.random.default_rng(0)).dtype
    dtype('complex128')
    """
    size = validate.integer("size", size, meaning="rows of the matrix")
    return np.asarray(gaussian_entries(size, size, dyson_index(beta), rng) / math.sqrt(size))
