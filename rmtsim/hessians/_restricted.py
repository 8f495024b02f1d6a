"""A diagonal block of an operator, as products on the parameters of one group."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.hessians._groups import Group
from rmtsim.hessians._operator import HessianOperator
from rmtsim.matrix_free._lanczos import Product


def embedded(operator: HessianOperator, group: Group, vectors: Array) -> Array:
    """Vectors on the parameters of a group as vectors on all parameters, zero elsewhere."""
    whole = np.zeros((*vectors.shape[:-1], operator.size))
    whole[..., group.indices] = vectors
    return whole


def restricted(operator: HessianOperator, group: Group) -> Product:
    """Product of the diagonal block of a group with one vector or with rows of vectors."""
    if group.size == operator.size and bool((np.diff(group.indices) == 1).all()):
        return operator.product

    def product(vectors: Array) -> Array:
        return np.asarray(operator.product(embedded(operator, group, vectors))[..., group.indices])

    return product
