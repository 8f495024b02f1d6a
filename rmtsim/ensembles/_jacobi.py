"""The Jacobi (MANOVA) ensembles, dense and tridiagonal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.ensembles._entries import any_beta, dyson_index, gaussian_entries
from rmtsim.ensembles._tridiagonal import Tridiagonal

__all__ = ["jacobi", "jacobi_tridiagonal"]


def _counts(dimension: int, first: int, second: int, least: int) -> tuple[int, int, int]:
    dimension = validate.integer("dimension", dimension, meaning="rows p")
    first = validate.integer("first", first, minimum=least, meaning="samples n₁ of A")
    second = validate.integer("second", second, minimum=least, meaning="samples n₂ of B")
    return dimension, first, second


def jacobi(
    dimension: int, first: int, second: int, rng: np.random.Generator, *, beta: int = 1
) -> NDArray[Any]:
    """L⁻¹AL⁻*, A = XX* and B = YY* with n₁ = ``first`` and n₂ = ``second`` Gaussian columns, A + B = LL*.

    Its eigenvalues, in [0, 1], are those of A(A + B)⁻¹; n₁ + n₂ ≥ p. β = 4 as a complex matrix of twice the size.

    >>> values = np.linalg.eigvalsh(jacobi(5, 3, 9, np.random.default_rng(0)))
    >>> bool(values[-1] < 1), int((np.abs(values) < 1e-12).sum())
    (True, 2)
    """
    dimension, first, second = _counts(dimension, first, second, 1)
    if first + second < dimension:
        raise ValueError(
            f"first={first}, second={second}: expected a sum of at least dimension={dimension} (A + B invertible)"
        )
    beta = dyson_index(beta)
    one, two = (gaussian_entries(dimension, count, beta, rng) for count in (first, second))
    factor = np.linalg.cholesky(one @ one.conj().T + two @ two.conj().T)
    half = np.linalg.solve(factor, one)
    matrix = half @ half.conj().T
    return np.asarray(0.5 * (matrix + matrix.conj().T))


def jacobi_tridiagonal(
    dimension: int, first: int, second: int, rng: np.random.Generator, *, beta: float = 1.0
) -> Tridiagonal:
    """A tridiagonal matrix with the eigenvalues of :func:`jacobi` for n₁, n₂ ≥ p, any β > 0 (Edelman and Sutton 2008).

    >>> t = jacobi_tridiagonal(50, 100, 150, np.random.default_rng(0))
    >>> bool(0 < t.smallest(1)[0] < t.largest(1)[0] < 1)
    True
    """
    dimension, first, second = _counts(dimension, first, second, 1)
    if min(first, second) < dimension:
        raise ValueError(
            f"first={first}, second={second}: expected at least dimension={dimension} each (no atoms at 0 and 1)"
        )
    rng = validate.generator("rng", rng)
    half = any_beta(beta) / 2
    validate.memory(96.0 * dimension, f"a tridiagonal matrix of {dimension} rows")
    a, b = first - dimension, second - dimension
    i = np.arange(dimension, 0, -1.0)
    cosine = rng.beta(half * (a + i), half * (b + i))
    j = i[1:]
    other = rng.beta(half * j, half * (a + b + 1 + j))
    # Squares of the entries of Edelman and Sutton's bidiagonal matrix; the signs do not matter.
    main = cosine * np.concatenate([[1.0], 1 - other])
    above = (1 - cosine[:-1]) * other
    return Tridiagonal(main + np.concatenate([above, [0.0]]), np.sqrt(above * main[1:]))
