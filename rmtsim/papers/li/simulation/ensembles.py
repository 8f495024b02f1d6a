"""Correlated real symmetric Gaussian matrices, drawn from their definitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.remembered import remembered

Matrix = NDArray[np.float64]


def _checked(size: int, rng: np.random.Generator, minimum: int = 1) -> tuple[int, np.random.Generator]:
    """Check what all ensembles take: a size whose matrices fit in memory, and a generator."""
    size = validate.integer("size", size, minimum=minimum, meaning="rows of the matrix")
    validate.memory(32.0 * size**2, f"size={size}: a {size}×{size} matrix")
    return size, validate.generator("rng", rng)


def _symmetric(deviation: Matrix | float, size: int, rng: np.random.Generator) -> Matrix:
    drawn = rng.standard_normal((size, size))
    drawn *= deviation
    return np.where(_above(size), drawn, drawn.T)


@remembered(maxsize=16)
def _above(size: int) -> NDArray[np.bool_]:
    """The diagonal and what lies above it."""
    return np.asarray(np.tri(size, dtype=bool).T)


def wigner(size: int, variance: float, rng: np.random.Generator) -> Matrix:
    """Independent entries of variance variance/n, twice that on the diagonal (orthogonally invariant).

    >>> import numpy as np
    >>> wigner(3, 1.0, np.random.default_rng(0)).shape
    (3, 3)
    """
    size, rng = _checked(size, rng)
    deviation = np.full((size, size), np.sqrt(validate.positive_number("variance", variance) / size))
    deviation[np.diag_indices(size)] *= np.sqrt(2)
    return _symmetric(deviation, size, rng)


def two_block(size: int, across: float, rng: np.random.Generator) -> Matrix:
    """Two halves: entries of variance 1/n within the first, 0.1/n within the second, across/n between them.

    >>> import numpy as np
    >>> two_block(4, 0.0, np.random.default_rng(0))[:2, 2:].tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    size, rng = _checked(size, rng, minimum=2)
    across = validate.finite_number("across", across, meaning="variance between the halves")
    if across < 0:
        raise ValueError(f"across={across}: expected a finite number >= 0 (variance between the halves)")
    half = size // 2
    variance = np.full((size, size), across)
    variance[:half, :half] = 1.0
    variance[half:, half:] = 0.1
    variance /= size
    return _symmetric(np.sqrt(variance), size, rng)


def banded(size: int, width: float, rng: np.random.Generator) -> Matrix:
    """Entries of variance (0.2 + exp(−(x − y)²/2 width²))/n at x = i/n, y = j/n: a soft band on a floor.

    >>> import numpy as np
    >>> banded(5, 0.2, np.random.default_rng(0)).shape
    (5, 5)
    """
    size, rng = _checked(size, rng)
    width = validate.positive_number("width", width, meaning="width of the band over n")
    if width < 1e-100:
        raise ValueError(f"width={width}: expected a number >= 1e-100 (width of the band over n)")
    x = (np.arange(size) + 0.5) / size
    variance = (0.2 + np.exp(-((x[:, None] - x) ** 2) / (2 * width * width))) / size
    return _symmetric(np.sqrt(variance), size, rng)


def separable(size: int, correlation: float, rng: np.random.Generator) -> Matrix:
    """L^½ G L^½ with L_ij = correlation^|i−j| and G a Wigner matrix of variance 1: all entries correlated.

    >>> import numpy as np
    >>> separable(5, 0.5, np.random.default_rng(0)).shape
    (5, 5)
    """
    size, rng = _checked(size, rng)
    correlation = validate.finite_number("correlation", correlation, meaning="correlation of neighbours")
    if not -1 < correlation < 1:
        raise ValueError(
            f"correlation={correlation}: expected a number in (-1, 1) (correlation of neighbours)"
        )
    index = np.arange(size)
    covariance = correlation ** np.abs(index[:, None] - index)
    # A Cholesky factor C of L gives C G Cᵀ, which has the spectrum of L^½ G L^½ up to the law of G (invariant).
    factor = np.linalg.cholesky(covariance)
    result: Matrix = factor @ wigner(size, 1.0, rng) @ factor.T
    return result


def deformed(size: int, separation: float, rng: np.random.Generator) -> Matrix:
    """A Wigner matrix of variance 1 plus a mean with eigenvalues ± separation in equal shares.

    >>> import numpy as np
    >>> deformed(4, 2.0, np.random.default_rng(0)).shape
    (4, 4)
    """
    size, rng = _checked(size, rng, minimum=2)
    separation = validate.finite_number("separation", separation, meaning="eigenvalues ± of the mean")
    signs = np.where(np.arange(size) < size // 2, -1.0, 1.0)
    return wigner(size, 1.0, rng) + separation * np.diag(signs)


def rectangular(size: int, ratio: float, rng: np.random.Generator) -> Matrix:
    """[[0, X], [Xᵀ, 0]] with X of shape round(ratio·n)×n, entries of variance 1/n: a chiral block matrix.

    >>> import numpy as np
    >>> rectangular(4, 0.5, np.random.default_rng(0)).shape
    (6, 6)
    """
    size, rng = _checked(size, rng)
    ratio = validate.positive_number("ratio", ratio, meaning="rows of X over its columns")
    if ratio * size > validate.MAXIMUM_SIZE:
        raise ValueError(
            f"ratio={ratio}: expected at most {validate.MAXIMUM_SIZE:g}/size (rows of X over its columns)"
        )
    rows = max(1, validate.integer("ratio·size", round(ratio * size), minimum=0, meaning="rows of X"))
    validate.memory(24.0 * (rows + size) ** 2, f"size={size}, ratio={ratio}: a chiral block matrix")
    x = rng.standard_normal((rows, size)) / np.sqrt(size)
    return np.block([[np.zeros((rows, rows)), x], [x.T, np.zeros((size, size))]])
