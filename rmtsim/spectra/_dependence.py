"""Dependence between rows or columns of a data matrix: tests of products at a lag, and autoregressive whitening.

Under random changes of sign the products x[t]·x[t + lag] of independent, symmetric entries have mean zero and their
own squares as variances, whatever the variances and tails of the entries, so that their sum has a standard score in
closed form. Components that were removed leave dependence of their own; its mean is subtracted. Correlations of
neighbours that differ from pair to pair may have a small sum, but not a small sum of squares, which is tested as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from rmtsim._internal.arrays import FloatArray, Matrix
from rmtsim._internal.docstrings import frozen
from rmtsim.spectra._deflation import top_vectors
from rmtsim.spectra._entries import SHIFT, edge_scale

_LAGS = 5
"""Lags that are tested in each direction."""
_LEVEL = 0.01
"""Level of all these tests together."""
_FILTER_LEVEL = 0.05
"""Level of the test of a filter: neighbours are correlated beyond chance, and one correlation has to explain it."""
_DOUBTFUL = float(stats.norm.isf(0.025))
"""Standard score of the first lag from which the data are whitened: level 0.05 in each direction."""
_ROUNDS = 8
_LARGEST = 0.995
_MOST = 10
"""Suspected components that are removed before the autocorrelation is estimated."""
_CHANCE = 1e-6
"""Probability of equal columns by chance below which they count as copies."""
_SAME = 1e-12
"""Relative difference below which columns count as proportional."""
_ENOUGH = 1_000_000
"""Entries from which correlations that matter are seen in a part of the data."""
AXES = ("rows", "columns")


@frozen
class Whitening:
    """Data after autoregressive filters along rows and columns, with the lag-one correlations that they removed."""

    data: Matrix
    correlations: tuple[float, float]
    means: Matrix | None = None
    """Unit vector that is orthogonal to all columns, if those of the source are centred."""

    def words(self) -> str:
        """Which filters were applied; empty if none was."""
        parts = [
            f"{name} have a lag-one correlation of {value:.2g}, which is removed by an autoregressive filter"
            for name, value in zip(AXES, self.correlations, strict=True)
            if value
        ]
        return ", ".join(parts)


def whitened(data: Matrix, suspected: Callable[[Matrix], int], means: Matrix | None = None) -> Whitening:
    """Remove lag-one correlations of rows and of columns, where there are any.

    The filters are invertible, so that a signal keeps its rank. ``suspected`` counts the components of filtered data
    that are removed before their correlation is estimated. The lag-one correlation of what x[t] - r x[t - 1] leaves
    of an autoregression with coefficient s is s - r to first order, hence the additive steps. ``means`` is a unit
    vector that is orthogonal to all columns, if there is one.
    """
    coefficients = np.zeros(2)
    active = [size >= 2 + _LAGS for size in data.shape]
    white, across = data, means
    for _ in range(_ROUNDS):
        rest = _Rest(white, min(suspected(white), _MOST, min(data.shape) // 4), across)
        moved = False
        for axis in (0, 1):
            score, correlation = rest.lag(axis, 1)[:2] if active[axis] else (0.0, 0.0)
            if abs(score) > _DOUBTFUL:
                coefficients[axis] = float(np.clip(coefficients[axis] + correlation, -_LARGEST, _LARGEST))
                moved = True
        if not moved:
            break
        white = data
        for axis in (0, 1):
            if coefficients[axis]:
                white = _filtered(white, axis, float(coefficients[axis]))
        across = None if means is None else _filtered_normal(means, float(coefficients[0]))
    return Whitening(white, (float(coefficients[0]), float(coefficients[1])), across)


def lag_dependence(
    data: Matrix,
    removed: int,
    means: Matrix | None = None,
    top: Matrix | None = None,
    *,
    doubtful: bool = False,
    filtered: tuple[float, float] = (0.0, 0.0),
) -> str:
    """Message that rows or columns are correlated after ``removed`` components were removed; empty if they are not.

    Correlations that are significant but move the edge of the bulk by less than ``SHIFT`` do not count. With
    ``doubtful``, the first lag is tested at the level from which the data are whitened. Along an axis that was
    ``filtered``, one correlation for all neighbours is tested at the level ``_FILTER_LEVEL``. ``top`` as for
    :func:`~rmtsim.spectra._deflation.top_vectors`.
    """
    rest = _Rest(data, removed, means, top)
    rows, columns = data.shape
    share = _LEVEL / (4 * _LAGS)
    limit, uneven_limit, filter_limit = (
        float(stats.norm.isf(p)) for p in (0.5 * share, share, _FILTER_LEVEL)
    )
    found = []
    for axis, weight in ((0, math.sqrt(columns / rows)), (1, math.sqrt(rows / columns))):
        # The eigenvalues of a matrix with the correlation r at one lag have the variance 2r².
        least_square = SHIFT * edge_scale(rows, columns) / weight / 2
        for lag in range(1, _LAGS + 1):
            if data.shape[axis] > 2 * lag + removed and data.shape[axis] >= 2 + _LAGS:
                score, correlation, uneven, square = rest.lag(axis, lag)
                least = _DOUBTFUL if doubtful and lag == 1 else limit
                if abs(score) > least and correlation**2 > least_square:
                    found.append((abs(score), f"by {correlation:.2g}", AXES[axis], lag))
                most = filter_limit if filtered[axis] and lag == 1 else uneven_limit
                if uneven > most and square > least_square:
                    words = f"by {math.sqrt(square):.2g} in root mean square"
                    found.append((uneven, words, AXES[axis], lag))
    if not found:
        return ""
    score, words, name, lag = max(found)
    return f"{name} are correlated (at lag {lag} {words}, {score:.3g} standard deviations)"


class _Rest:
    """The data without their ``removed`` largest components, thinned across each axis where they are many."""

    def __init__(
        self, data: Matrix, removed: int, means: Matrix | None = None, top: Matrix | None = None
    ) -> None:
        left, right = top_vectors(data, removed, top)
        self.vectors = (left if means is None else np.column_stack([left, means])), right
        step = max(1, data.size // _ENOUGH)
        # Neighbours along the first axis of each.
        across, along = np.ascontiguousarray(data[:, ::step]), data[::step].T
        if removed:
            scaled = data @ right
            across = across - scaled @ right[::step].conj().T
            along = along - (scaled[::step] @ right.conj().T).T
        self.parts = across, along
        self.others = right[::step], left[::step]
        self.squares = tuple(np.abs(part) ** 2 for part in self.parts)
        self.sizes = tuple(part.sum(axis=1) for part in self.squares)

    def lag(self, axis: int, lag: int) -> tuple[float, float, float, float]:
        """Dependence of neighbours at a lag along an axis.

        Standard score and value of their correlation; normal score of the squared scores of all pairs, and their mean
        squared correlation.
        """
        part, squares, size, left = (
            each[axis] for each in (self.parts, self.squares, self.sizes, self.vectors)
        )
        if np.iscomplexobj(part):
            products = (part[:-lag].conj() * part[lag:]).real
            totals, spreads = products.sum(axis=1), (products**2).sum(axis=1)
        else:
            totals = np.einsum("ij,ij->i", part[:-lag], part[lag:])
            spreads = np.einsum("ij,ij->i", squares[:-lag], squares[lag:])
        total_spread = float(spreads.sum())
        if left.shape[1]:
            totals = totals - _mean_of_products(size, left, lag)
            spreads = np.maximum(spreads, _spread_of_removal(squares, left, self.others[axis], lag))
        kept = spreads > 0
        scale = float(size[:-lag].sum()) * float(size[lag:].sum())
        pairs = float((size[:-lag] * size[lag:])[kept].sum())
        if not kept.any() or scale <= 0 or pairs <= 0:
            return 0.0, 0.0, 0.0, 0.0
        total, count = float(totals.sum()), int(kept.sum())
        # The square of a sum with random signs over its mean has a variance of at most 2, as for one degree of freedom.
        squares_sum = float((totals[kept] ** 2 / spreads[kept]).sum())
        # Wilson and Hilferty: the cube root of a chi-square number is close to Gaussian.
        cube, error = math.cbrt(squares_sum / count), 2 / (9 * count)
        return (
            total / math.sqrt(total_spread) if total_spread > 0 else 0.0,
            total / math.sqrt(scale),
            (cube - 1 + error) / math.sqrt(error),
            float((totals[kept] ** 2 - spreads[kept]).sum()) / pairs,
        )


def _mean_of_products(size: NDArray[np.float64], left: Matrix, lag: int) -> FloatArray:
    """Mean of the sums of products of neighbours in (1 - P) E, P the projection on the removed vectors ``left``."""
    weight = size / np.maximum(1 - (np.abs(left) ** 2).sum(axis=1), 0.1)
    inner = left.conj().T @ (weight[:, None] * left)
    along = (left[:-lag].conj() * left[lag:]).sum(axis=1).real
    mean = -along * (weight[:-lag] + weight[lag:])
    return np.asarray(mean + ((left[:-lag] @ inner) * left[lag:].conj()).sum(axis=1).real)


def _spread_of_removal(squares: FloatArray, left: Matrix, other: Matrix, lag: int) -> FloatArray:
    """Variances of the sums of products of neighbours that come from removed components, to first order.

    Row i of (1 - P) E (1 - Q) is e_i - Σ left_i (leftᴴ E) - (e_i · other) otherᴴ. For rows of equal variances the
    squares of the products themselves account for these terms. Where neighbouring rows of sparse or heavy-tailed noise
    hardly overlap, the terms are larger than the products of the noise.
    """
    weights = np.abs(left) ** 2
    across = squares @ (squares.T @ weights)
    along = squares @ np.abs(other) ** 2
    added = (weights[lag:] * across[:-lag] + weights[:-lag] * across[lag:]).sum(axis=1)
    return np.asarray(added + (along[:-lag] * along[lag:]).sum(axis=1))


def _filtered(data: Matrix, axis: int, correlation: float) -> Matrix:
    """x[t] - correlation·x[t - 1] along an axis; the first has the same variance as the others."""
    moved = np.moveaxis(data, axis, 0)
    result = moved.copy()
    result[1:] -= correlation * moved[:-1]
    result[0] *= np.sqrt(1 - correlation**2)
    return np.moveaxis(result, 0, axis)


def _filtered_normal(vector: Matrix, correlation: float) -> Matrix:
    """Unit vector that is orthogonal to filtered columns, if ``vector`` is orthogonal to the columns before."""
    result = vector.copy()
    for place in range(len(vector) - 2, -1, -1):
        result[place] += correlation * result[place + 1]
    result[0] /= math.sqrt(1 - correlation**2)
    return np.asarray(result / np.linalg.norm(result))


def equal_columns(data: Matrix) -> str:
    """Message that two columns are equal or proportional; empty otherwise, for zero columns and equality by chance."""
    rows, columns = data.shape
    norms = np.sqrt(np.einsum("ij,ij->j", data.conj(), data).real)
    # Proportional columns have weighted sums of equal modulus in units of their norms: those are compared.
    sums = np.abs(np.cos(np.arange(rows) + 1.0) @ data) / np.where(norms > 0, norms, 1.0)
    order = np.argsort(sums)
    for at in np.flatnonzero(np.diff(sums[order]) <= _SAME).tolist():
        first, second = sorted(order[at : at + 2].tolist())
        a, b = data[:, first], data[:, second]
        if not (norms[first] > 0 and norms[second] > 0):
            continue
        if np.linalg.norm(a * (np.vdot(a, b) / norms[first] ** 2) - b) > _SAME * norms[second]:
            continue
        shares = np.unique(a, return_counts=True)[1] / rows
        if columns**2 * float((shares**2).sum()) ** rows < _CHANCE:
            how = "equal" if (a == b).all() else "proportional"
            return f"columns {first} and {second} are {how} (counted from zero); leave one of them out"
    return ""
