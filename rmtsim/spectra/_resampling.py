"""Resampled data matrices: nulls for the largest eigenvalues made from the entries of the data.

Independent entries of one law, whatever it is, are exchangeable: permutations of all entries leave the law of noise as
it is and destroy a signal of low rank. Independent entries that are symmetric about zero keep their law under random
changes of sign, whatever the variance and the tails of each (Hong, Sheng and Dobriban 2020); a component in a single
row or column keeps its size as well and is not detected.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
from scipy import stats
from scipy.sparse.linalg import LinearOperator, eigsh

from rmtsim._internal.arrays import FloatArray, Matrix
from rmtsim._internal.docstrings import frozen
from rmtsim.spectra._deflation import gram, without_top
from rmtsim.spectra._entries import localised
from rmtsim.spectra._outliers import SHARE, Separation

Resampling = Literal["permutations", "signs"]

_BULK_LEVEL = 0.01
"""Level of the test that compares the bulk with those of resampled matrices."""
_DRAWS = 199
"""Resampled matrices of a test; more if the level requires them."""
_STEP = 20
"""Resampled matrices after each of which it is decided whether more are needed."""
_BULK_DRAWS = 39
_SINGLE = 0.2
"""Share of the level for components along a single row or column, which sign flips do not detect."""
_WHOLE = 300
"""Up to this size all eigenvalues of a resampled matrix are computed, beyond it the largest by Lanczos's method."""
_CHUNK = 1_000_000
"""Entries resampled at a time."""


@frozen(eq=False)
class Resampled:
    """Components found against resampled matrices, and whether the bulk below them is one that those can have."""

    split: Separation
    most: int
    """Largest number of components that the eigenvalues are compatible with."""
    rest: Matrix
    """The data without the components, with as many rows and columns fewer."""
    bulk_score: float
    """Σλ² of the bulk minus that of resampled matrices, in standard deviations of the latter."""
    bulk_p: float

    def words(self) -> str:
        """Why the bulk does not fit; empty if it does."""
        if self.split.outliers.mean() > SHARE:
            return f"more than {SHARE:.0%} of the eigenvalues exceed those of resampled data"
        if self.bulk_p >= _BULK_LEVEL:
            return ""
        side = "more" if self.bulk_score > 0 else "less"
        return (
            f"rows or columns are correlated beyond a few components (the bulk spreads {side} than that of "
            f"resampled data by {abs(self.bulk_score):.3g} standard deviations)"
        )


def resampled_test(
    data: Matrix,
    how: Resampling,
    size: int,
    level: float,
    rng: np.random.Generator,
    *,
    single: bool = False,
) -> Resampled:
    """Test the eigenvalues of XᵀX one after another against those of resampled matrices.

    Each component found is removed, with one row and one column, before the next test. A p-value is (1 + c)/(1 + B),
    with c the number of the B matrices whose largest eigenvalue is at least as large; the running maximum is kept.
    With ``single``, a fifth of the level is spent on components along one row or column, see
    :func:`~rmtsim.spectra._entries.localised`. ``size`` is the number of eigenvalues, of which at most a quarter and
    one more are tested.
    """
    tails: list[float] = []
    largest = -math.inf
    rest, top = data, np.zeros(1)
    share = 1 - _SINGLE if single else 1.0
    while len(tails) < min(math.ceil(SHARE * size) + 1, min(data.shape) - 2):
        p_value = localised(rest) / _SINGLE if single else 1.0
        if p_value > level:
            value = _largest(rest)
            top = _largest_of_resampled(rest, how, value, level * share, rng)
            p_value = min(p_value, _exceeded(top, value) / share, 1.0)
        largest = max(largest, math.log(p_value))
        if largest > math.log(level):
            break
        tails.append(largest)
        rest = without_top(rest)
    outliers = np.zeros(size, dtype=bool)
    outliers[: len(tails)] = True
    score, p_value = _bulk(rest, how, rng)
    # The noise without a further component has its largest eigenvalue above this one with probability 1 - level.
    further = np.linalg.eigvalsh(gram(rest)) >= float(np.quantile(top, level))
    return Resampled(
        Separation(outliers, np.array(tails), largest), len(tails) + int(further.sum()), rest, score, p_value
    )


def confirmation(data: Matrix, level: float, rng: np.random.Generator) -> float:
    """p-value of the largest component of data whose rows and columns may have unequal variances.

    The smaller one of two: against sign flips, which detect components that are spread over rows and columns, and
    against the spread of the variances, for one in a single row or column.
    """
    single = localised(data)
    if single <= level:
        return single
    value = _largest(data)
    top = _largest_of_resampled(data, "signs", value, level, rng)
    return min(single, _exceeded(top, value))


def _exceeded(top: FloatArray, value: float) -> float:
    """p-value of a largest eigenvalue among those of resampled matrices."""
    return (1 + int((top >= value * (1 - 1e-9)).sum())) / (1 + top.size)


def _largest_of_resampled(
    rest: Matrix, how: Resampling, value: float, level: float, rng: np.random.Generator
) -> FloatArray:
    """Largest eigenvalues of resampled matrices: fewer than usual once the outcome is clear."""
    draws = max(_DRAWS, math.ceil(2 / level))
    enough = level * (1 + draws)
    top = np.zeros(0)
    while top.size < draws:
        count = min(_STEP, draws - top.size)
        top = np.concatenate([top, _largest_of_draws(rest, how, count, rng)])
        if _exceeded(top, value) * (1 + top.size) > enough:
            break
        # The value exceeds all of them by more than their spread: no more are needed, if so few can reject at all.
        if level * (1 + top.size) >= 1 and value > 2 * float(top.max()) - float(top.min()):
            break
    return top


def _largest_of_draws(data: Matrix, how: Resampling, count: int, rng: np.random.Generator) -> FloatArray:
    found = []
    for stack in _stacks(data, how, count, rng):
        if min(data.shape) > _WHOLE:
            found += [_largest(matrix) for matrix in stack]
        else:
            found += np.linalg.eigvalsh(_grams(stack))[:, -1].tolist()
    return np.array(found)


def _stacks(data: Matrix, how: Resampling, count: int, rng: np.random.Generator) -> Iterator[Matrix]:
    """Resampled matrices, several at a time."""
    step = max(1, _CHUNK // data.size)
    return (_drawn(data, how, min(step, count - start), rng) for start in range(0, count, step))


def _drawn(data: Matrix, how: Resampling, count: int, rng: np.random.Generator) -> Matrix:
    shape = (count, *data.shape)
    if how == "permutations":
        # Noise has mean zero; a mean of all entries is a component, which permutations would keep.
        copies = np.tile((data - data.mean()).ravel(), (count, 1))
        return np.asarray(rng.permuted(copies, axis=1, out=copies).reshape(shape))
    bits = np.unpackbits(
        np.frombuffer(rng.bytes(count * data.size // 8 + 1), dtype=np.uint8), count=count * data.size
    )
    return np.asarray(np.where(bits.reshape(shape), data, -data))


def _grams(stack: Matrix) -> Matrix:
    turned = np.swapaxes(stack.conj(), 1, 2)
    return np.asarray(turned @ stack if stack.shape[1] >= stack.shape[2] else stack @ turned)


def _largest(data: Matrix) -> float:
    """Largest eigenvalue of XᵀX."""
    if min(data.shape) > _WHOLE:
        side = data.shape[1]
        product = LinearOperator((side, side), matvec=lambda v: data.conj().T @ (data @ v), dtype=data.dtype)
        start = np.ones(side, dtype=data.dtype)
        return float(eigsh(product, k=1, which="LA", tol=1e-4, v0=start, return_eigenvectors=False)[0])
    return float(np.linalg.eigvalsh(gram(data))[-1])


def _bulk(rest: Matrix, how: Resampling, rng: np.random.Generator) -> tuple[float, float]:
    """Standard score and p-value of Σλ², which correlations between rows or columns increase."""
    sums = np.concatenate(
        [np.square(np.abs(_grams(stack))).sum(axis=(1, 2)) for stack in _stacks(rest, how, _BULK_DRAWS, rng)]
    )
    spread = float(sums.std(ddof=1)) * math.sqrt(1 + 1 / _BULK_DRAWS)
    score = (float(np.linalg.norm(gram(rest)) ** 2) - float(sums.mean())) / max(spread, 1e-300)
    return score, 2 * float(stats.t.sf(abs(score), _BULK_DRAWS - 1))
