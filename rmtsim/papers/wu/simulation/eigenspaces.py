"""Top eigenspaces and their overlaps, with the sampling error of the expectation over inputs taken out.

An eigenspace computed from N inputs is off the population's by an angle with sin² = O(1/N), so an overlap
of two such spaces is biased low. With two independent halves a, b of the inputs

    Overlap(U, V)  ≈  Overlap(U_a, V_b) / √(Overlap(U_a, U_b) · Overlap(V_a, V_b))

removes the leading error: the independent deviations of U_a and V_b shrink the numerator by the factors
that the two self-overlaps measure (docs/papers/wu/index.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.remembered import remembered
from rmtsim.errors import ConvergenceError

_ITERATED = 48
"""From this size on block iteration is faster than the dense solver, if there is a gap after the wanted space."""
_INSIDE = 96
"""From this size on Lanczos is faster than the dense solver for eigenvalues inside the bulk."""
_OVERSAMPLING = 8
_GUARDS = 2
"""Random columns in addition to those that nearly span the space, so that no direction is missed."""
_RESIDUAL = 1e-9


@frozen
class Eigenspace:
    """Top eigenvectors as columns, their eigenvalues in decreasing order, and max ‖Hv - λv‖/λ₁."""

    basis: Array
    values: Array
    residual: float


def top_eigenspace(matrix: Array, count: int, extra: int = 0) -> Eigenspace:
    """The ``count`` top eigenvectors of a symmetric matrix, with ``extra`` further eigenvalues.

    >>> space = top_eigenspace(np.diag([3.0, 1.0, 2.0]), 1, extra=1)
    >>> space.values, bool(abs(space.basis[0, 0]) > 0.999)
    (array([3., 2.]), True)
    """
    matrix = validate.matrix("matrix", matrix, meaning="a symmetric matrix")
    size = matrix.shape[0]
    if matrix.shape != (size, size):
        raise ValueError(f"matrix of shape {matrix.shape}: expected a symmetric matrix")
    extra = validate.integer("extra", extra, minimum=0, meaning="further eigenvalues")
    count = validate.integer("count", count, maximum=size, meaning="dimension of the eigenspace")
    wanted = min(size, count + extra)
    if extra == 0 and size >= _ITERATED and 4 * (count + _OVERSAMPLING) <= size:
        # Small products cost less than the orthogonalisation and the small problem after them.
        powers = 4 if size <= 128 else 3
        found = _iterate(matrix, count, _block(size, count + _OVERSAMPLING), powers)
        if found is not None:
            return found
    if size >= _INSIDE and 4 * wanted + 24 <= size:
        return _inside_bulk(matrix, count, wanted)
    values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(size - wanted, size - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    error = np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max()
    return Eigenspace(vectors[:, :count], values, float(error / max(abs(values[0]), np.finfo(float).tiny)))


def top_eigenvalues(matrix: Array, count: int) -> Array:
    """The ``count`` largest eigenvalues of a symmetric matrix in decreasing order, by Lanczos (residual 1e-9) if large.

    >>> top_eigenvalues(np.diag([3.0, 1.0, 2.0]), 2)
    array([3., 2.])
    """
    matrix = validate.matrix("matrix", matrix, meaning="a symmetric matrix")
    size = matrix.shape[0]
    if matrix.shape != (size, size):
        raise ValueError(f"matrix of shape {matrix.shape}: expected a symmetric matrix")
    count = validate.integer("count", count, maximum=size, meaning="number of eigenvalues")
    return largest_eigenvalues(matrix, count, _RESIDUAL)


def largest_eigenvalues(matrix: Array, count: int, residual: float) -> Array:
    """The same of a matrix that needs no checks, to a residual whose square is the error of the eigenvalues."""
    size = len(matrix)
    if size >= _ITERATED and 4 * count + 24 <= size:
        from rmtsim.papers.wu.simulation.kernels.subspace import top_ritz_values

        steps = min(size - 1, 8 * count + 128)
        values, reached = top_ritz_values(
            np.ascontiguousarray(matrix), _block(size, 1)[:, 0].copy(), count, residual, steps
        )
        if reached <= residual:
            return np.asarray(values[::-1])
    return np.asarray(np.linalg.eigvalsh(matrix)[::-1][:count])


def iterated_eigenspace(matrix: Array, count: int, start: Array) -> Eigenspace:
    """The ``count`` top eigenvectors of a positive semi-definite matrix, from columns that nearly span them.

    Such a small and close starting block takes half the time of a random one. If it does not converge,
    :func:`top_eigenspace` is used.

    >>> matrix = np.diag(np.concatenate([[9.0, 8.0], np.linspace(1, 0, 30)]))
    >>> iterated_eigenspace(matrix, 2, np.ones((32, 1))).values.round(9)
    array([9., 8.])
    """
    size, near = start.shape
    if 4 * (near + _GUARDS) <= size and count <= near + _GUARDS:
        block = np.empty((size, near + _GUARDS))
        block[:, :near] = start
        block[:, near:] = _block(size, _GUARDS)
        found = _iterate(matrix, count, block, 9)
        if found is not None:
            return found
    return top_eigenspace(matrix, count)


def factored_eigenspace(rows: Array, count: int, start: Array | None = None) -> Eigenspace:
    """The ``count`` top eigenvectors of RᵀR for a matrix R with fewer rows than columns, from the smaller RRᵀ.

    RRᵀr = λr makes Rᵀr/√λ an eigenvector of RᵀR of norm one. ``start`` has columns that nearly span the space.

    >>> space = factored_eigenspace(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]]), 1)
    >>> space.values, bool(abs(space.basis[1, 0]) > 0.999)
    (array([4.]), True)
    """
    rows = validate.matrix("rows", rows, meaning="R, a square root of the matrix")
    count = validate.integer("count", count, maximum=len(rows), meaning="dimension of the eigenspace")
    gram = rows @ rows.T
    if start is None:
        small = top_eigenspace(gram, count)
    else:
        start = validate.matrix("start", start, rows=rows.shape[1], meaning="columns near the space")
        small = iterated_eigenspace(gram, count, rows @ start)
    least = float(small.values[-1])
    if least <= 1e-12 * float(small.values[0]):
        # Of eigenvalue zero there is nothing on the side of the rows.
        return top_eigenspace(rows.T @ rows, count)
    basis = rows.T @ (small.basis / np.sqrt(small.values))
    # RᵀRv - λv = Rᵀ(RRᵀr - λr)/√λ, and ‖R‖² = λ₁.
    return Eigenspace(basis, small.values, small.residual * float(np.sqrt(small.values[0] / least)))


def lanczos(
    product: Callable[[Array], Array], start: Array, wanted: int, *, tolerance: float, name: str
) -> tuple[Array, Array, int]:
    """Algebraically largest eigenpairs of a symmetric operator in decreasing order, and the products spent.

    ``tolerance`` is relative to the eigenvalue; what does not meet it raises ConvergenceError naming ``name``. Equal
    operators and starts give equal bytes.

    >>> values, _, _ = lanczos(lambda v: np.arange(50.0) * v, np.ones(50), 2, tolerance=1e-10, name="an example")
    >>> values.round(6)
    array([49., 48.])
    """
    size = len(start)
    calls = 0

    def counted(vector: Array) -> Array:
        nonlocal calls
        calls += 1
        return product(np.ascontiguousarray(vector).reshape(-1))

    operator = scipy.sparse.linalg.LinearOperator((size, size), matvec=counted, dtype=np.float64)
    try:
        values, vectors = scipy.sparse.linalg.eigsh(
            operator,
            k=wanted,
            which="LA",
            v0=start,
            tol=tolerance,
            ncv=min(size, 2 * wanted + 24),
            maxiter=60 * wanted,
        )
    except scipy.sparse.linalg.ArpackNoConvergence as error:
        raise ConvergenceError(
            f"top {wanted} eigenvalues of {name}: {len(error.eigenvalues)} converged",
            residual=float("nan"),
            iterations=calls,
        ) from error
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order], calls


def _inside_bulk(matrix: Array, count: int, wanted: int) -> Eigenspace:
    """The same for eigenvalues inside the bulk, or without a gap after the space; block iteration needs gaps."""
    start = np.random.default_rng(0).standard_normal((matrix.shape[0],))
    values, vectors, _ = lanczos(
        lambda vector: np.asarray(matrix @ vector), start, wanted, tolerance=_RESIDUAL, name="a matrix"
    )
    residual = np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max() / abs(values[0])
    return Eigenspace(vectors[:, :count], values, float(residual))


def _iterate(matrix: Array, count: int, start: Array, powers: int) -> Eigenspace | None:
    """Block iteration with Rayleigh–Ritz for a positive semi-definite matrix; None if it does not converge.

    Random columns of the start are fixed, so equal matrices give equal bytes. A block that misses an eigenvector
    altogether has probability zero for matrices that were not made from it.
    """
    from rmtsim.papers.wu.simulation.kernels.subspace import top_subspace

    vectors, values, residual = top_subspace(
        np.ascontiguousarray(matrix), start, count, powers, _RESIDUAL, 12
    )
    return Eigenspace(vectors, values, float(residual)) if residual <= _RESIDUAL else None


@remembered(maxsize=64)
def _block(size: int, columns: int) -> Array:
    return np.random.default_rng(0).standard_normal((size, columns))


def overlap(first: Array, second: Array) -> float:
    """‖UᵀV‖²_F/k for orthonormal columns (``wu`` Definition 2.1): 1 for equal spaces, 0 for orthogonal.

    >>> overlap(np.eye(3)[:, :2], np.eye(3)[:, 1:])
    0.5
    """
    first = validate.matrix("first", first, meaning="orthonormal columns")
    second = validate.matrix("second", second, rows=len(first), meaning="orthonormal columns")
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.asarray(np.sum((first.T @ second) ** 2))
    return float(validate.computed("first, second", squares) / first.shape[1])


def corrected_overlap(first: tuple[Array, Array], second: tuple[Array, Array]) -> float:
    """Overlap of two population eigenspaces from their estimates on independent halves of the inputs.

    Exact spaces (the same basis twice) are allowed for either argument. The value may exceed one by
    the remaining noise.
    """
    for name, pair in (("first", first), ("second", second)):
        for basis in pair:
            validate.matrix(name, basis, rows=len(first[0]), meaning="orthonormal columns")
    return overlap_of_halves(first, second)


def overlap_of_halves(first: tuple[Array, Array], second: tuple[Array, Array]) -> float:
    """:func:`corrected_overlap` of bases that are known to be orthonormal."""
    count, other = first[0].shape[1], second[0].shape[1]
    cross = 0.5 * (shared_energy(first[0], second[1]) + shared_energy(first[1], second[0])) / count
    own = shared_energy(*first) / count * (shared_energy(*second) / other)
    return float(cross / math.sqrt(own))


def shared_energy(first: Array, second: Array) -> float:
    """‖UᵀV‖²_F."""
    product = first.T @ second
    return float(np.vdot(product, product))


def row_space(weights: Array) -> Array:
    """Orthonormal basis of {Wᵀv : v ⊥ 1}, the row span of W without 1ᵀW (``wu`` Theorem 4.2).

    >>> basis = row_space(np.eye(3))
    >>> basis.shape, bool(np.abs(basis.sum(axis=0)).max() < 1e-14)
    ((3, 2), True)
    """
    from rmtsim.papers.wu.simulation.kernels.subspace import row_span

    weights = validate.matrix("weights", weights, meaning="classes × units")
    return np.asarray(row_span(np.ascontiguousarray(weights)))
