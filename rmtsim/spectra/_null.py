"""Choice of the null for the outliers of a data matrix, by tests of its entries and its bulk."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from rmtsim._internal.arrays import Matrix
from rmtsim.spectra._bulk import WishartBulk
from rmtsim.spectra._deflation import Reduced, gram, leading, without_directions, without_top
from rmtsim.spectra._dependence import Whitening, equal_columns, lag_dependence, whitened
from rmtsim.spectra._entries import clearly_unequal, entries_of
from rmtsim.spectra._outliers import Separation, screened
from rmtsim.spectra._resampling import Resampled, Resampling, confirmation, resampled_test
from rmtsim.spectra._separated import Null

_AFFORDABLE = 500_000
"""Entries up to which data are resampled without being requested."""
_TELLING = 20_000
"""Entries from which heavy tails show although the largest of them were removed with suspected components."""
_UNEQUAL = "rows or columns have unequal variances"
_FEW = (
    "so few rows and columns could have unequal variances that are not seen, so that each component also has to pass a "
    "test by sign flips or by the spread of these variances"
)


def choose_null(
    data: Matrix,
    gaussian: Null,
    level: float,
    requested: Literal["auto", "permutations", "signs"],
    rng: np.random.Generator | None,
    centred: bool,
    known: Matrix | None = None,
) -> Null:
    """The null for a data matrix; ``gaussian`` is the outcome by the Tracy–Widom law, with its verdict on the bulk.

    ``known`` is the matrix ``gram(data)``, if it was computed before.

    - Entries of one variance with light tails: the Tracy–Widom law.
    - Entries of one variance: permutations of all entries.
    - Unequal variances of rows or columns: sign flips.

    Lag-one correlations of rows or columns are filtered out before the latter two. Where rows and columns are so few
    that unequal variances could be missed, a component has to pass :func:`confirmation` as well.
    """
    copies = equal_columns(data)
    if copies:
        return replace(gaussian, reason=copies)
    columns, rows = data.any(axis=0), data.any(axis=1)
    if not (columns.all() and rows.all()):
        data, known = data[:, columns][rows], None
    rng = np.random.default_rng(0) if rng is None else rng
    means = np.full(len(data), 1 / math.sqrt(len(data)), data.dtype) if centred else None
    suspected = int(gaussian.split.outliers.sum())
    matrix = _inside(data, means)
    removed = min(suspected, min(matrix.shape) - 2)
    # Centred data with more rows than columns have the same XᵀX as the matrix with one row fewer.
    top = None
    if known is not None and removed and (means is None or len(data) > data.shape[1]):
        top = leading(known, removed)
    shown = entries_of(Reduced(matrix, removed, top) if removed else matrix)
    light = "" if shown.light else f"entries have an excess kurtosis of {shown.excess_kurtosis:.2g}"
    doubts = [part for part in (gaussian.reason, light) if part]
    if requested == "auto":
        lags = lag_dependence(data, removed, means, top, doubtful=True)
        if not doubts and not lags and not any(shown.unequal):
            return _white(gaussian, matrix, shown.enough, level, rng)
        if data.size > _AFFORDABLE:
            unequal = clearly_unequal(matrix) or (shown.light and any(shown.unequal))
            words = "; ".join([*doubts, *([_UNEQUAL] if unequal else []), *([lags] if lags else [])])
            remedy = f"test='{'signs' if unequal else 'permutations'}' resamples {data.size:.2g} entries"
            return replace(gaussian, reason=f"{words}; {remedy}")
    white = whitened(data, lambda matrix: suspected if matrix is data else _components(matrix), means)
    if white.words():
        doubts.append(white.words())
    return _resampled(white, doubts, requested, gaussian.split.outliers.size, level, rng)


def _white(gaussian: Null, matrix: Matrix, enough: bool, level: float, rng: np.random.Generator) -> Null:
    """The outcome for data that look like white noise without their suspected components.

    The Tracy–Widom test takes a single huge entry for a component, whose removal hides heavy tails: unless enough
    entries are left to show these, components of heavy-tailed data have to pass a test by permutations.
    """
    suspected = gaussian.split.log_tails.size
    if suspected and matrix.size <= _TELLING:
        shown = entries_of(matrix)
        if not shown.light:
            found = resampled_test(matrix, "permutations", gaussian.split.outliers.size, level, rng)
            if found.split.log_tails.size < suspected:
                tails = f"entries have an excess kurtosis of {shown.excess_kurtosis:.2g}"
                gaussian = Null("permutations", tails, found.words(), found.split, found.most)
    return gaussian if enough or gaussian.reason else _confirmed(gaussian, matrix, level, rng)


def _resampled(
    white: Whitening, doubts: list[str], requested: str, size: int, level: float, rng: np.random.Generator
) -> Null:
    """The outcome by permutations, or by sign flips if variances of rows or columns are unequal."""
    matrix = _inside(white.data, white.means)
    unequal, enough = False, True
    if requested == "auto":
        unequal = clearly_unequal(matrix)
        if not unequal:
            found = resampled_test(matrix, "permutations", size, level, rng)
            shown = entries_of(found.rest)
            unequal, enough = any(shown.unequal), shown.enough
        how: Resampling = "signs" if unequal else "permutations"
    else:
        how = "signs" if requested == "signs" else "permutations"
    if unequal:
        doubts, enough = [*doubts, _UNEQUAL], True
    if unequal or requested != "auto":
        found = resampled_test(matrix, how, size, level, rng, single=unequal)
    null = Null(how, ", ".join(doubts), _unfit(found, white), found.split, found.most)
    if enough or null.reason:
        return null
    return _confirmed(null, matrix, level, rng)


def _unfit(found: Resampled, white: Whitening) -> str:
    """Why the resampled matrices are not a valid null for the data; empty if they are."""
    # Components that were not removed make neighbours look dependent: these are tested where the bulk fits.
    removed = int(found.split.outliers.sum())
    return found.words() or lag_dependence(white.data, removed, white.means, filtered=white.correlations)


def _confirmed(null: Null, matrix: Matrix, level: float, rng: np.random.Generator) -> Null:
    """The same with those components alone that a test for unequal variances confirms."""
    choice = ", ".join(part for part in (null.choice, _FEW) if part)
    split = null.split
    for place, tail in enumerate(split.log_tails.tolist()):
        second = confirmation(without_top(matrix, place), level, rng)
        if second > level:
            outliers = np.arange(split.outliers.size) < place
            left = Separation(outliers, split.log_tails[:place], max(tail, math.log(min(second, 1.0))))
            return replace(null, choice=choice, split=left)
    return replace(null, choice=choice if split.log_tails.size else null.choice)


def _inside(data: Matrix, means: Matrix | None) -> Matrix:
    """Centred data with one row fewer, whose noise has as many degrees of freedom as entries."""
    return data if means is None else without_directions(data, means[:, None])


def _components(matrix: Matrix) -> int:
    """Number of eigenvalues beyond the bulk of a robust fit."""
    bulk = WishartBulk(matrix.shape[1], matrix.shape[0], 2 if np.iscomplexobj(matrix) else 1)
    values = np.asarray(np.linalg.eigvalsh(gram(matrix)), dtype=np.float64)[::-1].clip(min=0.0)
    return int(screened(values, bulk, both=False).sum())
