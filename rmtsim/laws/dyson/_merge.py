"""Merging of rows: the coarsest classes on which the solution of a diagonal problem is constant.

If Σ_{j in class} s_ij and a_i are the same for all i of a class, the equation has a solution that is constant on
classes, and the solution is unique. Starting from classes of equal mean, they are split by those sums until none
splits (colour refinement). A Wigner matrix ends with one class, two blocks with two, a symmetric band with half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]


def _split(classes: NDArray[np.intp], values: Real, tolerance: float) -> NDArray[np.intp]:
    """Classes of ``values``: neighbours in order that differ by more than ``tolerance`` are in different classes."""
    order = np.lexsort((values, classes))
    ordered, owner = values[order], classes[order]
    fresh = np.concatenate([[True], (np.diff(ordered) > tolerance) | (owner[1:] != owner[:-1])])
    result = np.empty(len(classes), dtype=np.intp)
    result[order] = np.cumsum(fresh) - 1
    return result


def equitable_classes(keys: list[Real], profile: Real) -> NDArray[np.intp]:
    """The class of each row: equal ``keys`` to the last bit, equal sums of ``profile`` over every class to rounding.

    >>> equitable_classes([np.zeros(4)], np.ones((4, 4)))
    array([0, 0, 0, 0])
    >>> equitable_classes([np.zeros(3)], np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    array([0, 1, 0])
    """
    n = len(profile)
    classes = np.zeros(n, dtype=np.intp)
    for key in keys:
        classes = _split(classes, key, 0.0)
    tolerance = 4 * np.finfo(float).eps * np.sqrt(n) * float(profile.sum(axis=1).max(initial=0.0))
    while True:
        count = int(classes.max()) + 1
        if count > n // 2 and count > 8:
            # Merging fewer than half of the rows does not pay for the refinement.
            return np.arange(n)
        member = np.zeros((n, count))
        member[np.arange(n), classes] = 1.0
        sums = profile @ member
        refined = classes
        for column in sums.T:
            refined = _split(refined, column, tolerance)
        if int(refined.max()) + 1 == count:
            return _by_first_row(classes)
        classes = refined


def _by_first_row(classes: NDArray[np.intp]) -> NDArray[np.intp]:
    _, first, place = np.unique(classes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[place.ravel()]
