"""A diagonal block of an operator, as products on the parameters of one group."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.hessians._groups import Group
from rmtsim.hessians._operator import HessianOperator
from rmtsim.matrix_free._lanczos import Product


def embedded(operator: HessianOperator, group: Group, vectors: Array) -> Array:
    """Vectors on the parameters of a group as vectors on all parameters, zero elsewhere; themselves for all of them."""
    if _is_all(operator, group):
        return vectors
    whole = np.zeros((*vectors.shape[:-1], operator.size))
    whole[..., group.indices] = vectors
    return whole


def inside(operator: HessianOperator, group: Group, vectors: Array) -> Array:
    """Entries of vectors on the parameters of a group."""
    return vectors if _is_all(operator, group) else np.asarray(vectors[..., group.indices])


def restricted(operator: HessianOperator, group: Group) -> Product:
    """Product of the diagonal block of a group with one vector or with rows of vectors."""
    if _is_all(operator, group):
        return operator.product
    return lambda vectors: inside(operator, group, operator.product(embedded(operator, group, vectors)))


def _is_all(operator: HessianOperator, group: Group) -> bool:
    """Whether a group is all parameters, in their order."""
    return group.size == operator.size and bool((group.indices[1:] > group.indices[:-1]).all())
