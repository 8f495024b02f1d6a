"""Spectra of any symmetric operator: a matrix, a sparse matrix, a ``LinearOperator``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.randomness import RandomSource
from rmtsim.matrix_free._estimates import GroupSpectrum, estimated_spectrum, exact_spectrum
from rmtsim.matrix_free._lanczos import Extremes, Product, extreme_eigenvalues

EXACT = 500
"""Operators up to this size are formed and diagonalised."""
_ASYMMETRY = 1e-8


def _matrix(given: Any) -> Array:
    """A matrix of doubles; whether all of them are finite shows in the first product if it is one already."""
    if isinstance(given, np.ndarray) and given.dtype == np.float64 and given.ndim == 2 and given.size:
        return given
    return validate.matrix("operator", given, meaning="a symmetric matrix")


def read_operator(operator: Any, rng: np.random.Generator) -> tuple[Product, int]:
    """The product, of a vector or of rows of vectors, and the size of a real symmetric operator.

    Rows go through the operator's ``matmat``, once for all of them. Symmetry is tried on two random vectors.
    """
    found: Any
    given: Any = operator
    dense: Array | None = None
    if issparse(operator):
        found = aslinearoperator(given)
    elif isinstance(operator, LinearOperator):
        found = operator
    else:
        dense = _matrix(operator)
        found = aslinearoperator(dense)
    rows, columns = found.shape
    if rows != columns or rows < 1:
        raise ValueError(f"operator of shape {found.shape}: expected a square one")
    if np.dtype(found.dtype).kind == "c":
        raise TypeError(f"operator of {found.dtype}: expected a real symmetric one")

    def product(v: Array) -> Array:
        if v.ndim == 1:
            image = np.asarray(found.matvec(np.ascontiguousarray(v)), dtype=np.float64).ravel()
        elif dense is not None:
            image = (dense @ v.T).T
        else:
            image = np.asarray(found.matmat(np.ascontiguousarray(v).T), dtype=np.float64).T
        if not np.isfinite(image).all():
            if dense is not None:
                validate.matrix("operator", dense, meaning="a symmetric matrix")
            raise ValueError("operator: its product with a finite vector is not finite")
        return image

    x, y = rng.standard_normal((2, rows))
    # A matrix is passed through once for each vector: with so few, BLAS is slower when it gets them together.
    one, two = (product(x), product(y)) if dense is not None else product(np.stack([x, y]))
    largest = max(float(np.abs(one).max()), float(np.abs(two).max()))
    if largest < np.finfo(np.float64).tiny / _ASYMMETRY:  # zero, or too few digits to compare
        return product, rows
    one, two = one / largest, two / largest
    gap, size = abs(y @ one - x @ two), np.linalg.norm(one) * np.linalg.norm(y)
    if gap > _ASYMMETRY * max(float(size), float(np.linalg.norm(two) * np.linalg.norm(x))):
        raise ValueError(f"operator: yᵀAx and xᵀAy differ by {gap * largest:.3g}; expected a symmetric one")
    return product, rows


def operator_spectrum(
    operator: Any,
    rng: RandomSource,
    *,
    probes: int = 16,
    steps: int = 80,
    exact_up_to: int = EXACT,
    name: str = "operator",
) -> GroupSpectrum:
    """Spectral distribution of a symmetric operator, by stochastic Lanczos quadrature.

    Parameters
    ----------
    operator : array_like, sparse matrix or LinearOperator
        A real symmetric operator. Its symmetry is tested on two random vectors.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of the random starts.
    probes : int, optional
        Number of random starts, at least two.
    steps : int, optional
        Lanczos steps of each start.
    exact_up_to : int, optional
        Size up to which the operator is formed and diagonalised instead.
    name : str, optional
        Name of the result.

    Returns
    -------
    GroupSpectrum
        The distribution, with methods ``moment``, ``cdf``, ``density``, ``mass`` and ``average`` that return
        standard errors.

    Raises
    ------
    ValueError
        If the operator is not square or not symmetric, or one of its products is not finite.
    TypeError
        If the operator is complex.

    See Also
    --------
    operator_extremes : Eigenvalues at the ends of the spectrum.
    operator_trace : The trace.

    Notes
    -----
    Each start takes ``steps`` products with full reorthogonalisation; several starts are multiplied at once where
    memory allows. The first ``2 * steps`` moments are unbiased [1]_.

    References
    ----------
    .. [1] S. Ubaru, J. Chen and Y. Saad, "Fast estimation of tr(f(A)) via stochastic Lanczos quadrature", SIAM J.
       Matrix Anal. Appl. 38 (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import diags
    >>> from rmtsim.matrix_free import operator_spectrum
    >>> found = operator_spectrum(diags(np.linspace(0, 1, 2000)), np.random.default_rng(0))
    >>> estimate = found.moment(2)
    >>> bool(abs(estimate.value - 1 / 3) < 4 * estimate.error < 0.02)
    True
    """
    rng = validate.generator("rng", rng)
    probes = validate.integer("probes", probes, minimum=2, meaning="random starts; two give a standard error")
    steps = validate.integer("steps", steps, meaning="Lanczos steps")
    exact_up_to = validate.integer("exact_up_to", exact_up_to, minimum=0, maximum=20_000)
    product, size = read_operator(operator, rng)
    if size <= exact_up_to:
        validate.memory(24.0 * size**2, f"a {size}×{size} matrix")
        matrix = product(np.eye(size))
        return exact_spectrum(name, 0.5 * (matrix + matrix.T))
    validate.memory(8.0 * size * (min(steps, size) + 4), f"{steps} Lanczos vectors of {size} numbers")
    return estimated_spectrum(name, product, size, rng, probes, steps)


def operator_extremes(
    operator: Any,
    rng: RandomSource,
    *,
    count: int = 1,
    which: str = "modulus",
    tolerance: float = 1e-8,
) -> Extremes:
    """Extreme eigenvalues of a symmetric operator, with residuals.

    Parameters
    ----------
    operator : array_like, sparse matrix or LinearOperator
        A real symmetric operator. Its symmetry is tested on two random vectors.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of the random start.
    count : int, optional
        Number of eigenvalues.
    which : {"modulus", "top", "bottom"}, optional
        The eigenvalues of largest absolute value (default), the largest or the smallest.
    tolerance : float, optional
        Largest accepted residual, relative to a lower bound of the operator's norm.

    Returns
    -------
    Extremes
        Eigenvalues, eigenvectors and residuals.

    Raises
    ------
    ConvergenceError
        If an eigenvalue does not converge or its residual exceeds the tolerance.
    ValueError
        If the operator is not square or not symmetric.

    Notes
    -----
    Implicitly restarted Lanczos iteration (ARPACK). A Krylov space contains one vector of a multiple eigenvalue;
    for ``count > 1`` the operator is therefore deflated by the vectors found and searched again until no eigenvalue
    further out is left.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import diags
    >>> from rmtsim.matrix_free import operator_extremes
    >>> found = operator_extremes(diags(np.arange(300.0) ** 2), np.random.default_rng(0), which="top")
    >>> round(float(found.values[0]), 6)
    89401.0
    """
    rng = validate.generator("rng", rng)
    product, size = read_operator(operator, rng)
    return extreme_eigenvalues(product, size, rng, count=count, which=which, tolerance=tolerance)
