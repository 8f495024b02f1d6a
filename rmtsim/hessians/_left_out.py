"""Eigenvalues and eigenvectors with some of the data left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array
from rmtsim.hessians._groups import Group
from rmtsim.hessians._operator import HessianOperator
from rmtsim.hessians._restricted import embedded, inside
from rmtsim.matrix_free import _lanczos

PARTS = 5
"""Parts of the data in turn left out to find eigenvectors."""
_DEPENDENT = 1e-12
"""A vector counts as dependent on others if less than this share of it is left beside them."""
_SMALL = 1000
"""Blocks up to this size are formed, fold by fold."""


def held_out(operator: HessianOperator, group: Group, vectors: Array, which: str, tolerance: float) -> Array:
    """(folds, count): quadratic forms of each fold with the eigenvectors found without the fold's part."""
    folds, count = len(operator.folds), vectors.shape[1]
    forms = np.empty((folds, count))
    parts = [np.arange(first, folds, PARTS) for first in range(PARTS)]
    if group.size <= _SMALL:
        whole = _formed(operator, group)
        for part in parts:
            rest = np.setdiff1d(np.arange(folds), part)
            share = operator.fold_weights[rest] / operator.fold_weights[rest].sum()
            matrix = np.tensordot(share, whole[rest], axes=1)
            found = np.linalg.eigh(0.5 * (matrix + matrix.T))[1]
            found = found[:, ::-1][:, :count] if which == "top" else found[:, :count]
            forms[part] = np.einsum("pj,fpq,qj->fj", found, whole[part], found)
        return forms
    for part in parts:
        rest = np.setdiff1d(np.arange(folds), part)
        found = vectors_on(operator, group, rest, vectors, which, tolerance)
        rows = embedded(operator, group, np.ascontiguousarray(found.T))
        for fold in part:
            image = operator.product_on(np.array([fold]), rows)
            forms[fold] = np.einsum("jp,jp->j", rows, image)
            del image
    return forms


def vectors_on(
    operator: HessianOperator,
    group: Group,
    folds: NDArray[np.intp],
    vectors: Array,
    which: str,
    tolerance: float,
) -> Array:
    """Extreme eigenvectors of the mean over some folds, the outermost first, started from those of all data."""

    def product(v: Array) -> Array:
        whole = embedded(operator, group, np.ravel(v))
        return inside(operator, group, operator.product_on(folds, whole[None])[0])

    start = vectors.sum(axis=1)
    return _lanczos.near_vectors(
        product, start, count=vectors.shape[1], which=which, tolerance=max(1e-4, tolerance)
    )


def values_without(
    operator: HessianOperator, group: Group, values: Array, vectors: Array, which: str, count: int
) -> Array:
    """(folds, count): extreme eigenvalues of the mean over all folds but one.

    Exact for small groups, otherwise the Ritz values on the eigenvectors for all data and their residuals: right to
    first order in what the fold changes, and to third where the other eigenvalues are far away.
    """
    folds, weights = len(operator.folds), operator.fold_weights
    found = np.empty((folds, count))
    small = group.size <= _SMALL
    whole = _formed(operator, group) if small else np.empty(0)
    rows = np.empty(0) if small else np.ascontiguousarray(vectors.T)
    for fold in range(folds):
        rest = np.setdiff1d(np.arange(folds), [fold])
        if small:
            matrix = np.tensordot(weights[rest] / weights[rest].sum(), whole[rest], axes=1)
        else:
            image = _on(operator, group, np.array([fold]), rows)
            for row, vector, value in zip(image, rows, values, strict=True):
                row *= -weights[fold]
                row += value * vector
                row /= 1 - weights[fold]
            matrix = image @ rows.T
            beside = _orthonormal(image, rows)
            if len(beside):
                moved = _on(operator, group, rest, beside)
                cross = moved @ rows.T
                matrix = np.block([[matrix, cross.T], [cross, moved @ beside.T]])
                del moved
            del image, beside
        ordered = np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
        found[fold] = ordered[::-1][:count] if which == "top" else ordered[:count]
    return found


def _orthonormal(image: Array, rows: Array) -> Array:
    """An orthonormal basis of what the rows of an array have beside the orthonormal ``rows``, in their place.

    Memory matters here, not time: no further array of this size is made.

    >>> _orthonormal(np.array([[3.0, 4.0, 0.0], [5.0, 8.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]))
    array([[0., 1., 0.]])
    """
    kept = 0
    for row in image:
        before = float(np.linalg.norm(row))
        for _ in range(2):  # twice, because rounding in the first pass reintroduces components
            for known in (*rows, *image[:kept]):
                row -= (known @ row) * known
        after = float(np.linalg.norm(row))
        if after > _DEPENDENT * before:
            image[kept] = row / after
            kept += 1
    return image[:kept]


def _formed(operator: HessianOperator, group: Group) -> Array:
    """The block of every fold."""
    return operator.fold_products(embedded(operator, group, np.eye(group.size)))[..., group.indices]


def _on(operator: HessianOperator, group: Group, folds: NDArray[np.intp], rows: Array) -> Array:
    """Products of the mean over some folds with the rows of an array."""
    return inside(operator, group, operator.product_on(folds, embedded(operator, group, rows)))
