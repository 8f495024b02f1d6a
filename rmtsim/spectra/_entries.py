"""Tests of the entries of a data matrix: tails, and unequal variances of rows or columns.

Both move the edge of the bulk. In units of the scale on which the largest eigenvalue fluctuates (Tracy–Widom) the move
is known: an excess kurtosis κ moves it by at most κ/√(np) of its place, variances of columns with the relative variance
τ² by τ²√(n/p), those of rows by τ²√(p/n). One unit makes a level of 0.05 about 2.6 times as large (the hazard of the
Tracy–Widom law at its upper 5 % is 1.6), so that moves below ``SHIFT`` are tolerated.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from rmtsim._internal.arrays import FloatArray, Matrix
from rmtsim._internal.docstrings import frozen
from rmtsim.spectra._deflation import Reduced, row_blocks

SHIFT = 0.2
"""Move of the edge, in units of its fluctuation, below which a departure from white noise does not matter."""
_UNSEEN = 0.5
"""The same for what a test of the variances can miss: beyond it each component needs a second test."""
_TRIMMED, _HEAVY = 0.1, 1.25
"""Where entries of a row or column have a fourth moment beyond ``_HEAVY`` times that of Gaussian ones, the share of its
largest entries without which it still has to be larger than the others."""
_LEVEL = 0.05
"""Level of the test for unequal variances of rows or columns."""


@frozen
class Entries:
    """Excess kurtosis, the spreads of the variances of columns and rows, and how far all these move the edge."""

    excess_kurtosis: float
    p_values: tuple[float, float]
    """Of equal variances of columns and of rows, for independent entries of one law."""
    moves: tuple[float, float]
    """Moves of the edge by the unequal variances of columns and rows; infinite where heavy tails hide them."""
    unseen: float
    """Largest move of the edge by undetected unequal variances: two standard errors."""
    kurtosis_move: float

    @property
    def light(self) -> bool:
        """Whether the tails are close enough to Gaussian ones for the Tracy–Widom law."""
        return abs(self.kurtosis_move) <= SHIFT

    @property
    def unequal(self) -> tuple[bool, bool]:
        """Whether the variances of columns, and of rows, are unequal."""
        columns, rows = (
            2 * p <= _LEVEL and move > SHIFT for p, move in zip(self.p_values, self.moves, strict=True)
        )
        return columns, rows

    @property
    def enough(self) -> bool:
        """Whether unequal variances that matter would have been detected."""
        return self.unseen <= _UNSEEN


def edge_scale(rows: int, columns: int) -> float:
    """Scale on which the largest eigenvalue of white noise fluctuates, relative to its place."""
    a, b = math.sqrt(rows), math.sqrt(columns)
    return float((1 / a + 1 / b) ** (1 / 3) / (a + b))


def entries_of(data: Matrix | Reduced) -> Entries:
    """Kurtosis and spreads of variances of the data (without their components)."""
    rows, columns = data.shape
    variances = np.zeros(columns), np.zeros(rows)  # of columns and of rows
    fourth, start, is_complex = 0.0, 0, False
    for block in row_blocks(data):
        is_complex = np.iscomplexobj(block)
        square = _squares(block)
        variances[0][:] += square.sum(axis=0) / rows
        variances[1][start : start + len(block)] = square.mean(axis=1)
        fourth += float(np.vdot(square, square))
        start += len(block)
    mean = float(variances[1].mean())
    fourth = fourth / (rows * columns) / mean**2
    # E|g|⁴ is 3 for a real standard Gaussian number and 2 for a complex one.
    gaussian = 2 if is_complex else 3
    scale = edge_scale(rows, columns)
    kurtosis_move = (fourth - gaussian) / math.sqrt(rows * columns) / scale
    light = abs(kurtosis_move) <= SHIFT
    ranks = None
    if not light:
        squares = _squares(data.whole() if isinstance(data, Reduced) else data)
        ranks = stats.rankdata(squares).reshape(squares.shape)
    p_values, moves, unseen = [], [], 0.0
    for axis, weight in ((0, math.sqrt(rows / columns)), (1, math.sqrt(columns / rows))):
        each, count = data.shape[axis], data.shape[1 - axis]
        chance = (gaussian - 1) / each
        if ranks is None:
            spread = float(variances[axis].var(ddof=1)) / mean**2
            p_values.append(float(stats.chi2.sf(spread / ((fourth - 1) / each) * (count - 1), count - 1)))
            moves.append(max(spread - (fourth - 1) / each, 0.0) * weight / scale)
        else:
            # Kruskal and Wallis's test of the squares: heavy tails hide variances, not ranks.
            spread = float(ranks.mean(axis=axis).var(ddof=1)) * each / max(float(ranks.var()), 1e-300)
            p_values.append(float(stats.chi2.sf(spread * (count - 1), count - 1)))
            moves.append(math.inf)
        unseen = max(unseen, 2 * chance * math.sqrt(2 / count) * weight / scale)
    return Entries(fourth - gaussian, (p_values[0], p_values[1]), (moves[0], moves[1]), unseen, kurtosis_move)


def _squares(data: Matrix) -> FloatArray:
    return np.asarray(np.abs(data) ** 2 if np.iscomplexobj(data) else np.square(data))


def clearly_unequal(data: Matrix) -> bool:
    """Whether rows or columns have unequal variances whatever components the data have.

    Kruskal and Wallis's test of the squares without the tenth of the rows (columns) with the largest ones, in which
    components may lie. The others of equal variances spread less than all of them, which the test does not use.
    """
    ranks = stats.rankdata(np.abs(data)).reshape(data.shape)
    variance = max(float(ranks.var()), 1e-300)
    for axis in (0, 1):
        means = np.sort(ranks.mean(axis=axis))
        kept = means[: means.size - math.ceil(means.size / 10)]
        spread = float(kept.var(ddof=1)) * data.shape[axis] / variance
        if 2 * float(stats.chi2.sf(spread * (kept.size - 1), kept.size - 1)) <= _LEVEL:
            return True
    return False


def localised(data: Matrix) -> float:
    """p-value of one row or column whose variance is larger than the spread of the others allows.

    The fourth roots of the precisions (inverse variances) of the others, as different as they may be, predict that of
    the largest variance by Student's law; the probability is multiplied by the number of rows or columns. Fourth roots
    of gamma-distributed precisions, as those of heavy-tailed elliptical rows, are close to Gaussian; those of equal
    variances, and of lognormal ones, have a shorter tail at this end, so that the p-value is conservative.
    """
    square = np.abs(data) ** 2
    gaussian = 2 if np.iscomplexobj(data) else 3
    best = 1.0
    for axis in (0, 1):
        variances = square.mean(axis=axis)
        if variances.size < 4 or not (variances > 0).all():
            continue
        p_value = _beyond_others(variances)
        tails = float(((square**2).mean(axis=axis) / variances**2).mean())
        kept = square.shape[axis] - math.ceil(_TRIMMED * square.shape[axis])
        if tails > _HEAVY * gaussian and kept > 1:
            # One entry makes a variance of heavy-tailed noise large: the others have to show it as well.
            trimmed = np.sort(square, axis=axis).take(range(kept), axis=axis).mean(axis=axis)
            p_value = max(p_value, _beyond_others(trimmed) if (trimmed > 0).all() else 1.0)
        best = min(best, p_value)
    return best


def _beyond_others(variances: FloatArray) -> float:
    """p-value of the largest of several variances, predicted by the others."""
    roots = variances**-0.25
    place = int(roots.argmin())
    others = np.delete(roots, place)
    error = float(others.std(ddof=1)) * math.sqrt(1 + 1 / others.size)
    if error <= 0:
        return 1.0
    score = float(others.mean() - roots[place]) / error
    return min(1.0, variances.size * float(stats.t.sf(score, others.size - 1)))
