"""Spectral norms of many symmetric operators of one size at once, by Lanczos with full reorthogonalisation.

For small operators one at a time, overhead dominates: a product takes a few microseconds, the calls of Python and
ARPACK about a hundred. Here one product serves the whole batch, and so do the orthogonalisations and the tridiagonal
eigenproblems.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError

_FIRST_CHECK, _EVERY = 8, 4


@frozen(eq=False)
class SpectralNorms:
    """The eigenvalue of largest modulus of every operator, with the evidence for it.

    ``residuals[r]`` = ‖Hv - λv‖ of the unit vector ``vectors[r]``, in exact arithmetic: an eigenvalue lies within it
    of ``values[r]``. That no eigenvalue further out is missed depends on the random start.
    """

    values: Array
    vectors: Array
    """(operators, size)."""
    residuals: Array
    steps: int

    @property
    def norms(self) -> Array:
        """|λ| of every operator."""
        return np.asarray(np.abs(self.values))


def spectral_norms(
    product: Callable[[Array], Array],
    operators: int,
    size: int,
    rng: np.random.Generator,
    *,
    tolerance: float = 1e-8,
    most: int = 500,
) -> SpectralNorms:
    """Largest moduli of the eigenvalues of ``operators`` symmetric operators on ``size`` numbers each.

    ``product`` maps an array (operators, size) to the products, row by row. Steps are taken until every residual is at
    most ``tolerance`` times its eigenvalue; ConvergenceError after ``most`` of them.

    >>> matrices = np.array([np.diag([1.0, -3.0, 2.0]), np.diag([5.0, 1.0, 0.0])])
    >>> found = spectral_norms(lambda v: (matrices @ v[:, :, None])[:, :, 0], 2, 3, np.random.default_rng(0))
    >>> found.values.round(10), found.norms.round(10)
    (array([-3.,  5.]), array([3., 5.]))
    """
    operators = validate.integer("operators", operators)
    size = validate.integer("size", size)
    tolerance = validate.positive_number("tolerance", tolerance)
    most = min(validate.integer("most", most, meaning="Lanczos steps at most"), size)
    current = validate.generator("rng", rng).standard_normal((operators, size))
    current /= np.linalg.norm(current, axis=1, keepdims=True)
    basis = np.empty((operators, min(most, 32), size))
    diagonal, beside = np.zeros((operators, most)), np.zeros((operators, most))
    for k in range(most):
        if k == basis.shape[1]:
            basis = np.concatenate((basis, np.empty((operators, min(most - k, k), size))), axis=1)
        basis[:, k] = current
        image = product(current)
        diagonal[:, k] = (image * current).sum(axis=1)
        known = basis[:, : k + 1]
        # Twice, because rounding in the first pass reintroduces components.
        for _ in range(2):
            image = image - ((known @ image[:, :, None]).transpose(0, 2, 1) @ known)[:, 0]
        beside[:, k] = np.linalg.norm(image, axis=1)
        scale = np.maximum(np.abs(diagonal[:, : k + 1]).max(axis=1), beside[:, : k + 1].max(axis=1))
        # A Krylov space that has ended is exact: its next vector is rounding, and counts as zero.
        ended = beside[:, k] <= 1e-13 * scale
        beside[ended, k] = 0.0
        current = np.where(ended[:, None], 0.0, image / np.where(ended, 1.0, beside[:, k])[:, None])
        last = k + 1 == most or bool(ended.all())
        if last or (k + 1 >= _FIRST_CHECK and (k + 1 - _FIRST_CHECK) % _EVERY == 0):
            values, coordinates = _ritz(diagonal[:, : k + 1], beside[:, : k + 1])
            residuals = beside[:, k] * np.abs(coordinates[:, -1])
            done = residuals <= tolerance * np.abs(values)
            if done.all() or k + 1 == size or ended.all():
                vectors = (coordinates[:, None, :] @ known)[:, 0]
                return SpectralNorms(values, vectors, residuals, k + 1)
    raise ConvergenceError(
        f"{int((~done).sum())} of {operators} operators after {most} Lanczos steps",
        residual=float(residuals.max()),
        iterations=most,
    )


def _ritz(diagonal: Array, beside: Array) -> tuple[Array, Array]:
    """The Ritz value of largest modulus of each tridiagonal matrix, and its vector."""
    count = diagonal.shape[1]
    matrices = np.zeros((len(diagonal), count, count))
    index = np.arange(count)
    matrices[:, index, index] = diagonal
    matrices[:, index[1:], index[:-1]] = beside[:, : count - 1]
    values, vectors = np.linalg.eigh(matrices)
    top = np.abs(values).argmax(axis=1)
    rows = np.arange(len(values))
    return values[rows, top], np.ascontiguousarray(vectors[rows, :, top])
