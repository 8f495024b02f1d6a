"""out += a b in one BLAS call: no temporary of the size of the result, and one pass over it fewer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm

__all__ = ["add_product"]

Array = NDArray[np.float64]


def add_product(out: Array, left: Array, right: Array) -> None:
    """``out += left @ right`` for plain matrices; stacks of matrices take the longer way.

    >>> total = np.ones((2, 2))
    >>> add_product(total, np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> total
    array([[2., 3.],
           [4., 5.]])
    """
    if out.ndim != 2 or left.ndim != 2 or right.ndim != 2 or not out.flags.c_contiguous or not out.size:
        out += left @ right
        return
    # BLAS speaks columns: outᵀ += rightᵀ leftᵀ, where a transposed array is the same memory read the other way.
    a, transpose_a = (right.T, False) if right.flags.c_contiguous else (right, True)
    b, transpose_b = (left.T, False) if left.flags.c_contiguous else (left, True)
    dgemm(1.0, a, b, beta=1.0, c=out.T, trans_a=transpose_a, trans_b=transpose_b, overwrite_c=True)
