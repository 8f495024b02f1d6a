"""Sign flips of a data matrix: a null for the largest eigenvalues that keeps the size of every entry.

Noise with independent entries, symmetric about zero, has the same law after random changes of sign, whatever the
variance and the tails of each entry; a signal of low rank is destroyed. The eigenvalues of flipped matrices are a null
for those of the data (Hong, Sheng and Dobriban 2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse.linalg import eigsh

from rmtsim.spectra._deflation import deflated, gram, top_vectors
from rmtsim.spectra._outliers import SHARE, Separation

Matrix = NDArray[np.floating] | NDArray[np.complexfloating]
FloatArray = NDArray[np.float64]

_HEAVY = 0.5
"""Excess kurtosis from which the Tracy–Widom law is not trusted at the sizes in use."""
_UNEQUAL = 1.5
"""Spread of row or column variances, over that of equal ones, from which they count as unequal."""
_DEVIATIONS = 6.0
"""The spread of n equal variances is measured with a relative error of 1.17/√n; no fewer than five of these count."""
_BULK_LEVEL = 0.01
"""Level of the test that compares the bulk with those of flipped matrices."""
_FLIPS = 99
"""Flips a test; more if the level requires them."""
_FEWEST = 39
"""Flips of every test, whose quantiles bound the number of components from above."""
_BULK_FLIPS = 49
_WHOLE = 300
"""Up to this size all eigenvalues of a flipped matrix are computed, beyond it only the largest by Lanczos's method."""


@dataclass(frozen=True)
class Entries:
    """What the entries show after the suspected components are removed.

    ``columns`` and ``rows`` are the spreads of the variances of columns and rows, in units of the spread expected of
    equal variances.
    """

    excess_kurtosis: float
    columns: float
    rows: float
    shape: tuple[int, int]

    def words(self) -> str:
        """What speaks against independent entries of one variance and light tails; empty if nothing does."""
        found = []
        if self.excess_kurtosis > _HEAVY:
            found.append(f"entries have an excess kurtosis of {self.excess_kurtosis:.2g}")
        rows, columns = self.shape
        for name, value, count in (("columns", self.columns, columns), ("rows", self.rows, rows)):
            if value > max(_UNEQUAL, 1 + _DEVIATIONS / math.sqrt(count)):
                found.append(f"variances of {name} spread {value:.3g} times as much as equal ones would")
        return ", ".join(found)


def entries_of(data: Matrix, removed: int) -> Entries:
    """Kurtosis and spreads of variances of the data without their ``removed`` largest components."""
    rest = deflated(data, top_vectors(data, removed))
    square = np.abs(rest) ** 2
    mean = float(square.mean())
    fourth = float((square**2).mean()) / mean**2
    # E|g|⁴ is 3 for a real standard Gaussian number and 2 for a complex one.
    excess = fourth - (2 if np.iscomplexobj(rest) else 3)
    spreads = []
    for axis in (0, 1):
        each = square.mean(axis=axis) / mean
        # The median deviation of a Gaussian number is 0.6745 standard deviations; few unusual columns do not count.
        spread = float(np.median(np.abs(each - np.median(each)))) / 0.6745
        spreads.append(spread / math.sqrt(max(fourth - 1, 0.1) / square.shape[axis]))
    return Entries(excess, spreads[0], spreads[1], (square.shape[0], square.shape[1]))


@dataclass(frozen=True, eq=False)
class FlipTest:
    """Components found by sign flips, and whether the bulk below them is one that flips can have."""

    split: Separation
    most: int
    """Largest number of components that the eigenvalues are compatible with."""
    flips: int
    bulk_score: float
    """Σλ² of the bulk minus that of flipped matrices, in standard deviations of the latter."""
    bulk_p: float

    @property
    def fits(self) -> bool:
        """Whether the flipped matrices have a bulk like that of the data."""
        return self.bulk_p >= _BULK_LEVEL and self.split.outliers.mean() <= SHARE

    def words(self) -> str:
        """Why it does not fit."""
        if self.split.outliers.mean() > SHARE:
            return f"more than {SHARE:.0%} of the eigenvalues exceed those of sign-flipped data"
        side = "more" if self.bulk_score > 0 else "less"
        return (
            f"rows or columns are correlated beyond a few components (the bulk spreads {side} than that of "
            f"sign-flipped data by {abs(self.bulk_score):.3g} standard deviations)"
        )


def flip_test(data: Matrix, values: FloatArray, level: float, rng: np.random.Generator) -> FlipTest:
    """Test the decreasing eigenvalues ``values`` of XᵀX one after another against those of sign-flipped matrices.

    Before each test the components found so far are removed from the data. A p-value is (1 + c)/(1 + B), with c the
    number of the B flips whose largest eigenvalue is at least as large, times the number of tests that it passed.
    """
    flips = max(_FLIPS, math.ceil(1 / level))
    most = math.ceil(SHARE * values.size) + 1
    tails: list[float] = []
    found, largest = 0, -math.inf
    scale = float(np.linalg.norm(data) ** 2) / float(values.sum())
    rest, top = data, np.zeros(1)
    while found < most:
        rest = deflated(data, top_vectors(data, found))
        top = _largest_of_flips(rest, float(values[found]) * scale, flips, level, rng)
        exceeded = int((top >= values[found] * scale).sum())
        largest = max(largest, math.log((1 + exceeded) / (1 + top.size)))
        if largest > math.log(level):
            break
        tails.append(largest)
        found += 1
    outliers = np.zeros(values.shape, dtype=bool)
    outliers[:found] = True
    score, p_value = _bulk(rest, values[found:] * scale, found, rng)
    # The noise without a further component has its largest eigenvalue above this one with probability 1 - level.
    least = float(np.quantile(top, level)) / scale
    upper = max(found, int((values >= least).sum()))
    return FlipTest(Separation(outliers, np.array(tails), largest), upper, flips, score, p_value)


def _largest_of_flips(
    rest: Matrix, value: float, flips: int, level: float, rng: np.random.Generator
) -> FloatArray:
    """Largest eigenvalues of flipped matrices: ``flips`` of them, or fewer once the test cannot reject any more."""
    enough = level * (1 + flips)
    top: list[float] = []
    exceeded = 0
    while len(top) < flips and (len(top) < _FEWEST or 1 + exceeded <= enough):
        top.append(_largest(_flipped(rest, rng)))
        exceeded += top[-1] >= value
        # Further beyond all flips than these spread: no more are needed, if so few can reject at all.
        if len(top) >= _FEWEST and level * (1 + len(top)) >= 1 and value > 2 * max(top) - min(top):
            break
    return np.array(top)


def _bulk(rest: Matrix, values: FloatArray, removed: int, rng: np.random.Generator) -> tuple[float, float]:
    """Standard score and p-value of Σλ², which correlations between rows or columns increase."""
    rows, columns = rest.shape
    sums = np.array([_square_sum(_flipped(rest, rng)) for _ in range(_BULK_FLIPS)])
    # Removing components takes degrees of freedom from the bulk of the data, and none from those of flipped data.
    factor = (1 / rows + 1 / columns) / (1 / (rows - removed) + 1 / (columns - removed))
    spread = float(sums.std(ddof=1)) * math.sqrt(1 + 1 / _BULK_FLIPS)
    score = (float((values**2).sum()) * factor - float(sums.mean())) / max(spread, 1e-300)
    return score, 2 * float(stats.t.sf(abs(score), _BULK_FLIPS - 1))


def _flipped(data: Matrix, rng: np.random.Generator) -> Matrix:
    bits = np.unpackbits(np.frombuffer(rng.bytes(data.size // 8 + 1), dtype=np.uint8), count=data.size)
    return np.asarray(np.where(bits.reshape(data.shape), data, -data))


def _largest(data: Matrix) -> float:
    """Largest eigenvalue of XᵀX."""
    if min(data.shape) > _WHOLE:
        from scipy.sparse.linalg import LinearOperator

        side = data.shape[1]
        product = LinearOperator((side, side), matvec=lambda v: data.conj().T @ (data @ v), dtype=data.dtype)
        start = np.ones(side, dtype=data.dtype)
        return float(eigsh(product, k=1, which="LA", tol=1e-4, v0=start, return_eigenvectors=False)[0])
    return float(np.linalg.eigvalsh(gram(data))[-1])


def _square_sum(data: Matrix) -> float:
    return float(np.linalg.norm(gram(data)) ** 2)
