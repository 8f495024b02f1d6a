"""The Jacobi (MANOVA) ensembles, dense and tridiagonal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.randomness import RandomSource
from rmtsim.ensembles._entries import any_beta, dyson_index, gaussian_entries
from rmtsim.ensembles._tridiagonal import Tridiagonal


def _counts(dimension: int, first: int, second: int, least: int) -> tuple[int, int, int]:
    dimension = validate.integer("dimension", dimension, meaning="rows p")
    first = validate.integer("first", first, minimum=least, meaning="samples n₁ of A")
    second = validate.integer("second", second, minimum=least, meaning="samples n₂ of B")
    return dimension, first, second


def jacobi(dimension: int, first: int, second: int, rng: RandomSource, *, beta: int = 1) -> NDArray[Any]:
    """Draw a matrix of a Jacobi (MANOVA) ensemble.

    Parameters
    ----------
    dimension : int
        Number p of rows.
    first, second : int
        Numbers n₁ and n₂ of columns of X and Y; their sum must be at least p.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness.
    beta : {1, 2, 4}, optional
        Dyson index: real (default), complex or quaternion entries.

    Returns
    -------
    ndarray
        The matrix L⁻¹AL⁻*, with A = XX*, B = YY* and A + B = LL*; X and Y have independent Gaussian entries. Its
        eigenvalues lie in [0, 1]. For ``beta=4`` a complex matrix of twice the size.

    Raises
    ------
    ValueError
        If ``first + second < dimension``, so that A + B is singular, or if ``beta`` is not 1, 2 or 4.

    See Also
    --------
    jacobi_tridiagonal : The same eigenvalues from a tridiagonal matrix, for any β > 0.
    rmtsim.laws.Wachter : The limit of the spectrum.

    Notes
    -----
    The eigenvalues are those of A(A + B)⁻¹. They include p − n₁ zeros if n₁ < p and p − n₂ ones if n₂ < p.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import jacobi
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
    rng = validate.generator("rng", rng)  # once: an integer would give both factors the same draws
    one, two = (gaussian_entries(dimension, count, beta, rng) for count in (first, second))
    factor = np.linalg.cholesky(one @ one.conj().T + two @ two.conj().T)
    half = np.linalg.solve(factor, one)
    matrix = half @ half.conj().T
    return np.asarray(0.5 * (matrix + matrix.conj().T))


def jacobi_tridiagonal(
    dimension: int, first: int, second: int, rng: RandomSource, *, beta: float = 1.0
) -> Tridiagonal:
    """Draw a tridiagonal matrix with the eigenvalues of a Jacobi β ensemble.

    Parameters
    ----------
    dimension : int
        Number p of rows.
    first, second : int
        Numbers n₁ and n₂ of columns, each at least p, so that there are no eigenvalues at 0 and 1.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness.
    beta : float, optional
        Repulsion of the eigenvalues, any number in [0.001, 1e6].

    Returns
    -------
    Tridiagonal
        The matrix, as its two diagonals.

    Raises
    ------
    ValueError
        If ``first`` or ``second`` is less than ``dimension``.

    See Also
    --------
    jacobi : Dense matrices for β = 1, 2, 4 with the same eigenvalue distribution.

    Notes
    -----
    The bidiagonal model of Edelman and Sutton [1]_, multiplied by its transpose.

    References
    ----------
    .. [1] A. Edelman and B. D. Sutton, "The beta-Jacobi matrix model, the CS decomposition, and generalized
       singular value problems", Found. Comput. Math. 8 (2008).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import jacobi_tridiagonal
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
