"""Joint statistics of the entries of a random matrix over draws of it: `li`, appendix E.

Rows are draws (batches of data, say), columns are entries. All statistics are of columns centred and divided by their
own deviation, so the second is Pearson's correlation, the third the co-skewness and the fourth the excess
co-kurtosis κ₄ = E[abcd] - E[ab]E[cd] - E[ac]E[bd] - E[ad]E[bc]. Means are over draws, with divisor n as in `li`.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array

_ORDERS = {2: "correlation", 3: "co-skewness", 4: "excess co-kurtosis"}
_RELATIVE = 1e-12
"""A column whose deviation is below this share of its largest value is constant up to rounding."""


def _draws(draws: ArrayLike) -> Array:
    columns = validate.matrix("draws", draws, meaning="one draw a row, one entry a column")
    if len(columns) < 2:
        raise ValueError(f"draws of shape {columns.shape}: expected two rows or more, one draw each")
    return np.asarray(columns, dtype=np.float64)


def varying(draws: ArrayLike) -> NDArray[np.bool_]:
    """Which entries vary from draw to draw: the others have no correlation with anything.

    >>> varying([[1.0, 0.0], [2.0, 0.0]])
    array([ True, False])
    """
    columns = _draws(draws)
    return np.asarray(columns.std(axis=0) > _RELATIVE * np.abs(columns).max(axis=0))


def standardised(draws: ArrayLike) -> Array:
    """Columns with mean zero and variance one (divisor n).

    >>> standardised([[1.0], [3.0]]).ravel()
    array([-1.,  1.])
    """
    columns = _draws(draws)
    if not varying(columns).all():
        constant = int(np.nonzero(~varying(columns))[0][0])
        raise ValueError(
            f"draws: entry {constant} is the same in every draw and has no correlation; leave such entries out"
        )
    centred = columns - columns.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def normalised_cumulants(draws: ArrayLike, order: int) -> Array:
    """All joint cumulants of an ``order`` 2, 3 or 4 of the standardised entries: an array of entries^order numbers.

    >>> normalised_cumulants([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0]], order=2).round(12)
    array([[1., 1.],
           [1., 1.]])
    """
    order = validate.integer("order", order, minimum=2, maximum=4)
    x = standardised(draws)
    n, entries = x.shape
    validate.memory(8.0 * float(entries) ** order, f"the {_ORDERS[order]} of {entries} entries")
    second = x.T @ x / n
    if order == 2:
        return np.asarray(second)
    pairs = (x[:, :, None] * x[:, None, :]).reshape(n, -1)
    if order == 3:
        return np.asarray((pairs.T @ x / n).reshape((entries,) * 3))
    fourth = (pairs.T @ pairs / n).reshape((entries,) * 4)
    fourth -= second[:, :, None, None] * second[None, None]
    fourth -= second[:, None, :, None] * second[None, :, None, :]
    fourth -= second[:, None, None, :] * second[None, :, :, None]
    return np.asarray(fourth)


_TILE = 500
"""Entries in a tile of correlations, which fits into the cache."""


def correlated_pairs(draws: ArrayLike, threshold: float) -> int:
    """How many pairs of different entries have a correlation above ``threshold`` in size, in single precision.

    The matrix of correlations is computed in tiles, for many entries.

    >>> draws = np.random.default_rng(0).standard_normal((157, 20))
    >>> correlated_pairs(draws, 0.1) == nonzero_count(draws, order=2, threshold=0.1, ordered=False)
    True
    """
    rows = standardised(draws)
    x = rows.T.astype(np.float32) / np.float32(math.sqrt(len(rows)))
    count = 0
    for start in range(0, len(x), _TILE):
        for other in range(start, len(x), _TILE):
            found = x[start : start + _TILE] @ x[other : other + _TILE].T
            if other == start:
                count += int(np.count_nonzero(np.triu(np.abs(found), 1) > threshold))
            elif (
                found.max() > threshold or found.min() < -threshold
            ):  # few tiles have any: count only in those
                count += int(np.count_nonzero(np.abs(found) > threshold))
    return count


def nonzero_count(draws: ArrayLike, order: int, threshold: float, *, ordered: bool = True) -> int:
    """How many joint cumulants exceed ``threshold`` in size: s₀ of `li`'s Algorithms 1 and 3.

    Of order 2 pairs of different entries are counted, of orders 3 and 4 all triples and quadruples, repetitions
    included, as `li` does. ``ordered`` counts every order of the same entries, otherwise each set of entries once.
    Memory grows with the square of the number of entries, not with its fourth power.

    >>> draws = np.random.default_rng(0).standard_normal((157, 20))
    >>> nonzero_count(draws, order=2, threshold=0.1) == 2 * nonzero_count(draws, order=2, threshold=0.1, ordered=False)
    True
    """
    order = validate.integer("order", order, minimum=2, maximum=4)
    threshold = validate.positive_number("threshold", threshold)
    x = standardised(draws)
    n, entries = x.shape
    second = x.T @ x / n
    if order == 2:
        pairs = int((np.abs(second[np.triu_indices(entries, 1)]) > threshold).sum())
        return 2 * pairs if ordered else pairs
    found = 0
    for first in range(entries):
        # Sets a <= b <= c (<= d) by their smallest entry; the rest is one matrix product.
        rest = np.arange(first, entries)
        left = x[:, [first]] * x[:, rest]
        if order == 3:
            values = left.T @ x[:, rest] / n
            found += _weighted(values, first, rest, rest, threshold, ordered)
            continue
        c, d = (rest[index] for index in np.triu_indices(len(rest)))
        values = left.T @ (x[:, c] * x[:, d]) / n
        values -= second[first, rest][:, None] * second[c, d]
        values -= second[first, c] * second[np.ix_(rest, d)]
        values -= second[first, d] * second[np.ix_(rest, c)]
        found += _weighted(values, first, rest, np.stack([c, d], axis=1), threshold, ordered)
    return found


def _weighted(
    values: Array, first: int, rest: NDArray[Any], others: NDArray[Any], threshold: float, ordered: bool
) -> int:
    total = 0
    for row, column in np.argwhere(np.abs(values) > threshold):
        members = (first, int(rest[row]), *np.atleast_1d(others[column]).tolist())
        if list(members) != sorted(members):
            continue  # this order of the set is counted at another place of the product
        total += _orders(members) if ordered else 1
    return total


def _orders(members: tuple[int, ...]) -> int:
    """In how many orders a multiset can be written."""
    repeats = [len(list(group)) for _, group in itertools.groupby(sorted(members))]
    return math.factorial(len(members)) // math.prod(map(math.factorial, repeats))
