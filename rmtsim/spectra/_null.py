"""Which null the outliers of a data matrix are tested against, from what its entries and its bulk show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.spectra._bulk import WishartBulk
from rmtsim.spectra._deflation import gram
from rmtsim.spectra._dependence import equal_columns, lag_dependence, whitened
from rmtsim.spectra._flips import entries_of, flip_test
from rmtsim.spectra._outliers import screened
from rmtsim.spectra._separated import Null

FloatArray = NDArray[np.float64]

_SMALL = 40
"""Rows or columns below which sign flips are used whatever the entries show."""
_AFFORDABLE = 500_000
"""Entries up to which sign flips are tried without being requested."""


def choose_null(
    data: NDArray[Any],
    values: FloatArray,
    gaussian: Null,
    level: float,
    requested: bool,
    rng: np.random.Generator | None,
) -> Null:
    """The null for a data matrix; ``gaussian`` is the outcome by the Tracy–Widom law, with its verdict on the bulk."""
    copies = equal_columns(data)
    if copies:
        return Null(gaussian.test, "", copies, gaussian.split, gaussian.most)
    suspected = int(gaussian.split.outliers.sum())

    def components(matrix: NDArray[Any]) -> int:
        if matrix is data:
            return suspected
        bulk = WishartBulk(matrix.shape[1], matrix.shape[0], 2 if np.iscomplexobj(matrix) else 1)
        return int(screened(_eigenvalues(matrix, values.size), bulk, both=False).sum())

    parts = [gaussian.reason, entries_of(data, suspected).words()]
    if min(data.shape) < _SMALL:
        parts.append(f"{min(data.shape)} rows or columns are too few to see unequal variances or heavy tails")
    if not requested and not any(parts) and not lag_dependence(data, suspected):
        return gaussian
    white = whitened(data, components)
    doubts = ", ".join(part for part in (*parts, white.words()) if part)
    if not requested and data.size > _AFFORDABLE:
        remedy = f"test='signs' tests {data.size:.2g} entries by sign flips"
        return Null("tracy-widom", "", f"{doubts}; {remedy}", gaussian.split, gaussian.most)
    if any(white.correlations):
        values = _eigenvalues(white.data, values.size)
    found = flip_test(white.data, values, level, np.random.default_rng(0) if rng is None else rng)
    removed = int(found.split.outliers.sum()) if found.fits else 0
    parts = ["" if found.fits else found.words(), lag_dependence(white.data, removed)]
    return Null("signs", doubts, ", and ".join(part for part in parts if part), found.split, found.most)


def _eigenvalues(data: NDArray[Any], count: int) -> FloatArray:
    """The largest ``count`` eigenvalues of XᵀX, decreasing."""
    values = np.asarray(np.linalg.eigvalsh(gram(data)), dtype=np.float64)[::-1][:count]
    return values.clip(min=0.0)
